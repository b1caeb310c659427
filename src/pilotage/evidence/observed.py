"""Notes on sessions that are only watched: in Pilotage's own folder, and nothing in the session (spec R8).

Each session has a file of its own id, whose lines have the shape of session entries, so that it is read like one.
"""

import hashlib
import json
import os
import re
import time
from pathlib import Path

from pilotage.evidence.diagnostics import Data
from pilotage.evidence.read import Attempts
from pilotage.paths import data_dir
from pilotage.records.attempt import DIAGNOSTIC_TYPE
from pilotage.sessions.read import Session, UnreadableSession, read_session
from pilotage.sessions.write import NewSession, UnwritableSession, custom, iso_milliseconds

_PLAIN_ID = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9])?")


def notes_file(session_id: str, folder: Path | None = None) -> Path:
    """The file of the notes on a session, below `folder` or Pilotage's own.

    An id that is no plain one, as a hostile file may have, is told by its hash.
    """
    is_plain = _PLAIN_ID.fullmatch(session_id) is not None
    name = session_id if is_plain else f"~{hashlib.sha256(session_id.encode('utf-8', 'replace')).hexdigest()}"
    return (folder or data_dir()) / "watched" / f"{name}.jsonl"


def read_notes(session_id: str, folder: Path | None = None) -> Session | None:
    """The notes on a session, to be joined to its attempts; none where there are none that can be read."""
    try:
        return read_session(notes_file(session_id, folder))
    except UnreadableSession:
        return None


class NoteTaker:
    """Takes notes on one session."""

    def __init__(self, session_id: str, watched: Path, folder: Path | None = None) -> None:
        self._id = session_id
        self._watched = watched
        self._file = NewSession(notes_file(session_id, folder), session_id, "")

    async def note(self, data: Data) -> None:
        """Write the data of a diagnostic entry. Raises UnwritableSession."""
        self._make()
        self._file.append(custom(DIAGNOSTIC_TYPE, data))

    def _make(self) -> None:
        """Make the file where there is none; it says which session it is about. Raises UnwritableSession."""
        path, now = self._file.path, time.time()
        header = {"type": "session", "version": 3, "id": self._id, "timestamp": iso_milliseconds(now), "cwd": ""}
        line = json.dumps({**header, "parentSession": str(self._watched)}) + "\n"
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return
        except OSError as error:
            msg = f"{path}: cannot be made: {error.strerror}; see to the folder's rights, or set XDG_DATA_HOME"
            raise UnwritableSession(msg) from error
        with os.fdopen(descriptor, "wb") as file:
            file.write(line.encode())


class Notes:
    """The notes on one session, followed as they grow."""

    def __init__(self, session_id: str, folder: Path | None = None) -> None:
        self._session = Session(notes_file(session_id, folder))

    def take(self, attempts: Attempts) -> frozenset[int]:
        """Join to a session's attempts what is new; the numbers of the attempts that changed.

        It costs one look at the file while nothing happens.
        """
        reading = self._session.follower.read()
        if not reading.records and not reading.restarted:
            return frozenset()
        return attempts.observe(self._session, self._session.take(reading))
