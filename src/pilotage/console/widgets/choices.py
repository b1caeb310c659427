"""A list of lines of which some stand for something that can be chosen."""

from collections.abc import Callable, Hashable, Iterable

from msgspec import Struct

from pilotage.console.pieces import PieceLine
from pilotage.console.themes import Palette
from pilotage.console.widgets.lines import LineList


class Choice(Struct, frozen=True):
    """One line, and what it stands for."""

    line: Callable[[int], PieceLine]
    """Gives what it shows, for a width in cells; called when it comes in sight."""
    key: Hashable = None
    """What it stands for; none for lines that only tell."""


def told(line: PieceLine) -> Choice:
    """A line that only tells."""
    return Choice(lambda _: line)


class ChoiceList(LineList):
    """Shows the lines that it is told; the cursor rests on those that stand for something."""

    def __init__(self, palette: Palette) -> None:
        super().__init__(palette, id="choices")
        self._choices: list[Choice] = []
        self._known: Hashable = None

    def tell(self, choices: Iterable[Choice], *, anew: bool = False) -> None:
        """Show other lines; the cursor stays on what it stood on, and that where it was in the window.

        Where that is gone the cursor stays near; `anew` puts it on the first line instead. Lines that look as before
        are not painted again.
        """
        chosen, seen, count = self.chosen, self._in_sight(), self.count
        self._choices = list(choices)
        if anew:
            self.follows, self.cursor = False, 0
            self.scroll_to(y=0, animate=False, immediate=True)
        elif not self.follows:
            self._stay_on(chosen)
        is_same = seen == self._in_sight() and count == len(self._choices)
        self.show(len(self._choices), count if is_same else 0)
        self._strips.clear()
        self._go(self.cursor, 1)
        if self.chosen != self._known:
            self.cursor_moved()

    @property
    def chosen(self) -> Hashable:
        """What the line under the cursor stands for; none where there is none."""
        return self._choices[self.cursor].key if self.is_resting_place(self.cursor) else None

    @property
    def is_at_first(self) -> bool:
        """Whether there is nothing to choose above the cursor."""
        return not any(map(self.is_resting_place, range(self.cursor)))

    def choose(self, key: Hashable) -> bool:
        """Put the cursor on what a key stands for; false where that is not in the list."""
        place = self._place_of(key)
        if place is not None:
            self.go_to(place)
        return place is not None

    def is_resting_place(self, number: int) -> bool:
        """The cursor stands on lines that can be chosen."""
        return 0 <= number < len(self._choices) and self._choices[number].key is not None

    def line_at(self, number: int, width: int) -> PieceLine:
        """One line."""
        return self._choices[number].line(width) if width else []

    def cursor_moved(self) -> None:
        """Remember what is told of."""
        self._known = self.chosen
        super().cursor_moved()

    def _place_of(self, key: Hashable) -> int | None:
        return next((at for at, one in enumerate(self._choices) if one.key == key is not None), None)

    def _stay_on(self, key: Hashable) -> None:
        """Put the cursor where a key stands now, and the window with it."""
        place = self._place_of(key)
        if place is not None and place != self.cursor:
            self.move_window(place - self.cursor)
            self.cursor = place

    def _in_sight(self) -> list[PieceLine]:
        """The lines that the window shows."""
        top, width = round(self.scroll_y), self.size.width
        shown = range(top, min(top + self.size.height, len(self._choices)))
        return [self.line_at(number, width) for number in shown]

    def _keep_in_sight(self) -> None:
        """Lines that only tell come in sight with the choice next to them, above the first and below the last."""
        super()._keep_in_sight()
        if self.follows or not self._choices:
            return
        if self.cursor < self.size.height and self.is_at_first:
            self.scroll_to(y=0, animate=False, immediate=True)
        below = range(self.cursor + 1, len(self._choices))
        if len(below) < self.size.height and not any(map(self.is_resting_place, below)):
            self.scroll_to(y=max(0, len(self._choices) - self.size.height), animate=False, immediate=True)
