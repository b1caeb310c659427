"""`pilotage install`: puts Pilotage's extension into a host (spec H1)."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pilotage.cli.open import this_folder
from pilotage.cli.output import DONE, FOUND, say
from pilotage.paths import agent_dir

if TYPE_CHECKING:
    from pilotage.hosts.pi.install import Installed


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The command and its arguments."""
    parser = commands.add_parser(
        "install",
        help="put the extension into Pi: calls must say what they are for",
        description="Copy the extension to where Pi looks for it by itself. Settings stay as they are.",
    )
    add_place(parser)
    parser.set_defaults(run=run)


def add_place(parser: argparse.ArgumentParser) -> None:
    """The arguments that say which host, and where in it."""
    parser.add_argument("host", metavar="HOST", choices=["pi"], help="the coding agent: pi")
    parser.add_argument("--project", action="store_true", help="this folder's .pi instead of Pi's own folder")


def place_of(arguments: argparse.Namespace) -> Path:
    """The extension's folder that is meant."""
    from pilotage.hosts.pi.install import extension_folder

    return extension_folder(this_folder() / ".pi" if arguments.project else agent_dir())


def run(arguments: argparse.Namespace) -> int:
    """Install; the exit status."""
    from pilotage.hosts.pi.install import NotOurs, inspect, install

    folder = place_of(arguments)
    try:
        is_new = install(folder)
    except NotOurs as fault:
        say(f"pilotage: {fault}")
        return FOUND
    if not is_new:
        say(f"{folder} is as it should be; nothing was changed")
        return DONE
    _say_installed(inspect(folder), is_project=arguments.project)
    return DONE


def _say_installed(found: "Installed", *, is_project: bool) -> None:
    say(f"installed in {found.folder}")
    if is_project:
        say("Pi loads it in this folder once it trusts the project: run `pi` here and say so")
    say("From its next start on, bash, read, write and edit need an intent; `pilotage doctor` sees if all is well.")
