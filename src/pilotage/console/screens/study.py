"""The study of this project's sessions: counted in a thread, drawn as it grows (spec S3)."""

from collections.abc import Sequence
from pathlib import Path

from textual import work
from textual.worker import get_current_worker

from pilotage.calls.study_counts import Counting, Study
from pilotage.calls.study_files import Unread, study_file
from pilotage.console.messages import OpenSession, SessionStudied
from pilotage.console.panes import Pane
from pilotage.console.pieces import Piece
from pilotage.console.screens.pane import PaneScreen
from pilotage.console.study_lines import study_lines
from pilotage.console.themes import Palette
from pilotage.console.watched import Watched
from pilotage.console.widgets.choices import Choice
from pilotage.figures import counted
from pilotage.sessions.locate import find_files, find_root, is_same_folder
from pilotage.sessions.summary import read_header


class StudyScreen(PaneScreen):
    """Shows how often calls were rejected in this project; a session of it can be opened."""

    pane = Pane.STUDY
    has_detail = False

    def __init__(self, palette: Palette, watched: Watched) -> None:
        super().__init__(palette, watched)
        self._project = watched.cwd
        self._study: Study | None = None
        self._done, self._total = 0, 0

    def on_mount(self) -> None:
        """Begin to count."""
        self._count()

    @work(thread=True, exclusive=True, group="study", exit_on_error=False)
    def _count(self) -> None:
        """Study session after session, the oldest first, as an entry counts for the first that holds it."""
        worker = get_current_worker()
        paths = self._find_paths()
        counting = Counting()
        for done, path in enumerate(paths, 1):
            if worker.is_cancelled:
                return
            facts = study_file(path)
            if not isinstance(facts, Unread):
                counting.add(facts)
            self.post_message(SessionStudied(counting.study(), done, len(paths)))
        if not paths:
            self.post_message(SessionStudied(counting.study(), 0, 0))

    def _find_paths(self) -> list[Path]:
        """The sessions of this project in the order in which they began."""
        headers = [(path, read_header(path)) for path, _ in find_files(find_root(self._project))]
        here = [(head.time or 0.0, path) for path, head in headers if head and is_same_folder(head.cwd, self._project)]
        return [path for _, path in sorted(here)]

    def on_session_studied(self, message: SessionStudied) -> None:
        """The study has grown."""
        self._study, self._done, self._total = message.study, message.done, message.total
        self.renew()

    @property
    def is_settled(self) -> bool:
        """Whether all sessions were counted."""
        return self._study is not None and self._done == self._total

    def grew(self) -> None:
        """The study was counted once; only head and foot go on."""
        self.tell()

    def choices(self) -> Sequence[Choice]:
        """What was counted, and each session."""
        return study_lines(self._study) if self._study and self._study.calls else ()

    def notice(self) -> Sequence[str]:
        """That nothing was counted."""
        if not self.is_settled:
            return ()
        return (f"No call in a session of {self._project}.", "For other sessions: pilotage study PATH")

    def hints(self) -> Sequence[Piece]:
        """How far it has come, and what Enter does."""
        all_of_them = counted(self._total, "session")
        state = all_of_them if self.is_settled else f"{self._done:,} of {all_of_them}"
        return Piece(state, "middle"), Piece("Enter open at its first rejection", "dim", command="open-detail")

    def action_open_detail(self) -> None:
        """Open the chosen session at its first rejection."""
        chosen = self.listing.chosen
        if isinstance(chosen, Path):
            self.post_message(OpenSession(chosen, at_rejection=True))
