"""Everything that proves Pilotage."""
