"""JSON objects found in bytes that a strict parser gives up on (spec F3).

Python's own parser already takes lone surrogates, raw control characters and NaN. What it does not take is met
here: integers of thousands of digits, nesting deeper than its stack, and more on a line than one object.
"""

import json
import math
import re
from collections.abc import Iterator

from msgspec import Struct

DEEPEST = 200
"""Levels of nesting that are kept; what lies deeper is replaced by a sign."""

TOO_DEEP = "<nested too deeply>"

_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}"]', re.DOTALL)
_CANDIDATE = re.compile(rb'\{\s*"type"\s*:\s*"')
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
    start = len(data) - len(data.lstrip(_WHITE))
    end = _Scan(data).object_end(start)
    if end is None or data[end:].strip(_WHITE):
        msg = "not one JSON object"
        raise ValueError(msg)
    return _value(data[start:end])


def find_objects(data: bytes) -> list[Found]:
    """Every complete object on a line.

    Objects that follow one another are all taken. After torn bytes only what looks like an entry of a session is,
    as the pieces of a torn record (content blocks, schemas) are objects too. The work is bounded by a few times the
    line's length, however hostile the line is.
    """
    scan = _Scan(data)
    found: list[Found] = []
    position, after_torn = _skip_filler(data, 0), False
    while position < len(data) and scan.budget > 0:
        end = scan.object_end(position)
        value = _value(data[position:end]) if end is not None else None
        if end is not None and value is not None and (not after_torn or _is_entry(value)):
            found.append(Found(position, end, value))
            position, after_torn = _skip_filler(data, end), False
            continue
        candidate = _CANDIDATE.search(data, position + 1 if end is None else end)
        position, after_torn = candidate.start() if candidate else len(data), True
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


class _Scan:
    """Finds where objects end in one run of bytes, and counts what that costs.

    The bytes are read as Latin-1, so that one character is one byte: JSON's own signs are all ASCII.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.text = data.decode("latin-1")
        self.budget = 4 * len(data) + 100_000
        """How many more characters may be looked at in vain."""

    def object_end(self, start: int) -> int | None:
        """The byte after the object that begins at `start`; none if there is no whole one."""
        self.budget -= 100
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
    """As `_object_end`, by counting brackets outside strings: no nesting is too deep for it."""
    for depth, match in _brackets(data, start):
        if depth == 0:
            return match.end()
    return None


def _brackets(data: bytes, start: int) -> Iterator[tuple[int, re.Match[bytes]]]:
    """Each bracket outside strings with the depth after it, until the depth is 0 or a string has no end."""
    depth = 0
    for match in _TOKEN.finditer(data, start):
        token = match.group()
        if token == b'"':
            return
        if token in b"[{":
            depth += 1
        elif token in b"]}":
            depth -= 1
        else:
            continue
        yield depth, match
        if depth <= 0:
            return


def _value(data: bytes) -> dict[str, object]:
    """The object in `data`, which is one complete object."""
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
    for depth, match in _brackets(data, 0):
        opens = match.group() in b"[{"
        if opens and depth == DEEPEST + 1:
            pieces.append(data[kept_to : match.start()])
            pieces.append(json.dumps(TOO_DEEP).encode())
        elif not opens and depth == DEEPEST:
            kept_to = match.end()
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
    names = [name for name, _ in pairs]
    doubled = DoubledKeys(value)
    doubled.names = tuple(dict.fromkeys(name for name in names if names.count(name) > 1))
    return doubled


_DECODER = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_int=_integer, parse_float=_number, parse_constant=str, strict=False
)
