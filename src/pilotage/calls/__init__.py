"""A session as calls: each with its turn, its outcome, its chain of tries, in one line of time."""
