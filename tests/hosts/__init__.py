"""The programs whose sessions are watched or played."""
