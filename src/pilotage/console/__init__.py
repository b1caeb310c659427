"""The live console, and the only room that knows Textual."""
