"""A session as text, and as a trace of its entries."""
