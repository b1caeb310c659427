"""Words found in all text of a session, bodies included, without opening them."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from pilotage.records.call import Place
from pilotage.records.fields import as_dict

PORTION = 2000
"""Entries that are looked through between two reports."""


class Progress(Struct, frozen=True):
    """How far a search has come."""

    done: int
    """Entries that were looked through."""
    total: int
    """Entries that there are."""
    found: frozenset[int]
    """Indexes of the entries in which the text stands."""


def search_text(path: Path, places: list[Place], text: str) -> Iterator[Progress]:
    """Look for `text`, in any case, in each entry's own words; reports now and then. Raises OSError."""
    needle = text.casefold()
    raw = [json.dumps(text, ensure_ascii=ascii_only)[1:-1].lower().encode() for ascii_only in (False, True)]
    is_plain = text.isascii()
    found: set[int] = set()
    descriptor = os.open(path, os.O_RDONLY)
    try:
        for index, place in enumerate(places):
            data = os.pread(descriptor, place.length, place.offset)
            lowered = data.lower()
            # Bytes are compared first, as nearly all lines end there; case beyond ASCII needs the text itself.
            if (not is_plain or any(form in lowered for form in raw)) and needle in _all_text(data):
                found.add(index)
            if (index + 1) % PORTION == 0:
                yield Progress(index + 1, len(places), frozenset(found))
    finally:
        os.close(descriptor)
    yield Progress(len(places), len(places), frozenset(found))


def _all_text(data: bytes) -> str:
    """All strings of an entry that say something, folded for comparison."""
    try:
        entry = json.loads(data.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return data.decode("utf-8", "replace").casefold()
    return "\n".join(_strings(as_dict(entry))).casefold()


def _strings(value: object, key: str = "") -> Iterator[str]:
    """Every string below a value, ids and images left out."""
    if isinstance(value, str):
        if key not in _SILENT:
            yield value
    elif isinstance(value, dict):
        if value.get("type") == "image":
            return
        for name, inner in value.items():
            yield from _strings(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


_SILENT = frozenset(
    {"id", "parentId", "timestamp", "type", "role", "toolCallId", "textSignature", "thinkingSignature", "api"}
)
