"""One line at the edge of a screen: words on the left, words on the right, what does not fit left out."""

from textual.strip import Strip
from textual.widget import Widget

from pilotage.console.pieces import Piece, PieceLine, cut, strip_of, width_of
from pilotage.console.themes import Palette


class Bar(Widget):
    """A head or a foot."""

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
        if y:
            return strip_of([], self.size.width, self._palette, self._ground)
        return strip_of(fitted(self._left, self._right, self.size.width), self.size.width, self._palette, self._ground)


def fitted(left: list[Piece], right: list[Piece], width: int) -> PieceLine:
    """As much of both sides as fits: the first words on the left and the last on the right are kept longest."""
    left, right = [p for p in left if p.text], [p for p in right if p.text]
    while len(right) > 1 and _needed(left[:1], right) > width:
        right = right[1:]
    while len(left) > 1 and _needed(left, right) > width and _room(left, right, width) < 12:
        left = left[:-1]
    if left and _needed(left, right) > width:
        last = left[-1]
        left = [*left[:-1], Piece(cut(last.text, _room(left, right, width)), last.role, last.bold)]
    line: PieceLine = [Piece(" ")]
    for piece in left:
        line += [piece, Piece("   ")]
    gap = max(1, width - width_of(line) - _width(right) - 1)
    line.append(Piece(" " * gap))
    for number, piece in enumerate(right):
        line += [Piece("   "), piece] if number else [piece]
    return line


def _width(pieces: list[Piece]) -> int:
    return width_of(pieces) + 3 * max(0, len(pieces) - 1)


def _needed(left: list[Piece], right: list[Piece]) -> int:
    return 1 + _width(left) + 3 + _width(right) + 1


def _room(left: list[Piece], right: list[Piece], width: int) -> int:
    """Cells that are left for the last piece on the left."""
    return width - (_needed(left, right) - width_of(left[-1:]))
