"""What was really asked and answered: child sessions, and the entries that point to them (spec E)."""
