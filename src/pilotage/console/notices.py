"""What a list or a pane says while it has nothing to show."""

from collections.abc import Sequence
from pathlib import Path

from pilotage.console.pieces import Piece, PieceLine, wrapped
from pilotage.plain import plain_line
from pilotage.sessions.follow import FileState
from pilotage.sessions.locate import find_root
from pilotage.sessions.read import Session

WIDEST = 76


def list_notice(session: Session | None, state: FileState, reason: str, cwd: Path, width: int) -> list[PieceLine]:
    """Why the line of time is empty, and what will fill it."""
    return paragraphs([_why_empty(session, state, reason), *_where(session, cwd)], width)


def _why_empty(session: Session | None, state: FileState, reason: str) -> str:
    if session is None:
        return "No session here yet."
    if state is FileState.MISSING:
        return "The session's file is not there."
    if state is FileState.UNREADABLE:
        return f"The session cannot be read: {reason}."
    if session.tally.damaged and not session.tally.entries:
        return f"This is no session: none of its {session.tally.lines:,} lines holds a record."
    return "Nothing has happened in this session yet."


def _where(session: Session | None, cwd: Path) -> list[str]:
    if session is not None:
        return [str(session.path), "What it brings is shown as soon as it is there."]
    return [
        f"Looking for sessions of {cwd} in {find_root(cwd).path}.",
        "Start Pi in this folder: the first session that appears is shown here. p chooses another one.",
    ]


def paragraphs(texts: Sequence[str], width: int) -> list[PieceLine]:
    """Paragraphs with air between them, the first one brighter."""
    lines: list[PieceLine] = [[]]
    for number, paragraph in enumerate(texts):
        role = "dim" if number else "text"
        lines += [[Piece(" "), *line] for line in wrapped(plain_line(paragraph), min(width, WIDEST), role)]
        lines.append([])
    return lines
