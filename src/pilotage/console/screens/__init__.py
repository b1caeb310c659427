"""The screens: each owns its state, its widgets are bound to it."""
