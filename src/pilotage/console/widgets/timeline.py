"""The line of time as a list of lines."""

from collections.abc import Callable

from pilotage.calls.timeline import Timeline, TimelineChange
from pilotage.console.filters import Filter
from pilotage.console.pieces import Piece, PieceLine
from pilotage.console.rows import Sight, row_line
from pilotage.console.themes import Palette
from pilotage.console.view import View
from pilotage.console.widgets.lines import LineList
from pilotage.records.call import Outcome
from pilotage.records.row import Row


class TimelineList(LineList):
    """The rows of one session, those that the view lets through."""

    def __init__(self, palette: Palette, sight: Callable[[], Sight]) -> None:
        super().__init__(palette, id="timeline")
        self._sight = sight
        self.view: View | None = None
        """Which rows stand on which line; none while no session is watched."""
        self._chosen: tuple[int, Row] | None = None
        self.follows = True

    def watch_session(self, timeline: Timeline) -> None:
        """Show another session from now on."""
        self.view = View(timeline)
        self.view.rebuild(0)
        self._chosen = None
        self.follows = True
        self.show(len(self.view.lines), 0)

    def take(self, change: TimelineChange) -> None:
        """Follow a change of the rows; the cursor stays on its row."""
        if self.view is None:
            return
        first = self.view.rebuild(change.moved_from)
        refitted = self.view.refit(change.changed)
        lines = [self.view.line_of(number) for number in change.changed]
        self.forget([line for line in lines if line is not None])
        self._show_from(first if refitted is None else min(first, refitted))

    def set_filter(self, wanted: Filter) -> None:
        """Show other rows from now on; the cursor stays on its row, or near it."""
        if self.view is not None:
            self.view.set_filter(wanted)
            self._show_from(0)

    def toggle_fold(self) -> None:
        """Fold or unfold what the chosen row belongs to."""
        number = self.view.number_at(self.cursor) if self.view else None
        if self.view is not None and number is not None:
            self.view.toggle_fold(number)
            self._show_from(0)

    def toggle_all_folds(self) -> None:
        """Fold all turns, or unfold everything."""
        if self.view is not None:
            self.view.toggle_all_turns()
            self._show_from(0)

    def chosen_row(self) -> Row | None:
        """The row under the cursor."""
        return self.view.row_at(self.cursor) if self.view else None

    def is_resting_place(self, number: int) -> bool:
        """The cursor never stands on air."""
        return self.view is not None and self.view.number_at(number) is not None

    def line_at(self, number: int, width: int) -> PieceLine:
        """One row, or air."""
        view = self.view
        at = view.number_at(number) if view else None
        if view is None or at is None:
            return []
        row = view.timeline.rows[at]
        if not view.is_folded(row):
            return row_line(view.timeline, row, width, self._sight())
        words = view.folded_words(at)
        line = row_line(view.timeline, row, width - len(words) - 3, self._sight())
        return [*line, Piece("  "), Piece(words, "dim")]

    def seek(self, step: int, wanted: Callable[[Row], bool]) -> bool:
        """Go to the next row of a kind, or the one before; false when there is none."""
        if self.view is None:
            return False
        lines, rows = self.view.lines, self.view.timeline.rows
        for line in range(self.cursor + step, len(lines) if step > 0 else -1, step):
            if lines[line] >= 0 and wanted(rows[lines[line]]):
                self.go_to(line)
                return True
        return False

    def tick(self) -> None:
        """Paint anew those rows in sight that tell how long they have been running."""
        top = round(self.scroll_y)
        self.forget([line for line in range(top, top + self.size.height) if self._is_running(line)])

    def cursor_moved(self) -> None:
        """Remember the chosen row, so that it is found again when rows move."""
        super().cursor_moved()
        number = self.view.number_at(self.cursor) if self.view else None
        self._chosen = (number, self.view.timeline.rows[number]) if self.view and number is not None else None

    def _is_running(self, line: int) -> bool:
        row = self.view.row_at(line) if self.view else None
        if self.view is None or row is None or row.call < 0:
            return False
        return self.view.timeline.calls.items[row.call].outcome is Outcome.RUNNING

    def _show_from(self, first: int) -> None:
        """The lines from `first` on are others now."""
        assert self.view is not None
        if not self.follows:
            self._stay(self.view)
        self.show(len(self.view.lines), first)

    def _stay(self, view: View) -> None:
        """Put the cursor where its row stands now, and the window with it."""
        if self._chosen is None:
            return
        number = _found(view.timeline.rows, *self._chosen)
        line = view.line_of(number)
        line = view.nearest_line(number) if line is None else line
        if line != self.cursor:
            self.move_window(line - self.cursor)
            self.cursor = line
            self.cursor_moved()


def _found(rows: list[Row], number: int, row: Row) -> int:
    """Where a row stands now that stood at `number`: rows move by little, so the search begins there."""
    for distance in range(max(number, len(rows) - number) + 1):
        for candidate in (number + distance, number - distance):
            if 0 <= candidate < len(rows) and rows[candidate] == row:
                return candidate
    return min(number, len(rows) - 1)
