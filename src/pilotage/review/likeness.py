"""Whether two reminders say the same in other words (spec R6).

Words are compared by their beginnings and count by their length, so that inflection and small words matter little;
of scripts that put no spaces between words, pairs of characters are compared. Bounds were chosen on the reminders in
`tests/review/test_likeness.py`.
"""

import re
from itertools import pairwise

from pilotage.contract.words import spaceless, words_of

SAME_PRINCIPLE = 0.32
"""How alike two deviations from one principle must be to be the same."""

SAME_WORDS = 0.85
"""How alike two deviations must be to be the same whatever principle they are said to leave."""

SAME_SOURCE = 0.85
"""How much of the shorter of two sources must stand in the longer one for them to be one principle."""

_STEM = 6
_NAME = re.compile(r"[\w-]*[./_\d][\w./-]*\w")


def is_same(one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Whether two reminders, each a deviation and a source, say the same of the same thing."""
    if one == other:
        return True
    names, others = _names(one[0]), _names(other[0])
    if names and others and not names & others:
        return False
    alike = likeness(one[0], other[0])
    return alike >= SAME_WORDS or (alike >= SAME_PRINCIPLE and _is_same_source(one[1], other[1]))


def likeness(one: str, other: str) -> float:
    """How much of two texts is common to both: 0 for nothing, 1 for all (Dice's measure over weighted words)."""
    parts, others = _parts(one), _parts(other)
    whole = _weight(parts) + _weight(others)
    return 2 * _weight(parts & others) / whole if whole else float(one.split() == other.split())


def _is_same_source(one: str, other: str) -> bool:
    parts, others = _parts(one), _parts(other)
    shorter = min(_weight(parts), _weight(others))
    return shorter > 0 and _weight(parts & others) >= SAME_SOURCE * shorter


def _parts(text: str) -> set[str]:
    parts: set[str] = set()
    for word in words_of(text):
        if spaceless(word) > 1:
            parts |= {first + second for first, second in pairwise(word)}
        else:
            parts.add(word[:_STEM])
    return parts


def _weight(parts: set[str]) -> int:
    return sum(map(len, parts))


def _names(text: str) -> set[str]:
    """The files, functions, versions and numbers that a text names: two of a kind are not one thing."""
    return {name.casefold().strip("./") for name in _NAME.findall(text)}
