"""A pane in front of the watched session, which is read on behind it: a list of things to choose, and their detail."""

from collections.abc import Hashable, Sequence
from typing import ClassVar

from textual.events import Resize

from pilotage.console.messages import CursorMoved, PromptClosed
from pilotage.console.notices import paragraphs
from pilotage.console.panes import Pane
from pilotage.console.pieces import Piece, PieceLine
from pilotage.console.screens.split import SplitScreen
from pilotage.console.screens.taking import SAVE
from pilotage.console.status import pane_tabs
from pilotage.console.themes import Palette
from pilotage.console.watched import Watched
from pilotage.console.widgets.choices import Choice, ChoiceList

HELP = Piece("? help", "dim", command="show-help")


class PaneScreen(SplitScreen):
    """A list told by `choices`, with `detail_of` what is chosen; it is told anew whenever the session has grown."""

    pane: ClassVar[Pane]
    """Which one it is."""
    has_detail: ClassVar[bool] = True
    """Whether what is chosen has a detail; without, the list has the whole width."""

    def __init__(self, palette: Palette, watched: Watched) -> None:
        super().__init__(palette, watched.editor)
        self.watched = watched
        """The session."""
        self.add_class("-single")

    def choices(self) -> Sequence[Choice]:
        """The lines of the list, from the top."""
        raise NotImplementedError

    def detail_of(self, key: Hashable, width: int) -> list[PieceLine]:
        """The detail of what a line stands for, for a width in cells."""
        raise NotImplementedError

    def notice(self) -> Sequence[str]:
        """What the pane says while its list is empty: paragraphs, of which the first says that it is."""
        return ()

    def hints(self) -> Sequence[Piece]:
        """What the foot says on the right, two to four words; the last are left out last."""
        return ()

    @property
    def last_hint(self) -> Piece:
        """What the foot says at its end: where to see all that can be done."""
        return HELP

    @property
    def is_settled(self) -> bool:
        """Whether everything that the pane was to find out by itself is there."""
        return True

    @property
    def is_built(self) -> bool:
        """Whether its list is there: a screen is mounted before what is in it."""
        return self.is_mounted and bool(self.query(ChoiceList))

    def grew(self) -> None:
        """The session has grown, or a second has passed."""
        self.renew()

    def renew(self, *, anew: bool = False) -> None:
        """Tell everything again; the cursor stays on what it stands on, unless it is to begin `anew`."""
        choices = self.choices()
        self.set_class(not (choices and self.has_detail), "-single")
        if self.has_class("-single") and self.detail.has_focus:
            self.close_detail()
        self.listing.tell(choices, anew=anew)
        self.listing.set_notice(paragraphs(self.notice(), max(20, self.size.width - 2)))
        self.detail.update(from_top=anew)
        self.tell()

    def tell(self) -> None:
        """Head and foot."""
        foot = pane_tabs(self.watched.counts(), self.pane), [*self.hints(), self.last_hint]
        self.tell_bars(self.watched.head_words(), foot)

    def take_keys(self) -> None:
        """Give the keys to what has them first."""
        self.listing.focus()

    @property
    def listing(self) -> ChoiceList:
        """The list."""
        return self.query_one(ChoiceList)

    def make_list(self) -> ChoiceList:
        """The list, with nothing in it."""
        return ChoiceList(self.palette)

    def detail_lines(self, width: int) -> list[PieceLine]:
        """The detail of what is chosen."""
        chosen = self.listing.chosen
        return self.detail_of(chosen, width) if self.has_detail and chosen is not None else []

    def on_mount(self) -> None:
        """Tell everything, as soon as there is a size."""
        self.take_keys()
        self.call_after_refresh(self.renew, anew=True)

    def on_resize(self, _: Resize) -> None:
        """Set words for another width."""
        self.call_after_refresh(self.renew)

    def on_cursor_moved(self, _: CursorMoved) -> None:
        """The detail follows the cursor."""
        self.detail.update(from_top=True)
        self.tell()

    def on_prompt_closed(self, message: PromptClosed) -> None:
        """A file name was typed, or not."""
        self.main_list.focus()
        if message.purpose == SAVE and message.value:
            self.save_to(message.value)

    def open_detail(self) -> None:
        """To the detail, where there is one."""
        if not self.has_class("-single"):
            super().open_detail()

    def action_go_back(self) -> None:
        """Out of the detail, out of the pane."""
        if self.has_class("-detail"):
            self.close_detail()
        else:
            self.dismiss()
