"""What the goals of speed are measured with (spec N1, N3, N4): programs to run, not tests."""
