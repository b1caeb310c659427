"""`pilotage watch`: the console on a session (spec U1)."""

import argparse

from pilotage.cli.open import add_session, this_folder
from pilotage.sessions.locate import resolve


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
    cwd = this_folder()
    path = resolve(arguments.session, cwd) if arguments.session else None
    from pilotage.cli.surroundings import surroundings_of
    from pilotage.console.app import Start, run_console

    return run_console(Start(cwd, path, surroundings=surroundings_of))
