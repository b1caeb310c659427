"""A recorded session to play, and nothing else."""
