"""A session as text: what was said and done, without bodies."""
