"""Copying: OSC 52 through Textual, and the tools of the place where that does not arrive.

tmux by its default setting drops OSC 52 from programs, and some terminals know nothing of it.
"""

import os
import shutil
import subprocess
import sys

_TIMEOUT = 2.0


def clipboard_commands() -> list[list[str]]:
    """The commands of this place that take text for the clipboard on standard input."""
    commands = []
    if os.environ.get("TMUX"):
        commands.append(["tmux", "load-buffer", "-w", "-"])
    if sys.platform == "darwin":
        commands.append(["pbcopy"])
    if os.environ.get("WAYLAND_DISPLAY"):
        commands.append(["wl-copy"])
    if os.environ.get("DISPLAY"):
        commands.append(["xclip", "-selection", "clipboard"])
    return [command for command in commands if shutil.which(command[0])]


def copy_by_command(text: str) -> str:
    """Give the text to the first of those commands that takes it; its name, or nothing when none did."""
    for command in clipboard_commands():
        try:
            done = subprocess.run(
                command,
                input=text.encode("utf-8", "replace"),
                timeout=_TIMEOUT,
                check=False,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        except (OSError, subprocess.SubprocessError):
            continue
        if done.returncode == 0:
            return command[0]
    return ""
