"""What Pilotage puts into Pi, and what it says of it."""
