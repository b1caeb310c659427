"""A screen with a list and the detail of its chosen line: beside it where there is room, else over it."""

from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.events import Resize
from textual.widget import Widget

from pilotage.console.commands import Where, action_of, bindings
from pilotage.console.messages import CommandGiven, RowOpened
from pilotage.console.pieces import PieceLine
from pilotage.console.screens.taking import TakingScreen
from pilotage.console.status import BarWords
from pilotage.console.themes import Palette
from pilotage.console.widgets.bar import Bar
from pilotage.console.widgets.detail import DetailPane
from pilotage.console.widgets.lines import LineList
from pilotage.console.widgets.prompt import Prompt
from pilotage.records.attempt import Attempt

WIDE = 110
"""Columns from which on the detail stands beside the list."""


class SplitScreen(TakingScreen):
    """Head, list and detail, prompt, foot; a subclass says what they show."""

    BINDINGS = bindings(Where.SESSION)
    # A path that is not relative holds for subclasses in other folders as well.
    CSS_PATH: ClassVar[str | Path] = Path(__file__).with_suffix(".tcss")

    def __init__(self, palette: Palette, editor: str | None) -> None:
        super().__init__()
        self.palette = palette
        self.editor = editor
        self._opened_from: Widget | None = None

    def compose(self) -> ComposeResult:
        """All parts, from the top."""
        yield Bar(self.palette, "head", id="head")
        yield from self.compose_top()
        with Horizontal(id="panes"):
            yield self.make_list()
            yield DetailPane(self.palette, self.detail_lines)
        yield Prompt()
        yield Bar(self.palette, "ground", id="foot")

    def compose_top(self) -> Iterable[Widget]:
        """What stands above the list."""
        return ()

    def make_list(self) -> LineList:
        """The list."""
        raise NotImplementedError

    def detail_lines(self, width: int) -> list[PieceLine]:
        """The detail of what is chosen, for a width in cells."""
        raise NotImplementedError

    @property
    def detail(self) -> DetailPane:
        """The detail of what is chosen."""
        return self.query_one(DetailPane)

    @property
    def main_list(self) -> LineList:
        """The list."""
        return next(one for one in self.query(LineList) if one is not self.detail)

    def chosen_attempt(self) -> Attempt | None:
        """The review or preparation behind what is chosen; none where there is none."""
        return None

    def set_palette(self, palette: Palette) -> None:
        """Paint with other colours from now on."""
        self.palette = palette
        for lines in self.query(LineList):
            lines.set_palette(palette)
        for bar in self.query(Bar):
            bar.set_palette(palette)

    def tell_bars(self, head: BarWords, foot: BarWords) -> None:
        """The words of head and foot."""
        self.query_one("#head", Bar).tell(*head)
        self.query_one("#foot", Bar).tell(*foot)

    def on_resize(self, event: Resize) -> None:
        """Beside each other where there is room, else one over the other."""
        self.set_class(event.size.width < WIDE, "-narrow")

    def on_row_opened(self, _: RowOpened) -> None:
        """Open the row that was clicked again."""
        self.action_open_detail()

    async def on_command_given(self, message: CommandGiven) -> None:
        """A click on a word of head or foot."""
        await self.run_action(action_of(message.command))

    def open_detail(self) -> None:
        """To the detail."""
        self._opened_from = self.focused
        self.add_class("-detail")
        self.detail.focus()
        self.call_after_refresh(self.detail.update, from_top=True)

    def close_detail(self) -> None:
        """Back to where the detail was opened from."""
        self.remove_class("-detail")
        origin = self._opened_from
        (origin if origin is not None and origin.focusable else self.main_list).focus()

    def action_switch_pane(self) -> None:
        """To the other pane."""
        if self.detail.has_focus:
            self.close_detail()
        else:
            self.open_detail()

    def action_open_detail(self) -> None:
        """The detail; from there the whole text."""
        if self.detail.has_focus:
            self.show_whole()
        else:
            self.open_detail()
