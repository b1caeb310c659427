"""What a person thinks of reminders: right or wrong, and how often they were right (spec R7).

Marks lie in one file of Pilotage's own folder, one a line; a line is never changed, and the last one counts.
"""

import json
import os
import time
from collections.abc import Collection, Mapping
from pathlib import Path

from msgspec import Struct

from pilotage.paths import data_dir
from pilotage.records.fields import as_dict, as_text

Marked = tuple[str, str, int]
"""A reminder: its session's id, its attempt's id, and its place among the attempt's reminders, from 0."""


class Precision(Struct, frozen=True):
    """How often reminders were right, of those that were marked."""

    right: int = 0
    """Reminders that were marked right."""
    wrong: int = 0
    """Reminders that were marked wrong."""

    @property
    def share(self) -> float | None:
        """The part that was right; none where nothing was marked."""
        marked = self.right + self.wrong
        return self.right / marked if marked else None


def marks_file(folder: Path | None = None) -> Path:
    """The file of the marks, below `folder` or Pilotage's own."""
    return (folder or data_dir()) / "marks.jsonl"


def mark(reminder: Marked, is_right: bool | None, folder: Path | None = None) -> None:
    """Keep what a person says of a reminder; none takes back what was said. Raises OSError."""
    session, attempt, index = reminder
    data = {"session": session, "attempt": attempt, "index": index, "right": is_right, "time": round(time.time(), 3)}
    path = marks_file(folder)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "rb+", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        # A line that was torn off stays alone, and takes no other with it.
        is_torn = bool(size) and os.pread(descriptor, 1, size - 1) != b"\n"
        file.write(b"\n" * is_torn + json.dumps(data).encode() + b"\n")


def read_marks(folder: Path | None = None) -> dict[Marked, bool]:
    """Whether each marked reminder was right, as the person said last. What is no mark is passed over.

    Raises OSError where there is a file that cannot be read.
    """
    try:
        lines = marks_file(folder).read_bytes().split(b"\n")
    except FileNotFoundError:
        return {}
    marks: dict[Marked, bool] = {}
    for line in lines:
        reminder, is_right = _mark(line)
        if reminder is None:
            continue
        marks.pop(reminder, None)
        if is_right is not None:
            marks[reminder] = is_right
    return marks


def precision(marks: Mapping[Marked, bool], sessions: Collection[str] | None = None) -> Precision:
    """How often the reminders that were marked were right; with `sessions`, only those of sessions with these ids."""
    said = [is_right for (session, _, _), is_right in marks.items() if sessions is None or session in sessions]
    return Precision(sum(said), len(said) - sum(said))


def _mark(line: bytes) -> tuple[Marked | None, bool | None]:
    """The reminder that a line marks, and how."""
    try:
        data = as_dict(json.loads(line))
    except (ValueError, RecursionError):
        return None, None
    session, attempt, index = as_text(data.get("session")), as_text(data.get("attempt")), data.get("index")
    is_right = data.get("right")
    is_mark = is_right is None or isinstance(is_right, bool)
    if not session or not attempt or not isinstance(index, int) or isinstance(index, bool) or not is_mark:
        return None, None
    return (session, attempt, index), is_right if isinstance(is_right, bool) else None
