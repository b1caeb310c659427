"""The study of this project's sessions: counted in a thread, drawn as it grows (spec S3)."""

from pathlib import Path

from textual import work
from textual.app import ComposeResult
from textual.screen import Screen
from textual.worker import get_current_worker

from pilotage.calls.study_counts import Counting, Study
from pilotage.calls.study_files import Unread, study_file
from pilotage.console.commands import Where, action_of, bindings
from pilotage.console.messages import CommandGiven, RowOpened, SessionStudied
from pilotage.console.pieces import Piece, PieceLine, wrapped
from pilotage.console.study_lines import StudyLine, study_lines
from pilotage.console.themes import Palette
from pilotage.console.widgets.bar import Bar
from pilotage.console.widgets.lines import LineList
from pilotage.figures import counted
from pilotage.plain import plain_line
from pilotage.sessions.locate import find_files, find_root, is_same_folder
from pilotage.sessions.summary import read_header


class StudyList(LineList):
    """The study's lines; the cursor rests on those of sessions."""

    def __init__(self, palette: Palette) -> None:
        super().__init__(palette, id="study")
        self._study: Study | None = None
        self._lines: list[StudyLine] = []

    def tell(self, study: Study) -> None:
        """Show a study that has grown."""
        self._study = study
        self._lines = study_lines(study, self.size.width)
        self.show(len(self._lines), 0)
        if not self.is_resting_place(self.cursor):
            self.action_go_first()

    def is_resting_place(self, number: int) -> bool:
        """The cursor stands on sessions only."""
        return 0 <= number < len(self._lines) and self._lines[number].session is not None

    def line_at(self, number: int, width: int) -> PieceLine:
        """One line; it was made for the width of the list."""
        return self._lines[number].line if width else []

    def chosen(self) -> Path | None:
        """The file of the session under the cursor."""
        session = self._lines[self.cursor].session if self.is_resting_place(self.cursor) else None
        return Path(session.path) if session else None

    def on_resize(self) -> None:
        """Make the lines anew for another width."""
        super().on_resize()
        if self._study is not None:
            self.tell(self._study)


class StudyScreen(Screen[Path | None]):
    """Shows how often calls were rejected in this project, and answers with the session to open."""

    BINDINGS = bindings(Where.STUDY)

    def __init__(self, palette: Palette, cwd: Path) -> None:
        super().__init__()
        self._palette = palette
        self._cwd = cwd

    def compose(self) -> ComposeResult:
        """Head, list, foot."""
        yield Bar(self._palette, "head", id="head")
        yield StudyList(self._palette)
        yield Bar(self._palette, "ground", id="foot")

    def on_mount(self) -> None:
        """Begin to count."""
        self._tell(0, 0)
        self._count()
        self.query_one(StudyList).focus()

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
        headers = [(path, read_header(path)) for path, _ in find_files(find_root(self._cwd))]
        here = [(head.time or 0.0, path) for path, head in headers if head and is_same_folder(head.cwd, self._cwd)]
        return [path for _, path in sorted(here)]

    def on_session_studied(self, message: SessionStudied) -> None:
        """The study has grown."""
        studied = self.query_one(StudyList)
        if message.study.calls:
            studied.tell(message.study)
        else:
            text = f"No call in a session of {self._cwd}. For other sessions: pilotage study PATH"
            lines = wrapped(plain_line(text), max(20, studied.size.width - 2), "middle")
            studied.set_notice([[], *([Piece(" "), *line] for line in lines)])
        self._tell(message.done, message.total)

    def _tell(self, done: int, total: int) -> None:
        state = counted(total, "session") if done == total else f"{done:,} of {counted(total, 'session')}"
        title = [Piece("study", "text", bold=True), Piece(plain_line(self._cwd.name, 60), "middle")]
        self.query_one("#head", Bar).tell(title, [Piece(state, "middle")])
        left = [Piece("Enter open at the first rejection", "middle", command="open-studied")]
        self.query_one("#foot", Bar).tell(left, [Piece("Escape back", "dim", command="leave-study")])

    async def on_command_given(self, message: CommandGiven) -> None:
        """A click on a word of the foot."""
        await self.run_action(action_of(message.command))

    def on_row_opened(self, _: RowOpened) -> None:
        """A click on the chosen session opens it."""
        self.action_open_studied()

    def action_open_studied(self) -> None:
        """Open the chosen session."""
        chosen = self.query_one(StudyList).chosen()
        if chosen is not None:
            self.dismiss(chosen)

    def action_leave_study(self) -> None:
        """Back."""
        self.dismiss(None)
