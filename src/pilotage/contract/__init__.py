"""Whether a call is acceptable: it judges a record and touches no disk."""
