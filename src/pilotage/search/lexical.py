"""Ranking by words: an index that is built once over a catalog and asked many times (spec D7).

BM25 over weighted fields, and what public data asked for beside it: words that mean nearly the same count as well, what
any wish may hold counts for little in a small catalog, the sentences of a wish may ask for different things, and quoted
values say little about the tool.
"""

import math
from array import array
from collections.abc import Container, Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from msgspec import Struct

from pilotage.records.capability import Capability
from pilotage.search.texts import WEIGHTS, texts_of
from pilotage.search.tokens import index_terms, runs, terms
from pilotage.search.wish import Wish, read_wish
from pilotage.search.word_lists import common_words, related_lines

_SATURATION = 1.2
_LENGTH = 0.75
"""BM25's usual parameters."""

_PRIOR = 200
"""So many entries are taken to have been seen before a catalog: a small one does not show what is rare."""

_PRIOR_COMMON = 0.2
_PRIOR_OTHER = 0.002
"""The part of those entries that hold a common word, and any other one."""

_RELATED_SQUARE = 0.5**2
"""The square of how much a word counts that means nearly what was asked."""

_BY_SENTENCE = 0.3
"""How much of the rank comes from the sentence that a capability answers best, where a wish has several."""

_WORTH = 0.2
"""The part of the best score below which no sentence is looked at: it could not lift an entry far."""

FLOOR = 0.3
"""The part of the best score that a match needs."""

TELLING = 2.0
"""The rarity that one shared word must have at least: what every eighth entry holds says little."""

_TELLING_NEAR = 2.5
"""The same for a word that only means nearly what was asked."""


class Found(Struct, frozen=True):
    """A capability that matches a wish."""

    id: str
    """Its id."""
    score: float
    """From 0 to 1, the best match's."""


class Posting(NamedTuple):
    """Who holds a term."""

    holders: "array[int]"
    """The entries, by their numbers."""
    values: "array[float]"
    """How much the term counts in each."""


Share = tuple[Iterable[int], Iterable[float]]
"""Entries, and what a word of a wish brings to each."""

_NOBODY = Posting(array("l"), array("d"))


class WordIndex(Struct, frozen=True):
    """A catalog made ready to be searched by words."""

    ids: tuple[str, ...]
    """The entries' ids."""
    names: tuple[str, ...]
    """Their names."""
    postings: Mapping[str, Posting]
    """For a term the entries that hold it, and how much it counts in each."""
    rarities: Mapping[str, float]
    """For a term how rare it is; the rarer, the more it tells."""


def index_words(entries: Sequence[Capability]) -> WordIndex:
    """Index a catalog's entries: names, servers, descriptions, parameters and what is said of them."""
    weights: dict[str, Posting] = {}
    lengths = [_add(number, entry, weights) for number, entry in enumerate(entries)]
    average = sum(lengths) / len(lengths) if lengths else 1.0
    norms = [_SATURATION * (1 - _LENGTH + _LENGTH * length / (average or 1.0)) for length in lengths]
    rarities = {}
    common = _common_terms()
    for term, (holders, counts) in weights.items():
        rarity = rarities[term] = _rarity(len(holders), len(lengths), is_common=term in common)
        full = rarity * (_SATURATION + 1)
        for place, (holder, count) in enumerate(zip(holders, counts, strict=True)):
            counts[place] = full * count / (count + norms[holder])
    return WordIndex(tuple(entry.id for entry in entries), tuple(entry.name for entry in entries), weights, rarities)


def _add(number: int, entry: Capability, weights: dict[str, Posting]) -> int:
    """Add an entry's terms; gives how many there are."""
    counts: dict[str, float] = {}
    length = 0
    for text in texts_of(entry):
        weight = WEIGHTS[text.field]
        for run in runs(text.text):
            found, words = index_terms(run)
            length += words
            for term in found:
                counts[term] = counts.get(term, 0.0) + weight
    for term, count in counts.items():
        posting = weights.get(term)
        if posting is None:
            posting = weights[term] = Posting(array("l"), array("d"))
        posting.holders.append(number)
        posting.values.append(count)
    return length


def _rarity(holders: int, entries: int, *, is_common: bool) -> float:
    """Robertson's weight, with a prior for small catalogs."""
    expected = holders + _PRIOR * (_PRIOR_COMMON if is_common else _PRIOR_OTHER)
    return math.log(1 + (entries + _PRIOR - expected + 0.5) / (expected + 0.5))


def rank(index: WordIndex, query: str) -> list[Found]:
    """All that matches a wish, the best first; what ranks alike by name and id, in whatever order servers connected."""
    wish = read_wish(query)
    if not wish.weights:
        return []
    scores = _scores(index, wish)
    best = max(scores.values(), default=0.0)
    floor = FLOOR * best
    found = [(-round(score / best, 9), number) for number, score in scores.items() if score >= floor]
    names, ids = index.names, index.ids
    found.sort(key=lambda one: (one[0], names[one[1]], ids[one[1]]))
    return [Found(ids[number], -score) for score, number in found]


def _scores(index: WordIndex, wish: Wish) -> dict[int, float]:
    """The score of every entry that matches a wish at all."""
    shares = {term: _share(index, term, wish.weights) for term in wish.weights}
    whole = _whole(index, shares)
    if len(wish.sentences) == 1 or not whole:
        return whole
    top = max(whole.values())
    mixed = {number: (1 - _BY_SENTENCE) * score / top for number, score in whole.items() if score > _WORTH * top}
    best = dict.fromkeys(mixed, 0.0)
    for sentence in wish.sentences:
        part: dict[int, float] = {}
        for term in sentence:
            _add_among(part, shares[term], mixed)
        highest = max(part.values(), default=1.0)
        for number, score in part.items():
            if score > highest * best[number]:
                best[number] = score / highest
    for number, score in best.items():
        mixed[number] += _BY_SENTENCE * score
    return mixed


def _whole(index: WordIndex, shares: Mapping[str, Share]) -> dict[int, float]:
    """What all words bring together, to entries that share more with the wish than words that say little."""
    whole: dict[int, float] = {}
    little = [term for term in shares if index.rarities.get(term, TELLING) < TELLING]
    for term, share in shares.items():
        if term not in little:
            _add_to(whole, share)
    if not whole and little:
        return _half_of_it(shares)
    for term in little:
        _add_among(whole, shares[term], whole)
    return whole


def _half_of_it(shares: Mapping[str, Share]) -> dict[int, float]:
    """What words that say little bring to entries that hold at least half of the wish."""
    whole: dict[int, float] = {}
    held: dict[int, int] = {}
    for share in shares.values():
        _add_to(whole, share)
        for number in share[0]:
            held[number] = held.get(number, 0) + 1
    return {number: score for number, score in whole.items() if 2 * held[number] >= len(shares)}


def _share(index: WordIndex, term: str, weights: Mapping[str, float]) -> Share:
    """What one word of a wish brings to entries, be it by itself or by words that mean nearly the same.

    Several of them in one entry count for more than one and for less than their sum: squares are added.
    """
    weight = weights[term]
    posting = index.postings.get(term, _NOBODY)
    rarities = index.rarities
    near = [
        index.postings[other]
        for other in related(term)
        if rarities.get(other, 0.0) >= _TELLING_NEAR and other not in weights
    ]
    if not near:
        return posting.holders, posting.values if weight == 1 else [weight * value for value in posting.values]
    squares = {number: value * value for number, value in zip(*posting, strict=True)}
    get = squares.get
    for holders, values in near:
        for number, value in zip(holders, values, strict=True):
            squares[number] = get(number, 0.0) + _RELATED_SQUARE * value * value
    return squares.keys(), [weight * math.sqrt(square) for square in squares.values()]


def _add_to(total: dict[int, float], share: Share) -> None:
    get = total.get
    for number, value in zip(*share, strict=True):
        total[number] = get(number, 0.0) + value


def _add_among(total: dict[int, float], share: Share, among: Container[int]) -> None:
    get = total.get
    for number, value in zip(*share, strict=True):
        if number in among:
            total[number] = get(number, 0.0) + value


@cache
def _common_terms() -> frozenset[str]:
    return frozenset(term for word in common_words() for term in terms(word))


@cache
def _related_terms() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for said, meant in related_lines():
        for word in said:
            for term in _last_term(word):
                near = found.setdefault(term, {})
                near.update((other, None) for each in meant for other in _last_term(each) if other != term)
    return {term: tuple(near) for term, near in found.items()}


def _last_term(word: str) -> list[str]:
    """The term for a word of the list; of one like `mp3`, which has several, the one for the whole."""
    return terms(word)[-1:]


def related(term: str) -> tuple[str, ...]:
    """The terms that mean nearly the same as this one."""
    return _related_terms().get(term, ())
