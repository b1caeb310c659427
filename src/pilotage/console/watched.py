"""The session that is watched, as the panes in front of it see it."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from pilotage.calls.timeline import Timeline
from pilotage.console.panes import Pane
from pilotage.console.reviewing import Reviewing
from pilotage.console.rows import Sight
from pilotage.console.status import BarWords
from pilotage.evidence.read import Attempts
from pilotage.search.surroundings import Surroundings


class Watched(Protocol):
    """What a pane may know. It looks anew each time: another session can take the place of this one."""

    editor: str | None
    """The person's editor, where the settings name one."""
    surroundings: Callable[[Path], Surroundings]
    """Where a search by hand looks from a project, and which model may be asked; it reads files."""
    reviewing: Reviewing
    """The review that the person asked for."""
    kept: dict[Pane, object]
    """What panes find again when they are opened once more."""
    aimed: str
    """The attempt that the evidence browser goes to when it opens; empty where none was meant."""

    @property
    def timeline(self) -> Timeline | None:
        """The session with its rows, calls and file; none while there is none."""

    @property
    def attempts(self) -> Attempts | None:
        """Its reviews and preparations; none while there is no session."""

    @property
    def cwd(self) -> Path:
        """The project that the session belongs to."""

    def sight(self) -> Sight:
        """How the session is looked at right now."""

    def counts(self) -> Mapping[Pane, str]:
        """What waits in panes."""

    def head_words(self) -> BarWords:
        """What the head says, on every pane alike."""
