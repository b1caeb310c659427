"""A session in memory: its header, its forest and an account of its file; bodies stay on disk until opened."""

import os
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from pilotage.records.call import Place
from pilotage.records.entry import Entry, Header, SessionName
from pilotage.sessions.decode import Damage, Tally
from pilotage.sessions.follow import FileState, Follower, Reading
from pilotage.sessions.tolerant import load_object
from pilotage.sessions.tree import Switch, Tree


class UnreadableSession(Exception):
    """A file that is no session or cannot be read; its text says which file, why, and what to do."""


class Growth(Struct, frozen=True):
    """What one reading did to a session."""

    first: int
    """The index of the first new entry."""
    rebuilt: bool
    """Whether edges were set anew, so that whatever was derived from the tree is void."""
    switched: bool
    """Whether another branch is active than before."""


WHOLE = Growth(0, rebuilt=True, switched=False)
"""The growth of a session that was read at once."""


class Session:
    """One session file as far as it was read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        """The file."""
        self.follower = Follower(path)
        """Its reader."""
        self.reset()

    def reset(self) -> None:
        """Forget everything that was read."""
        self.header: Header | None = None
        """The file's first header; none when it was lost."""
        self.tree = Tree()
        """The entries."""
        self.damages: list[Damage] = []
        """Bytes that belong to no record."""
        self.switches: dict[int, Switch] = {}
        """Each change of branch, by the index of the entry that made it."""
        self.name = ""
        """The session's name: the latest in the order of the file (`HOST.md` a)."""

    @property
    def id(self) -> str:
        """The session's id: the header's, else the one in the file's name."""
        return self.header.id if self.header and self.header.id else id_from_name(self.path)

    @property
    def tally(self) -> Tally:
        """The account of the file's lines."""
        return self.follower.tally

    def take(self, reading: Reading) -> Growth:
        """Add what a reading brought."""
        if reading.restarted:
            self.reset()
        first = len(self.tree)
        self.damages += reading.damages
        reconnect = switched = False
        for record in reading.records:
            if isinstance(record, Header):
                self.header = self.header or record
                continue
            reconnect = reconnect or self.tree.is_awaited(record)
            if isinstance(record.content, SessionName):
                self.name = record.content.name
            switch = self.tree.append(record)
            if switch:
                switched = True
                self.switches[self.tree.leaf] = switch
        if reconnect:
            self.tree.reconnect()
        return Growth(first, reading.restarted or reconnect, switched)

    def entry(self, index: int) -> Entry:
        """The entry of an index."""
        return self.tree.entries[index]

    def body(self, entry: Entry) -> dict[str, object]:
        """All fields of an entry, read from the file again.

        Raises UnreadableSession when the file no longer holds it.
        """
        return read_object(self.path, entry.place)


def read_object(path: Path, place: Place) -> dict[str, object]:
    """The object at a place of a file. Raises UnreadableSession when it is not there."""
    try:
        return load_object(read_bytes(path, place))
    except (OSError, ValueError) as error:
        msg = f"{path}: line {place.line} is no longer what it was; read the session again"
        raise UnreadableSession(msg) from error


def read_bytes(path: Path, place: Place) -> bytes:
    """The bytes at a place of a file. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.pread(descriptor, place.length, place.offset)
    finally:
        os.close(descriptor)


def read_session(path: Path, tell: Callable[[int, int], None] | None = None) -> Session:
    """A whole session as it is now; `tell` hears how many bytes were read, and of how many.

    Raises UnreadableSession when the file is missing, may not be read, or holds no record at all.
    """
    session = Session(path)
    behind = True
    while behind:
        reading = session.follower.read()
        if reading.state is not FileState.PRESENT:
            msg = f"{path}: {reading.reason or 'cannot be read'}"
            raise UnreadableSession(msg)
        session.take(reading)
        behind = reading.behind > 0
        if tell:
            tell(session.follower.read_to, session.follower.read_to + reading.behind)
    session.take(session.follower.finish())
    tally = session.tally
    if tally.damaged and not tally.headers and not tally.entries:
        msg = f"{path}: not a session: none of its {tally.lines} lines holds a record"
        raise UnreadableSession(msg)
    return session


def id_from_name(path: Path) -> str:
    """The session id in a file name of Pi's form `<time>_<id>.jsonl`; else the name without its ending."""
    return path.stem.split("_", 1)[-1]
