"""The commands of a screen that take away parts of what is chosen."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from textual.screen import Screen

from pilotage.console.editor import free_path
from pilotage.console.parts import Part, Whole, expanded, is_there
from pilotage.console.screens.choose_part import ChoosePart
from pilotage.console.screens.whole import WholeText
from pilotage.console.taking import copy_text, edit_file, edit_text, save_text
from pilotage.console.themes import Palette
from pilotage.console.widgets.prompt import Prompt
from pilotage.plain import plain_line
from pilotage.sessions.read import UnreadableSession

T = TypeVar("T")

SAVE = "save"
"""The purpose of the prompt that asks for a file name."""


class TakingScreen(Screen[None]):
    """A screen with something chosen, parts of which can be copied, opened and saved."""

    palette: Palette
    """The colours."""
    editor: str | None = None
    """The person's editor, where the settings name one."""

    @property
    def prompt(self) -> Prompt:
        """The line in which the person types."""
        return self.query_one(Prompt)

    def parts(self) -> list[Part]:
        """What can be copied of what is chosen. Raises UnreadableSession."""
        return []

    def whole(self) -> Whole | None:
        """The whole text of what is chosen; none while nothing is. Raises UnreadableSession."""
        return None

    def target(self) -> Path | None:
        """The file that what is chosen names; none where it names none. Raises UnreadableSession."""
        return None

    def save_to(self, name: str) -> None:
        """Save the whole text under a name that was typed."""
        whole = self._whole_text()
        if whole is not None and name.strip():
            save_text(self.app, whole.text, expanded(name.strip()))

    def show_whole(self) -> None:
        """The whole text, on a screen of its own."""
        whole = self._whole_text()
        if whole is not None:
            name = whole.name
            self.app.push_screen(
                WholeText(self.palette, name, whole.text, lambda how, text: self._take(how, text, name))
            )

    def action_copy_part(self) -> None:
        """Ask which part, and copy it."""
        parts = self._safely(self.parts)
        if parts:
            self.app.push_screen(ChoosePart(self.palette, parts), self._copy)

    def action_open_target(self) -> None:
        """Open the file that is named."""
        file = self._safely(self.target)
        if file is None:
            self.notify("this row names no file", timeout=3, markup=False)
        elif not is_there(file):
            self.notify(f"{plain_line(str(file))} is not there", severity="warning", markup=False)
        else:
            edit_file(self.app, file, self.editor)

    def action_open_output(self) -> None:
        """Open a copy of the whole text."""
        whole = self._whole_text()
        if whole is not None:
            edit_text(self.app, whole.text, whole.name, self.editor)

    def action_save_output(self) -> None:
        """Ask for a file name, and save the whole text under it."""
        whole = self._whole_text()
        if whole is not None:
            self.prompt.open(SAVE, "file to save the output to", str(free_path(Path.cwd(), whole.name)))

    def _copy(self, part: Part | None) -> None:
        if part is not None:
            copy_text(self.app, part.text, part.name)

    def _take(self, how: str, text: str, name: str) -> None:
        """What the screen of a whole text asks for."""
        if how == "edit":
            edit_text(self.app, text, name, self.editor)
        else:
            save_text(self.app, text, free_path(Path.cwd(), name))

    def _whole_text(self) -> Whole | None:
        whole = self._safely(self.whole)
        if whole is not None and not whole.text:
            self.notify("this row has no output", timeout=3, markup=False)
            return None
        return whole

    def _safely(self, read: Callable[[], T]) -> T | None:
        """What is read, or a message when the file changed meanwhile."""
        try:
            return read()
        except UnreadableSession as error:
            self.notify(plain_line(str(error)), severity="error", markup=False)
            return None
