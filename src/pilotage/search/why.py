"""Why something was found, in words for people: which words of it match, and where they stand (spec D7)."""

from collections.abc import Container, Iterator, Mapping

from msgspec import Struct

from pilotage.records.capability import Capability
from pilotage.search.lexical import related
from pilotage.search.texts import Field, texts_of
from pilotage.search.tokens import index_terms, is_unspaced, pieces, runs, signs, terms_of_run
from pilotage.search.wish import MOST_CHARACTERS, read_wish

_MOST_WORDS = 5


class Sought(Struct, frozen=True):
    """What a wish looks for."""

    terms: frozenset[str]
    """Its terms."""
    near: Mapping[str, str]
    """Terms that mean nearly the same, and the wish's word for each."""

    def holds(self, run: str) -> bool:
        """Whether a run may hold anything of it."""
        found = index_terms(run)[0]
        return not (self.terms.isdisjoint(found) and self.near.keys().isdisjoint(found))


def read_sought(query: str) -> Sought:
    """Read what a wish looks for."""
    wanted = read_wish(query).weights
    said = {term: piece.lower() for run in runs(query[:MOST_CHARACTERS]) for piece, term in _pieces(run)}
    near = {other: said.get(term, term) for term in reversed(wanted) for other in related(term) if other not in wanted}
    return Sought(frozenset(wanted), near)


class Reason(Struct, frozen=True):
    """Why an entry was found."""

    words: str
    """For people; empty where no word of the wish is in the entry."""
    is_own: bool
    """Whether anything matches but the server's name and what the server says of itself."""


def explain(entry: Capability, sought: Sought) -> Reason:
    """As in `name: read, file; description: weather (for rain)`.

    The words are those of the entry, five of each field at most.
    """
    parts = []
    is_own = False
    for text in texts_of(entry):
        words = dict.fromkeys(word for run in runs(text.text) if sought.holds(run) for word in _matches(run, sought))
        if words:
            is_own |= text.field is not Field.SERVER
            parts.append(f"{text.field}: {', '.join(list(words)[:_MOST_WORDS])}{', …' * (len(words) > _MOST_WORDS)}")
    return Reason("; ".join(parts), is_own)


def _matches(run: str, sought: Sought) -> Iterator[str]:
    if is_unspaced(run):
        yield from _stretches(run, sought.terms)
        return
    for piece, term in _pieces(run):
        if term in sought.terms:
            yield piece.lower()
        elif term in sought.near:
            yield f"{piece.lower()} (for {sought.near[term]})"


def _pieces(run: str) -> Iterator[tuple[str, str]]:
    """The words of a run, each with its term."""
    for piece in pieces(run):
        found = terms_of_run(piece)
        if found:
            yield piece, found[-1]


def _stretches(run: str, wanted: Container[str]) -> Iterator[str]:
    """The longest parts of a run whose pairs of signs all match, and single signs that do."""
    stretch: list[str] = []
    all_signs = signs(run)
    for first, second in zip(all_signs, [*all_signs[1:], ""], strict=True):
        if second and first + second in wanted:
            stretch = stretch or [first]
            stretch.append(second)
        else:
            if stretch:
                yield "".join(stretch)
            elif first in wanted:
                yield first
            stretch = []
