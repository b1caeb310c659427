"""What the parent session is told of an attempt: the data of its diagnostic entries, and the reminder (spec E2, R4)."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from pilotage.inference.question import Exchange, RequestFailed
from pilotage.records.attempt import REMINDER_TYPE, ChildSession, Event, Purpose, ReviewedPair
from pilotage.sessions.write import iso_milliseconds

Data = dict[str, object]
"""The `data` of a custom entry."""

VERSION = 1
"""The version of these shapes."""

WRITER = "pilotage"
"""Who writes them."""

UNSOURCED = "source not found"
"""The mark of a reminder whose source does not stand in what the review was given (spec R9)."""

_OPENING = (
    "Automatic review by Pilotage{step}. This is advice by another model, not a word of the user: it may be wrong or"
    " out of date. Where it holds, act on it; where it does not, go on."
)


class Subject(Struct, frozen=True):
    """The attempt that an entry is about."""

    attempt: str
    """The attempt's id."""
    purpose: Purpose
    """What it is for."""
    input_id: str
    """The input that it belongs to."""
    parent_leaf: str | None
    """The id of the parent's last entry when it began."""
    step: int | None = None
    """The step that is reviewed."""
    preparation_id: str | None = None
    """The id that links a preparation to its delivery."""


def start_data(subject: Subject, now: float) -> Data:
    """An attempt begins; to be written before the session file is read. `now` is in seconds since the epoch."""
    return _data(Event.START, subject, now)


def review_input_data(
    subject: Subject, now: float, coverage: Mapping[str, object], child: ChildSession | None = None
) -> Data:
    """What a review saw and what it did not (spec R5)."""
    return _data(Event.REVIEW_INPUT, subject, now, child) | {"coverage": dict(coverage)}


def context_ready_data(subject: Subject, now: float) -> Data:
    """A context with a preparation's results was returned to the host."""
    return _data(Event.CONTEXT_READY, subject, now)


def end_data(
    subject: Subject,
    now: float,
    *,
    outcome: str,
    began: float,
    exchange: Exchange | None = None,
    child: ChildSession | None = None,
    failure: RequestFailed | tuple[str, str] | None = None,
    reminders: Sequence[ReviewedPair] = (),
) -> Data:
    """An attempt is over: `ok`, `failed`, `void` or `skipped`.

    `began` is when it started, in seconds since the epoch. A failure that is none of a request's is given as its kind
    and its words. A review that found nothing has no reminders, and says so.
    """
    exchange = exchange or Exchange()
    data = _data(Event.END, subject, now, child) | {
        "outcome": outcome,
        "requests": exchange.requests,
        "elapsedMs": max(0, round((now - began) * 1000)),
        "tokens": {"input": exchange.input_tokens, "output": exchange.output_tokens},
    }
    if failure:
        kind, words = (failure.failure, str(failure)) if isinstance(failure, RequestFailed) else failure
        data["failure"] = {"kind": str(kind), "message": words}
    if reminders or (subject.purpose is Purpose.TRAJECTORY and outcome == "ok"):
        data["reminders"] = [_reminder(pair) for pair in reminders]
    return data


def reminder_message(subject: Subject, pairs: Sequence[ReviewedPair]) -> Data:
    """The custom message that brings reminders to the agent, without its id, parent and time (spec R4)."""
    details = {
        "version": VERSION,
        "inputId": subject.input_id,
        "attempt": subject.attempt,
        "step": subject.step,
        "reminders": [[pair.deviation, pair.source] for pair in pairs],
    }
    return {
        "customType": REMINDER_TYPE,
        "content": reminder_text(subject.step, pairs),
        "display": True,
        "details": details,
    }


def reminder_text(step: int | None, pairs: Sequence[ReviewedPair]) -> str:
    """What the agent reads; each half of a pair is one line, so that none can pass for another one."""
    lines = [_OPENING.format(step=f" after step {step}" if step is not None else "")]
    for number, pair in enumerate(pairs, 1):
        mark = "" if pair.source_found else f" ({UNSOURCED})"
        lines.append(f"{number}. {_one_line(pair.deviation)}\n   Source{mark}: {_one_line(pair.source)}")
    return "\n".join(lines)


def _data(event: Event, subject: Subject, now: float, child: ChildSession | None = None) -> Data:
    """What every entry holds; what is not known is left out."""
    known: Data = {
        "preparationId": subject.preparation_id,
        "step": subject.step,
        "childSession": {"file": child.file, "id": child.id} if child else None,
    }
    return {
        "version": VERSION,
        "by": WRITER,
        "event": str(event),
        "kind": str(subject.purpose),
        "attempt": subject.attempt,
        "inputId": subject.input_id,
        "parentLeafId": subject.parent_leaf,
        "time": iso_milliseconds(now),
        **{name: value for name, value in known.items() if value is not None},
    }


def _reminder(pair: ReviewedPair) -> Data:
    return {
        "deviation": pair.deviation,
        "source": pair.source,
        "sourceFound": pair.source_found,
        "state": str(pair.state),
    }


def _one_line(text: str) -> str:
    return " ".join(text.split())
