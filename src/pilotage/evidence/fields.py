"""Fields of evidence under the names that its writers gave them (spec E3)."""

from collections.abc import Mapping

from pilotage.records.attempt import Action, ChildSession, Purpose, ReminderState, ReviewedPair
from pilotage.records.fields import as_dict, as_list, as_text, content_blocks, text_of_blocks

Data = Mapping[str, object]


def text_in(data: Data, *names: str) -> str:
    """The first text that stands under one of the names; empty where there is none."""
    return next((text for text in (as_text(data.get(name)) for name in names) if text), "")


def whole_in(data: Data, *names: str) -> int | None:
    """The first number under one of the names, rounded."""
    number = number_in(data, *names)
    return None if number is None else round(number)


def number_in(data: Data, *names: str) -> float | None:
    """The first finite number under one of the names."""
    for name in names:
        value = data.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15:
            return value
    return None


def purpose_in(data: Data) -> Purpose | None:
    """What an attempt or a child was for, as far as a word says it."""
    word = text_in(data, "kind", "purpose", "mode").lower()
    if any(part in word for part in ("traject", "review", "warning")):
        return Purpose.TRAJECTORY
    return Purpose.PREPARATION if word else None


def tokens_in(data: Data) -> tuple[int, int] | None:
    """Tokens sent and received."""
    tokens = as_dict(data.get("tokens") or data.get("usage"))
    sent, received = whole_in(tokens, "input", "sent"), whole_in(tokens, "output", "received")
    return None if sent is None and received is None else (sent or 0, received or 0)


def child_in(data: Data) -> ChildSession | None:
    """The child session that is named."""
    child = as_dict(data.get("childSession"))
    file, session_id = text_in(child, "file", "path"), text_in(child, "id", "sessionId")
    return ChildSession(file, session_id) if file or session_id else None


def failure_in(data: Data) -> tuple[str, str]:
    """The kind of a failure and its words; both empty where nothing failed."""
    value = data.get("failure") or data.get("error")
    if isinstance(value, dict):
        return text_in(value, "kind", "code", "name") or "failed", text_in(value, "message", "words")
    return ("failed", as_text(value)) if value else ("", "")


def pairs_in(data: Data) -> tuple[ReviewedPair, ...]:
    """The reminders of a review, whole or as plain pairs; what is neither is left out."""
    return tuple(pair for pair in map(_pair, as_list(data.get("reminders"))) if pair)


def _pair(value: object) -> ReviewedPair | None:
    halves = as_list(value)
    # A plain pair does not say that its source was looked for, so nothing is held against it.
    fields = as_dict(value) or dict(zip(("deviation", "source"), halves if len(halves) == 2 else [], strict=False))
    deviation, source, state = (as_text(fields.get(name)) for name in ("deviation", "source", "state"))
    if not deviation or not source:
        return None
    known = ReminderState(state) if state in list(ReminderState) else ReminderState.WAITING
    return ReviewedPair(deviation, source, fields.get("sourceFound") is not False, known)


def actions_in(messages: list[object]) -> list[Action]:
    """What was done, from calls and their results; a call without a result is none."""
    made: dict[str, tuple[dict[str, object], float]] = {}
    actions = []
    for message in map(as_dict, messages):
        at = (number_in(message, "timestamp") or 0) / 1000
        if message.get("role") == "assistant":
            for block in content_blocks(message):
                if block.get("type") == "toolCall":
                    made[as_text(block.get("id"))] = block, at
        elif message.get("role") == "toolResult" and as_text(message.get("toolCallId")) in made:
            actions.append(_action(*made[as_text(message.get("toolCallId"))], message, at))
    return actions


def _action(call: Data, asked: float, result: Data, at: float) -> Action:
    """One action; it began when its result says so, else when it was asked for."""
    details = as_dict(result.get("details"))
    given, took = number_in(details, "began"), number_in(result, "durationMs")
    began = asked if given is None else given / 1000
    confined = details.get("confined")
    return Action(
        tool=as_text(call.get("name")),
        arguments=as_dict(call.get("arguments")),
        text=text_of_blocks(content_blocks(dict(result))),
        is_error=result.get("isError") is True,
        began=began,
        seconds=max(0.0, at - began) if took is None else took / 1000,
        confined=confined if isinstance(confined, bool) else None,
        executor=text_in(details, "executor"),
    )
