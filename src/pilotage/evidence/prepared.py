"""What a preparation brought, from the entry that carries it (spec P6), and what became of it (spec P9)."""

import re

from pilotage.calls.build import Calls
from pilotage.evidence.fields import actions_in, number_in, text_in, tokens_in, whole_in
from pilotage.records.attempt import PREPARATION_TYPE, Action, Attempt, Prepared, Suggestion, SuggestionState
from pilotage.records.call import Call, Outcome
from pilotage.records.entry import Entry
from pilotage.records.fields import as_dict, as_list, as_text, content_blocks, text_of_blocks
from pilotage.sessions.read import Session
from pilotage.sessions.tool_path import absolute_path

BRIEF = 400
"""Characters that are held of what an action brought."""

_CHANGING = ("edit", "write")


def prepared_in(entry: Entry, body: dict[str, object], *, whole: bool = False) -> Prepared | None:
    """What the carrier in this entry holds; none where the entry is no carrier.

    With `whole` each action's text is all of it, else its first characters.
    """
    carrier = as_dict(body.get("message")) if entry.type == "message" else body
    if carrier.get("customType") != PREPARATION_TYPE:
        return None
    in_context = entry.type != "custom"
    data = as_dict(carrier.get("details" if in_context else "data"))
    prefetch = as_dict(data.get("prefetch"))
    both = data | prefetch
    rounds = [as_dict(item) for item in as_list(prefetch.get("rounds"))]
    actions = [action for item in rounds for action in actions_in(as_list(item.get("messages")))]
    suggested = [value for holder in (both, *rounds) for value in as_list(holder.get("suggestions"))]
    return Prepared(
        entry=entry.id,
        input_id=text_in(both, "inputId"),
        attempt=text_in(both, "attempt", "attemptId"),
        preparation_id=text_in(both, "preparationId"),
        in_context=in_context,
        suggestions=tuple(suggestion for suggestion in map(_suggestion, suggested) if suggestion),
        actions=tuple(action if whole else _brief(action) for action in actions),
        tokens=tokens_in(both),
        milliseconds=whole_in(both, "elapsedMs", "elapsed", "durationMs"),
    )


def open_prepared(session: Session, prepared: Prepared) -> Prepared:
    """The same with all that the actions brought. Raises UnreadableSession."""
    index = session.tree.find(prepared.entry)
    if index is None:
        return prepared
    entry = session.entry(index)
    return prepared_in(entry, session.body(entry), whole=True) or prepared


def _suggestion(value: object) -> Suggestion | None:
    fields = as_dict(value)
    capability = value if isinstance(value, str) else text_in(fields, "id")
    if not capability:
        return None
    state = text_in(fields, "state", "fate")
    return Suggestion(
        id=capability,
        why=text_in(fields, "why", "reason"),
        confidence=number_in(fields, "confidence"),
        state=SuggestionState(state) if state in list(SuggestionState) else None,
    )


def _brief(action: Action) -> Action:
    if len(action.text) <= BRIEF:
        return action
    return Action(
        tool=action.tool,
        arguments=action.arguments,
        text=f"{action.text[:BRIEF]}…",
        is_error=action.is_error,
        began=action.began,
        seconds=action.seconds,
        confined=action.confined,
        executor=action.executor,
    )


def fates(calls: Calls, prepared: Prepared, attempt: Attempt | None = None) -> tuple[SuggestionState, ...]:
    """What became of each suggestion: as it was written down, else as far as the calls of its turn tell (spec P9).

    A tool is used when it is called or a search loads it, a server when a tool of it is, a skill when its SKILL.md is
    read; where the agent changed that file first, what was suggested is stale. `attempt` is what made it: if that was
    void, it came too late. Raises UnreadableSession.
    """
    turn = _turn_of(calls, prepared)
    is_void = _is_void(attempt)
    return tuple(
        one.state or (SuggestionState.LATE if is_void else _fate_of(calls, turn, one.id))
        for one in prepared.suggestions
    )


def action_fates(
    calls: Calls, prepared: Prepared, attempt: Attempt | None = None
) -> tuple[SuggestionState | None, ...]:
    """What became of what each action brought, as far as the calls of its turn tell; none where nothing tells.

    A file is used when the agent reads, changes or names it; if it reads the whole of it and that is another text than
    the one that it was given, the file had changed: it is stale. Whether the output of a command was of use no call
    tells, unless the agent runs it again. Raises UnreadableSession.
    """
    if _is_void(attempt):
        return (SuggestionState.LATE,) * len(prepared.actions)
    turn = _turn_of(calls, prepared)
    whole = open_prepared(calls.session, prepared)
    return tuple(_action_fate(calls, turn, action) for action in whole.actions)


def _is_void(attempt: Attempt | None) -> bool:
    return attempt is not None and attempt.outcome == "void"


def _turn_of(calls: Calls, prepared: Prepared) -> list[Call]:
    """The calls of the turn that it was prepared for, from then on."""
    index = calls.session.tree.find(prepared.entry)
    if index is None:
        return []
    root = calls.moments[index].root
    return [call for call in calls.items if call.entry > index and calls.moments[call.entry].root == root]


def _fate_of(calls: Calls, turn: list[Call], capability: str) -> SuggestionState:
    kind, _, name = capability.partition(":")
    for call in turn:
        if kind == "skill" and call.tool in _CHANGING and call.outcome is Outcome.OK and _is_skill_file(call, name):
            return SuggestionState.STALE
        if _uses(call, kind, name) or (kind != "skill" and _names(name, _loaded(calls, call))):
            return SuggestionState.USED
    return SuggestionState.UNUSED


def _uses(call: Call, kind: str, name: str) -> bool:
    if kind == "skill":
        return call.tool in ("read", "bash") and _is_skill_file(call, name)
    return _names(name, [call.tool])


def _is_skill_file(call: Call, name: str) -> bool:
    path = (call.target or "").replace("\\", "/")
    return path.endswith(f"/{name}/SKILL.md") or (call.tool == "bash" and f"/{name}/SKILL.md" in path)


def _names(name: str, tools: list[str]) -> bool:
    """Whether one of the tools is the one of that name, or a tool of the server of that name."""
    return bool(name) and any(tool == name or tool.startswith(f"{name}__") for tool in tools)


def _loaded(calls: Calls, call: Call) -> list[str]:
    """The tools that a search loaded."""
    details = as_dict(_result_of(calls, call).get("details")) if call.tool == "tool_search" else {}
    return [as_text(name) for name in as_list(details.get("loaded"))]


def _action_fate(calls: Calls, turn: list[Call], action: Action) -> SuggestionState | None:
    if action.tool != "read":
        command = as_text(action.arguments.get("command")).strip()
        again = any(call.tool == action.tool and call.target == _first_line(command) for call in turn)
        return SuggestionState.USED if command and again else None
    cwd = calls.session.header.cwd if calls.session.header else "/"
    given = as_text(action.arguments.get("path"))
    path = absolute_path(given, cwd)
    for call in turn:
        if call.tool in ("read", *_CHANGING) and absolute_path(call.target or "", cwd) == path:
            return SuggestionState.STALE if _is_other_text(calls, call, action.text) else SuggestionState.USED
        if call.tool == "bash" and any(_stands_in(name, call.target or "") for name in (given, path)):
            return SuggestionState.USED
    return SuggestionState.UNUSED


def _is_other_text(calls: Calls, call: Call, text: str) -> bool:
    """Whether a read brought the whole file, and that is another text."""
    if call.tool != "read" or call.outcome is not Outcome.OK:
        return False
    arguments, message = as_dict(calls.raw_arguments(call)), _result_of(calls, call)
    is_whole = arguments.get("offset") is None and arguments.get("limit") is None
    return is_whole and text_of_blocks(content_blocks(message)) != text


def _result_of(calls: Calls, call: Call) -> dict[str, object]:
    """The message that answered a call; an empty one where none did."""
    session = calls.session
    return as_dict(session.body(session.entry(call.result)).get("message")) if call.result is not None else {}


def _first_line(command: str) -> str | None:
    return next((line.strip() for line in command.splitlines() if line.strip()), None)


def _stands_in(name: str, command: str) -> bool:
    """Whether a command names a file as a word of its own."""
    return bool(name) and re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w/-])", command) is not None
