"""One line at the edge of a screen: words on the left, words on the right, what does not fit left out."""

from rich.cells import cell_len
from textual.events import Click
from textual.strip import Strip
from textual.widget import Widget

from pilotage.console.messages import CommandGiven
from pilotage.console.pieces import Piece, PieceLine, cut, strip_of, width_of
from pilotage.console.themes import Palette

GAPS = ("   ", "  ", " ")
"""What stands between two words, from the best to the tightest."""
LEAST = 24
"""Cells of each word on the left that the right side makes room for."""
KEPT = 2
"""Words on the right that are there whatever stands on the left."""


class Bar(Widget):
    """A head or a foot; a click on a word that stands for a command gives it."""

    DEFAULT_CSS = "Bar { height: 1; }"

    def __init__(self, palette: Palette, ground: str, *, id: str) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self._palette = palette
        self._ground = ground
        self._left: list[Piece] = []
        self._right: list[Piece] = []

    def set_palette(self, palette: Palette) -> None:
        """Paint with other colours from now on."""
        self._palette = palette
        self.refresh()

    def tell(self, left: list[Piece], right: list[Piece]) -> None:
        """The words; those at the end of `right` matter most and are the last to be left out."""
        if (left, right) != (self._left, self._right):
            self._left, self._right = left, right
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """The line; where the bar is higher, the rest is empty."""
        line = fitted(self._left, self._right, self.size.width) if y == 0 else []
        return strip_of(line, self.size.width, self._palette, self._ground)

    def on_click(self, event: Click) -> None:
        """Give the command of the word that was clicked."""
        offset = event.get_content_offset(self)
        if offset is None or offset.y:
            return
        at = offset.x
        for piece in fitted(self._left, self._right, self.size.width):
            at -= cell_len(piece.text)
            if at < 0:
                if piece.command:
                    self.post_message(CommandGiven(piece.command))
                return


def fitted(left: list[Piece], right: list[Piece], width: int) -> PieceLine:
    """As much of both sides as fits: the first words on the left and the last on the right are kept longest.

    Words on the right go first, then the gaps between those on the left shrink, then the last of them go.
    """
    left, right = [p for p in left if p.text], [p for p in right if p.text]
    while len(right) > KEPT and _least(left, GAPS[0]) + _width(right, GAPS[0]) > width:
        right = right[1:]
    gap = next((gap for gap in GAPS if _least(left, gap) + _width(right, GAPS[0]) <= width), GAPS[-1])
    while len(left) > 1 and _room(left, right, gap, width) < min(12, width_of(left[-1:])):
        left = left[:-1]
    if left:
        last = left[-1]
        text = cut(last.text, _room(left, right, gap, width))
        left = [*left[:-1], Piece(text, last.role, last.bold, last.ground, last.command)]
    line = [Piece(" "), *_spaced(left, gap)]
    between = max(1, width - width_of(line) - _width(right, GAPS[0]) - 1)
    return [*line, Piece(" " * between), *_spaced(right, GAPS[0])]


def _spaced(pieces: list[Piece], gap: str) -> PieceLine:
    line: PieceLine = []
    for piece in pieces:
        line += [Piece(gap), piece] if line else [piece]
    return line


def _width(pieces: list[Piece], gap: str) -> int:
    return width_of(_spaced(pieces, gap))


def _least(left: list[Piece], gap: str) -> int:
    """Cells that the left side wants at the least, with the edges and the gap before the right side."""
    return sum(min(width_of([piece]), LEAST) + len(gap) for piece in left) + 2


def _room(left: list[Piece], right: list[Piece], gap: str, width: int) -> int:
    """Cells that there are for the last piece on the left."""
    taken = 1 + _width(left, gap) - width_of(left[-1:]) + (1 + _width(right, GAPS[0]) if right else 0) + 1
    return width - taken
