"""The line of time as a list of lines, with air above the user's words."""

from array import array
from collections.abc import Callable

from pilotage.calls.timeline import Timeline, TimelineChange
from pilotage.console.pieces import PieceLine
from pilotage.console.rows import Sight, is_finding, row_line
from pilotage.console.themes import Palette
from pilotage.console.widgets.lines import LineList
from pilotage.records.call import Outcome
from pilotage.records.row import Row, RowKind

AIR = -1


class TimelineList(LineList):
    """The rows of one session."""

    def __init__(self, palette: Palette, sight: Callable[[], Sight]) -> None:
        super().__init__(palette, id="timeline")
        self._sight = sight
        self._timeline: Timeline | None = None
        self._lines = array("l")
        self._line_of_row = array("l")
        self.follows = True

    def watch_session(self, timeline: Timeline) -> None:
        """Show another session from now on."""
        self._timeline = timeline
        self._rebuild(0)
        self.follows = True
        self.show(len(self._lines), 0)

    def take(self, change: TimelineChange) -> None:
        """Follow a change of the rows; the cursor stays on its row."""
        chosen = self.chosen_row()
        first = self._line_of_row[change.moved_from] if change.moved_from < len(self._line_of_row) else self.count
        self._rebuild(change.moved_from)
        self.forget([self._line_of_row[row] for row in change.changed])
        if chosen is not None and not self.follows:
            self._stay_on(chosen)
        self.show(len(self._lines), first)

    def chosen_row(self) -> Row | None:
        """The row under the cursor."""
        if self._timeline is None or not self.is_resting_place(self.cursor):
            return None
        return self._timeline.rows[self._lines[self.cursor]]

    def is_resting_place(self, number: int) -> bool:
        """The cursor never stands on air."""
        return 0 <= number < len(self._lines) and self._lines[number] != AIR

    def line_at(self, number: int, width: int) -> PieceLine:
        """One row, or air."""
        row = self._lines[number]
        if row == AIR or self._timeline is None:
            return []
        return row_line(self._timeline, self._timeline.rows[row], width, self._sight())

    def next_finding(self, step: int) -> bool:
        """Go to the next row that tells of something wrong, or the one before; false when there is none."""
        return self._seek(step, self._is_finding)

    def next_turn(self, step: int) -> bool:
        """Go to the next words of the user, or those before; false when there are none."""
        return self._seek(step, lambda row: row.kind is RowKind.INPUT)

    def tick(self) -> None:
        """Paint anew those rows in sight that tell how long they have been running."""
        if self._timeline is None:
            return
        top = round(self.scroll_y)
        running = [
            number for number in range(top, min(top + self.size.height, len(self._lines))) if self._is_running(number)
        ]
        self.forget(running)

    def _is_running(self, number: int) -> bool:
        row = self._lines[number]
        if row == AIR or self._timeline is None or self._timeline.rows[row].call < 0:
            return False
        return self._timeline.calls.items[self._timeline.rows[row].call].outcome is Outcome.RUNNING

    def _is_finding(self, row: Row) -> bool:
        return self._timeline is not None and is_finding(self._timeline, row)

    def _seek(self, step: int, wanted: Callable[[Row], bool]) -> bool:
        if self._timeline is None:
            return False
        number = self.cursor + step
        while 0 <= number < len(self._lines):
            row = self._lines[number]
            if row != AIR and wanted(self._timeline.rows[row]):
                self.go_to(number)
                return True
            number += step
        return False

    def _rebuild(self, moved_from: int) -> None:
        """Lines for the rows from `moved_from` on."""
        if self._timeline is None:
            return
        if moved_from < len(self._line_of_row):
            first = self._line_of_row[moved_from]
            del self._line_of_row[moved_from:]
            del self._lines[first:]
            if self._lines and self._lines[-1] == AIR:
                self._lines.pop()
        rows = self._timeline.rows
        for number in range(len(self._line_of_row), len(rows)):
            if rows[number].kind is RowKind.INPUT and not self._follows_input(number):
                self._lines.append(AIR)
            self._line_of_row.append(len(self._lines))
            self._lines.append(number)

    def _follows_input(self, number: int) -> bool:
        return self._timeline is not None and number > 0 and self._timeline.rows[number - 1].kind is RowKind.INPUT

    def _stay_on(self, chosen: Row) -> None:
        """Put the cursor where its row stands now; rows move by little, so the search begins where it was."""
        assert self._timeline is not None
        count = len(self._lines)
        for distance in range(count):
            for number in (self.cursor + distance, self.cursor - distance):
                if (
                    0 <= number < count
                    and self._lines[number] != AIR
                    and self._timeline.rows[self._lines[number]] == chosen
                ):
                    self.cursor = number
                    return
