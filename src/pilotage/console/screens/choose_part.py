"""A small question: which part of the row is meant."""

from textual.app import ComposeResult
from textual.binding import Binding
from textual.events import Key
from textual.screen import ModalScreen

from pilotage.console.parts import Part
from pilotage.console.pieces import Piece, PieceLine, cut
from pilotage.console.themes import Palette
from pilotage.console.widgets.lines import LineList
from pilotage.plain import plain_line


class PartList(LineList):
    """The parts, one a line."""

    def __init__(self, palette: Palette, parts: list[Part]) -> None:
        super().__init__(palette, id="parts")
        self._parts = parts

    def on_mount(self) -> None:
        """Show them."""
        self.show(len(self._parts), 0)
        self.focus()

    def line_at(self, number: int, width: int) -> PieceLine:
        """The key, the name and the first words of one part."""
        part = self._parts[number]
        head = f" {part.key}  {part.name:<10} "
        return [Piece(head, "text", bold=True), Piece(cut(plain_line(part.text, 200), width - len(head)), "dim")]


class ChoosePart(ModalScreen[Part | None]):
    """Asks which part, and answers with it."""

    BINDINGS = [  # noqa: RUF012 - Textual's own way
        Binding("escape,q,y", "give_up", show=False),
        Binding("enter", "choose", show=False),
    ]

    def __init__(self, palette: Palette, parts: list[Part]) -> None:
        super().__init__()
        self._palette = palette
        self._parts = parts

    def compose(self) -> ComposeResult:
        """The list."""
        yield PartList(self._palette, self._parts)

    def on_mount(self) -> None:
        """As high as there are parts."""
        parts = self.query_one(PartList)
        parts.styles.height = len(self._parts) + 2
        parts.border_title = "copy"

    def on_key(self, event: Key) -> None:
        """A part's own key chooses it."""
        for part in self._parts:
            if event.character == part.key:
                event.stop()
                self.dismiss(part)
                return

    def on_row_opened(self) -> None:
        """A click on the chosen line chooses it."""
        self.action_choose()

    def action_choose(self) -> None:
        """The part under the cursor."""
        self.dismiss(self._parts[self.query_one(PartList).cursor])

    def action_give_up(self) -> None:
        """None."""
        self.dismiss(None)
