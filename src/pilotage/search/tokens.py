"""Text as terms to search by, in every script (spec D7).

Latin words are split at the joints of identifiers and stemmed. Words of scripts that write spaces stay words. Where no
spaces are written, or where they tell little, every two neighbouring signs are a term (`cases.md` F1).
"""

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise

from pilotage.search.stem import stem
from pilotage.search.word_lists import stop_words

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai and Lao, Burmese, Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff"  # Chinese, Japanese
    "\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff"  # Korean
)
_WITH_MARKS = "\u0900-\u0963\u0966-\u0dff\u0f40-\u0fbc"
"""The scripts of India and Tibet: their vowel signs are no word characters to `re`."""

_RUN = re.compile(
    # A run is cut where it is no word any more; runs are remembered, and should not fill the memory.
    f"[A-Za-z0-9]{{1,64}}|[{_UNSPACED}]{{1,64}}|(?:(?![A-Za-z0-9{_UNSPACED}])(?:[^\\W_]|[{_WITH_MARKS}])){{1,64}}"
)
_UNSPACED_RUN = re.compile(f"[{_UNSPACED}]")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SIGN = re.compile(
    r"(?s).[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u17b4-\u17d3\u3099\u309a]*"
)
"""One sign with the marks that stand on it."""

_DROPPED = re.compile(
    "[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u00ad\u200b-\u200f\u2060\ufeff]"
)
"""Accents, points, the Arabic stretch, and what is shown as nothing."""

_LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L"}
)
"""Latin letters that are no letter with an accent."""


def folded(text: str) -> str:
    """The text without accents, in one of the ways in which Unicode can write it; case stays."""
    if text.isascii():
        return text
    bare = _DROPPED.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", bare.translate(_LETTERS))


def terms(text: str) -> list[str]:
    """The terms of a wish, in its order, as often as they stand there."""
    return [term for run in _RUN.findall(folded(text)) for term in terms_of_run(run)]


@lru_cache(maxsize=1 << 16)
def index_terms(run: str) -> tuple[tuple[str, ...], int]:
    """The terms under which a run is found, and how many words it counts as.

    Each sign of a script without spaces is a term as well, so that a wish of one sign finds it; two make a word.
    """
    found = terms_of_run(run)
    if run.isascii() or not is_unspaced(run):
        return found, len(found)
    alone = signs(run)
    return (found + tuple(alone) if len(alone) > 1 else found), (len(alone) + 1) // 2


def runs(text: str) -> list[str]:
    """The stretches of one kind of characters that terms are made of; the text is folded first."""
    found: list[str] = _RUN.findall(folded(text))
    return found


def pieces(run: str) -> list[str]:
    """The words that a run is made of; of an identifier its parts, and all of it where it has two."""
    if not run.isascii():
        return [run]
    parts: list[str] = _PART.findall(run)
    return [*parts, run] if len(parts) == 2 else parts


def is_unspaced(run: str) -> bool:
    """Whether a run is of a script whose terms are pairs of signs."""
    return _UNSPACED_RUN.match(run) is not None


def signs(run: str) -> list[str]:
    """The signs of a run, each with its marks."""
    return _SIGN.findall(run)


@lru_cache(maxsize=1 << 16)
def terms_of_run(run: str) -> tuple[str, ...]:
    """The terms of one run; none where it says nothing."""
    if run.isascii():
        return _latin_terms(run)
    if is_unspaced(run):
        return _pairs(run)
    word = run.casefold()
    return () if word in stop_words() else (_cut(word),)


def _latin_terms(run: str) -> tuple[str, ...]:
    if run.islower() or run.isupper() or run.isdigit():
        return _latin_words(run.lower())
    parts = _PART.findall(run)
    # A name of two parts, as in GitHub or mp3, is written in one as well.
    joined = [run] if len(parts) == 2 else []
    return tuple(term for part in (*parts, *joined) for term in _latin_words(part.lower()))


def _latin_words(word: str) -> tuple[str, ...]:
    if word.isalpha() or word.isdigit():
        return () if word in stop_words() else (stem(word),)
    parts = _PART.findall(word)
    found = [stem(part) for part in parts if part not in stop_words()]
    return (*found, word) if len(parts) == 2 else tuple(found)


def _pairs(run: str) -> tuple[str, ...]:
    """Every two neighbouring signs; a sign that stands alone is itself a term."""
    found = signs(run)
    if len(found) == 1:
        return (found[0],)
    pairs = (first + second for first, second in pairwise(found))
    return tuple(pair for pair in pairs if pair not in stop_words())


def _cut(word: str) -> str:
    """A word of a script with spaces, without the ending that its grammar gives it."""
    if "\u0370" <= word[0] <= "\u052f":
        return word[:5] if len(word) > 5 else word[:4]
    return word[2:] if word.startswith("ال") and len(word) > 4 else word
