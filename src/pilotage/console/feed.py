"""The reader behind the console: it looks at the file in a thread, and posts what is new.

It touches no widget. It waits for the console between two portions, so that a large file does not flood it.
"""

import threading
from collections.abc import Callable
from pathlib import Path

from textual.message import Message

from pilotage.console.messages import AnotherIsLive, ReadingFailed, SessionChosen, SessionRead
from pilotage.sessions.choose import Chooser
from pilotage.sessions.follow import FileState, Follower
from pilotage.sessions.read import Session

POLL = 0.04
"""Seconds between two looks at the file."""
LOOK_AROUND = 1.0
"""Seconds between two looks at the folder."""
PORTION = 512 << 10
"""Bytes that are read before the console gets to paint."""


class Feed:
    """Follows one session, or the newest of a folder."""

    def __init__(self, post: Callable[[Message], bool], path: Path | None, cwd: Path) -> None:
        self._post = post
        self._path = path
        self._chooser = None if path else Chooser(cwd)
        self._ended = threading.Event()
        self._free = threading.Semaphore(2)
        self._under_way = 0
        self._caught_up = False
        self.session: Session | None = None
        """The session that is watched, as the console has it; set by the console."""

    @property
    def has_caught_up(self) -> bool:
        """Whether the file was read to its end, and the console has taken everything in."""
        return self._caught_up and self._under_way == 0

    def stop(self) -> None:
        """End the reader."""
        self._ended.set()
        self._free.release()

    def done(self) -> None:
        """The console has taken in one portion."""
        self._under_way -= 1
        self._free.release()

    def run(self) -> None:
        """Read until stopped; meant for a thread of its own. Whatever ends it before is told."""
        try:
            self._read_on()
        except Exception as error:  # noqa: BLE001 - the border of the thread: silence would look like a quiet agent
            self._post(ReadingFailed(f"reading stopped: {type(error).__name__}: {error}"))

    def _read_on(self) -> None:
        state = FileState.PRESENT
        follower: Follower | None = None
        looks = 0
        while not self._ended.is_set():
            if self._chooser and looks % round(LOOK_AROUND / POLL) == 0:
                self._look_around(self._chooser)
            if self._path and (follower is None or follower.path != self._path):
                follower = self._follower_of(self._path)
            behind = False
            if follower:
                reading = follower.read(PORTION)
                if reading.records or reading.damages or reading.restarted or reading.state is not state:
                    self._free.acquire()
                    self._under_way += 1
                    self._post(SessionRead(follower.path, reading))
                state, behind = reading.state, reading.behind > 0
            self._caught_up = follower is not None and not behind
            if not behind:
                looks += 1
                self._ended.wait(POLL)

    def _follower_of(self, path: Path) -> Follower:
        """The reader of a newly chosen file, after the console was told of it."""
        session = Session(path)
        self.session = session
        self._post(SessionChosen(session))
        return session.follower

    def _look_around(self, chooser: Chooser) -> None:
        choice = chooser.look(self.session)
        self._path = choice.path
        self._post(AnotherIsLive(choice.other))
