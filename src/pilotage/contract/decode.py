"""The JSON text of a call's arguments, made into values that lose nothing and cannot crash a later step."""

import json
import math
import re
from collections import Counter
from collections.abc import Iterator

from pilotage.plain import plain_line

_MENDED = "raw line breaks or stray backslashes in a JSON string were taken as they stand"
_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\')
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?'
_CONSTANT = re.compile(rf"{_STRING}|NaN|-?Infinity", re.DOTALL)
_BRACKET = re.compile(rf"{_STRING}|[\[{{]|[\]}}]", re.DOTALL)


class NotJson(Exception):
    """The text is not JSON; the message says what is wrong with it and where."""


class Digits(str):
    """A number beyond what the machine can hold, kept as it was written; it is no text, for all its type."""

    __slots__ = ()


def load_arguments(text: str) -> tuple[object, tuple[str, ...]]:
    r"""Decode a call's argument text: its value, and a note for whatever was odd about it.

    Raw control characters and stray backslashes within strings are read as the host reads them. Raises
    `NotJson`.
    """
    try:
        return decode(text, strict=True)
    except NotJson as error:
        try:
            value, notes = decode(_ESCAPE.sub(_doubled, text), strict=False)
        except NotJson:
            raise error from None
    return value, (_MENDED, *notes)


def decode(text: str, *, strict: bool) -> tuple[object, tuple[str, ...]]:
    """Decode JSON text: its value, and a note for each key that one object gives twice (spec F3).

    Where `strict` is off, control characters may stand in strings. Of two equal keys the last counts.
    Integers are exact; a number that Python cannot hold becomes `Digits`. Raises `NotJson`, for `NaN` and for
    nesting beyond reach as well.
    """
    notes: dict[str, None] = {}

    def joined(pairs: list[tuple[str, object]]) -> dict[str, object]:
        members = dict(pairs)
        if len(members) < len(pairs):
            counts = Counter(key for key, _ in pairs)
            notes.update(dict.fromkeys(_twice(key) for key, count in counts.items() if count > 1))
        return members

    def refused(constant: str) -> object:
        raise NotJson(f"{constant} is no JSON number, {_place(text, _constant_at(text))}")

    try:
        value: object = json.loads(
            text,
            strict=strict,
            object_pairs_hook=joined,
            parse_int=_integer,
            parse_float=_real,
            parse_constant=refused,
        )
    except json.JSONDecodeError as error:
        raise NotJson(f"{error.msg.removesuffix(' at')}, {_place(text, error.pos)}") from None
    except RecursionError:
        depth, start = _deepest(text)
        raise NotJson(f"brackets are nested {depth} deep, {_place(text, start)}") from None
    return value, tuple(notes)


def _twice(key: str) -> str:
    return f"{plain_line(key, 80)} is given twice; the last counts"


def _doubled(escape: re.Match[str]) -> str:
    return escape[0] if len(escape[0]) > 1 else r"\\"


def _integer(digits: str) -> int | Digits:
    try:
        return int(digits)
    except ValueError:
        return Digits(digits)


def _real(digits: str) -> float | Digits:
    value = float(digits)
    return value if math.isfinite(value) else Digits(digits)


def _place(text: str, position: int) -> str:
    start = text.rfind("\n", 0, position) + 1
    return f"line {text.count(chr(10), 0, position) + 1} column {position - start + 1}"


def _outside_strings(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    return (match for match in pattern.finditer(text) if not match[0].startswith('"'))


def _constant_at(text: str) -> int:
    return next((match.start() for match in _outside_strings(_CONSTANT, text)), 0)


def _deepest(text: str) -> tuple[int, int]:
    """Find how deep the brackets nest, and where they are first that deep."""
    depth, deepest = 0, (0, 0)
    for match in _outside_strings(_BRACKET, text):
        depth += 1 if match[0] in "[{" else -1
        if depth > deepest[0]:
            deepest = depth, match.start()
    return deepest
