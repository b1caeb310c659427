"""Every command of the console, once: keys, footer and help are made from this list."""

from msgspec import Struct
from textual.binding import Binding, BindingType


class Command(Struct, frozen=True):
    """Something that the person can do."""

    id: str
    """A kebab-case verb; the action is named alike, with underscores."""
    keys: tuple[str, ...]
    """The keys, in Textual's names."""
    words: str
    """What it does, in a few words."""


MOVING = (
    Command("cursor-down", ("j", "down"), "next row"),
    Command("cursor-up", ("k", "up"), "row before"),
    Command("page-down", ("pagedown", "space"), "a page down"),
    Command("page-up", ("pageup",), "a page up"),
    Command("go-first", ("g", "home"), "first row"),
    Command("go-last", ("G", "end"), "last row"),
)
"""What every list can do."""

WATCHING = (
    Command("next-finding", ("n",), "next finding"),
    Command("previous-finding", ("N",), "finding before"),
    Command("next-turn", ("right_square_bracket",), "next turn"),
    Command("previous-turn", ("left_square_bracket",), "turn before"),
    Command("toggle-follow", ("f",), "follow the end, or stay"),
    Command("open-detail", ("enter",), "detail of the row"),
    Command("switch-pane", ("tab",), "to the other pane"),
    Command("open-output", ("o",), "the whole output"),
    Command("next-theme", ("t",), "next theme"),
    Command("show-help", ("question_mark",), "keys and signs"),
    Command("go-back", ("escape", "q"), "back, or quit"),
)
"""What the watch screen can do."""

READING = (
    Command("scroll-left", ("left", "h"), "to the left"),
    Command("scroll-right", ("right", "l"), "to the right"),
    Command("go-back", ("escape", "q", "o"), "back"),
)
"""What the screen of a whole text can do."""


def bindings(commands: tuple[Command, ...]) -> list[BindingType]:
    """The commands as Textual's bindings."""
    return [
        Binding(",".join(command.keys), command.id.replace("-", "_"), command.words, show=False, id=command.id)
        for command in commands
    ]
