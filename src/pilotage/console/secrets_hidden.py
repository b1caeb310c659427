"""Texts of sessions and models without secrets, as the console shows and copies them (spec U9)."""

from functools import lru_cache

from pilotage.console.parts import Part
from pilotage.figures import counted
from pilotage.plain import plain, plain_line
from pilotage.redaction import Redacted, redact

LONGEST = 20_000
"""Characters of a short text that are looked at: a reminder, a reason, a command."""


@lru_cache(512)
def hide(text: str) -> Redacted:
    """A short text without its secrets."""
    return redact(text[:LONGEST])


def safe_line(text: str, limit: int = 400) -> str:
    """A text on one line, without secrets and fit for a terminal."""
    return plain_line(hide(text).text, limit)


def safe_text(text: str) -> str:
    """A text with its lines, without secrets and fit for a terminal."""
    return plain(hide(text).text).strip()


def hidden_words(count: int) -> str:
    """How many secrets are not shown; nothing where none is hidden."""
    return f"{counted(count, 'secret')} hidden" if count else ""


def clean_part(key: str, name: str, text: str) -> Part:
    """A text to copy; where secrets are hidden in it, its name says how many."""
    clean = hide(text)
    hidden = hidden_words(clean.count)
    return Part(key, f"{name}, {hidden}" if hidden else name, clean.text)
