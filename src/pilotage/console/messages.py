"""What the parts of the console tell one another."""

from pathlib import Path

from msgspec import Struct
from textual.message import Message

from pilotage.calls.counts import Counts
from pilotage.calls.study_counts import Study
from pilotage.console.search import Progress
from pilotage.sessions.follow import Reading
from pilotage.sessions.read import Session
from pilotage.sessions.summary import Summary


class Listed(Struct, frozen=True):
    """One session in a list."""

    summary: Summary
    """What its head and tail tell."""
    is_here: bool
    """Whether it belongs to this project."""


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


class WatchedGrew(Message):
    """The watched session has grown, or a second has passed: panes in front of it may have more to tell."""


class ReviewDone(Message):
    """A review that the person asked for is over."""

    def __init__(self, words: str, *, failed: bool) -> None:
        super().__init__()
        self.words = words
        """What came of it."""
        self.failed = failed
        """Whether that is a failure."""


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


class CommandGiven(Message):
    """A command was given by a click."""

    def __init__(self, command: str) -> None:
        super().__init__()
        self.command = command
        """The command's id."""


class PromptChanged(Message):
    """Something else stands in the prompt."""

    def __init__(self, purpose: str, value: str) -> None:
        super().__init__()
        self.purpose = purpose
        """What the prompt is for."""
        self.value = value
        """What stands in it."""


class PromptClosed(Message):
    """The prompt was left."""

    def __init__(self, purpose: str, value: str | None) -> None:
        super().__init__()
        self.purpose = purpose
        """What it was for."""
        self.value = value
        """What was typed; none when the person gave up."""


class QueryEntered(Message):
    """Enter was pressed in a line of input that stays."""


class TextSearched(Message):
    """A search in all text came further."""

    def __init__(self, text: str, progress: Progress) -> None:
        super().__init__()
        self.text = text
        """What is searched for."""
        self.progress = progress
        """How far it came."""


class DetailMade(Message):
    """A detail that took long is ready."""


class SessionsListed(Message):
    """More sessions were found."""

    def __init__(self, listed: list[Listed], *, done: bool) -> None:
        super().__init__()
        self.listed = listed
        """The sessions."""
        self.done = done
        """Whether these are the last."""


class CountsRead(Message):
    """A session of the list was counted."""

    def __init__(self, path: Path, counts: Counts) -> None:
        super().__init__()
        self.path = path
        """Its file."""
        self.counts = counts
        """Its counts."""


class OpenSession(Message):
    """The person wants another session watched."""

    def __init__(self, path: Path, *, at_rejection: bool = False) -> None:
        super().__init__()
        self.path = path
        """Its file."""
        self.at_rejection = at_rejection
        """Whether it is to be opened at its first rejection."""


class ReadingFailed(Message):
    """The reader ended before it was told to."""

    def __init__(self, words: str) -> None:
        super().__init__()
        self.words = words
        """What happened."""


class SessionStudied(Message):
    """One more session was studied."""

    def __init__(self, study: Study, done: int, total: int) -> None:
        super().__init__()
        self.study = study
        """The study so far."""
        self.done = done
        """How many sessions are in it."""
        self.total = total
        """How many there are."""
