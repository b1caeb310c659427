"""`pilotage watch`: the console on a session (spec U1)."""

import argparse
from pathlib import Path

from pilotage.cli.open import add_session
from pilotage.cli.output import WRONG_USE, say
from pilotage.sessions.locate import NoSuchSession, resolve


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The command and its arguments."""
    parser = commands.add_parser(
        "watch",
        help="the console on the newest session of this folder, live",
        description="Watch a session live. Without SESSION: the newest of this folder, and each new one that starts.",
    )
    add_session(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Open the console; the exit status."""
    cwd = Path.cwd()
    path = None
    if arguments.session:
        try:
            path = resolve(arguments.session, cwd)
        except NoSuchSession as error:
            say(f"pilotage: {error}")
            return WRONG_USE
    from pilotage.console.app import watch

    return watch(path, cwd)
