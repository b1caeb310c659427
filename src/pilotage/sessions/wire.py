"""The shapes of Pi's records, as far as a row of the timeline needs them, and their fast decoding.

Everything else on a line is skipped by the decoder and never becomes an object. A line that the fast decoder
refuses is read by the tolerant parser, and a field of another type than Pi's counts as absent: an unknown type or
role is never an error (spec F1).
"""

import json
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from pilotage.sessions.tolerant import load_object

T = TypeVar("T", bound=Struct)


class WireUsageCost(Struct, gc=False):
    """`usage.cost`."""

    total: float = 0.0


class WireUsage(Struct, rename="camel"):
    """`usage` of an assistant message."""

    input: float = 0
    output: float = 0
    cache_read: float = 0
    cost: WireUsageCost | None = None


class WireNestedCall(Struct, rename="camel"):
    """One of `nestedCalls.calls`."""

    id: str = ""
    name: str = ""
    status: str = ""
    arguments: Raw = Raw(b"")
    duration_ms: float | None = None
    error: str = ""


class WireNestedCalls(Struct):
    """`nestedCalls` of a tool result."""

    calls: list[WireNestedCall] = []


class WireMessage(Struct, rename="camel"):
    """`message` of an entry, whatever its role."""

    role: str = ""
    content: Raw = Raw(b"")
    timestamp: float | None = None
    stop_reason: str | None = None
    error_message: str | None = None
    duration_ms: float | None = None
    usage: WireUsage | None = None
    model: str = ""
    tool_call_id: str = ""
    tool_name: str = ""
    is_error: bool = False
    nested_calls: WireNestedCalls | None = None
    command: str = ""
    exit_code: int | None = None
    custom_type: str = ""
    details: Raw = Raw(b"")


class WireEntry(Struct, rename="camel"):
    """One record of the file: a header or an entry of any type."""

    type: str = ""
    id: str | None = None
    parent_id: str | UnsetType | None = UNSET
    timestamp: str | None = None
    message: WireMessage | None = None
    version: int = 1
    cwd: str = ""
    parent_session: str | None = None
    branched_from: str | None = None
    provider: str = ""
    model_id: str = ""
    thinking_level: str = ""
    name: str = ""
    summary: str = ""
    tokens_before: float | None = None
    custom_type: str = ""
    content: Raw = Raw(b"")
    details: Raw = Raw(b"")


class WireBlock(Struct):
    """A content block of a user's message or a result."""

    type: str = ""
    text: str = ""


class WireCallBlock(Struct):
    """A content block of an assistant message: only calls are of interest."""

    type: str = ""
    id: str = ""
    name: str = ""
    arguments: Raw = Raw(b"")


class WireArguments(Struct):
    """The arguments of a call that a row shows."""

    path: str | None = None
    command: str | None = None
    intent: str | None = None
    rationale: str | None = None


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


@cache
def _items_decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(str | list[kind])


def decode(data: bytes | Raw, kind: type[T]) -> T:
    """The object in `data` as a `kind`. Raises ValueError when `data` is not one object."""
    try:
        value: T = _decoder(kind).decode(data)
    except (ValueError, RecursionError):
        return _conform(load_object(bytes(data)), kind)
    return value


def decode_items(data: Raw, kind: type[T]) -> str | list[T]:
    """Message content: a string, or a list of blocks. Whatever is neither counts as an empty list."""
    try:
        value: str | list[T] = _items_decoder(kind).decode(data)
    except (ValueError, RecursionError):
        return _tolerant_items(bytes(data), kind)
    return value


def _tolerant_items(data: bytes, kind: type[T]) -> str | list[T]:
    if not data:
        return []
    try:
        value = load_object(b'{"content":' + data + b"}")["content"]
    except ValueError:
        return []
    if isinstance(value, str):
        return value
    return [_conform(item, kind) for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _conform(value: dict[str, object], kind: type[T]) -> T:
    """A `kind` made of those fields of `value` that have its types; the others count as absent."""
    fields: dict[str, Any] = {}
    for field in msgspec.structs.fields(kind):
        if field.encode_name in value:
            accepted, conformed = _conform_field(value[field.encode_name], field.type)
            if accepted:
                fields[field.name] = conformed
    return kind(**fields)


def _conform_field(value: object, kind: Any) -> tuple[bool, object]:
    """Whether a value has (or can be given) a type, and the value in it."""
    if get_origin(kind) in (Union, type(int | None)):
        kinds = [option for option in get_args(kind) if option is not UnsetType]
        results = [_conform_field(value, option) for option in kinds]
        return next((result for result in results if result[0]), (False, None))
    if kind is Raw:
        return True, Raw(json.dumps(value, ensure_ascii=True).encode())
    if get_origin(kind) is list:
        items = value if isinstance(value, list) else []
        return True, [_conform(item, get_args(kind)[0]) for item in items if isinstance(item, dict)]
    if isinstance(kind, type) and issubclass(kind, Struct):
        return (True, _conform(value, kind)) if isinstance(value, dict) else (False, None)
    if kind is float:
        return _conform_number(value)
    return isinstance(value, kind) and not (kind is int and isinstance(value, bool)), value


def _conform_number(value: object) -> tuple[bool, object]:
    """Whether a value is a number that a float can hold, and that float."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False, None
    try:
        return True, float(value)
    except OverflowError:
        return False, None
