"""One tool-free request to a model: whom to ask, how, and every way in which it can fail (spec M)."""
