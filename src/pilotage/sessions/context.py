"""The effective context: what of a session the main model's next request holds (spec F7; `HOST.md` a).

Bodies stay on disk, but for the few entries that say what is left out: the latest compaction, the context edits and
the person's own commands.
"""

from collections.abc import Iterator

from msgspec import Struct

from pilotage.records.entry import (
    AgentMessage,
    BranchSummary,
    Compaction,
    Content,
    CustomMessage,
    Reminder,
    ShellCommand,
    ToolResult,
    UserMessage,
)
from pilotage.records.fields import as_dict
from pilotage.sessions.read import Session

_REPLACEABLE = (UserMessage, AgentMessage, ToolResult, CustomMessage, Reminder)
"""Messages whose content an edit can swap; any other it can only leave out."""


_NOTHING = object()


class ContextItem(Struct, frozen=True):
    """One entry that the model sees."""

    entry: int
    """The entry's index."""
    replacement: dict[str, object] | None = None
    """What an edit put in its place: its `content`, a text or blocks; none where the entry stands as it is."""


def effective(session: Session) -> tuple[ContextItem, ...]:
    """What the model sees of the active branch, in order: the latest compaction first, where there is one.

    A compaction stands for its summary and for the system prompt that it keeps. Answers that were aborted or ended in
    an error are not sent, and neither is bookkeeping. Takes linear time. Raises UnreadableSession when the file
    changed meanwhile.
    """
    kept = _kept(session)
    edits = _edits(session, kept)
    items = []
    for place, index in enumerate(kept):
        content = session.entry(index).content
        if isinstance(content, Compaction) and place > 0:
            continue
        edit = edits.get(session.entry(index).id, _NOTHING)
        if edit is not None and _is_sent(session, index, content):
            replacement = as_dict(edit) if isinstance(content, _REPLACEABLE) else {}
            items.append(ContextItem(index, replacement or None))
    return tuple(items)


def _kept(session: Session) -> list[int]:
    """The entries of the active branch that the latest compaction left, itself first."""
    path = session.tree.path()
    latest = next((at for at in reversed(range(len(path))) if _is_compaction(session, path[at])), None)
    if latest is None:
        return path
    first = _first_kept(session, path, latest)
    before = [index for index in path[first:latest] if session.entry(index).role != "system"]
    return [path[latest], *before, *path[latest + 1 :]]


def _is_compaction(session: Session, index: int) -> bool:
    return isinstance(session.entry(index).content, Compaction)


def _first_kept(session: Session, path: list[int], latest: int) -> int:
    """The place on the path of the first entry that the compaction kept; its own where it kept none."""
    body = session.body(session.entry(path[latest]))
    entry_id = body.get("firstKeptEntryId")
    if isinstance(entry_id, str):
        return next((at for at in range(latest) if session.entry(path[at]).id == entry_id), latest)
    number = body.get("firstKeptEntryIndex")
    if isinstance(number, int):
        # Version 1 counts records, the header being the first.
        index = number - (session.header is not None)
        return next((at for at in range(latest) if path[at] == index), latest)
    return latest


def _edits(session: Session, kept: list[int]) -> dict[str, object]:
    """For each entry that was edited, by its id, the latest replacement; an edit that says nothing usable is none."""
    edits: dict[str, object] = {}
    for index in kept:
        if session.entry(index).type == "context_edit":
            body = session.body(session.entry(index))
            target, replacement = body.get("targetId"), body.get("replacement", _NOTHING)
            if isinstance(target, str) and (replacement is None or isinstance(replacement, dict)):
                edits[target] = replacement
    return edits


def _is_sent(session: Session, index: int, content: Content | None) -> bool:
    """Whether an entry becomes a message of the request."""
    match content:
        case AgentMessage() as message:
            return message.is_step
        case ShellCommand():
            body = session.body(session.entry(index))
            return as_dict(body.get("message")).get("excludeFromContext") is not True
        case BranchSummary(summary=summary):
            return bool(summary)
        case UserMessage() | ToolResult() | CustomMessage() | Reminder() | Compaction():
            return True
    return session.entry(index).role == "system"


def told_content(session: Session, item: ContextItem) -> Iterator[dict[str, object]]:
    """The content blocks of an item as the model sees them; text is one block (`HOST.md` a).

    Raises UnreadableSession when the file changed meanwhile.
    """
    entry = session.entry(item.entry)
    body = session.body(entry)
    content = (item.replacement or (as_dict(body.get("message")) if entry.type == "message" else body)).get("content")
    if isinstance(content, str):
        yield {"type": "text", "text": content}
    elif isinstance(content, list):
        yield from (as_dict(block) for block in content)
