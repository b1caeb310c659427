"""The trajectory: what was said and done along the active branch, told once and in order (spec J1, J2).

Left out: thinking, images, every tool result's body, and host bookkeeping.
"""

import json
from collections.abc import Iterator

from msgspec import Struct

from pilotage.calls.build import Calls
from pilotage.records.attempt import PREPARATION_TYPE
from pilotage.records.call import Call, Outcome
from pilotage.records.entry import (
    AgentMessage,
    BranchSummary,
    Compaction,
    CustomMessage,
    Entry,
    Reminder,
    ShellCommand,
    UserMessage,
)
from pilotage.records.fields import as_dict, as_list, as_text, content_blocks, text_of_blocks

ARGUMENT = 300
"""Characters that are kept of one argument."""
EDITS = 4
"""Edits that are told of one call."""


class Item(Struct, frozen=True):
    """One thing that was said or done."""

    kind: str
    """user, agent, call, reminder, note, shell, interruption, error, compaction or branch."""
    entry: str
    """The id of its entry."""
    time: float | None
    """When, in seconds since the epoch."""
    text: str
    """What, as text."""


def items(calls: Calls, tail: int | None = None) -> list[Item]:
    """The items of the active branch; with `tail`, the last so many, and only their bodies are read.

    Raises UnreadableSession when the file changed meanwhile.
    """
    found: list[Item] = []
    for index in reversed(calls.session.tree.path()):
        if tail is not None and len(found) >= tail:
            break
        found += reversed(list(_items_of(calls, index)))
    if tail is not None:
        del found[tail:]
    found.reverse()
    return found


def render(told: list[Item]) -> str:
    """The items as one text."""
    return "\n".join(_block(item) for item in told)


def _block(item: Item) -> str:
    if item.kind == "call":
        return item.text
    return f"{item.kind}: {item.text}"


def _items_of(calls: Calls, index: int) -> Iterator[Item]:
    """The items that one entry makes."""
    entry = calls.session.entry(index)
    for kind, text in _said(calls, entry):
        yield Item(kind, entry.id, entry.time, text)
    for number in calls.of_entry(index):
        yield _call_item(calls, entry, calls.items[number])
        for child in calls.nested_in(number):
            yield _call_item(calls, entry, calls.items[child])


def _said(calls: Calls, entry: Entry) -> Iterator[tuple[str, str]]:
    """What an entry says, beside the calls that it makes."""
    match entry.content:
        case UserMessage():
            yield "user", _full_text(calls.session.body(entry))
        case AgentMessage() as message:
            yield from _agent_said(calls, entry, message)
        case Reminder(text=text):
            yield "reminder", text
        case CustomMessage(custom_type=custom_type, text=text) if custom_type != PREPARATION_TYPE:
            yield "note", f"({custom_type}) {text}"
        case ShellCommand(command=command, exit_code=code):
            yield "shell", f"{command}{f' (exit code {code})' if code else ''}"
        case Compaction():
            yield "compaction", as_text(calls.session.body(entry).get("summary"))
        case BranchSummary():
            yield "branch", as_text(calls.session.body(entry).get("summary"))


def _agent_said(calls: Calls, entry: Entry, message: AgentMessage) -> Iterator[tuple[str, str]]:
    text = _full_text(calls.session.body(entry))
    if text:
        yield "agent", text
    if message.stop_reason == "aborted":
        yield "interruption", "the person stopped the agent here"
    elif message.stop_reason == "error":
        yield "error", f"the model's request failed: {(message.error or 'no reason given')[:ARGUMENT]}"


def _full_text(body: dict[str, object]) -> str:
    """What a message says in full."""
    return text_of_blocks(content_blocks(as_dict(body.get("message"))))


def _call_item(calls: Calls, entry: Entry, call: Call) -> Item:
    lines = [f"{'  ' if call.parent_id else ''}call {call.tool}: {_told(call, calls.raw_arguments(call))}"]
    status = _status(call)
    if status:
        lines.append(f"  {status}")
    return Item("call", entry.id, call.time, "\n".join(lines))


def _told(call: Call, arguments: object) -> str:
    """Why the call was made and its key arguments."""
    parts = [call.intent or "", f"because {call.rationale}" if call.rationale else ""]
    hidden = ("intent", "rationale") if call.intent or call.rationale else ()
    fields = [f"{key}={_short(key, value)}" for key, value in as_dict(arguments).items() if key not in hidden]
    return " | ".join([part for part in parts if part] + fields) or "no arguments"


def _short(key: str, value: object) -> str:
    edits = as_list(value) if key == "edits" else []
    if edits and all(isinstance(edit, dict) for edit in edits):
        more = [f"… ({len(edits)} edits)"] if len(edits) > EDITS else []
        return "; ".join([*(_edit(as_dict(edit)) for edit in edits[:EDITS]), *more])
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= ARGUMENT else f"{text[:ARGUMENT]}… ({len(text):,} characters)"


def _edit(edit: dict[str, object]) -> str:
    return f"{_quoted(as_text(edit.get('oldText')))} -> {_quoted(as_text(edit.get('newText')))}"


def _quoted(text: str) -> str:
    kept = text[: ARGUMENT // 2]
    return f"{kept!r}{'…' if kept != text else ''}"


def _status(call: Call) -> str:
    """One line for a call that did not go well; nothing for one that did."""
    match call.outcome:
        case Outcome.FAILED:
            return f"failed with exit code {call.exit_code}" if call.exit_code is not None else "failed"
        case Outcome.REJECTED if call.rejection:
            fields = ", ".join(call.rejection.fields)
            return f"rejected: {call.rejection.kind}{f' ({fields})' if fields else ''}"
        case Outcome.BLOCKED | Outcome.ABORTED:
            return str(call.outcome)
        case Outcome.UNANSWERED | Outcome.RUNNING:
            return "unanswered: no result"
    return ""
