"""The screen on which a session is watched: the line of time and the detail of one row."""

from collections.abc import Callable
from pathlib import Path

from textual import work
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.events import Resize

from pilotage.calls.timeline import Timeline
from pilotage.console.commands import Where, action_of, bindings
from pilotage.console.details import DetailMaker
from pilotage.console.feed import Feed
from pilotage.console.filters import Filter, parse_filter
from pilotage.console.messages import (
    AnotherIsLive,
    CommandGiven,
    CursorMoved,
    DetailMade,
    PromptChanged,
    PromptClosed,
    ReadingFailed,
    RowOpened,
    SessionChosen,
    SessionRead,
    TextSearched,
)
from pilotage.console.notices import list_notice, pane_notice
from pilotage.console.panes import Pane
from pilotage.console.pieces import PieceLine
from pilotage.console.rows import Sight
from pilotage.console.screens.seeking import SeekingScreen
from pilotage.console.screens.taking import SAVE
from pilotage.console.search import search_text
from pilotage.console.status import FootState, foot_words, head_words
from pilotage.console.themes import Palette
from pilotage.console.widgets.bar import Bar
from pilotage.console.widgets.detail import DetailPane
from pilotage.console.widgets.prompt import Prompt
from pilotage.console.widgets.timeline import TimelineList
from pilotage.figures import counted
from pilotage.plain import plain_line
from pilotage.records.row import Row, RowKind
from pilotage.sessions.follow import FileState

WIDE = 110
"""Columns from which on the detail stands beside the list."""

REMINDERS_ONLY = Filter(states=frozenset({str(RowKind.REMINDER)}))


class WatchScreen(SeekingScreen):
    """One session, live."""

    BINDINGS = bindings(Where.WATCH)
    CSS_PATH = "watch.tcss"

    def __init__(
        self, palette: Palette, path: Path | None, cwd: Path, clock: Callable[[], float], editor: str | None
    ) -> None:
        super().__init__()
        self.palette = palette
        self.editor = editor
        self._cwd = cwd
        self._clock = clock
        self._feed = Feed(self.post_message, path, cwd)
        self.timeline: Timeline | None = None
        """The session that is watched; none while there is none."""
        self._maker = DetailMaker(self.post_message)
        self._file = FileState.PRESENT
        self._reason = ""
        self._behind = 0
        self._other: Path | None = None
        self._pane = Pane.CALLS
        self._filter = Filter()
        self._filter_text = ""
        self._searching = ""
        self.goes_to_rejection = False
        """Whether the cursor goes to the first rejection once the session is read."""

    def compose(self) -> ComposeResult:
        """Head, list and detail, prompt, foot."""
        yield Bar(self.palette, "head", id="head")
        with Horizontal(id="panes"):
            yield TimelineList(self.palette, self.sight)
            yield DetailPane(self.palette, self._detail_lines)
        yield Prompt()
        yield Bar(self.palette, "ground", id="foot")

    def on_mount(self) -> None:
        """Begin to read."""
        self._read_on()
        self.set_interval(1.0, self._tick)
        self.listing.focus()
        self._tell()

    def on_unmount(self) -> None:
        """End the reader."""
        self._feed.stop()

    @work(thread=True, exclusive=True, group="feed", exit_on_error=False)
    def _read_on(self) -> None:
        self._feed.run()

    @property
    def detail(self) -> DetailPane:
        """The detail of the chosen row."""
        return self.query_one(DetailPane)

    def chosen(self) -> tuple[Timeline, Row] | None:
        """The row under the cursor."""
        row = self.listing.chosen_row()
        return (self.timeline, row) if self.timeline is not None and row is not None else None

    def sight(self) -> Sight:
        """How the session is looked at right now."""
        now = self._clock()
        return Sight(now, live=self.timeline is not None and self.timeline.session.follower.is_live(now))

    @property
    def is_up_to_date(self) -> bool:
        """Whether the session was read to its end, and its detail is made."""
        timeline = self.timeline
        return timeline is not None and not self._behind and self._feed.has_caught_up and bool(timeline.rows)

    # What the reader tells

    def on_session_chosen(self, message: SessionChosen) -> None:
        """Another session: everything of the one before goes."""
        self.timeline = Timeline(message.session)
        self._file, self._reason, self._behind = FileState.PRESENT, "", 0
        self._maker.forget()
        self.listing.watch_session(self.timeline)
        self._apply_filter(Filter(), "")
        self.detail.update(from_top=True)

    def on_session_read(self, message: SessionRead) -> None:
        """What is new goes into the session, the rows and the panes, in this order."""
        self._feed.done()
        timeline, reading = self.timeline, message.reading
        if timeline is None or timeline.session.path != message.path:
            return
        self._file, self._reason, self._behind = reading.state, reading.reason, reading.behind
        if reading.restarted:
            self._maker.forget()
        self.listing.take(timeline.take(timeline.session.take(reading)))
        if not self._behind and self._maker.is_stale(timeline, self.listing.chosen_row()):
            self.detail.update(from_top=False)
        if self.goes_to_rejection and not self._behind:
            self.goes_to_rejection = False
            self.listing.action_go_first()
            self.action_next_rejection()
        self._tell()

    def on_another_is_live(self, message: AnotherIsLive) -> None:
        """A second session, or none any more."""
        self._other = message.other
        self._tell()

    def on_reading_failed(self, message: ReadingFailed) -> None:
        """The reader ended: what is shown is no longer live."""
        words = f"{plain_line(message.words)}; p opens the session again"
        self.notify(words, severity="error", timeout=60, markup=False)

    # What the person does

    def on_cursor_moved(self, _: CursorMoved) -> None:
        """The detail follows the cursor."""
        if not self._behind:
            self.detail.update(from_top=True)
        self._tell()

    def on_row_opened(self, _: RowOpened) -> None:
        """Open the row that was clicked again."""
        self.action_open_detail()

    def on_detail_made(self, _: DetailMade) -> None:
        """A large detail is ready."""
        self.detail.update(from_top=True)

    async def on_command_given(self, message: CommandGiven) -> None:
        """A click on a word of head or foot."""
        await self.run_action(action_of(message.command))

    def on_resize(self, event: Resize) -> None:
        """Beside each other where there is room, else one over the other."""
        self.set_class(event.size.width < WIDE, "-narrow")

    def on_prompt_changed(self, message: PromptChanged) -> None:
        """A filter works while it is typed."""
        if message.purpose == "filter":
            self._filter_by(message.value, complain=False)

    def on_prompt_closed(self, message: PromptClosed) -> None:
        """The filter stays or goes; the search begins."""
        self.listing.focus()
        if message.purpose == "filter" and message.value is None:
            self._apply_filter(Filter(), "")
        elif message.purpose == "filter":
            self._filter_by(message.value or "", complain=True)
        elif message.purpose == SAVE and message.value:
            self.save_to(message.value)
        elif message.purpose == "search" and message.value:
            self._searching = message.value
            self._search(message.value)

    def on_text_searched(self, message: TextSearched) -> None:
        """The rows in which something was found, as far as the search came."""
        if message.text != self._searching:
            return
        progress = message.progress
        share = "" if progress.done == progress.total else f" {100 * progress.done // progress.total}%"
        found = Filter(entries=progress.found)
        name = plain_line(message.text)
        self._apply_filter(found, f"'{name}'{share}")
        if not share and not progress.found:
            self.notify(f"'{name}' stands nowhere in this session", markup=False)

    @work(thread=True, exclusive=True, group="search", exit_on_error=False)
    def _search(self, text: str) -> None:
        """Search in all text, in a thread."""
        if self.timeline is None:
            return
        session = self.timeline.session
        places = [entry.place for entry in list(session.tree.entries)]
        try:
            for progress in search_text(session.path, places, text):
                if text != self._searching:
                    return
                self.post_message(TextSearched(text, progress))
        except OSError as error:
            self.notify(f"{plain_line(str(session.path))}: {error.strerror}", severity="error", markup=False)

    @work(thread=True, exclusive=True, group="texts", exit_on_error=False)
    def _make_texts(self) -> None:
        """Make what the filter looks for words in, so that the first letter need not wait for it."""
        view = self.listing.view
        if view is not None:
            view.texts.all_of(view.timeline.calls.items)

    def _filter_by(self, text: str, *, complain: bool) -> None:
        try:
            wanted = parse_filter(text)
        except ValueError as fault:
            if complain:
                self.notify(plain_line(str(fault)), severity="warning", markup=False)
            return
        self._apply_filter(wanted, text.strip())

    def _apply_filter(self, wanted: Filter, text: str) -> None:
        """Show the rows of a filter, or of the pane that is shown."""
        if wanted.entries is None:
            self._searching = ""
        self._filter, self._filter_text = wanted, text
        self.listing.set_filter(REMINDERS_ONLY if self._pane is Pane.REMINDERS else wanted)
        self._tell()

    # What is shown

    def _tick(self) -> None:
        """Times move on even when the session does not."""
        self.listing.tick()
        row = self.listing.chosen_row()
        if self.timeline and row and self._maker.is_running(self.timeline, row):
            self.detail.update(from_top=False)
        self._tell()

    def _detail_lines(self, width: int) -> list[PieceLine]:
        if self._shows_words:
            return pane_notice(self._pane, width)
        row = self.listing.chosen_row()
        return self._maker.lines(self.timeline, row, width, self.sight()) if self.timeline and row else []

    @property
    def _shows_words(self) -> bool:
        """Whether the pane has nothing but words to show."""
        no_reminders = self._pane is Pane.REMINDERS and not (self.timeline and self.timeline.totals.reminders)
        return no_reminders or self._pane not in (Pane.CALLS, Pane.REMINDERS)

    def _tell(self) -> None:
        """Head, foot, and what stands in an empty list."""
        self.query_one("#head", Bar).tell(*head_words(self.timeline, self._file, self._cwd, self.sight()))
        foot = FootState(self._pane, self.listing.follows, self._behind, self._other, self._filter_words())
        self.query_one("#foot", Bar).tell(*foot_words(self.timeline, foot))
        session = self.timeline.session if self.timeline else None
        width = max(20, self.listing.size.width - 2)
        if self._filter.is_empty:
            self.listing.set_notice(list_notice(session, self._file, self._reason, self._cwd, width))
        else:
            self.listing.set_notice([])

    def _filter_words(self) -> str:
        """What the filter is, and how much it hides."""
        if self._filter.is_empty or self.listing.view is None or self._pane is not Pane.CALLS:
            return ""
        view = self.listing.view
        return f"{plain_line(self._filter_text, 40)}: {view.shown:,} shown, {counted(view.hidden, 'row')} hidden"

    def set_palette(self, palette: Palette) -> None:
        """Paint with other colours from now on."""
        self.palette = palette
        for widget in (self.listing, self.detail, *self.query(Bar)):
            widget.set_palette(palette)

    def _show_pane(self, pane: Pane) -> None:
        """Show another pane; one without rows fills the screen with its words."""
        self._pane = pane
        self.set_class(self._shows_words, "-words")
        self.remove_class("-detail")
        (self.detail if self._shows_words else self.listing).focus()
        self.listing.set_filter(REMINDERS_ONLY if pane is Pane.REMINDERS else self._filter)
        if pane is Pane.REMINDERS:
            self.listing.action_go_last()
        self.call_after_refresh(self.detail.update, from_top=True)
        self._tell()

    # Commands: moving

    def action_toggle_follow(self) -> None:
        """Follow the end, or stay where the cursor is."""
        if self.listing.follows:
            self.listing.follows = False
        else:
            self.listing.action_go_last()
        self._tell()

    def action_switch_pane(self) -> None:
        """To the other pane."""
        if self.detail.has_focus:
            self._close_detail()
        else:
            self._open_detail()

    def action_open_detail(self) -> None:
        """The detail; from there the whole output."""
        if self.detail.has_focus and not self._shows_words:
            self.show_whole()
        else:
            self._open_detail()

    def _open_detail(self) -> None:
        self.add_class("-detail")
        self.detail.focus()
        self.call_after_refresh(self.detail.update, from_top=True)

    def _close_detail(self) -> None:
        self.remove_class("-detail")
        self.listing.focus()

    def action_go_back(self) -> None:
        """Out of the detail, the pane, the filter: one at a time."""
        if self.has_class("-detail"):
            self._close_detail()
        elif self._pane is not Pane.CALLS:
            self._show_pane(Pane.CALLS)
        elif not self._filter.is_empty:
            self._apply_filter(Filter(), "")

    # Commands: showing more or less

    def action_filter_rows(self) -> None:
        """Type a filter."""
        self._show_pane(Pane.CALLS)
        text = "" if self._filter.entries is not None else self._filter_text
        self._make_texts()
        self.prompt.open("filter", "words, tool:bash, is:failed, is:rejected, is:finding", text)

    def action_search_text(self) -> None:
        """Type what to search for in all text."""
        self._show_pane(Pane.CALLS)
        self.prompt.open("search", "search in all text of this session, outputs too")

    def action_clear_filter(self) -> None:
        """All rows again."""
        self._apply_filter(Filter(), "")

    def action_toggle_fold(self) -> None:
        """Fold or unfold what the row belongs to."""
        self.listing.toggle_fold()

    def action_toggle_all_folds(self) -> None:
        """Fold all turns, or unfold all."""
        self.listing.toggle_all_folds()

    def action_toggle_branches(self) -> None:
        """Show abandoned branches, or hide them."""
        if self.timeline is not None:
            self.listing.take(self.timeline.show_branches(all_branches=not self.timeline.all_branches))
            shown = "shown, marked ~" if self.timeline.all_branches else "hidden"
            self.notify(f"abandoned branches are {shown}", timeout=2, markup=False)

    def action_show_calls(self) -> None:
        """The line of time."""
        self._show_pane(Pane.CALLS)

    def action_show_reminders(self) -> None:
        """The reminders."""
        self._show_pane(Pane.REMINDERS)

    def action_show_search(self) -> None:
        """The search for capabilities."""
        self._show_pane(Pane.SEARCH)

    def action_show_prepared(self) -> None:
        """What was prepared."""
        self._show_pane(Pane.PREPARED)

    def action_show_evidence(self) -> None:
        """The evidence."""
        self._show_pane(Pane.EVIDENCE)
