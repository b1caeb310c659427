"""One reader over a file that grows, shrinks, vanishes and comes back (spec F6).

It costs one `stat` while nothing happens. The offset is the byte after the last newline taken, so nothing is read
past; what was read is recognised by its first and last bytes, so a rewritten file is read anew.
"""

import os
import stat
from enum import StrEnum
from pathlib import Path

from msgspec import Struct

from pilotage.records.entry import Entry, Header
from pilotage.sessions.decode import Damage, DecodedLine, LineState, Tally, decode_line
from pilotage.sessions.lines import Framer, Line

STEP = 4 << 20
"""Bytes that one reading takes at the most."""

FRESH = 120
"""Seconds for which a file that was written counts as live (spec K1)."""

_HEAD = 256
_GUARD = 64


class FileState(StrEnum):
    """Whether the file could be read."""

    PRESENT = "present"
    """It is there."""
    MISSING = "missing"
    """There is no such file (any more)."""
    UNREADABLE = "unreadable"
    """It is there, and this user may not read it."""


class Reading(Struct, frozen=True):
    """What one look at the file brought."""

    state: FileState
    """Whether the file could be read."""
    records: tuple[Header | Entry, ...] = ()
    """New records, in order."""
    damages: tuple[Damage, ...] = ()
    """New bytes that belong to no record."""
    restarted: bool = False
    """Whether the file is another one, so that everything before these records is void."""
    behind: int = 0
    """Bytes of the file that are still to be read."""
    reason: str = ""
    """The system's words for why the file could not be read."""


class Follower:
    """Reads what is new in one file, again and again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        """The file."""
        self.modified: float | None = None
        """When the file was last written, in seconds since the epoch."""
        self.has_grown = False
        """Whether the file grew since it was first read to its end."""
        self._caught_up = False
        self._begin()

    def _begin(self) -> None:
        """Forget everything that was read."""
        self.tally = Tally()
        self._framer = Framer()
        self._seen: tuple[int, ...] = ()
        self._identity = (0, 0)
        self.read_to = 0
        """How many bytes were read."""
        self._head = b""
        self._guard = b""
        self._shown: DecodedLine | None = None
        self._shown_tail = b""

    def is_live(self, now: float) -> bool:
        """Whether a host may still be at work: the file grew since it was opened, or was written just now."""
        return self.has_grown or (self.modified is not None and now - self.modified <= FRESH)

    def read(self, step: int = STEP) -> Reading:
        """What the file holds beyond the last reading, at most `step` bytes of it."""
        try:
            status = self.path.stat()
            seen = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
            if not stat.S_ISREG(status.st_mode):
                return Reading(FileState.UNREADABLE, reason=_kind_of(status.st_mode))
            if seen == self._seen and self.read_to == status.st_size:
                return Reading(FileState.PRESENT)
            return self._read_changed(step)
        except (FileNotFoundError, NotADirectoryError) as error:
            self._caught_up = True
            return Reading(FileState.MISSING, reason=error.strerror or "")
        except OSError as error:
            return Reading(FileState.UNREADABLE, reason=error.strerror or "")

    def finish(self) -> Reading:
        """What the last line without a newline holds, when no more of it is expected."""
        if not self._framer.tail:
            return Reading(FileState.PRESENT)
        decoded, fresh = self._decoded(self._framer.tail_line())
        self.tally.add(decoded)
        return Reading(FileState.PRESENT, fresh, decoded.damages)

    def _read_changed(self, step: int) -> Reading:
        descriptor = os.open(self.path, os.O_RDONLY)
        try:
            status = os.fstat(descriptor)
            restarted = self._is_another(descriptor, status)
            if restarted:
                self._begin()
            self._identity = (status.st_dev, status.st_ino)
            chunk = os.pread(descriptor, step, self.read_to)
        finally:
            os.close(descriptor)
        self._remember(chunk, status)
        self.has_grown = self.has_grown or (self._caught_up and bool(chunk))
        behind = max(0, status.st_size - self.read_to) if chunk else 0
        return self._taken(self._framer.feed(chunk), restarted=restarted, behind=behind)

    def _is_another(self, descriptor: int, status: os.stat_result) -> bool:
        """Whether the file is no continuation of what was read: replaced, truncated or rewritten in place."""
        if not self.read_to:
            return False
        if (status.st_dev, status.st_ino) != self._identity or status.st_size < self.read_to:
            return True
        if os.pread(descriptor, len(self._head), 0) != self._head:
            return True
        return os.pread(descriptor, len(self._guard), self.read_to - len(self._guard)) != self._guard

    def _remember(self, chunk: bytes, status: os.stat_result) -> None:
        self.read_to += len(chunk)
        if len(self._head) < _HEAD:
            self._head = (self._head + chunk)[:_HEAD]
        self._guard = (self._guard + chunk[-_GUARD:])[-_GUARD:]
        self.modified = status.st_mtime
        self._seen = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)

    def _taken(self, lines: list[Line], *, restarted: bool, behind: int) -> Reading:
        """The reading that these lines, and a tail that is already whole, make."""
        records: list[Header | Entry] = []
        damages: list[Damage] = []
        for line in lines:
            decoded, fresh = self._decoded(line)
            self.tally.add(decoded)
            records += fresh
            damages += decoded.damages
        if not behind:
            self._caught_up = True
            records += self._whole_tail()
        return Reading(FileState.PRESENT, tuple(records), tuple(damages), restarted, behind)

    def _decoded(self, line: Line) -> tuple[DecodedLine, tuple[Header | Entry, ...]]:
        """A line and those of its records that were not shown while it had no newline."""
        shown, self._shown = self._shown, None
        if shown is None:
            decoded = decode_line(line)
            return decoded, decoded.records
        if line.data.rstrip() == self._shown_tail:
            return shown, ()
        decoded = decode_line(line)
        return decoded, decoded.records[len(shown.records) :]

    def _whole_tail(self) -> tuple[Header | Entry, ...]:
        """The record of a tail that already is one; it is shown once and not again with its newline."""
        line = self._framer.tail_line()
        if self._shown is not None or not line.data.rstrip().endswith(b"}"):
            return ()
        decoded = decode_line(line)
        if decoded.state is not LineState.CLEAN:
            return ()
        self._shown, self._shown_tail = decoded, line.data.rstrip()
        return decoded.records


def _kind_of(mode: int) -> str:
    """What a file that is no regular file is, in words."""
    return "a folder, not a session file" if stat.S_ISDIR(mode) else "not a regular file"
