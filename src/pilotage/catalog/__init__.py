"""What the agent could use, from the host, from a session file and from the disk (spec D1, D2)."""
