"""Pi's records into entries (`HOST.md` a), versions 1, 2 and 3 alike.

Unknown entry types, roles and fields are kept as entries without content, never an error (spec F1).
"""

import json
from datetime import UTC, datetime
from sys import intern

from msgspec import UNSET, Raw

from pilotage.records.attempt import REMINDER_TYPE
from pilotage.records.call import Place
from pilotage.records.entry import (
    AgentMessage,
    BranchSummary,
    CallRequest,
    Compaction,
    Content,
    CustomMessage,
    Entry,
    Header,
    ModelChange,
    NestedCall,
    Reminder,
    SessionName,
    ShellCommand,
    ThinkingChange,
    ToolResult,
    Usage,
    UserMessage,
)
from pilotage.sessions.tolerant import load_object
from pilotage.sessions.wire import (
    WireArguments,
    WireBlock,
    WireCallBlock,
    WireEntry,
    WireMessage,
    WireNestedCall,
    WireUsage,
    decode,
    decode_items,
)

BOOKKEEPING = frozenset({"usage", "context_edit", "custom", "label"})
"""Types of Pi 1.6 that a row of the timeline needs nothing of."""

USER_TEXT = 4000
ERROR_END = 2000
SUMMARY = 400
TARGET = 400
BRIEF = 120

_EARLIEST = datetime(1, 1, 2, tzinfo=UTC).timestamp()
_LATEST = datetime(9999, 12, 30, tzinfo=UTC).timestamp()
"""Between these every zone has a date for a moment."""


def to_record(wire: WireEntry, place: Place, nth: int = 1) -> Header | Entry:
    """The header or entry that a decoded record stands for; `nth` says which record of its line it is.

    Words that most entries share are held once for all of them.
    """
    if wire.type == "session":
        return _header(wire, place)
    message = wire.message if wire.type == "message" else None
    return Entry(
        id=wire.id or (f"L{place.line}" if nth == 1 else f"L{place.line}.{nth}"),
        parent_id=None if wire.parent_id is UNSET else wire.parent_id,
        chained=wire.parent_id is UNSET,
        type=intern(wire.type),
        role=intern(message.role) if message else "",
        time=time_of(wire.timestamp, message.timestamp if message else None),
        place=place,
        content=_message_content(message) if message else _entry_content(wire),
    )


def is_known(entry: Entry) -> bool:
    """Whether an entry is of a type and role that Pi 1.6 or an older version writes."""
    return entry.content is not None or entry.type in BOOKKEEPING or entry.role == "system"


def _header(wire: WireEntry, place: Place) -> Header:
    parent = wire.parent_session or wire.branched_from
    return Header(wire.id or "", wire.version, time_of(wire.timestamp, None), wire.cwd, parent, place)


def time_of(timestamp: str | None, milliseconds: float | None) -> float | None:
    """Seconds since the epoch: by an entry's ISO time, else by its message's own."""
    seconds = None
    try:
        moment = datetime.fromisoformat(timestamp) if timestamp else None
    except ValueError:
        moment = None
    if moment:
        seconds = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    elif milliseconds is not None:
        seconds = milliseconds / 1000
    return seconds if seconds is not None and _EARLIEST <= seconds <= _LATEST else None


def _entry_content(wire: WireEntry) -> Content | None:
    """The content of an entry that is no message."""
    match wire.type:
        case "custom_message":
            return _custom_message(wire.custom_type, wire.content, wire.details)
        case "compaction":
            before = wire.tokens_before
            return Compaction(wire.summary[:SUMMARY], None if before is None else int(before))
        case "branch_summary":
            return BranchSummary(wire.summary[:SUMMARY])
        case "session_info":
            return SessionName(wire.name)
        case "model_change":
            return ModelChange(wire.provider, wire.model_id)
        case "thinking_level_change":
            return ThinkingChange(wire.thinking_level)
    return None


def _message_content(message: WireMessage) -> Content | None:
    match message.role:
        case "assistant":
            return _agent_message(message)
        case "toolResult":
            return _tool_result(message)
        case "user":
            text, images = _text_of(message.content)
            return UserMessage(text[:USER_TEXT], images)
        case "bashExecution":
            return ShellCommand(message.command[:TARGET], message.exit_code)
        case "custom" | "hookMessage":
            return _custom_message(message.custom_type, message.content, message.details)
    return None


def _agent_message(message: WireMessage) -> AgentMessage:
    blocks = decode_items(message.content, WireCallBlock)
    calls = () if isinstance(blocks, str) else tuple(_request(b) for b in blocks if b.type == "toolCall")
    return AgentMessage(
        calls=calls,
        stop_reason=intern(message.stop_reason or ""),
        error=message.error_message[:ERROR_END] if message.error_message is not None else None,
        timed=message.duration_ms is not None,
        usage=_usage(message.usage),
        model=intern(message.model),
    )


def _usage(usage: WireUsage | None) -> Usage:
    if usage is None:
        return Usage()
    cost = usage.cost.total if usage.cost else 0.0
    return Usage(int(usage.input), int(usage.output), int(usage.cache_read), cost)


def _request(block: WireCallBlock) -> CallRequest:
    arguments = _arguments(block.arguments)
    target = target_of(arguments)
    brief = "" if target else _brief(block.arguments)
    return CallRequest(block.id, intern(block.name), target, brief, arguments.intent, arguments.rationale)


def _arguments(raw: Raw) -> WireArguments:
    try:
        return decode(raw, WireArguments)
    except ValueError:
        return WireArguments()


def target_of(arguments: WireArguments) -> str | None:
    """What a call is aimed at: its path, or its command's first line that says something (spec K1)."""
    if arguments.path:
        return arguments.path[:TARGET]
    lines = (arguments.command or "")[: 4 * TARGET].lstrip().splitlines()
    return lines[0].rstrip()[:TARGET] if lines else None


def _brief(raw: Raw) -> str:
    """The first arguments, one after the other, for a row that has neither intent nor target."""
    if len(bytes(raw)) > 100_000:
        return ""
    try:
        arguments = load_object(bytes(raw))
    except ValueError:
        return ""
    parts = [f"{key}={_short(value)}" for key, value in arguments.items() if key not in ("intent", "rationale")]
    return " ".join(parts[:6])[:BRIEF]


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:60]}…"


def _tool_result(message: WireMessage) -> ToolResult:
    text = _text_of(message.content)[0] if message.is_error else ""
    if len(text) > 2 * ERROR_END:
        text = f"{text[:ERROR_END]}\n…\n{text[-ERROR_END:]}"
    nested = message.nested_calls.calls if message.nested_calls else []
    return ToolResult(
        call_id=message.tool_call_id,
        tool=intern(message.tool_name),
        is_error=message.is_error,
        duration_ms=_milliseconds(message.duration_ms),
        text=text,
        nested=tuple(_nested(call) for call in nested),
    )


def _nested(call: WireNestedCall) -> NestedCall:
    target = target_of(_arguments(call.arguments))
    brief = "" if target else _brief(call.arguments)
    error = call.error[:ERROR_END]
    return NestedCall(call.id, call.name, target, brief, call.status, _milliseconds(call.duration_ms), error)


def _milliseconds(value: float | None) -> int | None:
    return None if value is None else round(value)


def _text_of(content: Raw) -> tuple[str, int]:
    """The text of message content, blocks joined by newlines, and how many images came with it."""
    blocks = decode_items(content, WireBlock)
    if isinstance(blocks, str):
        return blocks, 0
    text = "\n".join(block.text for block in blocks if block.type == "text")
    return text, sum(block.type == "image" for block in blocks)


def _custom_message(custom_type: str, content: Raw, details: Raw) -> Reminder | CustomMessage:
    text, _ = _text_of(content)
    if custom_type != REMINDER_TYPE:
        return CustomMessage(custom_type, text[:SUMMARY])
    try:
        fields = load_object(bytes(details))
    except ValueError:
        fields = {}
    step = fields.get("step")
    return Reminder(_pairs(fields), text[:USER_TEXT], step if isinstance(step, int) else None)


def _pairs(details: dict[str, object]) -> tuple[tuple[str, str], ...]:
    """The pairs in a reminder's details, under whatever name their writer gave them."""
    for value in details.values():
        if not isinstance(value, list) or not value:
            continue
        pairs = [item for item in value if isinstance(item, list) and len(item) == 2]
        if len(pairs) == len(value) and all(isinstance(part, str) for pair in pairs for part in pair):
            return tuple((str(first), str(second)) for first, second in pairs)
    return ()
