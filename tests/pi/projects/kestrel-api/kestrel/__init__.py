"""A client for the kestrel upload service."""
