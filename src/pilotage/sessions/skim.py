"""Lines of a session as far as a study of its calls needs them, at a fraction of what reading them in full costs.

It stands apart from `wire`, whose entries hold all that a row of the timeline shows: here an output is passed over
and nothing is built of it, and whoever needs more of a line has it read in full.
"""

import io
import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from msgspec import UNSET, Raw, Struct, UnsetType

from pilotage.records.call import Place
from pilotage.sessions.follow import STEP
from pilotage.sessions.lines import Framer, Line
from pilotage.sessions.read import UnreadableSession
from pilotage.sessions.tolerant import find_objects
from pilotage.sessions.wire import WireArguments, WireNestedCalls, decode

LOOKED_THROUGH = 32 << 20
"""Bytes in which an input is looked for at which a file may be cut."""

_LONGEST_HEAD = 400

_INPUT = re.compile(
    rb'\n\{"type":"message","id":"[\w-]+","parentId":"([\w-]+)","timestamp":"[^"\\]*","message":\{"role":"user"'
)


class SkimUsage(Struct, gc=False):
    """`usage` of an assistant message."""

    input: float = 0
    """Tokens sent that were not cached."""
    output: float = 0
    """Tokens received."""


class SkimMessage(Struct, rename="camel"):
    """`message` of an entry."""

    role: str = ""
    """Whose it is."""
    content: Raw = Raw(b"")
    """Its content, as bytes of the line."""
    timestamp: float | None = None
    """When it began, in milliseconds since the epoch."""
    stop_reason: str | None = None
    """Why it ended."""
    duration_ms: float | None = None
    """How long it took."""
    usage: SkimUsage | None = None
    """What it cost."""
    tool_call_id: str = ""
    """The call that a result answers."""
    is_error: bool = False
    """Whether a result is an error."""
    nested_calls: WireNestedCalls | None = None
    """The calls that a tool made while it ran."""


class SkimCall(Struct):
    """A content block of an answer: of interest where it is a call."""

    type: str = ""
    """What the block is."""
    id: str = ""
    """The call's id."""
    name: str = ""
    """Its tool."""
    arguments: WireArguments | None = None
    """Its arguments, as far as a row shows them."""


class SkimEntry(Struct, rename="camel"):
    """A header or an entry."""

    type: str = ""
    """The host's word for its type."""
    id: str | None = None
    """Its id; of a header, the session's."""
    parent_id: str | UnsetType | None = UNSET
    """The entry before it; not set where the file names none at all (version 1)."""
    timestamp: str | None = None
    """When it was appended, as the file has it."""
    message: SkimMessage | None = None
    """Its message."""
    cwd: str = ""
    """The folder of a header."""
    name: str = ""
    """The session's name, in a `session_info`."""


class Skimmed(Struct, frozen=True, gc=False):
    """One record of a file."""

    entry: SkimEntry
    """What was read of it."""
    line: Line
    """The record itself and where it stands, as if it were alone on its line."""
    nth: int = 1
    """Which record of its line it is, from 1."""

    @property
    def id(self) -> str:
        """The id of its entry, as the reader gives it too: `L<line>` where the file has none."""
        place = f"L{self.line.number}" if self.nth == 1 else f"L{self.line.number}.{self.nth}"
        return self.entry.id or place

    @property
    def place(self) -> Place:
        """Where it stands."""
        return Place(self.line.number, self.line.offset, len(self.line.data))


class Stretch(Struct, frozen=True):
    """A part of a file that begins with an input, or the file from its beginning."""

    start: int = 0
    """Its first byte."""
    end: int | None = None
    """The byte after it; none for the end of the file."""
    parent_id: str | None = None
    """The entry that its first one hangs under."""


WHOLE_FILE = Stretch()
"""All of a file."""


def skim_session(
    path: Path, tell: Callable[[int, int], None] | None = None, stretch: Stretch = WHOLE_FILE
) -> Iterator[Skimmed]:
    """Every record of a file in order; `tell` hears how many bytes were read, and of how many.

    A record on a damaged line is found as the reader finds it (spec F3). Lines are counted from the beginning of the
    stretch. Raises UnreadableSession when the file is missing, may not be read, or is no regular file.
    """
    try:
        with _opened(path) as file:
            size = os.fstat(file.fileno()).st_size
            end = stretch.end
            file.seek(stretch.start)
            framer, done = Framer(stretch.start), stretch.start
            while chunk := file.read(STEP if end is None else min(STEP, end - done)):
                for line in framer.feed(chunk):
                    yield from skim_line(line)
                done += len(chunk)
                if tell:
                    tell(done, max(done, size))
            yield from skim_line(framer.tail_line())
    except OSError as error:
        msg = f"{path}: {error.strerror}"
        raise UnreadableSession(msg) from error


def _opened(path: Path) -> io.FileIO:
    """The file, opened without waiting for whoever may write into a pipe. Raises OSError and UnreadableSession."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        msg = f"{path}: {'a folder' if stat.S_ISDIR(mode) else 'not a regular file'}"
        raise UnreadableSession(msg)
    return io.FileIO(descriptor)


def find_stretches(path: Path, count: int) -> list[Stretch]:
    """A file in at most `count` stretches of about the same size. Raises UnreadableSession.

    Only the lines of Pi itself are looked for, in the order in which it writes their fields.
    """
    try:
        with _opened(path) as file:
            size = os.fstat(file.fileno()).st_size
            begins = [_next_input(file, size * number // count) for number in range(1, count)]
    except OSError as error:
        msg = f"{path}: {error.strerror}"
        raise UnreadableSession(msg) from error
    first = [(0, None), *dict.fromkeys(begin for begin in begins if begin)]
    ends = [*(start for start, _ in first[1:]), None]
    return [Stretch(start, end, parent) for (start, parent), end in zip(first, ends, strict=True)]


def _next_input(file: io.FileIO, position: int) -> tuple[int, str] | None:
    """Where the next line with an input begins and the id of its parent; none when there is none near."""
    file.seek(position)
    data = b""
    while len(data) < LOOKED_THROUGH and (more := file.read(STEP)):
        # An input's first bytes may be cut by the end of what was read before.
        before = data[-_LONGEST_HEAD:]
        match = _INPUT.search(before + more)
        if match:
            return position + len(data) - len(before) + match.start() + 1, match[1].decode()
        data += more
    return None


def skim_line(line: Line) -> Sequence[Skimmed]:
    """The records on a line, in order."""
    try:
        return (Skimmed(decode(line.data, SkimEntry), line),)
    except (ValueError, RecursionError):
        return _recovered(line)


def _recovered(line: Line) -> list[Skimmed]:
    """The records on a line that is not one record."""
    records = []
    for nth, item in enumerate(find_objects(line.data), 1):
        piece = Line(line.number, line.offset + item.start, line.data[item.start : item.end])
        records.append(Skimmed(decode(piece.data, SkimEntry), piece, nth))
    return records
