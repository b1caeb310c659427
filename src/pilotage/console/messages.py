"""What the parts of the console tell one another."""

from pathlib import Path

from textual.message import Message

from pilotage.sessions.follow import Reading
from pilotage.sessions.read import Session


class SessionRead(Message):
    """The file was looked at, and something was new."""

    def __init__(self, path: Path, reading: Reading) -> None:
        super().__init__()
        self.path = path
        """The file."""
        self.reading = reading
        """What it brought."""


class SessionChosen(Message):
    """Another session is to be watched from now on."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        """The session, with nothing read of it yet."""


class AnotherIsLive(Message):
    """Whether a second session of this folder is being written; the first stays watched."""

    def __init__(self, other: Path | None) -> None:
        super().__init__()
        self.other = other
        """Its file; none when there is none."""


class CursorMoved(Message):
    """The cursor of a list stands on another row."""


class RowOpened(Message):
    """The person wants the row under the cursor in full."""
