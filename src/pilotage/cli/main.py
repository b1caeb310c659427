"""The entry point: it knows the commands and their help, and loads only the one that is called."""

import argparse
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from pilotage import __version__
from pilotage.cli.open import this_folder
from pilotage.cli.output import FOUND, WRONG_USE, say
from pilotage.plain import plain
from pilotage.sessions.locate import NoSuchSession
from pilotage.sessions.read import UnreadableSession

COMMANDS = (
    "watch",
    "sessions",
    "calls",
    "snap",
    "search",
    "prepare",
    "review",
    "study",
    "check",
    "schema",
    "install",
    "uninstall",
    "doctor",
    "demo",
    "keys",
    "themes",
    "screenshots",
    "bridge",
)
"""Each command; the module in this folder that has its name says its arguments and does it."""

TELLS_OF_ALL = "screenshots"
"""The command that writes the help texts of all."""


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints repeat no argument as it came: a file's name may be hostile too."""

    def error(self, message: str) -> NoReturn:
        super().error(plain(message))


def parser(called: str = "") -> argparse.ArgumentParser:
    """The command line; where one command is called, only that one is loaded."""
    top = _Parser(
        prog="pilotage",
        description="See why a coding agent does each thing, live, in a second terminal.",
        epilog="Exit status: 0 done, 1 a finding or failure, 2 wrong use.",
    )
    top.set_defaults(top=top)
    top.add_argument("--version", action="version", version=f"pilotage {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=False)
    only = called in COMMANDS and called != TELLS_OF_ALL
    for name in (called,) if only else COMMANDS:
        import_module(f"pilotage.cli.{name}").add(commands)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status (spec L1)."""
    _print_whatever_comes()
    words = sys.argv[1:] if arguments is None else list(arguments)
    parsed = parser(words[0] if words else "").parse_args(words)
    try:
        status: int = parsed.run(parsed) if parsed.command else pick()
        sys.stdout.flush()
    except NoSuchSession as error:
        say(f"pilotage: {error}")
        return WRONG_USE
    except UnreadableSession as error:
        say(f"pilotage: {error}")
        return FOUND
    except BrokenPipeError:
        _drop_output()
        return 0
    except OSError as error:
        _drop_output()
        say(f"pilotage: {error}")
        return FOUND
    except KeyboardInterrupt:
        return 130
    return status


def _print_whatever_comes() -> None:
    """Make a character that the output's encoding does not have a question mark, and no error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _drop_output() -> None:
    """Drop what cannot be written, as its reader has enough or its disk no room: Python would try again at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def pick() -> int:
    """Without a command: let the person choose a session (spec U1)."""
    from pilotage.cli.surroundings import surroundings_of
    from pilotage.console.app import Start, run_console

    return run_console(Start(this_folder(), picks=True, surroundings=surroundings_of))
