"""How many calls a session holds and what became of them, kept by the file's identity and size (spec F8)."""

import contextlib
import os
from pathlib import Path
from typing import Self

import msgspec
from msgspec import Struct

from pilotage.calls.build import Calls
from pilotage.records.call import Outcome
from pilotage.sessions.read import WHOLE, Session, UnreadableSession, read_session

COUNTS_FILE = "counts.json"
"""The cache's name in Pilotage's cache folder."""


class Counts(Struct, frozen=True):
    """What stands in the middle of a file and is counted over all of it."""

    name: str
    """The session's name."""
    lines: dict[str, int]
    """The account of its lines: total, clean, recovered, damaged, blank."""
    entries: int
    """Records beside headers."""
    unknown: int
    """Entries of no known type."""
    calls: int
    """Calls of the active branch, nested ones included."""
    outcomes: dict[str, int]
    """How many of them had each outcome."""


def count(path: Path) -> Counts:
    """Count one file. Raises UnreadableSession."""
    return count_session(read_session(path))


def count_session(session: Session) -> Counts:
    """Count a session that was read to its end."""
    calls = Calls(session)
    calls.take(WHOLE)
    outcomes = dict.fromkeys((str(outcome) for outcome in Outcome if outcome is not Outcome.RUNNING), 0)
    for call in calls.items:
        if call.active:
            outcome = Outcome.UNANSWERED if call.outcome is Outcome.RUNNING else call.outcome
            outcomes[str(outcome)] += 1
    name = session.name.encode("utf-8", "replace").decode()  # a lone surrogate could not be kept
    tally = session.tally
    lines = {
        "total": tally.lines,
        "clean": tally.clean,
        "recovered": tally.recovered,
        "damaged": tally.damaged,
        "blank": tally.blank,
    }
    return Counts(name, lines, tally.entries, tally.unknown, sum(outcomes.values()), outcomes)


class Kept(Struct, frozen=True):
    """Counts as the cache keeps them."""

    state: str
    """The state of the file that was counted: its size and when it was written."""
    counts: Counts
    """The counts."""


class CountsCache:
    """Counts of files that did not change since."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._kept: dict[str, Kept] = {}
        self._fresh = False

    @classmethod
    def load(cls, file: Path) -> Self:
        """The cache in `file`; an empty one where there is none that can be read."""
        cache = cls(file)
        with contextlib.suppress(OSError, ValueError):
            cache._kept = msgspec.json.decode(file.read_bytes(), type=dict[str, Kept])
        return cache

    def known(self, path: Path) -> Counts | None:
        """The counts of a file as it is now, if they are kept."""
        file = _identity(path)
        kept = self._kept.get(file[0]) if file else None
        return kept.counts if kept and file and kept.state == file[1] else None

    def counted(self, path: Path, session: Session | None = None) -> Counts | None:
        """The counts of a file, counted now if need be; none where the file cannot be read.

        `session` is the file's, where it was read already. What has been written since is not in its counts, so
        that these are not kept.
        """
        known, file = self.known(path), _identity(path)
        if known or file is None:
            return known
        try:
            counts = count_session(session) if session else count(path)
        except UnreadableSession:
            return None
        if session is None or file[1].startswith(f"{session.follower.read_to}:"):
            self._kept[file[0]] = Kept(file[1], counts)
            self._fresh = True
        return counts

    def save(self) -> None:
        """Keep what was counted. A cache that cannot be written costs the next count only."""
        if not self._fresh:
            return
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            part = self._file.with_suffix(f".{os.getpid()}.part")
            part.write_bytes(msgspec.json.encode(self._kept))
            part.replace(self._file)
        except OSError:
            return
        self._fresh = False


def _identity(path: Path) -> tuple[str, str] | None:
    """Which file it is, and in which state; none where there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return f"{status.st_dev}:{status.st_ino}", f"{status.st_size}:{status.st_mtime_ns}"
