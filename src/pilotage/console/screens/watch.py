"""The screen on which a session is watched: the line of time and the detail of one row."""

import time
from pathlib import Path

from textual import work
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.events import Resize
from textual.screen import Screen

from pilotage.calls.timeline import Timeline
from pilotage.console.commands import MOVING, WATCHING, bindings
from pilotage.console.details import detail_lines, output_of
from pilotage.console.feed import Feed
from pilotage.console.messages import AnotherIsLive, CursorMoved, RowOpened, SessionChosen, SessionRead
from pilotage.console.pieces import Piece, PieceLine, wrapped
from pilotage.console.rows import Sight
from pilotage.console.screens.whole import WholeText
from pilotage.console.status import foot_words, head_words, help_text
from pilotage.console.themes import Palette
from pilotage.console.widgets.bar import Bar
from pilotage.console.widgets.detail import DetailPane
from pilotage.console.widgets.timeline import TimelineList
from pilotage.plain import plain_line
from pilotage.sessions.follow import FileState
from pilotage.sessions.locate import find_root
from pilotage.sessions.read import Session, UnreadableSession

WIDE = 110
"""Columns from which on the detail stands beside the list."""


class WatchScreen(Screen[None]):
    """One session, live."""

    BINDINGS = bindings(WATCHING)
    CSS_PATH = "watch.tcss"

    def __init__(self, palette: Palette, path: Path | None, cwd: Path) -> None:
        super().__init__()
        self._palette = palette
        self._cwd = cwd
        self._feed = Feed(self.post_message, path, cwd)
        self._timeline: Timeline | None = None
        self._file = FileState.PRESENT
        self._reason = ""
        self._behind = 0
        self._other: Path | None = None

    def compose(self) -> ComposeResult:
        """Head, list and detail, foot."""
        yield Bar(self._palette, "head", id="head")
        with Horizontal(id="panes"):
            yield TimelineList(self._palette, self._sight)
            yield DetailPane(self._palette, self._detail)
        yield Bar(self._palette, "ground", id="foot")

    def on_mount(self) -> None:
        """Begin to read."""
        self._read_on()
        self.set_interval(1.0, self._tick)
        self._list.focus()
        self._tell()

    def on_unmount(self) -> None:
        """End the reader."""
        self._feed.stop()

    @work(thread=True, exclusive=True, group="feed", exit_on_error=False)
    def _read_on(self) -> None:
        self._feed.run()

    @property
    def _list(self) -> TimelineList:
        return self.query_one(TimelineList)

    @property
    def _pane(self) -> DetailPane:
        return self.query_one(DetailPane)

    def _sight(self) -> Sight:
        session = self._timeline.session if self._timeline else None
        now = time.time()
        return Sight(now, live=session is not None and session.follower.is_live(now))

    def on_session_chosen(self, message: SessionChosen) -> None:
        """Another session: everything of the one before goes."""
        self._timeline = Timeline(message.session)
        self._list.watch_session(self._timeline)
        self._pane.update(from_top=True)
        self._tell()

    def on_session_read(self, message: SessionRead) -> None:
        """What is new goes into the session, the rows and the panes, in this order."""
        timeline, reading = self._timeline, message.reading
        self._feed.done()
        if timeline is None or timeline.session.path != message.path:
            return
        self._file, self._reason, self._behind = reading.state, reading.reason, reading.behind
        change = timeline.take(timeline.session.take(reading))
        self._list.take(change)
        if self._list.follows or change.changed or change.moved_from <= self._chosen_number():
            self._pane.update(from_top=False)
        self._tell()

    def on_another_is_live(self, message: AnotherIsLive) -> None:
        """A second session, or none any more."""
        self._other = message.other
        self._tell()

    def on_cursor_moved(self, _: CursorMoved) -> None:
        """The detail follows the cursor."""
        self._pane.update(from_top=True)
        self._tell()

    def on_row_opened(self, _: RowOpened) -> None:
        """Open the row that was clicked again."""
        self.action_open_detail()

    def on_resize(self, event: Resize) -> None:
        """Beside each other where there is room, else one over the other."""
        self.set_class(event.size.width < WIDE, "-narrow")

    def _tick(self) -> None:
        """Times move on even when the session does not."""
        self._list.tick()
        self._tell()

    def _chosen_number(self) -> int:
        return self._list.cursor

    def _detail(self, width: int) -> list[PieceLine]:
        row = self._list.chosen_row()
        if self._timeline is None or row is None:
            return []
        try:
            return detail_lines(self._timeline, row, width, self._sight())
        except UnreadableSession as error:
            return list(wrapped(plain_line(str(error)), width, "failed"))

    def _tell(self) -> None:
        """Head, foot, and what stands in an empty list."""
        session = self._timeline.session if self._timeline else None
        sight = self._sight()
        self.query_one("#head", Bar).tell(*head_words(self._timeline, self._file, self._cwd, sight))
        self.query_one("#foot", Bar).tell(
            *foot_words(self._timeline, follows=self._list.follows, behind=self._behind, other=self._other)
        )
        self._list.set_notice(self._notice(session))

    def _notice(self, session: Session | None) -> list[PieceLine]:
        """What an empty list says."""
        width = max(20, self._list.size.width - 2)
        if session is None:
            text = (
                f"No session of {self._cwd} yet.\n\nLooking in {find_root(self._cwd).path}."
                "\nStart Pi in this folder; the first session that appears is shown here."
            )
        elif self._file is FileState.MISSING:
            text = f"{session.path} is not there. It is shown as soon as it is."
        elif self._file is FileState.UNREADABLE:
            text = f"{session.path} cannot be read: {self._reason}."
        elif session.tally.damaged and not session.tally.entries:
            text = f"{session.path} is not a session: none of its {session.tally.lines:,} lines holds a record."
        else:
            text = "Nothing has happened in this session yet."
        lines = [line for part in text.split("\n") for line in wrapped(plain_line(part), width, "middle")]
        return [[], *([Piece(" "), *line] for line in lines)]

    def action_next_finding(self) -> None:
        """To the next failure, rejection or block."""
        if not self._list.next_finding(1):
            self.app.bell()

    def action_previous_finding(self) -> None:
        """To the one before."""
        if not self._list.next_finding(-1):
            self.app.bell()

    def action_next_turn(self) -> None:
        """To the next words of the user."""
        self._list.next_turn(1)

    def action_previous_turn(self) -> None:
        """To those before."""
        self._list.next_turn(-1)

    def action_toggle_follow(self) -> None:
        """Follow the end, or stay where the cursor is."""
        if self._list.follows:
            self._list.follows = False
        else:
            self._list.action_go_last()
        self._tell()

    def action_open_detail(self) -> None:
        """The detail: over the list where it is not beside it."""
        self.add_class("-detail")
        self._pane.focus()
        self.call_after_refresh(self._pane.update, from_top=True)

    def action_switch_pane(self) -> None:
        """To the other pane."""
        if self._pane.has_focus:
            self.action_go_back()
        else:
            self.action_open_detail()

    def action_open_output(self) -> None:
        """The whole output of the row, on a screen of its own."""
        row = self._list.chosen_row()
        if self._timeline is None or row is None:
            return
        call = self._timeline.calls.items[row.call] if row.call >= 0 else None
        title = f"{call.tool}  {call.target or call.brief}" if call else str(row.kind)
        try:
            text = output_of(self._timeline, row)
        except UnreadableSession as error:
            text = str(error)
        self.app.push_screen(WholeText(self._palette, plain_line(title), text or "(no output)"))

    def action_show_help(self) -> None:
        """Keys and signs."""
        self.app.push_screen(WholeText(self._palette, "keys and signs", help_text((*MOVING, *WATCHING))))

    def action_go_back(self) -> None:
        """From the detail to the list, from the list out."""
        if self.has_class("-detail"):
            self.remove_class("-detail")
            self._list.focus()
        else:
            self.app.exit(0)

    def set_palette(self, palette: Palette) -> None:
        """Paint with other colours from now on."""
        self._palette = palette
        for widget in (self._list, self._pane, *self.query(Bar)):
            widget.set_palette(palette)
