"""The end of a session, read from the end of its file: enough to tell the last items (spec J5).

What is left out changes nothing of what is told. Where that cannot be made sure of (parents behind their children,
ids that come twice, entries that name no parent), the whole file is read instead.
"""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import UNSET, Struct, UnsetType

from pilotage.records.attempt import PREPARATION_TYPE
from pilotage.records.entry import (
    AgentMessage,
    BranchSummary,
    Compaction,
    CustomMessage,
    Entry,
    Reminder,
    ShellCommand,
    ToolResult,
    UserMessage,
)
from pilotage.sessions.decode import decode_line
from pilotage.sessions.follow import FileState, Reading
from pilotage.sessions.lines import Line
from pilotage.sessions.read import Session, read_session
from pilotage.sessions.summary import read_header

FIRST_BLOCK = 128 << 10
"""Bytes of the first block that is read; each further one has twice as many."""

LARGEST_BLOCK = 1 << 20
"""Bytes of the largest block: larger ones cost more than they spare, as memory for them is fetched anew each time."""

Piece = tuple[int, memoryview]
"""A line of the file: the byte at which it begins, and its bytes."""


class _Irregular(Exception):
    """The end of the file alone does not tell what the active branch is."""


class _Role(Struct):
    """`message` of an entry, as far as the way along the branch needs it."""

    role: str = ""


class _Edge(Struct, rename="camel"):
    """An entry, as far as the way along the branch needs it."""

    type: str = ""
    id: str | None = None
    parent_id: str | UnsetType | None = UNSET
    message: _Role | None = None

    @property
    def role(self) -> str:
        return self.message.role if self.message and self.type == "message" else ""


_decode_edge = msgspec.json.Decoder(_Edge).decode


def read_tail(path: Path, items: int, *, prompt: bool = True, first_block: int = FIRST_BLOCK) -> Session:
    """A session of which only the end was read, told just like the whole one as far as its last `items` items go.

    It also holds the last input, and with `prompt` whatever `prompt_of` needs; for that the file may have to be
    looked through to its beginning. Turns and steps are counted from where the reading began, lines not at all; the
    session's name and the account of its lines are not known. Raises UnreadableSession.
    """
    header = read_header(path)
    if header is None or header.version < 3:
        return read_session(path)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return read_session(path)
    try:
        entries = _Tail(_pieces(descriptor, first_block), items, prompt=prompt).read()
    except _Irregular:
        return read_session(path)
    finally:
        os.close(descriptor)
    session = Session(path)
    session.take(Reading(FileState.PRESENT, (header, *entries)))
    return session


def _pieces(descriptor: int, block: int) -> Iterator[Piece]:
    """The lines of a file from the last to the first."""
    status = os.fstat(descriptor)
    position, after = status.st_size if stat.S_ISREG(status.st_mode) else 0, list[bytes]()
    while position > 0:
        start = max(0, position - block)
        data = os.pread(descriptor, position - start, start)
        if len(data) < position - start:
            raise _Irregular
        position, block = start, min(2 * block, LARGEST_BLOCK)
        cut = data.find(b"\n") + 1 if start else 0
        if start and not cut:
            after.append(data)
            continue
        run = data + b"".join(reversed(after)) if after else data
        after = [data[:cut]]
        yield from _lines_in(run, cut, start)


def _lines_in(run: bytes, cut: int, start: int) -> Iterator[Piece]:
    """The lines from `cut` to the end of a run of bytes, the last one first; the run begins at `start` of the file."""
    view, end = memoryview(run), len(run) - run.endswith(b"\n")
    while end >= cut:
        begin = run.rfind(b"\n", cut, end) + 1 or cut
        yield start + begin, view[begin:end]
        end = begin - 1


def _entries_on(piece: Piece) -> list[Entry]:
    """The entries on a line, the last one first."""
    offset, data = piece
    records = decode_line(Line(1, offset, bytes(data).removesuffix(b"\r"))).records
    return [record for record in reversed(records) if isinstance(record, Entry)]


class _Tail:
    """The way from the last entry of a file upwards."""

    def __init__(self, pieces: Iterator[Piece], items: int, *, prompt: bool) -> None:
        self._pieces = pieces
        self._left = items
        self._prompt = prompt
        self._seen: dict[str, Entry] = {}
        self._wanted: str | None = None
        self._unknown: set[str] = set()
        self._has_input = False
        self._input_is_whole = False

    def read(self) -> list[Entry]:
        """The entries that tell the end of the session, in the order of the file. Raises _Irregular."""
        first = self._read_suffix()
        above = self._read_landmarks(self._unknown - {first.parent_id or ""})
        return [*reversed(above), *_below(first, reversed(self._seen.values()))]

    def _read_suffix(self) -> Entry:
        """Read in full until the last items are there; the first of them that is on the branch. Raises _Irregular."""
        entries = self._entries()
        for entry in entries:
            is_leaf = not self._seen
            self._add(entry)
            if is_leaf or entry.id == self._wanted:
                self._wanted = entry.parent_id
                self._left -= _least_items(entry)
                self._pass(entry.type, entry.role)
                if self._wanted is None and next(entries, None) is None:
                    return entry
                # Whether an error without a duration ever ran depends on whether there was a duration before it.
                if self._left <= 0 and _is_timed(entry):
                    return entry
        raise _Irregular

    def _entries(self) -> Iterator[Entry]:
        for piece in self._pieces:
            yield from _entries_on(piece)

    def _add(self, entry: Entry) -> None:
        parent = entry.parent_id
        if entry.chained or entry.id in self._seen or parent in self._seen or parent == entry.id:
            raise _Irregular
        self._seen[entry.id] = entry
        self._unknown.discard(entry.id)
        if parent is not None:
            self._unknown.add(parent)

    def _pass(self, kind: str, role: str) -> None:
        """Note whether the last input is whole and the prompt complete, now that the branch goes on upwards."""
        self._has_input = self._has_input or role == "user"
        self._input_is_whole = self._input_is_whole or (self._has_input and role == "assistant")
        # A compaction holds the prompt at its time; nothing before it counts.
        self._prompt = self._prompt and kind != "compaction"

    def _read_landmarks(self, unknown: set[str]) -> list[Entry]:
        """What else is needed of the branch, from below upwards: the rest of the last input, and the prompt.

        Goes on until every entry in `unknown` was found, too. Raises _Irregular.
        """
        found: list[Entry] = []
        edges = self._edges()
        while unknown or (self._wanted is not None and (self._prompt or not self._input_is_whole)):
            edge, piece = next(edges, (None, None))
            if edge is None or piece is None or edge.id in self._seen:
                raise _Irregular
            parent = edge.parent_id
            if isinstance(parent, UnsetType) or parent == edge.id:
                raise _Irregular
            unknown.discard(edge.id or "")
            if edge.id is not None and edge.id == self._wanted:
                if self._is_landmark(edge):
                    found.append(next(entry for entry in _entries_on(piece) if entry.id == edge.id))
                self._pass(edge.type, edge.role)
                self._wanted = parent
        return found

    def _edges(self) -> Iterator[tuple[_Edge, Piece]]:
        """The entries before those that were read in full, from below upwards."""
        for piece in self._pieces:
            try:
                edge = _decode_edge(piece[1])
            except (ValueError, RecursionError):
                for entry in _entries_on(piece):
                    yield _edge_of(entry), piece
                continue
            if edge.type != "session":
                yield edge, piece

    def _is_landmark(self, edge: _Edge) -> bool:
        if edge.role == "user":
            return not self._input_is_whole
        return self._prompt and (edge.role == "system" or edge.type == "compaction")


def _edge_of(entry: Entry) -> _Edge:
    return _Edge(entry.type, entry.id, UNSET if entry.chained else entry.parent_id, _Role(entry.role))


def _least_items(entry: Entry) -> int:
    """How many items an entry makes at least: an answer's text may be empty."""
    match entry.content:
        case AgentMessage() as message:
            return len(message.calls) + (not message.is_step)
        case CustomMessage(custom_type=custom_type):
            return int(custom_type != PREPARATION_TYPE)
        case UserMessage() | Reminder() | ShellCommand() | Compaction() | BranchSummary():
            return 1
    return 0


def _is_timed(entry: Entry) -> bool:
    """Whether an entry shows that its host notes durations."""
    match entry.content:
        case AgentMessage(timed=timed):
            return timed
        case ToolResult(duration_ms=duration):
            return duration is not None
    return False


def _below(first: Entry, entries: Iterator[Entry]) -> list[Entry]:
    """An entry and all that hang under it, in the order of the file.

    Raises _Irregular when a call of theirs is answered elsewhere.
    """
    ids, calls, answers = {first.id}, set[str](), set[str]()
    below = []
    for entry in entries:
        is_below = entry is first or entry.parent_id in ids
        if is_below:
            ids.add(entry.id)
            below.append(entry)
        if isinstance(entry.content, AgentMessage) and is_below:
            calls.update(call.id for call in entry.content.calls)
        elif isinstance(entry.content, ToolResult) and not is_below:
            answers.add(entry.content.call_id)
    if calls & answers:
        raise _Irregular
    return below
