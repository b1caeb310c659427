"""`pilotage uninstall`: takes away what `pilotage install` put into a host, and nothing else (spec H1)."""

import argparse

from pilotage.cli.install import add_place, place_of
from pilotage.cli.output import DONE, FOUND, say


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The command and its arguments."""
    parser = commands.add_parser(
        "uninstall",
        help="take the extension out of Pi",
        description="Remove what `pilotage install` put there, and nothing else.",
    )
    add_place(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Uninstall; the exit status."""
    from pilotage.hosts.pi.install import NotOurs, uninstall

    folder = place_of(arguments)
    try:
        was_there = uninstall(folder)
    except NotOurs as fault:
        say(f"pilotage: {fault}")
        return FOUND
    say(f"removed from {folder}" if was_there else f"{folder} is not there; nothing was changed")
    return DONE
