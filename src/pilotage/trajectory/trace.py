"""Every entry of a file in one line each, bookkeeping included (spec J3)."""

from datetime import UTC, datetime

from pilotage.plain import plain_line
from pilotage.records.entry import (
    AgentMessage,
    BranchSummary,
    Compaction,
    Content,
    CustomMessage,
    ModelChange,
    Reminder,
    SessionName,
    ShellCommand,
    ThinkingChange,
    ToolResult,
    UserMessage,
)
from pilotage.sessions.read import Session


def trace_cells(session: Session, index: int) -> list[str]:
    """One entry: line, id, parent, time, type, and what it is in a few words."""
    entry = session.entry(index)
    parent = session.tree.parents[index]
    above = session.entry(parent).id if parent >= 0 else "-"
    moment = datetime.fromtimestamp(entry.time, UTC).isoformat(timespec="seconds")[:19] if entry.time else "-"
    kind = entry.role or entry.type or "(no type)"
    mark = " " if session.tree.active[index] else "~"
    node = f"{entry.id:<8} <- {above:<8}"
    return [
        f"{mark}{entry.place.line:>6}",
        node,
        f"{moment:<19}",
        f"{kind:<22}",
        plain_line(_words(entry.content)),
    ]


def _words(content: Content | None) -> str:
    """What an entry holds, in a few words."""
    match content:
        case UserMessage(text=text) | Reminder(text=text):
            return text
        case AgentMessage() as message:
            made = ", ".join(f"{call.tool} {call.target or call.brief}".strip() for call in message.calls)
            return " ".join(part for part in (message.stop_reason, made, message.error or "") if part)
        case ToolResult() as result:
            return " ".join((result.call_id, result.tool, "error" if result.is_error else "ok"))
        case ShellCommand(command=command):
            return command
        case CustomMessage(custom_type=custom_type, text=text):
            return f"{custom_type} {text}"
        case Compaction(summary=summary) | BranchSummary(summary=summary):
            return summary
        case SessionName(name=name):
            return name
        case ModelChange(provider=provider, model=model):
            return f"{provider}/{model}"
        case ThinkingChange(level=level):
            return level
    return ""
