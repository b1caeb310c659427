"""Evidence: children, diagnostic entries, and both read back whoever wrote them."""
