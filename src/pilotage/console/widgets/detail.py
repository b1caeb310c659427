"""The detail of one row: lines that are scrolled, without a cursor."""

from collections.abc import Callable

from pilotage.console.pieces import PieceLine
from pilotage.console.themes import Palette
from pilotage.console.widgets.lines import LineList

MARGIN = 1


class DetailPane(LineList):
    """Shows what a maker of lines gives for its width."""

    has_cursor = False

    def __init__(self, palette: Palette, make: Callable[[int], list[PieceLine]]) -> None:
        super().__init__(palette, id="detail")
        self._make = make
        self._lines: list[PieceLine] = []

    def line_at(self, number: int, width: int) -> PieceLine:
        """One line; it was wrapped when the pane got its width."""
        return self._lines[number] if width else []

    def update(self, *, from_top: bool) -> None:
        """Ask for the lines again; `from_top` says that they are another row's."""
        if not self.size.width:
            return
        lines = self._make(self.size.width - MARGIN)
        if lines == self._lines and not from_top:
            return
        self._lines = lines
        self.follows = self.follows and not from_top
        self.show(len(self._lines), 0)
        if from_top:
            self.scroll_to(y=0, animate=False, immediate=True)

    def on_resize(self) -> None:
        """Wrap anew for another width."""
        super().on_resize()
        self.update(from_top=False)
