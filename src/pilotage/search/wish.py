"""A wish in plain words, read for ranking: its terms with their weights, by sentence."""

import re

from msgspec import Struct

from pilotage.search.tokens import terms

MOST_CHARACTERS = 4000
"""Characters of a wish that are read."""

_QUOTED = 0.3
"""How much a word within quotation marks counts: it is more often a value than what is asked for."""

_NUMBER = 0.5
"""How much a number counts."""

_QUOTE = re.compile(r"\"[^\"]*\"|(?<!\w)'[^']*'(?!\w)|“[^”]*”|«[^»]*»")
_SENTENCE = re.compile(
    r"(?<=[.!?;\n])\s+|(?<=[。！？；])"
    r"|,?\s+(?:and then|then|after that|finally|lastly|additionally|also|and also)\b",
    re.IGNORECASE,
)


class Wish(Struct, frozen=True):
    """What somebody asks for."""

    weights: dict[str, float]
    """Its terms in their order, and how much each counts."""
    sentences: tuple[tuple[str, ...], ...]
    """The terms of each sentence that has any, each once."""


def read_wish(query: str) -> Wish:
    """Read a wish; only its first 4,000 characters count."""
    query = query[:MOST_CHARACTERS]
    parts = (dict.fromkeys(terms(part)) for part in _SENTENCE.split(query) if part)
    sentences = tuple(tuple(part) for part in parts if part)
    open_terms = frozenset(terms(_QUOTE.sub(" ", query)))
    weights = {
        term: (1.0 if term in open_terms else _QUOTED) * (_NUMBER if term.isdigit() else 1.0)
        for sentence in sentences
        for term in sentence
    }
    if open_terms:
        return Wish(weights, sentences)
    # All of it is quoted: then it is what is asked for.
    return Wish(dict.fromkeys(weights, 1.0), sentences)
