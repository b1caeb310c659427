"""A small language model and a real server for it, to try the protocol on."""
