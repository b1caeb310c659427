"""The recording that the demo plays."""
