"""The parts of a row that a person takes away: intent, command, path, output."""

from pathlib import Path

from msgspec import Struct

from pilotage.calls.timeline import Timeline
from pilotage.console.details import output_of
from pilotage.records.fields import as_dict, as_text
from pilotage.records.row import Row, RowKind


class Part(Struct, frozen=True):
    """One thing that can be copied."""

    key: str
    """The key that chooses it."""
    name: str
    """What it is."""
    text: str
    """The text, as the session has it."""


class Whole(Struct, frozen=True):
    """A whole text, of which a row shows a part."""

    name: str
    """What it is called, and a file of it after that."""
    text: str
    """The text, as the session has it."""


def parts_of(timeline: Timeline, row: Row) -> list[Part]:
    """What can be copied of a row, those that are not empty. Raises UnreadableSession."""
    if row.kind is not RowKind.CALL:
        return [Part("t", "text", output_of(timeline, row))]
    call = timeline.calls.items[row.call]
    arguments = as_dict(timeline.calls.raw_arguments(call))
    parts = (
        Part("i", "intent", call.intent or ""),
        Part("r", "rationale", call.rationale or ""),
        Part("c", "command", as_text(arguments.get("command"))),
        Part("p", "path", as_text(arguments.get("path"))),
        Part("o", "output", output_of(timeline, row)),
    )
    return [part for part in parts if part.text]


def target_file(timeline: Timeline, row: Row) -> Path | None:
    """The file that a call was aimed at, as it lies in the session's folder; none where it named none."""
    if row.kind is not RowKind.CALL:
        return None
    call = timeline.calls.items[row.call]
    named = as_text(as_dict(timeline.calls.raw_arguments(call)).get("path"))
    if not named or "\0" in named:
        return None
    folder = Path(timeline.session.header.cwd) if timeline.session.header else Path.cwd()
    return folder / expanded(named.removeprefix("@"))


def expanded(named: str) -> Path:
    """The path with a home folder for its `~`; as it is where nobody has that name."""
    try:
        return Path(named).expanduser()
    except RuntimeError:
        return Path(named)


def is_there(file: Path) -> bool:
    """Whether a file is there; one whose name no file system takes is not."""
    try:
        return file.exists()
    except OSError:
        return False


def row_name(timeline: Timeline, row: Row) -> str:
    """A name for a row's output."""
    if row.kind is not RowKind.CALL:
        return str(row.kind)
    call = timeline.calls.items[row.call]
    return f"{call.tool} {call.target or call.brief}".strip()
