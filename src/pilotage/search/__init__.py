"""One answer to what a person or an agent looks for: exact names, words, a model's choice (spec D4 to D8)."""
