"""`pilotage keys`: every command of the console with its keys."""

import argparse

from pilotage.cli.output import DONE, print_object, print_text


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The command and its arguments."""
    parser = commands.add_parser(
        "keys",
        help="every command of the console with its keys",
        description="List the console's commands with their keys; the ids are what [keys] in the settings takes.",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the table; the exit status."""
    from pilotage.console.commands import key_table

    for where, rows in key_table({}):
        if not arguments.json:
            print_text(f"\n{where}")
        for keys, command, words in rows:
            if arguments.json:
                print_object({"where": str(where), "command": command, "keys": keys.split(), "words": words})
            else:
                print_text(f"  {keys:<16}{command:<22}{words}")
    return DONE
