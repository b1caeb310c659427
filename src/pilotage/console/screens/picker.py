"""The picker: all sessions, those of this project and the live ones first; type to filter (spec U1, F8)."""

import time
from collections.abc import Callable
from pathlib import Path

from textual import work
from textual.app import ComposeResult
from textual.screen import Screen
from textual.worker import get_current_worker

from pilotage import paths
from pilotage.calls.counts import COUNTS_FILE, Counts, CountsCache
from pilotage.console.commands import Where, action_of, bindings
from pilotage.console.messages import (
    CommandGiven,
    CountsRead,
    Listed,
    PromptChanged,
    PromptClosed,
    RowOpened,
    SessionsListed,
)
from pilotage.console.pieces import Piece, PieceLine, cut, width_of, wrapped
from pilotage.console.themes import Palette
from pilotage.console.widgets.bar import Bar
from pilotage.console.widgets.lines import LineList
from pilotage.console.widgets.prompt import Prompt
from pilotage.figures import age, counted
from pilotage.plain import plain_line
from pilotage.records.call import FINDINGS
from pilotage.sessions.child import is_child
from pilotage.sessions.follow import FRESH
from pilotage.sessions.locate import find_files, find_root, is_same_folder
from pilotage.sessions.summary import Summary, read_summary

PORTION = 100
"""Sessions that are listed before the list is painted again."""
LARGEST = 64 << 20
"""Bytes up to which a session is counted without being asked."""


class SessionList(LineList):
    """The sessions, one a line."""

    def __init__(self, palette: Palette, clock: Callable[[], float]) -> None:
        super().__init__(palette, id="sessions")
        self._clock = clock
        self._all: list[Listed] = []
        self._shown: list[Listed] = []
        self._counts: dict[Path, Counts] = {}
        self._words: tuple[str, ...] = ()
        self.here_only = False
        """Whether only this project's sessions are shown."""

    @property
    def total(self) -> int:
        """How many sessions there are."""
        return len(self._all)

    @property
    def counted(self) -> int:
        """How many of them were counted."""
        return len(self._counts)

    def add(self, listed: list[Listed]) -> None:
        """More sessions: this project's stand before the others, each group as it came."""
        chosen = self.chosen() if self.cursor else None
        self._all += listed
        self._arrange(chosen)

    def set_counts(self, path: Path, counts: Counts) -> None:
        """A session was counted."""
        self._counts[path] = counts
        for number, one in enumerate(self._shown):
            if one.summary.path == path:
                self.forget([number])
                return

    def narrow(self, text: str, *, here_only: bool) -> None:
        """Show those in which all words stand."""
        self._words, self.here_only = tuple(text.lower().split()), here_only
        self._arrange(None)
        self.scroll_to(y=0, animate=False, immediate=True)

    def _arrange(self, chosen: Summary | None) -> None:
        """The rows anew, with the cursor on the session that it was on."""
        passing = [one for one in self._all if self._passes(one)]
        self._shown = sorted(passing, key=lambda one: not one.is_here)
        paths_shown = [one.summary.path for one in self._shown]
        self.cursor = paths_shown.index(chosen.path) if chosen and chosen.path in paths_shown else 0
        self.show(len(self._shown), 0)

    def chosen(self) -> Summary | None:
        """The session under the cursor."""
        return self._shown[self.cursor].summary if 0 <= self.cursor < len(self._shown) else None

    def line_at(self, number: int, width: int) -> PieceLine:
        """State, project, name or first words, how long ago, calls and findings."""
        listed = self._shown[number]
        summary, now = listed.summary, self._clock()
        live = now - summary.modified <= FRESH
        written = "live" if live else f"{age(now - summary.modified)} ago"
        right = [*self._figures(summary), Piece(f"{written:>12}", "ok" if live else "dim", live), Piece(" ")]
        project = cut(plain_line(Path(summary.cwd).name or "?", 60), 18)
        left = [
            Piece(" * " if live else "   ", "ok"),
            Piece(f"{project}{' ' * max(1, 20 - width_of([Piece(project)]))}", "text" if listed.is_here else "middle"),
        ]
        counts = self._counts.get(summary.path)
        title = summary.name or (counts.name if counts else "") or summary.first_words or summary.path.name
        room = width - width_of(left) - width_of(right) - 2
        body = Piece(cut(plain_line(title, 300), room), "intent" if listed.is_here else "middle")
        gap = max(2, width - width_of(left) - width_of([body]) - width_of(right))
        return [*left, body, Piece(" " * gap), *right]

    def _figures(self, summary: Summary) -> PieceLine:
        counts = self._counts.get(summary.path)
        if counts is None:
            return [Piece(" " * 25)]
        findings = sum(counts.outcomes.get(str(outcome), 0) for outcome in FINDINGS)
        found = counted(findings, "finding") if findings else ""
        return [Piece(f"{counted(counts.calls, 'call'):>11} ", "dim"), Piece(f"{found:>13}", "rejected")]

    def _passes(self, one: Listed) -> bool:
        if self.here_only and not one.is_here:
            return False
        summary = one.summary
        text = f"{summary.cwd} {summary.name} {summary.first_words} {summary.id}".lower()
        return all(word in text for word in self._words)


class PickerScreen(Screen[Path | None]):
    """Asks which session, and answers with its file."""

    BINDINGS = bindings(Where.INPUT, Where.PICKER)

    def __init__(self, palette: Palette, cwd: Path, clock: Callable[[], float] = time.time) -> None:
        super().__init__()
        self._palette = palette
        self._cwd = cwd
        self._clock = clock
        self._text = ""
        self._done = False

    def compose(self) -> ComposeResult:
        """Head, list, prompt, foot."""
        yield Bar(self._palette, "head", id="head")
        yield SessionList(self._palette, self._clock)
        yield Prompt()
        yield Bar(self._palette, "ground", id="foot")

    def on_mount(self) -> None:
        """Begin to list; the prompt is open, so that typing filters."""
        self._list_sessions()
        self._open_prompt()
        self._tell()

    @property
    def sessions(self) -> SessionList:
        """The sessions."""
        return self.query_one(SessionList)

    @property
    def counted(self) -> int:
        """How many of the sessions were counted."""
        return self.sessions.counted

    @property
    def prompt(self) -> Prompt:
        """The line in which the person types."""
        return self.query_one(Prompt)

    @work(thread=True, exclusive=True, group="list", exit_on_error=False)
    def _list_sessions(self) -> None:
        """List all sessions, this project's first, then count them from the newest on."""
        worker = get_current_worker()
        cache = CountsCache.load(paths.cache_dir() / COUNTS_FILE)
        files: list[Path] = []
        portion: list[Listed] = []
        for path, _ in find_files(find_root(self._cwd)):
            if worker.is_cancelled:
                return
            summary = read_summary(path)
            # Evidence is opened from what it is about (spec E3).
            if is_child(summary.cwd, summary.name):
                continue
            files.append(path)
            portion.append(Listed(summary, is_same_folder(summary.cwd, self._cwd)))
            if len(portion) == PORTION:
                self.post_message(SessionsListed(portion, done=False))
                portion = []
        self.post_message(SessionsListed(portion, done=True))
        self._count(files, cache)

    def _count(self, files: list[Path], cache: CountsCache) -> None:
        worker = get_current_worker()
        for path in files:
            if worker.is_cancelled:
                break
            counts = cache.known(path)
            if counts is None and path.exists() and path.stat().st_size <= LARGEST:
                counts = cache.counted(path)
            if counts is not None:
                self.post_message(CountsRead(path, counts))
        cache.save()

    def on_sessions_listed(self, message: SessionsListed) -> None:
        """More sessions."""
        self.sessions.add(message.listed)
        self._done = message.done
        self._tell()

    def on_counts_read(self, message: CountsRead) -> None:
        """A session was counted."""
        self.sessions.set_counts(message.path, message.counts)

    def on_prompt_changed(self, message: PromptChanged) -> None:
        """Filter while typing."""
        self._text = message.value
        self._narrow()

    def on_prompt_closed(self, message: PromptClosed) -> None:
        """Enter opens, Escape leaves."""
        if message.value is None:
            self.action_leave_picker()
        else:
            self.action_open_session()

    def on_row_opened(self, _: RowOpened) -> None:
        """A click on the chosen session opens it."""
        self.action_open_session()

    async def on_command_given(self, message: CommandGiven) -> None:
        """A click on a word of the foot."""
        await self.run_action(action_of(message.command))

    def action_open_session(self) -> None:
        """Watch the chosen session."""
        chosen = self.sessions.chosen()
        if chosen is None:
            self._open_prompt()
        else:
            self.dismiss(chosen.path)

    def action_leave_picker(self) -> None:
        """Back, or out."""
        self.dismiss(None)

    def action_toggle_scope(self) -> None:
        """Between this project's sessions and all."""
        self.sessions.here_only = not self.sessions.here_only
        self._narrow()

    def action_list_down(self) -> None:
        """To the next session."""
        self.sessions.action_cursor_down()

    def action_list_up(self) -> None:
        """To the session before."""
        self.sessions.action_cursor_up()

    def action_list_page_down(self) -> None:
        """A window down."""
        self.sessions.action_page_down()

    def action_list_page_up(self) -> None:
        """A window up."""
        self.sessions.action_page_up()

    def _open_prompt(self) -> None:
        self.prompt.open("narrow", "type to filter: project, name, first words, id", self._text)

    def _narrow(self) -> None:
        self.sessions.narrow(self._text, here_only=self.sessions.here_only)
        self._tell()

    def _tell(self) -> None:
        """How many there are, and what can be done."""
        sessions = self.sessions
        shown, total = sessions.count, sessions.total
        size = counted(total, "session") if shown == total else f"{shown:,} of {counted(total, 'session')}"
        state = size if self._done else f"{size}, reading on"
        scope = "this project" if sessions.here_only else "all projects"
        self.query_one("#head", Bar).tell(
            [Piece("pilotage", "text", bold=True), Piece("choose a session", "middle")], [Piece(state, "middle")]
        )
        self.query_one("#foot", Bar).tell(
            [
                Piece("Enter watch", "middle", command="open-session"),
                Piece(f"Tab {scope}", "dim", command="toggle-scope"),
            ],
            [Piece("Escape leave", "dim", command="leave-picker")],
        )
        sessions.set_notice(self._notice() if self._done else [])

    def _notice(self) -> list[PieceLine]:
        """Why the list is empty."""
        if self.sessions.total:
            text = "No session matches. Fewer words, or Tab for all projects."
        else:
            text = f"No session in {find_root(self._cwd).path}. Start Pi, and its sessions are listed here."
        lines = wrapped(plain_line(text), max(20, self.sessions.size.width - 2), "middle")
        return [[], *([Piece(" "), *line] for line in lines)]
