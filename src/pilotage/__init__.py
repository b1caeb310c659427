"""Pilotage: a review console for coding agents, and the library under it."""

__version__ = "0.1.0"
