"""The Pi coding agent: what Pilotage puts into it, and what it finds there."""
