"""A session as calls: outcomes, chains, turns and steps, the line of time."""
