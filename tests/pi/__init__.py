"""The real Pi, run against a scripted model: what the recordings and the live tests are made with."""
