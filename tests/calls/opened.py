"""Recorded and handmade sessions, opened as calls."""

from collections.abc import Iterator
from pathlib import Path

from pilotage.calls.build import Calls
from pilotage.records.call import Call
from pilotage.sessions.follow import Reading
from pilotage.sessions.read import WHOLE, Session, read_session


def opened(path: Path) -> Calls:
    """Read a session at once, as calls."""
    calls = Calls(read_session(path))
    calls.take(WHOLE)
    return calls


def by_id(path: Path) -> dict[str, Call]:
    """Give a session's calls by their ids."""
    return {call.id: call for call in opened(path).items}


def grown(session: Session, source: Path) -> Iterator[Reading]:
    """Copy a recording line by line into the session's file; what each line brings."""
    for line in source.read_bytes().splitlines(keepends=True):
        with session.path.open("ab") as file:
            file.write(line)
        yield session.follower.read()
