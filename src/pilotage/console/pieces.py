"""Lines of text with meanings: what a pane shows, before it has colours.

A line is a list of pieces. Their text is fit for a terminal and is never markup (spec U8).
"""

from collections.abc import Iterator

from msgspec import Struct
from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.strip import Strip

from pilotage.console.themes import Palette

ELLIPSIS = "…"

_ASCII_SIGNS = str.maketrans({"┌": "/", "│": "|", "└": "\\", "─": "-", "…": "~", "·": "-", "━": "="})


class Piece(Struct, frozen=True, gc=False):
    """A run of text with one meaning."""

    text: str
    """The text, fit for a terminal."""
    role: str = "text"
    """What it means; a role of the theme."""
    bold: bool = False
    """Whether it stands out."""
    ground: str = ""
    """The ground that it stands on, where it is another than the line's."""
    command: str = ""
    """The command that a click on it gives; only the console's own words have one."""


PieceLine = list[Piece]


def width_of(line: PieceLine) -> int:
    """The width of a line in cells."""
    return sum(cell_len(piece.text) for piece in line)


def cut(text: str, width: int) -> str:
    """The text, at most `width` cells wide; what was cut is shown."""
    if width <= 0:
        return ""
    if len(text) <= width * 2 and cell_len(text) <= width:
        return text
    return set_cell_size(text[: width * 2], width - 1).rstrip() + ELLIPSIS


def cut_front(text: str, width: int) -> str:
    """The end of a text, at most `width` cells wide: of a path it tells the most."""
    if cell_len(text) <= width:
        return text
    kept = text[-max(1, width - 1) :]
    while kept and cell_len(kept) >= width:
        kept = kept[1:]
    return ELLIPSIS + kept


def strip_of(line: PieceLine, width: int, palette: Palette, ground: str = "ground") -> Strip:
    """The line as it is painted: exactly `width` cells."""
    segments = [_segment(piece, palette, ground) for piece in line]
    fill = line[-1].ground if line and line[-1].ground else ground
    return Strip(segments).adjust_cell_length(width, palette.style("text", fill))


def _segment(piece: Piece, palette: Palette, ground: str) -> Segment:
    text = piece.text.translate(_ASCII_SIGNS) if palette.plain_signs else piece.text
    return Segment(text, palette.style(piece.role, piece.ground or ground, bold=piece.bold))


def wrapped(text: str, width: int, role: str = "text", *, bold: bool = False) -> Iterator[PieceLine]:
    """Clean text as lines of at most `width` cells, broken at blanks where there are any."""
    for paragraph in text.split("\n"):
        for line in _broken(paragraph, max(2, width)):
            yield [Piece(line, role, bold)]


def _broken(text: str, width: int) -> Iterator[str]:
    """One paragraph broken into lines."""
    start = 0
    while len(text) - start > width * 2 or cell_len(text[start:]) > width:
        head = _head(text, start, width)
        blank = len(head) if text[start + len(head)] == " " else head.rfind(" ")
        at = blank if blank > width // 3 else len(head)
        yield head[:at]
        start += at + 1 if at == blank else at
    yield text[start:]


def _head(text: str, start: int, width: int) -> str:
    """As many characters of the text from `start` on as fit, one at the least."""
    head = text[start : start + width]
    while len(head) > 1 and cell_len(head) > width:
        head = head[: len(head) - max(1, (cell_len(head) - width) // 2)]
    return head
