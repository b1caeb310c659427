"""The parts of a screen; none of them knows a screen."""
