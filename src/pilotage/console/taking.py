"""Taking things out of the console: to the clipboard, into the editor, into a file."""

import subprocess
from pathlib import Path

from textual.app import App, SuspendNotSupported

from pilotage.console.clipboard import copy_by_command
from pilotage.console.editor import editor_command, save, temporary_copy
from pilotage.figures import counted
from pilotage.plain import plain_line


def copy_text(app: App[int], text: str, name: str) -> None:
    """Copy a text and say how it was done."""
    app.copy_to_clipboard(text.encode("utf-8", "replace").decode())
    by = copy_by_command(text)
    way = f"by {by}" if by else "by the terminal, if it takes OSC 52"
    app.notify(f"{name} copied, {counted(len(text), 'character')}, {way}", timeout=3, markup=False)


def edit_text(app: App[int], text: str, name: str, editor: str | None) -> None:
    """Open a copy of a text in the editor; the session itself is never written to."""
    try:
        file = temporary_copy(text, name)
    except OSError as error:
        app.notify(f"no copy for the editor: {error.strerror}", severity="error", markup=False)
        return
    edit_file(app, file, editor)


def edit_file(app: App[int], file: Path, editor: str | None) -> None:
    """Open a file in the editor and come back when it is left."""
    command = [*editor_command(editor), str(file)]
    try:
        with app.suspend():
            fault = _run(command)
    except SuspendNotSupported:
        app.notify(f"no editor here; the file is {plain_line(str(file))}", severity="warning", markup=False)
        return
    if fault:
        app.notify(f"{plain_line(command[0])}{fault}", severity="warning", markup=False)


def _run(command: list[str]) -> str:
    """Run a command to its end; what went wrong, in words. It raises nothing: Textual would stay suspended."""
    try:
        done = subprocess.run(command, check=False)
    except (OSError, ValueError) as error:
        return f": {getattr(error, 'strerror', error)}; set `editor` in the settings, or $EDITOR"
    return f" ended with {done.returncode}" if done.returncode else ""


def save_text(app: App[int], text: str, path: Path) -> None:
    """Save a text to a new file and say where it is."""
    try:
        save(text, path)
    except FileExistsError:
        app.notify(f"{plain_line(str(path))} is there already; choose another name", severity="error", markup=False)
    except OSError as error:
        app.notify(f"{plain_line(str(path))}: {error.strerror}", severity="error", markup=False)
    else:
        app.notify(f"saved {counted(len(text), 'character')} to {plain_line(str(path))}", markup=False)
