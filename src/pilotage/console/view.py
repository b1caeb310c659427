"""Which rows are shown, and on which line: a filter, folded turns and batches, air above the user's words.

Lines are row numbers in order; the air above row r is `~r`, so that a row's line is found by bisection and growth
at the end costs what is new.
"""

from array import array
from bisect import bisect_left

from pilotage.calls.timeline import Timeline
from pilotage.console.filters import Filter
from pilotage.figures import counted
from pilotage.records.row import Row, RowKind


class View:
    """The lines of one timeline."""

    def __init__(self, timeline: Timeline) -> None:
        self.timeline = timeline
        """The rows."""
        self.filter = Filter()
        """Which rows are shown."""
        self.lines = array("q")
        """For each line its row, or `~row` for the air above that row."""
        self.shown = 0
        """How many rows are shown."""
        self._folded_turns: set[int] = set()
        self._folded_batches: set[int] = set()
        self._rows = 0

    @property
    def hidden(self) -> int:
        """How many rows are not shown."""
        return self._rows - self.shown

    def row_at(self, line: int) -> Row | None:
        """The row on a line; none for air and beyond the end."""
        number = self.number_at(line)
        return self.timeline.rows[number] if number is not None else None

    def number_at(self, line: int) -> int | None:
        """The number of the row on a line."""
        if 0 <= line < len(self.lines) and self.lines[line] >= 0:
            return self.lines[line]
        return None

    def line_of(self, number: int) -> int | None:
        """The line on which a row stands; none where it is not shown."""
        line = self._first_line(number)
        if line < len(self.lines) and self.lines[line] == ~number:
            line += 1
        return line if line < len(self.lines) and self.lines[line] == number else None

    def nearest_line(self, number: int) -> int:
        """The line of a row, or of the last shown one before it."""
        line = self._first_line(number + 1) - 1
        while line > 0 and self.lines[line] < 0:
            line -= 1
        return max(0, line)

    def set_filter(self, wanted: Filter) -> None:
        """Show other rows from now on."""
        self.filter = wanted
        self.rebuild(0)

    def rebuild(self, first: int) -> int:
        """Lines for the rows from `first` on; the first line that is another now."""
        line = self._first_line(first)
        removed = sum(value >= 0 for value in self.lines[line:])
        del self.lines[line:]
        self.shown -= removed
        rows = self.timeline.rows
        for number in range(first, len(rows)):
            if self._is_shown(rows[number]):
                if self._has_air(number):
                    self.lines.append(~number)
                self.lines.append(number)
                self.shown += 1
        self._rows = len(rows)
        return line

    def refit(self, changed: tuple[int, ...]) -> int | None:
        """Look again at rows whose call changed; the first line that is another now, none where all stay."""
        if self.filter.is_empty:
            return None
        for number in changed:
            if self._is_shown(self.timeline.rows[number]) != (self.line_of(number) is not None):
                return self.rebuild(number)
        return None

    def toggle_fold(self, number: int) -> None:
        """Fold or unfold what a row belongs to: its batch of parallel calls, else its turn."""
        row = self.timeline.rows[number]
        if row.call >= 0 and self.timeline.calls.items[row.call].batch > 1:
            self._folded_batches ^= {row.entry}
        else:
            self._folded_turns ^= {row.turn}
        self.rebuild(0)

    def toggle_all_turns(self) -> None:
        """Fold every turn, or unfold all if any is folded."""
        if self._folded_turns or self._folded_batches:
            self._folded_turns.clear()
            self._folded_batches.clear()
        else:
            self._folded_turns = {row.turn for row in self.timeline.rows}
        self.rebuild(0)

    def is_folded(self, row: Row) -> bool:
        """Whether a row stands for others that are folded away; under a filter nothing is."""
        return self.filter.is_empty and (
            (row.kind is RowKind.INPUT and row.turn in self._folded_turns)
            or (row.call >= 0 and row.entry in self._folded_batches)
        )

    def folded_words(self, number: int) -> str:
        """What is folded away behind a row."""
        rows = self.timeline.rows
        row = rows[number]
        if row.call >= 0:
            return f"+ {self.timeline.calls.items[row.call].batch - 1} more"
        end = number + 1
        while end < len(rows) and rows[end].turn == row.turn:
            end += 1
        return f"+ {counted(end - number - 1, 'row')}"

    def _first_line(self, number: int) -> int:
        """The first line at or behind a row, its air included."""
        return bisect_left(self.lines, number, key=lambda value: value if value >= 0 else ~value)

    def _is_shown(self, row: Row) -> bool:
        if not self.filter.is_empty:
            return self.filter.passes(self.timeline, row)
        if row.turn in self._folded_turns and row.kind is not RowKind.INPUT and row.turn >= 0:
            return False
        if row.entry in self._folded_batches and row.call >= 0:
            return self.timeline.calls.items[row.call].position == 0
        return True

    def _has_air(self, number: int) -> bool:
        """Whether a row stands apart from the one before: the user's words do, unless nothing else is shown."""
        rows = self.timeline.rows
        if rows[number].kind is not RowKind.INPUT or not self.filter.is_empty or not self.lines:
            return False
        before = rows[self.lines[-1]]
        return before.kind is not RowKind.INPUT and before.turn not in self._folded_turns
