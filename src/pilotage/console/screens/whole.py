"""A whole text, line by line, however long: the output that a row shows only a part of."""

from bisect import bisect_left
from collections.abc import Callable

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.screen import Screen

from pilotage.console.commands import Where, action_of, bindings
from pilotage.console.found_lines import lines_with, pattern_of, split_lines
from pilotage.console.messages import CommandGiven, PromptClosed
from pilotage.console.pieces import Piece, PieceLine, cut
from pilotage.console.themes import Palette
from pilotage.console.widgets.bar import Bar
from pilotage.console.widgets.lines import LineList
from pilotage.console.widgets.prompt import Prompt
from pilotage.figures import counted
from pilotage.plain import plain, plain_line

SIDEWAYS = 20
FIND = "find"
"""The purpose of the prompt that asks what to find."""


class TextLines(LineList):
    """The lines of one text; each is cleaned only when it is shown."""

    has_cursor = False

    def __init__(self, palette: Palette, lines: list[str], role_of: Callable[[str], str]) -> None:
        super().__init__(palette, id="text")
        self._lines = lines
        self._role_of = role_of
        self._left = 0
        self._sought = ""
        self._found_at: int | None = None

    def on_mount(self) -> None:
        """Show them from the top."""
        self.show(len(self._lines), 0)
        self.focus()

    def line_at(self, number: int, width: int) -> PieceLine:
        """One line, from the column that is scrolled to."""
        line = self._lines[number].removesuffix("\r")
        shown = cut(plain(line)[self._left :], width - 2)
        role = self._role_of(line)
        if not self._sought:
            return [Piece(" "), Piece(shown, role)]
        mark = ">" if number == self._found_at else " "
        return [Piece(mark, "running", bold=True), *_marked(shown, self._sought, role)]

    def seek(self, words: str, number: int | None) -> None:
        """Mark words wherever they stand, and go to the line in which they are to be looked at."""
        self._sought, self._found_at = words, number
        if number is not None:
            self._bring_in_sight(words, number)
        self.show(len(self._lines), 0)

    @property
    def top(self) -> int:
        """The number of the first line in sight."""
        return round(self.scroll_y)

    def move_sideways(self, columns: int) -> None:
        """Show other columns, as far as the widest line in sight has some."""
        top = round(self.scroll_y)
        seen = self._lines[top : top + self.size.height]
        widest = max((cell_len(plain(line)) for line in seen), default=0)
        self._left = min(max(0, self._left + columns), max(0, widest - self.size.width + 2))
        self.show(len(self._lines), 0)

    def _bring_in_sight(self, words: str, number: int) -> None:
        """Move the window so that the words stand in it."""
        place = pattern_of(plain(words)).search(plain(self._lines[number]))
        width = max(10, self.size.width - 2)
        if place and not self._left <= place.start() <= self._left + width - len(words):
            self._left = max(0, place.start() - width // 3) if place.end() > width else 0
        self.scroll_to(y=max(0, number - self.size.height // 3), animate=False, immediate=True)


class WholeText(Screen[None]):
    """Shows one text, finds words in it, and goes back."""

    BINDINGS = bindings(Where.TEXT)

    def __init__(
        self,
        palette: Palette,
        title: str,
        text: str,
        take: Callable[[str, str], None] | None = None,
        role_of: Callable[[str], str] = lambda _: "text",
    ) -> None:
        super().__init__()
        self._palette = palette
        self._title = title
        self._text = text
        self._take = take
        self._lines = split_lines(text)
        self._role_of = role_of
        self._sought = ""
        self._found: list[int] = []
        self._at = 0

    def compose(self) -> ComposeResult:
        """Head, text, line of input, foot."""
        yield Bar(self._palette, "head", id="head")
        yield TextLines(self._palette, self._lines, self._role_of)
        yield Prompt()
        yield Bar(self._palette, "ground", id="foot")

    def on_mount(self) -> None:
        """Say what it is."""
        self._tell()

    def _tell(self) -> None:
        size = f"{counted(len(self._lines), 'line')}, {counted(len(self._text), 'character')}"
        title = Piece(plain_line(self._title, 200), "text", bold=True)
        self.query_one("#head", Bar).tell([title], [Piece(size, "middle")])
        taking = [Piece("x save", "dim", command="save-text"), Piece("o editor", "dim", command="edit-text")]
        back = Piece("q back", "middle", command="leave-text")
        self.query_one("#foot", Bar).tell(self._left_words(), [*(taking if self._take else []), back])

    def _left_words(self) -> list[Piece]:
        if not self._sought:
            return [
                Piece("/ find", "dim", command="find-text"),
                Piece("j k g G move", "dim"),
                Piece("h l sideways", "dim"),
            ]
        words = f"'{plain_line(self._sought, 40)}'"
        if not self._found:
            return [Piece(f"{words} stands nowhere here", "rejected", command="find-text")]
        place = f"{words}: line {self._at + 1:,} of {len(self._found):,}"
        return [Piece(place, "text", command="find-text"), Piece("n N next", "dim", command="next-match")]

    async def on_command_given(self, message: CommandGiven) -> None:
        """A click on a word of the foot."""
        await self.run_action(action_of(message.command))

    def on_prompt_closed(self, message: PromptClosed) -> None:
        """Words to find were typed, or not; an empty line finds nothing any more."""
        lines = self.query_one(TextLines)
        lines.focus()
        if message.purpose != FIND or message.value is None:
            return
        self._sought = message.value
        self._found = lines_with(self._text, self._lines, self._sought)
        self._at = bisect_left(self._found, lines.top) % max(1, len(self._found))
        self._show_match()

    def action_find_text(self) -> None:
        """Type what to find."""
        self.query_one(Prompt).open(FIND, "find in this text", self._sought)

    def action_next_match(self) -> None:
        """To the next line in which it stands; after the last, to the first."""
        self._go_on(1)

    def action_previous_match(self) -> None:
        """To the line before; before the first, to the last."""
        self._go_on(-1)

    def _go_on(self, step: int) -> None:
        if self._found:
            self._at = (self._at + step) % len(self._found)
            self._show_match()
        elif not self._sought:
            self.action_find_text()

    def _show_match(self) -> None:
        self.query_one(TextLines).seek(self._sought, self._found[self._at] if self._found else None)
        self._tell()

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


def _marked(text: str, words: str, role: str) -> PieceLine:
    """A line with each place of the words marked."""
    pieces: PieceLine = []
    done = 0
    for place in pattern_of(plain(words)).finditer(text):
        pieces += [Piece(text[done : place.start()], role), Piece(place[0], "running", bold=True, ground="cursor")]
        done = place.end()
    rest = text[done:]
    # The rest keeps the ground of the line, though nothing may be left of the text.
    return [piece for piece in [*pieces, Piece(rest, role)] if piece.text] + [Piece("", role)]
