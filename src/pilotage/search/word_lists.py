"""The lists of words that a search knows: what says nothing, what says little, and what means nearly the same."""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files


@cache
def stop_words() -> frozenset[str]:
    """Words of many languages that never say what is looked for, and pairs of signs that never do."""
    return frozenset(word for line in _lines("stop") for word in line.split())


@cache
def common_words() -> frozenset[str]:
    """English words that any wish may hold: they count for little while a catalog is too small to show that."""
    return frozenset(word for line in _lines("common") for word in line.split())


@cache
def irregular_forms() -> Mapping[str, str]:
    """English forms that no rule leads back to their word."""
    lines = (line.split() for line in _lines("irregular"))
    return {form: word for word, *forms in lines for form in forms}


def related_lines() -> Iterator[tuple[list[str], list[str]]]:
    """Pairs of word lists: each word on the left leads to all those on the right."""
    for line in _lines("related"):
        meant, arrow, said = line.partition("<")
        yield (said.split() if arrow else meant.split()), meant.split()


def _lines(name: str) -> Iterator[str]:
    text = (files("pilotage.search") / "words" / f"{name}.txt").read_text("utf-8")
    return (line for line in text.splitlines() if line and not line.startswith("#"))
