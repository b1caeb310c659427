"""The entry point: it knows the commands and their help, and loads only the one that is called."""

import argparse
import os
import sys
from collections.abc import Sequence

from pilotage import __version__
from pilotage.cli import calls, check, demo, sessions, snap, watch

COMMANDS = (watch, sessions, calls, snap, check, demo)


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    top = argparse.ArgumentParser(
        prog="pilotage",
        description="See why a coding agent does each thing, live, in a second terminal.",
        epilog="Exit status: 0 done, 1 a finding or failure, 2 wrong use.",
    )
    top.add_argument("--version", action="version", version=f"pilotage {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add(commands)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status (spec L1)."""
    parsed = parser().parse_args(arguments)
    try:
        status: int = parsed.run(parsed)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read our output has enough; Python would complain once more while it shuts down.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    return status
