"""A whole text, line by line, however long: the output that a row shows only a part of."""

from textual.app import ComposeResult
from textual.screen import Screen

from pilotage.console.commands import READING, bindings
from pilotage.console.pieces import Piece, PieceLine, cut
from pilotage.console.themes import Palette
from pilotage.console.widgets.bar import Bar
from pilotage.console.widgets.lines import LineList
from pilotage.figures import counted
from pilotage.plain import plain

LONGEST = 1000
"""Characters of one line that are shown as one; a longer one goes on in the next."""
SIDEWAYS = 20


class TextLines(LineList):
    """The lines of one text; each is cleaned only when it is shown."""

    has_cursor = False

    def __init__(self, palette: Palette, lines: list[str]) -> None:
        super().__init__(palette, id="text")
        self._lines = lines
        self._left = 0

    def on_mount(self) -> None:
        """Show them from the top."""
        self.show(len(self._lines), 0)
        self.focus()

    def line_at(self, number: int, width: int) -> PieceLine:
        """One line, from the column that is scrolled to."""
        text = plain(self._lines[number])
        return [Piece(" "), Piece(cut(text[self._left :], width - 2))]

    def move_sideways(self, columns: int) -> None:
        """Show other columns."""
        self._left = max(0, self._left + columns)
        self.show(len(self._lines), 0)


class WholeText(Screen[None]):
    """Shows one text and goes back."""

    BINDINGS = bindings(READING)

    def __init__(self, palette: Palette, title: str, text: str) -> None:
        super().__init__()
        self._palette = palette
        self._title = title
        self._lines = split_lines(text)
        self._length = len(text)

    def compose(self) -> ComposeResult:
        """Head, text, foot."""
        yield Bar(self._palette, "head", id="head")
        yield TextLines(self._palette, self._lines)
        yield Bar(self._palette, "ground", id="foot")

    def on_mount(self) -> None:
        """Say what it is."""
        size = f"{counted(len(self._lines), 'line')}, {counted(self._length, 'character')}"
        self.query_one("#head", Bar).tell([Piece(self._title, "text", bold=True)], [Piece(size, "middle")])
        keys = "j k g G move   h l sideways"
        self.query_one("#foot", Bar).tell([Piece(keys, "dim")], [Piece("q back", "middle")])

    def action_scroll_left(self) -> None:
        """Columns further left."""
        self.query_one(TextLines).move_sideways(-SIDEWAYS)

    def action_scroll_right(self) -> None:
        """Columns further right."""
        self.query_one(TextLines).move_sideways(SIDEWAYS)

    def action_go_back(self) -> None:
        """Close it."""
        self.dismiss()


def split_lines(text: str) -> list[str]:
    """The lines of a text, those that are too long for one broken into pieces."""
    lines = []
    for line in text.split("\n"):
        lines += [line[at : at + LONGEST] for at in range(0, len(line), LONGEST)] or [""]
    return lines
