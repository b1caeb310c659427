"""The commands, as a person and as a program call them."""
