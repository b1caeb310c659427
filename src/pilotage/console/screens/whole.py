"""A whole text, line by line, however long: the output that a row shows only a part of."""

from collections.abc import Callable

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.screen import Screen

from pilotage.console.commands import Where, action_of, bindings
from pilotage.console.messages import CommandGiven
from pilotage.console.pieces import Piece, PieceLine, cut
from pilotage.console.themes import Palette
from pilotage.console.widgets.bar import Bar
from pilotage.console.widgets.lines import LineList
from pilotage.figures import counted
from pilotage.plain import plain, plain_line

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
        text = plain(self._lines[number].removesuffix("\r"))
        return [Piece(" "), Piece(cut(text[self._left :], width - 2))]

    def move_sideways(self, columns: int) -> None:
        """Show other columns, as far as the widest line in sight has some."""
        top = round(self.scroll_y)
        seen = self._lines[top : top + self.size.height]
        widest = max((cell_len(plain(line)) for line in seen), default=0)
        self._left = min(max(0, self._left + columns), max(0, widest - self.size.width + 2))
        self.show(len(self._lines), 0)


class WholeText(Screen[None]):
    """Shows one text and goes back."""

    BINDINGS = bindings(Where.TEXT)

    def __init__(self, palette: Palette, title: str, text: str, take: Callable[[str, str], None] | None = None) -> None:
        super().__init__()
        self._palette = palette
        self._title = title
        self._text = text
        self._take = take
        self._lines = split_lines(text)

    def compose(self) -> ComposeResult:
        """Head, text, foot."""
        yield Bar(self._palette, "head", id="head")
        yield TextLines(self._palette, self._lines)
        yield Bar(self._palette, "ground", id="foot")

    def on_mount(self) -> None:
        """Say what it is."""
        size = f"{counted(len(self._lines), 'line')}, {counted(len(self._text), 'character')}"
        title = Piece(plain_line(self._title, 200), "text", bold=True)
        self.query_one("#head", Bar).tell([title], [Piece(size, "middle")])
        taking = [Piece("x save", "dim", command="save-text"), Piece("o editor", "dim", command="edit-text")]
        left = [Piece("j k g G move", "dim"), Piece("h l sideways", "dim")]
        back = Piece("q back", "middle", command="leave-text")
        self.query_one("#foot", Bar).tell(left, [*(taking if self._take else []), back])

    async def on_command_given(self, message: CommandGiven) -> None:
        """A click on a word of the foot."""
        await self.run_action(action_of(message.command))

    def action_scroll_left(self) -> None:
        """Columns further left."""
        self.query_one(TextLines).move_sideways(-SIDEWAYS)

    def action_scroll_right(self) -> None:
        """Columns further right."""
        self.query_one(TextLines).move_sideways(SIDEWAYS)

    def action_save_text(self) -> None:
        """Save it to a file."""
        if self._take:
            self._take("save", self._text)

    def action_edit_text(self) -> None:
        """Open it in the editor."""
        if self._take:
            self._take("edit", self._text)

    def action_leave_text(self) -> None:
        """Close it."""
        self.dismiss()


def split_lines(text: str) -> list[str]:
    """The lines of a text, those that are too long for one broken into pieces."""
    lines = []
    for line in text.removesuffix("\n").split("\n"):
        lines += [line[at : at + LONGEST] for at in range(0, len(line), LONGEST)] or [""]
    return lines
