"""The words of a text in any script, for comparing what people and models write."""

import re
import unicodedata

_WITHOUT_SPACES = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
"""Scripts that put no spaces between words: Thai, Lao, Burmese, Khmer, Kana, Han."""

_HEAD = 80

_ASCII_WORD = re.compile(r"[a-z0-9]+")
_WORD = re.compile(f"[{_WITHOUT_SPACES}]+|[^\\s{_WITHOUT_SPACES}]+")
_SPACELESS = re.compile(f"[{_WITHOUT_SPACES}]")


def words_of(text: str) -> list[str]:
    """Split a text into words, in lower case; a run of a script without spaces is one word."""
    folded = text.casefold()
    if folded.isascii():
        return _ASCII_WORD.findall(folded)
    folded = unicodedata.normalize("NFKC", folded)
    return _WORD.findall("".join(char if _is_of_word(char) else " " for char in folded))


def first_word(text: str) -> str:
    """Give the first of a text's words, in lower case; nothing where it has none.

    Of a long text only the beginning is looked at, where that is enough.
    """
    head = text[:_HEAD].casefold()
    if head.isascii():
        found = _ASCII_WORD.search(head)
        if found and found.end() < len(head):
            return found[0]
    return next(iter(words_of(text)), "")


def spaceless(text: str) -> int:
    """How many characters of scripts without spaces the text has."""
    return len(_SPACELESS.findall(text))


def _is_of_word(char: str) -> bool:
    # Vowel signs of Indic and Thai script are marks, no letters, and yet they are part of a word.
    return char.isalnum() or unicodedata.category(char)[0] == "M"
