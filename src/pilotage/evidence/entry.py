"""What one diagnostic entry tells of its attempt, whoever wrote it (spec E2, E3)."""

from collections.abc import Callable, Mapping

from msgspec import Struct

from pilotage.evidence.fields import (
    child_in,
    failure_in,
    pairs_in,
    purpose_in,
    text_in,
    tokens_in,
    whole_in,
)
from pilotage.records.attempt import Event, Purpose
from pilotage.records.entry import Entry
from pilotage.records.fields import as_dict
from pilotage.sessions.pi import time_of

Data = Mapping[str, object]

_ENVELOPE = frozenset(
    {"version", "by", "event", "kind", "attempt", "attemptId", "inputId", "parentLeafId", "preparationId", "time"}
)


class Told(Struct, frozen=True):
    """One diagnostic entry."""

    entry: str
    """Its id."""
    attempt: str
    """The attempt that it belongs to; where it names none, its own id stands for one."""
    purpose: Purpose
    """What the attempt is for, as far as the entry lets one tell."""
    input_id: str
    """The input that it belongs to; empty where it names none."""
    fields: dict[str, object]
    """The fields of `Attempt` that it tells."""


def tell(entry: Entry, data: Data) -> Told:
    """What the data of a diagnostic entry tells."""
    event = _event(data)
    purpose = purpose_in(data)
    if purpose is None:
        is_review = event is Event.REVIEW_INPUT or "step" in data or "reminders" in data
        purpose = Purpose.TRAJECTORY if is_review else Purpose.PREPARATION
    at = time_of(text_in(data, "time") or None, None)
    told = _of_every_event(data) | _of_event(event, data, entry.time if at is None else at)
    attempt = text_in(data, "attempt", "attemptId") or entry.id
    return Told(entry.id, attempt, purpose, text_in(data, "inputId"), told)


def _event(data: Data) -> Event | None:
    """The event; an entry of another name that tells of an outcome is an end."""
    word = text_in(data, "event", "phase")
    if word in list(Event):
        return Event(word)
    return Event.END if any(name in data for name in ("outcome", "failure", "error", "failed")) else None


def _of_every_event(data: Data) -> dict[str, object]:
    """What any entry can tell; what it does not tell is left as it was."""
    failure, words = failure_in(data)
    known: dict[str, object] = {
        "step": whole_in(data, "step"),
        "requests": whole_in(data, "requests", "requestCount"),
        "milliseconds": whole_in(data, "elapsedMs", "elapsed", "durationMs"),
        "tokens": tokens_in(data),
        "child": child_in(data),
        "failure": failure or None,
        "words": words or None,
        "pairs": pairs_in(data) or None,
        "writer": text_in(data, "by") or None,
        "leaf": text_in(data, "parentLeafId") or None,
    }
    return {name: value for name, value in known.items() if value is not None}


def _of_event(event: Event | None, data: Data, at: float | None) -> dict[str, object]:
    tells: dict[Event, Callable[[], dict[str, object]]] = {
        Event.START: lambda: {"started": at},
        Event.REVIEW_INPUT: lambda: {"coverage": as_dict(data.get("coverage")) or _beside_envelope(data)},
        Event.CONTEXT_READY: lambda: {"context_ready": True},
        Event.END: lambda: {"ended": at, "outcome": _outcome(data)},
    }
    return tells[event]() if event else {}


def _outcome(data: Data) -> str:
    """How it ended; where that is not said, a failure tells."""
    said = text_in(data, "outcome", "status")
    return said or ("failed" if failure_in(data)[0] or data.get("failed") is True else "ok")


def _beside_envelope(data: Data) -> dict[str, object]:
    """All fields that say more than which attempt it is."""
    return {name: value for name, value in data.items() if name not in _ENVELOPE}
