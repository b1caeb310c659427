"""Names looked up by what was typed: exactly, but for signs between words, by their beginning, with typing mistakes.

Names want a tier of their own: no ranking by words puts an exact name first every time (spec D5).
"""

import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise, takewhile

from msgspec import Struct

from pilotage.records.capability import Capability
from pilotage.search.texts import local_name

LONGEST = 100
"""Characters of what may be a name with a mistake in it; a longer text is a wish."""

_SEPARATORS = str.maketrans("", "", "-_. ")
_SHORTEST_BEGINNING = 3
_SHORTEST_MISTAKEN = 4
_TWO_MISTAKES_FROM = 8


class NameIndex(Struct, frozen=True):
    """The names of a catalog, made ready to be looked up."""

    full: Mapping[str, tuple[str, ...]]
    """Ids by full name in any case."""
    local: Mapping[str, tuple[str, ...]]
    """Ids by what stands after the last `__`, in any case, where that is not all."""
    keys: Mapping[str, tuple[str, ...]]
    """Ids by either name without the signs between its words."""
    ordered: tuple[str, ...]
    """The keys in order."""
    outlines: Mapping[int, tuple[tuple[str, int, int], ...]]
    """By its length each key, with the set of its letters and the set of its pairs of letters."""


class Exact(Struct, frozen=True):
    """The entries that a typed name names."""

    full: tuple[str, ...]
    """Ids of those whose full name it is, in any case."""
    local: tuple[str, ...]
    """Ids of those of whose name it is the part after the last `__`."""
    variants: tuple[str, ...]
    """Ids of those whose full or local name differs from it, or from one of those names, in `-`, `_`, `.` only."""

    @property
    def ids(self) -> tuple[str, ...]:
        """All of them, each once, in this order."""
        return tuple(dict.fromkeys((*self.full, *self.local, *self.variants)))


def index_names(entries: Iterable[Capability]) -> NameIndex:
    """Index the full and local names of a catalog."""
    full: dict[str, set[str]] = {}
    local: dict[str, set[str]] = {}
    keys: dict[str, set[str]] = {}
    for entry in entries:
        whole, part = in_any_case(entry.name), in_any_case(local_name(entry))
        full.setdefault(whole, set()).add(entry.id)
        if part != whole:
            local.setdefault(part, set()).add(entry.id)
        for name in {whole, part}:
            keys.setdefault(_key(name), set()).add(entry.id)
    outlines: dict[int, list[tuple[str, int, int]]] = {}
    ordered = sorted(keys)
    for key in ordered:
        outlines.setdefault(len(key), []).append((key, _bits(map(ord, key)), _bits(_pairs(key))))
    return NameIndex(
        _sorted(full), _sorted(local), _sorted(keys), tuple(ordered), {n: tuple(some) for n, some in outlines.items()}
    )


def find_exact(names: NameIndex, typed: str) -> Exact:
    """The entries that a typed name names, by id in each tier.

    What holds a space is somebody's exact name or a wish: signs between its words are not passed over.
    """
    name = in_any_case(typed)
    has_space = any(sign.isspace() for sign in name)
    variants = () if has_space else names.keys.get(_key(name), ())
    return Exact(names.full.get(name, ()), names.local.get(name, ()), variants)


def find_similar(names: NameIndex, typed: str) -> list[str]:
    """Ids of the entries whose name may be meant by what was typed, the likeliest first.

    Words that make up a name; then, if one word was typed, names that begin with it, and those that are one mistake
    away from it or, from eight characters on, two.
    """
    name = in_any_case(typed)
    key = _key(name)
    if not key or len(name) > LONGEST:
        return []
    found = [names.keys.get(key, ())]
    if not any(sign.isspace() for sign in name):
        found += [names.keys[other] for other in (*_beginning(names, key), *_mistaken(names, key))]
    return list(dict.fromkeys(id_ for ids in found for id_ in ids))


def in_any_case(text: str) -> str:
    """The text as all its spellings in upper and lower case have it."""
    return unicodedata.normalize("NFC", text.strip().casefold())


def _key(name: str) -> str:
    return name.translate(_SEPARATORS) or name


def _sorted(found: Mapping[str, set[str]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(sorted(ids)) for name, ids in found.items()}


def _beginning(names: NameIndex, key: str) -> list[str]:
    """The keys that begin with a key, the shortest first."""
    if len(key) < _SHORTEST_BEGINNING:
        return []
    start = bisect_left(names.ordered, key)
    found = takewhile(lambda other: other.startswith(key), names.ordered[start:])
    return sorted(found, key=lambda other: (len(other), other))


def _mistaken(names: NameIndex, key: str) -> list[str]:
    """The keys that a typing mistake or two may have turned into this key, the nearest first."""
    if len(key) < _SHORTEST_MISTAKEN:
        return []
    most = 2 if len(key) >= _TWO_MISTAKES_FROM else 1
    letters, pairs = _bits(map(ord, key)), _bits(_pairs(key))
    found = []
    for length in range(len(key) - most, len(key) + most + 1):
        for other, its_letters, its_pairs in names.outlines.get(length, ()):
            # A mistake changes two letters and six pairs at the most.
            if (letters ^ its_letters).bit_count() <= 2 * most and (pairs ^ its_pairs).bit_count() <= 6 * most:
                mistakes = distance(key, other, most)
                if mistakes <= most:
                    found.append((mistakes, other))
    return [other for _, other in sorted(found)]


def _pairs(text: str) -> Iterable[int]:
    return (31 * ord(first) + ord(second) for first, second in pairwise(text))


def _bits(numbers: Iterable[int]) -> int:
    """A set of numbers as bits; several may share one."""
    bits = 0
    for number in numbers:
        bits |= 1 << number % 61
    return bits


def distance(one: str, other: str, most: int) -> int:
    """How many letters were left out, put in, changed or swapped with their neighbour; beyond `most` any larger one."""
    before: Sequence[int] = ()
    last: Sequence[int] = range(len(other) + 1)
    for row, letter in enumerate(one, 1):
        line = [row]
        for column, meant in enumerate(other, 1):
            cost = min(last[column] + 1, line[-1] + 1, last[column - 1] + (letter != meant))
            if before and column > 1 and letter == other[column - 2] and one[row - 2] == meant:
                cost = min(cost, before[column - 2] + 1)
            line.append(cost)
        if min(line) > most:
            return most + 1
        before, last = last, line
    return last[-1]
