"""One call in full: its arguments, notes and marks, read from the file when somebody asks (spec K1, K5)."""

from collections.abc import Iterator
from datetime import UTC, datetime

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from pilotage.calls.build import Calls
from pilotage.contract.marks import marks
from pilotage.contract.provenance import PROVENANCE_TOOLS, split_provenance
from pilotage.contract.repair import repair
from pilotage.plain import plain_line
from pilotage.records.call import Call, Mark, Outcome
from pilotage.records.entry import UserMessage
from pilotage.records.fields import as_dict, as_list, as_text
from pilotage.sessions.tolerant import DoubledKeys

NOT_TEXT = "intent is not text"


class Detail(Struct, frozen=True):
    """What the file holds of a call beyond its row."""

    arguments: object
    """The arguments as the file has them, without provenance."""
    notes: tuple[str, ...]
    """What the contract would repair or ignore, and keys that were given twice."""
    marks: tuple[Mark, ...]
    """Notes on the quality of the intent."""


def read_detail(calls: Calls, number: int) -> Detail:
    """The call in full. Raises UnreadableSession when the file changed meanwhile."""
    call = calls.items[number]
    raw = calls.raw_arguments(call)
    if not isinstance(raw, dict):
        return Detail(raw, (), _marks(calls, number, {}))
    arguments, _, _ = split_provenance(call.tool, raw) if call.parent_id is None else (raw, None, None)
    return Detail(arguments, _notes(call, raw), _marks(calls, number, arguments))


def _notes(call: Call, raw: dict[str, object]) -> tuple[str, ...]:
    doubled = dict.fromkeys(plain_line(name, 80) for name in _doubled_keys(raw))
    notes = tuple(f"{name} is given twice; the last counts" for name in doubled)
    if call.tool not in PROVENANCE_TOOLS or call.parent_id is not None:
        return notes
    if raw.get("intent") is not None and call.intent is None:
        notes += (NOT_TEXT,)
    return notes + repair(call.tool, raw).notes


def _doubled_keys(value: object) -> Iterator[str]:
    """The keys that an object in the arguments holds more than once."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, DoubledKeys):
            yield from value.names
        waiting += as_dict(value).values() or as_list(value)


def _marks(calls: Calls, number: int, arguments: dict[str, object]) -> tuple[Mark, ...]:
    call = calls.items[number]
    return marks(
        call.intent,
        target=call.target,
        command=as_text(as_dict(arguments).get("command")) or None,
        previous=_previous_intent(calls, number),
        request=_request(calls, call),
    )


def _previous_intent(calls: Calls, number: int) -> str | None:
    """The intent of the call before, in the same turn; a call that corrects may say again what was rejected."""
    call = calls.items[number]
    for before in range(number - 1, max(-1, number - 50), -1):
        earlier = calls.items[before]
        if earlier.turn != call.turn:
            return None
        is_try_of_this = call.chain is not None and earlier.chain is not None and earlier.chain.id == call.chain.id
        if earlier.intent is not None and earlier.active == call.active and not is_try_of_this:
            return earlier.intent
    return None


def _request(calls: Calls, call: Call) -> str | None:
    root = calls.moments[call.entry].root
    content = calls.session.entry(root).content if root >= 0 else None
    return content.text if isinstance(content, UserMessage) else None


def as_seen(call: Call, *, live: bool) -> Call:
    """The call as its reader may call it: nothing is running in a file that is read once (spec K1)."""
    if call.outcome is Outcome.RUNNING and not (live and call.active):
        return replace(call, outcome=Outcome.UNANSWERED)
    return call


def as_object(call: Call, detail: Detail) -> dict[str, object]:
    """The call as one JSON object (spec K5)."""
    return {
        "id": call.id,
        "parent_id": call.parent_id,
        "turn": call.turn,
        "step": call.step,
        "tool": call.tool,
        "target": call.target,
        "intent": call.intent,
        "rationale": call.rationale,
        "arguments": detail.arguments,
        "notes": list(detail.notes),
        "marks": [str(mark) for mark in detail.marks],
        "time": iso_time(call.time),
        "duration_ms": call.duration_ms,
        "outcome": str(call.outcome),
        "rejection": to_builtins(call.rejection),
        "chain": call.chain and {"id": call.chain.id, "try": call.chain.attempt, "identical": call.chain.identical},
        "active": call.active,
    }


def iso_time(seconds: float | None) -> str | None:
    """A time as ISO 8601 in UTC, to the millisecond."""
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
