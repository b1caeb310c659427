"""`pilotage doctor`: what works between Pi and Pilotage, what does not, and how to mend it (spec H1)."""

import argparse

from pilotage.cli.open import this_folder
from pilotage.cli.output import DONE, FOUND, print_object, print_text
from pilotage.paths import agent_dir


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The command and its arguments."""
    parser = commands.add_parser(
        "doctor",
        help="what works with Pi here, what does not, and how to mend it",
        description="Look at Pi, its Node, the extension, others beside it, the configuration, the model server, MCP"
        " servers and the terminal. Nothing is changed.",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="start Pi against a scripted model on this machine, and see whether it holds calls to the contract",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print each finding; 1 when something is wrong."""
    from pilotage.hosts.pi.doctor import examine
    from pilotage.hosts.pi.finding import Verdict

    is_wrong = False
    for found in examine(this_folder(), agent_dir(), dry_run=arguments.dry_run):
        is_wrong = is_wrong or found.verdict is Verdict.WRONG
        if arguments.json:
            parts = {"check": found.check, "verdict": str(found.verdict), "words": found.words, "mend": found.mend}
            print_object(parts, at_once=True)
        else:
            mend = f"\n{'':24}mend: {found.mend}" if found.mend else ""
            print_text(f"{found.verdict:<6}{found.check:<18}{found.words}{mend}")
    return FOUND if is_wrong else DONE
