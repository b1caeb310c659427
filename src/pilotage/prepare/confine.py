"""Confining a command with bubblewrap, where that works (spec P5).

Inside, everything is read-only, there is no network, /tmp and /run are private and no capability is left, not even
root's own. What bubblewrap cannot take away is said here as well: a command sees every file that the person sees, and
a socket that lies in neither /tmp nor /run still answers.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from msgspec import Struct

from pilotage.plain import plain_line

PROGRAM = "bwrap"

_PATIENCE = 5.0
_PRIVATE = ("/dev", "/proc", "/run", "/tmp")
_WALLS = (
    *("--ro-bind", "/", "/"),
    *("--dev", "/dev"),
    *("--proc", "/proc"),
    *("--tmpfs", "/tmp"),
    *("--tmpfs", "/run"),
    # NixOS keeps every program here.
    *("--ro-bind-try", "/run/current-system", "/run/current-system"),
    "--unshare-all",
    # Without a user namespace of its own, root keeps its capabilities and can make everything writable again.
    "--unshare-user",
    *("--cap-drop", "ALL"),
    "--new-session",
    "--die-with-parent",
    *("--setenv", "TMPDIR", "/tmp"),
)


class Confinement(Struct, frozen=True):
    """Whether commands can be confined on this machine."""

    works: bool
    """Whether they can."""
    words: str
    """What was found, and the mend where there is one."""
    program: str = ""
    """Bubblewrap's own path, where it works."""


def confinement() -> Confinement:
    """Try bubblewrap once, with all that a command is confined by."""
    if not sys.platform.startswith("linux"):
        return Confinement(False, "commands run unconfined: bubblewrap is for Linux alone")
    program = shutil.which(PROGRAM)
    if program is None:
        return Confinement(False, "commands run unconfined: no `bwrap` on the search path; install bubblewrap")
    fault = _tried([program, *_WALLS, "--", shell(), "-c", "exit 0"])
    if fault:
        return Confinement(False, f"commands run unconfined: {program} makes no namespaces here: {fault}")
    return Confinement(True, f"commands run confined by {program}", program)


def confined(confinement: Confinement, folder: str, command: list[str]) -> list[str]:
    """The command that runs `command` confined, in the folder; it must be absolute and without links."""
    hidden = any(folder == private or folder.startswith(f"{private}/") for private in _PRIVATE)
    # A folder that is hidden by a private one is put back, read-only like the rest.
    put_back = ("--ro-bind", folder, folder) if hidden else ()
    return [confinement.program, *_WALLS, *put_back, "--chdir", folder, "--", *command]


def shell() -> str:
    """The shell of every command, as the host finds its own (`HOST.md` b)."""
    return "/bin/bash" if Path("/bin/bash").exists() else shutil.which("bash") or "/bin/sh"


def _tried(command: list[str]) -> str:
    """Why the command failed, on one line; empty where it did not."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
            cwd=os.sep,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return plain_line(str(error), 200)
    return "" if done.returncode == 0 else plain_line(done.stderr.decode("utf-8", "replace"), 200) or "no reason given"
