"""The command line: it reads arguments, wires the rooms together and prints."""
