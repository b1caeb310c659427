"""The words by which Pi's settings switch skills on and off: `!pattern`, `+path` and `-path` (`HOST.md` e)."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

_SIGNS = "!+-"


class Entries(Struct, frozen=True):
    """The `skills` of one settings file."""

    base: Path
    """The folder that relative words start from."""
    places: tuple[str, ...] = ()
    """Files and folders."""
    patterns: tuple[str, ...] = ()
    """Words that choose among what was found."""


def entries_of(words: Iterable[str], base: Path) -> Entries:
    """Tell places from patterns in a settings file's list."""
    kept = list(words)
    is_pattern = [word[:1] in tuple(_SIGNS) or "*" in word or "?" in word for word in kept]
    return Entries(
        base,
        tuple(word for word, is_one in zip(kept, is_pattern, strict=True) if not is_one),
        tuple(word for word, is_one in zip(kept, is_pattern, strict=True) if is_one),
    )


def is_found_by_itself(path: Path, entries: Entries) -> bool:
    """Whether a skill in one of Pi's own folders stays: signed words switch it off and on, in Pi's order."""
    return _is_kept(path, entries.patterns, entries.base)


def is_listed(path: Path, entries: Entries) -> bool:
    """Whether a skill in a place that the settings name stays: patterns without a sign choose, signed ones as above."""
    plain = [word for word in entries.patterns if word[:1] not in tuple(_SIGNS)]
    if plain and not _matches(path, plain, entries.base):
        return _is_exactly(path, _signed(entries.patterns, "+"), entries.base) and not _is_exactly(
            path, _signed(entries.patterns, "-"), entries.base
        )
    return _is_kept(path, entries.patterns, entries.base)


def _is_kept(path: Path, words: Sequence[str], base: Path) -> bool:
    if _is_exactly(path, _signed(words, "-"), base):
        return False
    return _is_exactly(path, _signed(words, "+"), base) or not _matches(path, _signed(words, "!"), base)


def _signed(words: Sequence[str], sign: str) -> list[str]:
    return [word[1:] for word in words if word.startswith(sign)]


def _names(path: Path, base: Path) -> Iterator[str]:
    """What a pattern may mean: the file or, for a SKILL.md, its folder; from the base or from the root."""
    for one in (path, path.parent) if path.name == "SKILL.md" else (path,):
        yield os.path.relpath(one, base)
        yield str(one)


def _is_exactly(path: Path, words: Iterable[str], base: Path) -> bool:
    wanted = {os.path.expanduser(word.removeprefix("./")) for word in words}  # noqa: PTH111 - a name, not a path yet
    return not wanted.isdisjoint(_names(path, base))


def _matches(path: Path, words: Iterable[str], base: Path) -> bool:
    names = {*_names(path, base), path.name} | ({path.parent.name} if path.name == "SKILL.md" else set())
    return any(_glob(os.path.expanduser(word)).fullmatch(name) for word in words for name in names)  # noqa: PTH111


@lru_cache(64)
def _glob(pattern: str) -> re.Pattern[str]:
    """A pattern as minimatch reads it: `*` and `?` stay within a folder, `**` does not, `{a,b}` is either."""
    try:
        return re.compile("".join(_piece(piece) for piece in _PIECES.findall(pattern)))
    except re.error:
        return re.compile(re.escape(pattern))


_PIECES = re.compile(r"\*\*/|\*\*|\*|\?|\[[^\]]+\]|\{[^{}]*\}|.", re.DOTALL)
_FIXED = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def _piece(piece: str) -> str:
    if piece in _FIXED:
        return _FIXED[piece]
    if len(piece) > 2 and piece[0] == "[":
        return "[" + ("^" if piece[1] in "!^" else "") + re.escape(piece[1:-1].lstrip("!^")).replace(r"\-", "-") + "]"
    if len(piece) > 2 and piece[0] == "{":
        return f"(?:{'|'.join(map(re.escape, piece[1:-1].split(',')))})"
    return re.escape(piece)
