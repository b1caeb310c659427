"""One request to a model: whom it goes to, what is sent, and every way in which it fails."""
