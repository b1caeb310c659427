"""Every command of the console, once: bindings, palette, footer, help and the README's table are made from it."""

from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct
from textual.binding import Binding, BindingType


class Where(StrEnum):
    """On which part of the console a command works."""

    LIST = "every list"
    """Moving about in any list."""
    SESSION = "watching a session, in every pane"
    """The line of time and the panes in front of it."""
    WATCH = "the line of time"
    """The calls of one session, and what stands between them."""
    INPUT = "typing above a list"
    """A line of input with a list below it."""
    SEARCH = "the search pane"
    """Everything that the agent could use."""
    REMINDERS = "the reminders pane"
    """What reviews told, and what became of it."""
    EVIDENCE = "the evidence browser"
    """Real model input and output."""
    PICKER = "choosing a session"
    """The list of sessions."""
    TEXT = "a whole text"
    """An output on a screen of its own."""


TOGETHER = (
    (Where.LIST, Where.SESSION, Where.WATCH),
    (Where.LIST, Where.SESSION, Where.SEARCH),
    (Where.LIST, Where.SESSION, Where.REMINDERS),
    (Where.LIST, Where.SESSION, Where.EVIDENCE),
    (Where.INPUT, Where.SEARCH),
    (Where.INPUT, Where.PICKER),
    (Where.LIST, Where.TEXT),
)
"""Places whose keys are taken at the same time, so that none may stand for two commands."""


class Command(Struct, frozen=True):
    """Something that the person can do."""

    id: str
    """A kebab-case verb; the action is named alike, with underscores."""
    keys: str
    """The keys, separated by commas, in Textual's names."""
    words: str
    """What it does, in a few words."""
    where: Where = Where.WATCH
    """Where it works."""
    by_app: bool = False
    """Whether the application does it, not the screen."""

    @property
    def action(self) -> str:
        """What Textual is to run."""
        return f"{'app.' if self.by_app else ''}{self.id.replace('-', '_')}"


COMMANDS = (
    Command("cursor-down", "j,down", "next row", Where.LIST),
    Command("cursor-up", "k,up", "row before", Where.LIST),
    Command("page-down", "pagedown,space", "a page down", Where.LIST),
    Command("page-up", "pageup", "a page up", Where.LIST),
    Command("go-first", "g,home", "first row", Where.LIST),
    Command("go-last", "G,end", "last row, and follow the end", Where.LIST),
    Command("open-detail", "enter", "detail of the row; again: its whole text", Where.SESSION),
    Command("go-back", "escape", "back: out of a detail, a filter, a pane", Where.SESSION),
    Command("switch-pane", "tab", "between list and detail", Where.SESSION),
    Command("copy-part", "y", "copy intent, command, path, name or output", Where.SESSION),
    Command("open-target", "o", "open the file that the row names in the editor", Where.SESSION),
    Command("open-output", "O", "open the output in the editor", Where.SESSION),
    Command("save-output", "x", "save the output to a file", Where.SESSION),
    Command("show-calls", "1", "pane: calls", Where.SESSION, by_app=True),
    Command("show-reminders", "2", "pane: reminders", Where.SESSION, by_app=True),
    Command("show-search", "3,s", "pane: search for capabilities", Where.SESSION, by_app=True),
    Command("show-prepared", "4", "pane: what was prepared", Where.SESSION, by_app=True),
    Command("show-evidence", "5,e", "pane: evidence", Where.SESSION, by_app=True),
    Command("show-study", "6", "pane: rejected calls in this project", Where.SESSION, by_app=True),
    Command("review-now", "r", "review the session now", Where.SESSION, by_app=True),
    Command("pick-session", "p", "choose another session", Where.SESSION, by_app=True),
    Command("next-theme", "t", "next theme", Where.SESSION, by_app=True),
    Command("show-help", "question_mark", "keys and signs", Where.SESSION, by_app=True),
    Command("show-palette", "ctrl+p", "all commands", Where.SESSION, by_app=True),
    Command("quit-console", "q", "leave", Where.SESSION, by_app=True),
    Command("toggle-follow", "f", "follow the end, or stay"),
    Command("next-finding", "n", "next finding"),
    Command("previous-finding", "N", "finding before"),
    Command("next-turn", "right_square_bracket", "next turn"),
    Command("previous-turn", "left_square_bracket", "turn before"),
    Command("next-rejection", "full_stop", "next rejection"),
    Command("previous-rejection", "comma", "rejection before"),
    Command("next-reminder", "m", "next reminder"),
    Command("previous-reminder", "M", "reminder before"),
    Command("filter-rows", "slash", "filter: words, tool:bash, is:failed"),
    Command("search-text", "ctrl+f", "search in all text, outputs too"),
    Command("clear-filter", "backspace", "show all rows again"),
    Command("toggle-fold", "z", "fold or unfold the batch or turn"),
    Command("toggle-all-folds", "Z", "fold or unfold all turns"),
    Command("toggle-branches", "a", "show or hide abandoned branches"),
    Command("list-down", "down", "next row", Where.INPUT),
    Command("list-up", "up", "row before", Where.INPUT),
    Command("list-page-down", "pagedown", "a page down", Where.INPUT),
    Command("list-page-up", "pageup", "a page up", Where.INPUT),
    Command("edit-query", "slash", "to the line of input", Where.SEARCH),
    Command("ask-model", "a", "ask the model; in the line of input: Enter", Where.SEARCH),
    Command("copy-name", "ctrl+y", "copy the exact name", Where.SEARCH),
    Command("ask-servers", "u", "ask the MCP servers again", Where.SEARCH),
    Command("run-commands", "U", "ask them again and run their !commands", Where.SEARCH),
    Command("mark-right", "plus", "mark the reminder right; again: unmark", Where.REMINDERS),
    Command("mark-wrong", "minus", "mark the reminder wrong; again: unmark", Where.REMINDERS),
    Command("toggle-parts", "z", "fold or unfold the attempt", Where.EVIDENCE),
    Command("compare-inputs", "c", "compare this input with that of another attempt", Where.EVIDENCE),
    Command("open-session", "enter", "watch the session", Where.PICKER),
    Command("toggle-scope", "tab", "this project's sessions, or all", Where.PICKER),
    Command("leave-picker", "escape", "back, or leave", Where.PICKER),
    Command("scroll-left", "left,h", "to the left", Where.TEXT),
    Command("scroll-right", "right,l", "to the right", Where.TEXT),
    Command("find-text", "slash", "find words in it", Where.TEXT),
    Command("next-match", "n", "next place of the words", Where.TEXT),
    Command("previous-match", "N", "place before", Where.TEXT),
    Command("save-text", "x", "save it to a file", Where.TEXT),
    Command("edit-text", "o,O", "open it in the editor", Where.TEXT),
    Command("leave-text", "escape,q", "back", Where.TEXT),
)
"""The registry."""

COMMAND_IDS = frozenset(command.id for command in COMMANDS)


def commands_of(where: Where) -> list[Command]:
    """The commands that work in one place."""
    return [command for command in COMMANDS if command.where is where]


def action_of(command_id: str) -> str:
    """What Textual is to run for a command."""
    return next(command.action for command in COMMANDS if command.id == command_id)


def bindings(*places: Where) -> list[BindingType]:
    """The commands of these places as Textual's bindings; their ids let the person give them other keys."""
    return [
        Binding(command.keys, command.action, command.words, show=False, id=command.id)
        for where in places
        for command in commands_of(where)
    ]


def key_clashes(keys: dict[str, str]) -> list[str]:
    """What is wrong with the keys that a person gave: one key for two commands that work in the same place."""
    faults = []
    for places in TOGETHER:
        given: dict[str, str] = {}
        for command in (command for where in places for command in commands_of(where)):
            for key in keys.get(command.id, command.keys).split(","):
                other = given.setdefault(key, command.id)
                if other != command.id and (command.id in keys or other in keys):
                    faults.append(f"keys.{command.id}: {key} is the key of {other}")
    return list(dict.fromkeys(faults))


def key_names(keys: str) -> str:
    """Keys as a person reads them."""
    return " ".join(_KEY_NAMES.get(key, key) for key in keys.split(","))


def key_table(keys: dict[str, str]) -> list[tuple[Where, list[tuple[str, str, str]]]]:
    """For each place its commands as keys, id and words; `keys` are those that the person gave."""
    return [(where, list(_rows(commands_of(where), keys))) for where in Where]


def _rows(commands: Iterable[Command], keys: dict[str, str]) -> Iterable[tuple[str, str, str]]:
    for command in commands:
        yield key_names(keys.get(command.id, command.keys)), command.id, command.words


_KEY_NAMES = {
    "right_square_bracket": "]",
    "left_square_bracket": "[",
    "question_mark": "?",
    "full_stop": ".",
    "comma": ",",
    "slash": "/",
    "plus": "+",
    "minus": "-",
    "pagedown": "PageDown",
    "pageup": "PageUp",
    "space": "Space",
    "enter": "Enter",
    "escape": "Escape",
    "backspace": "Backspace",
    "tab": "Tab",
    "home": "Home",
    "end": "End",
    "down": "Down",
    "up": "Up",
    "left": "Left",
    "right": "Right",
    "ctrl+f": "Ctrl+F",
    "ctrl+p": "Ctrl+P",
    "ctrl+y": "Ctrl+Y",
}
