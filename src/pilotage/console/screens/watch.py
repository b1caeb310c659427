"""The screen on which a session is watched: the line of time and the detail of one row."""

from collections.abc import Callable
from pathlib import Path

from textual import work

from pilotage.calls.timeline import Timeline
from pilotage.console.commands import Where, bindings
from pilotage.console.details import DetailMaker, output_of
from pilotage.console.feed import Feed
from pilotage.console.filters import Filter, parse_filter
from pilotage.console.messages import (
    AnotherIsLive,
    CursorMoved,
    DetailMade,
    PromptChanged,
    PromptClosed,
    ReadingFailed,
    SessionChosen,
    SessionRead,
    TextSearched,
    WatchedGrew,
)
from pilotage.console.notices import list_notice
from pilotage.console.panes import Pane
from pilotage.console.parts import Part, Whole, parts_of, row_name, target_file
from pilotage.console.pieces import PieceLine
from pilotage.console.rows import Sight
from pilotage.console.screens.reviewed import ReviewedScreen
from pilotage.console.screens.taking import SAVE
from pilotage.console.search import search_text
from pilotage.console.status import BarWords, FootState, foot_words, head_words
from pilotage.console.themes import Palette
from pilotage.console.widgets.timeline import TimelineList
from pilotage.figures import counted
from pilotage.plain import plain_line
from pilotage.records.row import Row
from pilotage.search.surroundings import Surroundings
from pilotage.sessions.follow import FileState


class WatchScreen(ReviewedScreen):
    """One session, live."""

    BINDINGS = bindings(Where.WATCH)

    def __init__(
        self,
        palette: Palette,
        path: Path | None,
        cwd: Path,
        clock: Callable[[], float],
        editor: str | None,
        surroundings: Callable[[Path], Surroundings] = Surroundings,
        *,
        hold_unsourced: bool = False,
    ) -> None:
        super().__init__(palette, editor, surroundings, hold_unsourced=hold_unsourced)
        self._cwd = cwd
        self._clock = clock
        self._feed = Feed(self.post_message, path, cwd)
        self.timeline: Timeline | None = None
        """The session that is watched; none while there is none."""
        self._maker = DetailMaker(self.post_message)
        self._file = FileState.PRESENT
        self._reason = ""
        self._behind = 0
        self._has_read = False
        self._other: Path | None = None
        self._filter = Filter()
        self._filter_text = ""
        self._searching = ""
        self.goes_to_rejection = False
        """Whether the cursor goes to the first rejection once the session is read."""
        self.kept: dict[Pane, object] = {}
        """What panes find again when they are opened once more."""

    def make_list(self) -> TimelineList:
        """The line of time."""
        return TimelineList(self.palette, self.sight)

    def on_mount(self) -> None:
        """Begin to read."""
        self._read_on()
        self.set_interval(1.0, self._tick)
        self.listing.focus()
        self._tell()

    def on_unmount(self) -> None:
        """End the reader, and what is under way."""
        self._feed.stop()
        self.reviewing.call_off()

    @work(thread=True, exclusive=True, group="feed", exit_on_error=False)
    def _read_on(self) -> None:
        self._feed.run()

    def chosen(self) -> tuple[Timeline, Row] | None:
        """The row under the cursor."""
        row = self.listing.chosen_row()
        return (self.timeline, row) if self.timeline is not None and row is not None else None

    def parts(self) -> list[Part]:
        """What can be copied of the row."""
        chosen = self.chosen()
        return parts_of(*chosen) if chosen else []

    def whole(self) -> Whole | None:
        """The whole output of the row."""
        chosen = self.chosen()
        return Whole(row_name(*chosen), output_of(*chosen)) if chosen else None

    def target(self) -> Path | None:
        """The file that the row's call was aimed at."""
        chosen = self.chosen()
        return target_file(*chosen) if chosen else None

    @property
    def cwd(self) -> Path:
        """The project that the session belongs to."""
        header = self.timeline.session.header if self.timeline else None
        return Path(header.cwd) if header and header.cwd else self._cwd

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
        self.watch_evidence(message.session)
        self._file, self._reason, self._behind, self._has_read = FileState.PRESENT, "", 0, False
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
        growth = timeline.session.take(reading)
        self.listing.take(timeline.take(growth))
        self.take_evidence(growth, is_news=self._has_read)
        self._has_read = self._has_read or not self._behind
        if not self._behind and self._maker.is_stale(timeline, self.listing.chosen_row()):
            self.detail.update(from_top=False)
        if self.goes_to_rejection and not self._behind:
            self.goes_to_rejection = False
            self.listing.action_go_first()
            self.action_next_rejection()
        self._tell()
        if not self._behind:
            self.post_message(WatchedGrew())

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

    def on_detail_made(self, _: DetailMade) -> None:
        """A large detail is ready."""
        self.detail.update(from_top=True)

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
        self.listing.set_filter(wanted)
        self._tell()

    # What is shown

    def _tick(self) -> None:
        """Times move on even when the session does not, and reviews by hand are told of elsewhere."""
        self.look_for_notes()
        self.listing.tick()
        row = self.listing.chosen_row()
        if self.timeline and row and self._maker.is_running(self.timeline, row):
            self.detail.update(from_top=False)
        self._tell()
        self.post_message(WatchedGrew())

    def head_words(self) -> BarWords:
        """What the head says, on every pane alike."""
        return head_words(self.timeline, self._file, self._cwd, self.sight())

    def detail_lines(self, width: int) -> list[PieceLine]:
        """The detail of the row."""
        row = self.listing.chosen_row()
        return self._maker.lines(self.timeline, row, width, self.sight()) if self.timeline and row else []

    def _tell(self) -> None:
        """Head, foot, and what stands in an empty list."""
        foot = FootState(
            Pane.CALLS, self.listing.follows, self._behind, self._other, self._filter_words(), self.counts()
        )
        self.tell_bars(self.head_words(), foot_words(self.timeline, foot))
        session = self.timeline.session if self.timeline else None
        width = max(20, self.listing.size.width - 2)
        if self._filter.is_empty:
            self.listing.set_notice(list_notice(session, self._file, self._reason, self._cwd, width))
        else:
            self.listing.set_notice([])

    def _filter_words(self) -> str:
        """What the filter is, and how much it hides."""
        if self._filter.is_empty or self.listing.view is None:
            return ""
        view = self.listing.view
        return f"{plain_line(self._filter_text, 40)}: {view.shown:,} shown, {counted(view.hidden, 'row')} hidden"

    def show_calls(self) -> None:
        """The line of time alone."""
        self.remove_class("-detail")
        self.listing.focus()

    # Commands: moving

    def action_toggle_follow(self) -> None:
        """Follow the end, or stay where the cursor is."""
        if self.listing.follows:
            self.listing.follows = False
        else:
            self.listing.action_go_last()
        self._tell()

    def action_go_back(self) -> None:
        """Out of the detail, out of the filter."""
        if self.has_class("-detail"):
            self.close_detail()
        elif not self._filter.is_empty:
            self._apply_filter(Filter(), "")

    # Commands: showing more or less

    def action_filter_rows(self) -> None:
        """Type a filter."""
        self.show_calls()
        text = "" if self._filter.entries is not None else self._filter_text
        self._make_texts()
        self.prompt.open("filter", "words, tool:bash, is:failed, is:rejected, is:finding", text)

    def action_search_text(self) -> None:
        """Type what to search for in all text."""
        self.show_calls()
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
