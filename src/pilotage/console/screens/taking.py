"""The commands of a screen that take parts of the chosen row away."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from textual.screen import Screen

from pilotage.calls.timeline import Timeline
from pilotage.console.details import output_of
from pilotage.console.editor import free_path
from pilotage.console.parts import Part, expanded, is_there, parts_of, row_name, target_file
from pilotage.console.screens.choose_part import ChoosePart
from pilotage.console.screens.whole import WholeText
from pilotage.console.taking import copy_text, edit_file, edit_text, save_text
from pilotage.console.themes import Palette
from pilotage.console.widgets.prompt import Prompt
from pilotage.plain import plain_line
from pilotage.records.row import Row
from pilotage.sessions.read import UnreadableSession

T = TypeVar("T")

SAVE = "save"
"""The purpose of the prompt that asks for a file name."""


class TakingScreen(Screen[None]):
    """A screen with a chosen row, parts of which can be copied, opened and saved."""

    palette: Palette
    """The colours."""
    editor: str | None = None
    """The person's editor, where the settings name one."""

    @property
    def prompt(self) -> Prompt:
        """The line in which the person types."""
        return self.query_one(Prompt)

    def chosen(self) -> tuple[Timeline, Row] | None:
        """The row that the commands are about; none while there is none."""
        raise NotImplementedError

    def save_to(self, name: str) -> None:
        """Save the chosen row's output under a name that was typed."""
        output = self._output()
        if output is not None and name.strip():
            save_text(self.app, output, expanded(name.strip()))

    def show_whole(self) -> None:
        """The whole output of the chosen row, on a screen of its own."""
        output = self._output()
        chosen = self.chosen()
        if output is None or chosen is None:
            return
        title = row_name(*chosen)
        self.app.push_screen(WholeText(self.palette, title, output, lambda how, text: self._take(how, text, title)))

    def action_copy_part(self) -> None:
        """Ask which part, and copy it."""
        chosen = self.chosen()
        parts = self._safely(lambda: parts_of(*chosen)) if chosen else None
        if parts:
            self.app.push_screen(ChoosePart(self.palette, parts), self._copy)

    def action_open_target(self) -> None:
        """Open the file that the call was aimed at."""
        chosen = self.chosen()
        file = self._safely(lambda: target_file(*chosen)) if chosen else None
        if file is None:
            self.notify("this row names no file", timeout=3, markup=False)
        elif not is_there(file):
            self.notify(f"{plain_line(str(file))} is not there", severity="warning", markup=False)
        else:
            edit_file(self.app, file, self.editor)

    def action_open_output(self) -> None:
        """Open a copy of the output."""
        output, chosen = self._output(), self.chosen()
        if output is not None and chosen:
            edit_text(self.app, output, row_name(*chosen), self.editor)

    def action_save_output(self) -> None:
        """Ask for a file name, and save the output under it."""
        chosen = self.chosen()
        if chosen:
            self.prompt.open(SAVE, "file to save the output to", str(free_path(Path.cwd(), row_name(*chosen))))

    def _copy(self, part: Part | None) -> None:
        if part is not None:
            copy_text(self.app, part.text, part.name)

    def _take(self, how: str, text: str, title: str) -> None:
        """What the screen of a whole text asks for."""
        if how == "edit":
            edit_text(self.app, text, title, self.editor)
        else:
            save_text(self.app, text, free_path(Path.cwd(), title))

    def _output(self) -> str | None:
        chosen = self.chosen()
        output = self._safely(lambda: output_of(*chosen)) if chosen else None
        if output == "":
            self.notify("this row has no output", timeout=3, markup=False)
        return output or None

    def _safely(self, read: Callable[[], T]) -> T | None:
        """What is read, or a message when the file changed meanwhile."""
        try:
            return read()
        except UnreadableSession as error:
            self.notify(plain_line(str(error)), severity="error", markup=False)
            return None
