"""`pilotage themes`: the themes that there are, and what is wrong with a file."""

import argparse
from pathlib import Path

from pilotage.cli.output import DONE, FOUND, print_object, print_row, say


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The command and its arguments."""
    parser = commands.add_parser(
        "themes",
        help="the themes that there are; or check a theme file",
        description="List the themes, those shipped and your own; or say what is wrong with a theme file.",
    )
    parser.add_argument("file", metavar="FILE", nargs="?", help="a theme file to check")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """List or check; the exit status."""
    from pilotage.console.themes import FaultyTheme, load_palette, load_palettes
    from pilotage.settings import config_dir

    if arguments.file:
        try:
            palettes, faults = {"": load_palette(Path(arguments.file))}, list[str]()
        except FaultyTheme as fault:
            palettes, faults = {}, [str(fault)]
    else:
        palettes, faults = load_palettes(config_dir() / "themes")
        say(f"your own themes belong in {config_dir() / 'themes'}")
    for palette in palettes.values():
        if arguments.json:
            print_object({"name": palette.name, "dark": palette.dark, "roles": palette.colours})
        else:
            print_row([f"{palette.name:<12}", "dark" if palette.dark else "light"])
    for words in faults:
        say(f"pilotage: {words}")
    return FOUND if faults else DONE
