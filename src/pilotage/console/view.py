"""Which rows are shown, and on which line: a filter, folded turns and batches, air above the user's words.

Lines are row numbers in order; the air above row r is `~r`, so that a row's line is found by bisection and growth
at the end costs what is new.
"""

from array import array
from bisect import bisect_left
from collections.abc import Sequence

from pilotage.calls.timeline import Timeline
from pilotage.console.filters import CallTexts, Filter
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
        self.texts = CallTexts()
        """What words are looked for in."""
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
        """Show other rows from now on; what was shown is enough to look at where the filter only became narrower."""
        former, self.filter = self.filter, wanted
        left = wanted.beyond(former)
        if left is None:
            self.rebuild(0)
        elif not left.is_empty:
            self.lines = array("q", left.passing(self.timeline, self.texts, self.lines))
            self.shown = len(self.lines)

    def rebuild(self, first: int, end: int | None = None) -> int:
        """Lines for the rows from `first` on, up to `end` if there is one; the first line that is another now."""
        line = self._first_line(first)
        below = len(self.lines) if end is None else self._first_line(end)
        numbers = self._shown(range(first, len(self.timeline.rows) if end is None else end))
        removed = sum(value >= 0 for value in self.lines[line:below]) if line or end is not None else self.shown
        self.lines[line:below] = self._with_air(numbers, self.lines[line - 1] if line else None)
        self.shown += len(numbers) - removed
        self._rows = len(self.timeline.rows)
        return line

    def refit(self, changed: tuple[int, ...]) -> int | None:
        """Look again at rows whose call changed; the first line that is another now, none where all stay."""
        if self.filter.is_empty:
            return None
        shown = set(self._shown(changed))
        for number in changed:
            if (number in shown) != (self.line_of(number) is not None):
                return self.rebuild(number)
        return None

    def toggle_fold(self, number: int) -> None:
        """Fold or unfold what a row belongs to: its batch of parallel calls, else its turn."""
        row = self.timeline.rows[number]
        if row.call >= 0 and self.timeline.calls.items[row.call].batch > 1:
            self._folded_batches ^= {row.entry}
        elif row.turn >= 0:
            self._folded_turns ^= {row.turn}
        self.rebuild(*self._span_of(row.turn))

    def toggle_all_turns(self) -> None:
        """Fold every turn, or unfold all if any is folded."""
        if self._folded_turns or self._folded_batches:
            self._folded_turns.clear()
            self._folded_batches.clear()
        else:
            self._folded_turns = {row.turn for row in self.timeline.rows if row.turn >= 0}
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

    def _shown(self, numbers: Sequence[int]) -> Sequence[int]:
        """Those of the rows that are shown."""
        if not self.filter.is_empty:
            return self.filter.passing(self.timeline, self.texts, numbers)
        rows, calls, words = self.timeline.rows, self.timeline.calls.items, RowKind.INPUT
        turns, batches = self._folded_turns, self._folded_batches
        if turns:
            numbers = [at for at in numbers if (row := rows[at]).turn not in turns or row.kind is words]
        if batches:
            numbers = [
                at
                for at in numbers
                if (row := rows[at]).entry not in batches or row.call < 0 or calls[row.call].position == 0
            ]
        return numbers

    def _span_of(self, turn: int) -> tuple[int, int]:
        """The rows of a turn and those up to the next words of the user, whose air depends on them."""
        rows, words = self.timeline.rows, RowKind.INPUT
        numbers = [at for at, row in enumerate(rows) if row.turn == turn]
        end = numbers[-1] + 1
        while end < len(rows) and rows[end].kind is not words:
            end += 1
        return numbers[0], min(end + 1, len(rows))

    def _with_air(self, numbers: Sequence[int], before: int | None) -> "array[int]":
        """The lines of these rows; `before` is the row above them."""
        lines, start = array("q"), 0
        for at in self._below_air(numbers, before):
            lines.extend(numbers[start:at])
            lines.append(~numbers[at])
            start = at
        lines.extend(numbers[start:])
        return lines

    def _below_air(self, numbers: Sequence[int], before: int | None) -> list[int]:
        """Which of these rows stand apart from the one before: the user's words, unless nothing else is shown."""
        if not self.filter.is_empty:
            return []
        rows, words = self.timeline.rows, RowKind.INPUT
        inputs = [at for at, number in enumerate(numbers) if rows[number].kind is words]
        return [at for at in inputs if self._ends_turn(numbers[at - 1] if at else before)]

    def _ends_turn(self, number: int | None) -> bool:
        """Whether a row is the last one of a turn of which more is shown than the user's words."""
        if number is None:
            return False
        row = self.timeline.rows[number]
        return row.kind is not RowKind.INPUT and row.turn not in self._folded_turns
