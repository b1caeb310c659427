"""Lines of a session as far as a study of its calls needs them, at a fraction of what reading them in full costs.

It stands apart from `wire`, whose entries hold all that a row of the timeline shows: here an output is passed over
and nothing is built of it, and whoever needs more of a line has it read in full.
"""

import io
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import UNSET, Raw, Struct, UnsetType
from msgspec.json import Decoder

from pilotage.records.call import Place
from pilotage.sessions.follow import STEP
from pilotage.sessions.lines import Line, framed
from pilotage.sessions.read import UnreadableSession
from pilotage.sessions.tolerant import find_objects
from pilotage.sessions.wire import WireArguments, WireNestedCalls, decode, decode_items

LOOKED_THROUGH = 32 << 20
"""Bytes in which an input is looked for at which a file may be cut."""

_LONGEST_HEAD = 400

_BUFFER = 256 << 10
"""Bytes that are read at once: few enough to stay near the processor."""

_INPUT = re.compile(
    rb'\n\{"type":"message","id":"[\w-]+","parentId":"([\w-]+)","timestamp":"[^"\\]*","message":\{"role":"user"'
)


class SkimCall(Struct, gc=False):
    """A content block of an answer: of interest where it is a call."""

    type: str = ""
    """What the block is."""
    id: str = ""
    """The call's id."""
    name: str = ""
    """Its tool."""
    arguments: WireArguments | None = None
    """Its arguments, as far as a row shows them."""


class SkimUsage(Struct, gc=False):
    """`usage` of an assistant message."""

    input: float = 0
    """Tokens sent that were not cached."""
    output: float = 0
    """Tokens received."""


class _Message(Struct, rename="camel", gc=False):
    """`message` of an entry, but for its content."""

    role: str = ""
    """Whose it is."""
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


class SkimMessage(_Message, rename="camel", gc=False):
    """`message` of an entry."""

    content: str | list[SkimCall] = []
    """Its content: text, or blocks."""


class _RawMessage(_Message, rename="camel", gc=False):
    """`message` of an entry whose content may be anything."""

    content: Raw = Raw(b"")
    """Its content, as bytes of the line."""


class _Entry(Struct, rename="camel", gc=False):
    """A header or an entry, but for its message."""

    type: str = ""
    """The host's word for its type."""
    id: str | None = None
    """Its id; of a header, the session's."""
    parent_id: str | UnsetType | None = UNSET
    """The entry before it; not set where the file names none at all (version 1)."""
    timestamp: str | None = None
    """When it was appended, as the file has it."""
    cwd: str = ""
    """The folder of a header."""
    name: str = ""
    """The session's name, in a `session_info`."""


class SkimEntry(_Entry, rename="camel", gc=False):
    """A header or an entry."""

    message: SkimMessage | None = None
    """Its message."""


class _RawEntry(_Entry, rename="camel", gc=False):
    """A header or an entry whose message's content may be anything."""

    message: _RawMessage | None = None
    """Its message."""


_AT_ONCE: Decoder[SkimEntry] = Decoder(SkimEntry)


class Skimmed(Struct, frozen=True, gc=False):
    """One record of a file."""

    entry: SkimEntry
    """What was read of it."""
    data: bytes
    """The record itself, and the end of its line."""
    number: int
    """Its line, from 1."""
    offset: int
    """The byte of the file at which `data` begins."""
    nth: int = 1
    """Which record of its line it is, from 1."""

    @property
    def id(self) -> str:
        """The id of its entry, as the reader gives it too: `L<line>` where the file has none."""
        place = f"L{self.number}" if self.nth == 1 else f"L{self.number}.{self.nth}"
        return self.entry.id or place

    @property
    def line(self) -> Line:
        """The record as if it were alone on its line."""
        return framed(self.number, self.offset, self.data)

    @property
    def place(self) -> Place:
        """Where it stands."""
        line = self.line
        return Place(line.number, line.offset, len(line.data))

    @property
    def content(self) -> Raw:
        """The content of its message, as bytes."""
        message = decode(self.line.data, _RawEntry).message
        return message.content if message else Raw(b"")


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
        with _opened(path) as raw, io.BufferedReader(raw, _BUFFER) as file:
            yield from _records(file, stretch, tell)
    except OSError as error:
        msg = f"{path}: {error.strerror}"
        raise UnreadableSession(msg) from error


def _records(
    file: "io.BufferedReader[io.FileIO]", stretch: Stretch, tell: Callable[[int, int], None] | None
) -> Iterator[Skimmed]:
    """The records of a stretch. Raises OSError."""
    size = os.fstat(file.fileno()).st_size
    end = sys.maxsize if stretch.end is None else stretch.end
    offset = told = file.seek(stretch.start)
    mark = min(told + STEP, end)
    for number, data in enumerate(file, 1):
        try:
            entry = _AT_ONCE.decode(data)
        except (ValueError, RecursionError):
            yield from skim_line(number, offset, data)
        else:
            yield Skimmed(entry, data, number, offset)
        offset += len(data)
        if offset >= mark:
            told, mark = offset, min(offset + STEP, end)
            if tell:
                tell(told, max(told, size))
            if told >= end:
                return
    if tell and offset > told:
        tell(offset, max(offset, size))


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
    before = b""
    while (at := file.tell()) < position + LOOKED_THROUGH and (more := file.read(_BUFFER)):
        match = _INPUT.search(before + more)
        if match:
            return at - len(before) + match.start() + 1, match[1].decode()
        # An input's first bytes may be cut by the end of what was read.
        before = (before + more)[-_LONGEST_HEAD:]
    return None


def skim_line(number: int, offset: int, data: bytes) -> list[Skimmed]:
    """The records on a line, whatever the types of their fields, and whatever else is on it (spec F1, F3)."""
    line = framed(number, offset, data)
    try:
        return [Skimmed(_entry(line.data), data, number, offset)]
    except (ValueError, RecursionError):
        pieces = [(line.offset + item.start, line.data[item.start : item.end]) for item in find_objects(line.data)]
    return [Skimmed(_entry(piece), piece, number, start, nth) for nth, (start, piece) in enumerate(pieces, 1)]


def _entry(data: bytes) -> SkimEntry:
    """The one record in `data`, whatever the types of its fields. Raises ValueError when there is none."""
    raw = decode(data, _RawEntry)
    fields = {name: getattr(raw, name) for name in _Entry.__struct_fields__}
    return SkimEntry(**fields, message=_with_blocks(raw.message) if raw.message else None)


def _with_blocks(raw: _RawMessage) -> SkimMessage:
    fields = {name: getattr(raw, name) for name in _Message.__struct_fields__}
    return SkimMessage(**fields, content=decode_items(raw.content, SkimCall))
