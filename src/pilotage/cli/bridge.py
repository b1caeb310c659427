"""`pilotage bridge`: serve one session of Pi; the extension starts it (spec H4)."""

import argparse


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The command; it has no arguments."""
    parser = commands.add_parser(
        "bridge",
        help="serve one session of Pi (started by the extension)",
        description="Speak JSON lines with Pilotage's extension in Pi over standard input and output. Not for people.",
    )
    parser.set_defaults(run=run)


def run(_: argparse.Namespace) -> int:
    """Serve until Pi ends."""
    from pilotage.hosts.pi.bridge import run_bridge

    return run_bridge()
