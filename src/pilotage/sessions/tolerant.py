"""JSON objects found in bytes that a strict parser gives up on (spec F3).

Python's own parser already takes lone surrogates, raw control characters and NaN. What it does not take is met
here: integers of thousands of digits, nesting deeper than its stack, and more on a line than one object.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterator

from msgspec import Struct

DEEPEST = 200
"""Levels of nesting that are kept; what lies deeper is replaced by a sign."""

TOO_DEEP = "<nested too deeply>"

_RUN = re.compile(rb'(?:[^"\[\]{}]|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+([\[{]+|[\]}]+)', re.DOTALL)
_CANDIDATE = re.compile(rb'\{\s*"type"\s*:\s*"[^"\\{]*"\s*[,}]')
_FILLER = re.compile(rb"[\s\x00,]*")
_LONGEST_INTEGER = 4300
_WHITE = b" \t\r\n"


class DoubledKeys(dict[str, object]):
    """An object in which a key was given twice: the last one counts, and the names are kept."""

    names: tuple[str, ...] = ()
    """The keys that were given more than once."""


class Found(Struct, frozen=True):
    """One complete object in a run of bytes."""

    start: int
    """Its first byte."""
    end: int
    """The byte after it."""
    value: dict[str, object]
    """The object."""


def load_object(data: bytes) -> dict[str, object]:
    """The one object that `data` holds. Raises ValueError when it holds none, or more than white space beside it."""
    found = _Scan(data).object_at(len(data) - len(data.lstrip(_WHITE)))
    if found is None or data[found.end :].strip(_WHITE):
        msg = "not one JSON object"
        raise ValueError(msg)
    return found.value


def find_objects(data: bytes) -> list[Found]:
    """Every complete object on a line.

    Objects that follow one another are all taken. After torn bytes only what looks like an entry of a session is,
    as the pieces of a torn record (content blocks, schemas) are objects too. The work is bounded by a few times the
    line's length, however hostile the line is.
    """
    scan = _Scan(data)
    found: list[Found] = []
    position, is_torn = _skip_filler(data, 0), False
    while position < len(data) and scan.budget > 0:
        item = scan.object_at(position)
        if item and (not is_torn or _is_entry(item.value)):
            found.append(item)
            position = _skip_filler(data, item.end)
            continue
        candidate = _CANDIDATE.search(data, item.end if item else position + 1)
        position, is_torn = candidate.start() if candidate else len(data), True
    return found


def gaps(data: bytes, found: list[Found]) -> list[tuple[int, int]]:
    """The spans of a line that belong to no object and are more than white space."""
    edges = [0, *(edge for item in found for edge in (item.start, item.end)), len(data)]
    spans = zip(edges[::2], edges[1::2], strict=True)
    return [(start, end) for start, end in spans if data[start:end].strip(_WHITE)]


def _skip_filler(data: bytes, position: int) -> int:
    """The first byte from `position` on that is no white space, NUL or comma."""
    match = _FILLER.match(data, position)
    return match.end() if match else position


def _is_entry(value: dict[str, object]) -> bool:
    """Whether an object looks like a session's entry: those carry a type and an ISO time, their parts do not."""
    return isinstance(value.get("type"), str) and isinstance(value.get("timestamp"), str)


class _Text(str):
    """Text whose newlines are not counted: a parser's error counts all before it, so that many errors never end."""

    __slots__ = ()

    def count(self, *_: object) -> int:
        return 0

    def rfind(self, *_: object) -> int:
        return -1


class _Scan:
    """Finds the objects in one run of bytes, and counts what that costs.

    The bytes are read as Latin-1, so that one character is one byte: JSON's own signs are all ASCII.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.text = _Text(data, "latin-1")
        self.budget = 4 * len(data) + 100_000
        """How many more characters may be looked at in vain."""

    def object_at(self, start: int) -> Found | None:
        """The object that begins at `start`; none if there is no whole one."""
        end = self._end_of(start)
        if end is None:
            return None
        try:
            return Found(start, end, _value(self.data[start:end]))
        except ValueError:
            self.budget -= end - start
            return None

    def _end_of(self, start: int) -> int | None:
        """The byte after the object that begins at `start`; of a deep one only the brackets are looked at."""
        if not self.text.startswith("{", start):
            return None
        try:
            _, end = _DECODER.raw_decode(self.text, start)
        except RecursionError:
            self.budget -= len(self.data) - start
            return _bracket_end(self.data, start)
        except json.JSONDecodeError as error:
            self.budget -= error.pos - start
            return None
        return end


def _bracket_end(data: bytes, start: int) -> int | None:
    """The byte after the object that begins at `start`, by its brackets alone: no nesting is too deep for that."""
    return next((first + before for first, before, after in _bracket_runs(data, start) if after <= 0), None)


def _bracket_runs(data: bytes, start: int) -> Iterator[tuple[int, int, int]]:
    """Each run of opening or of closing brackets outside strings: its first byte, the depth before and after it.

    It ends where the depth is no longer above 0 or a string has no end.
    """
    after = 0
    match = _RUN.match(data, start)
    while match:
        first, end = match.span(1)
        before, after = after, after + (end - first if data[first] in b"[{" else first - end)
        yield first, before, after
        match = _RUN.match(data, end) if after > 0 else None


def _value(data: bytes) -> dict[str, object]:
    """The object in `data`. Raises ValueError when it is none after all."""
    try:
        value = _DECODER.decode(data.decode("utf-8", "replace"))
    except RecursionError:
        value = _DECODER.decode(_shallow(data).decode("utf-8", "replace"))
    assert isinstance(value, dict)
    return value


def _shallow(data: bytes) -> bytes:
    """The object with everything below `DEEPEST` levels replaced by a sign."""
    pieces: list[bytes] = []
    kept_to = 0
    for first, before, after in _bracket_runs(data, 0):
        if before <= DEEPEST < after:
            pieces.append(data[kept_to : first + DEEPEST - before])
            pieces.append(json.dumps(TOO_DEEP).encode())
        elif after <= DEEPEST < before:
            kept_to = first + before - DEEPEST
    pieces.append(data[kept_to:])
    return b"".join(pieces)


def _integer(digits: str) -> int | str:
    """The exact integer; one longer than Python converts stays the digits that were written."""
    return int(digits) if len(digits) <= _LONGEST_INTEGER else digits


def _number(digits: str) -> float | str:
    """The number; one that a float cannot hold stays as it was written."""
    value = float(digits)
    return value if math.isfinite(value) else digits


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) == len(pairs):
        return value
    doubled = DoubledKeys(value)
    doubled.names = tuple(name for name, times in Counter(name for name, _ in pairs).items() if times > 1)
    return doubled


_DECODER = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_int=_integer, parse_float=_number, parse_constant=str, strict=False
)
