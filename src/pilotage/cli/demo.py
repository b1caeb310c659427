"""`pilotage demo`: a recorded session, played live (spec L3)."""

import argparse
import contextlib
import tempfile
from importlib.resources import as_file, files
from pathlib import Path

from pilotage.hosts.replay import Replay

RECORDING = "recording.jsonl"
"""The file in `pilotage.demo`; beside it lies the folder of its children."""


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The command and its arguments."""
    parser = commands.add_parser(
        "demo",
        help="the console on a recorded session, played live; needs nothing",
        description="Play a recorded session into a temporary file, live, and watch it. No agent, key or network.",
    )
    parser.add_argument("--speed", type=_speed, default=1.0, metavar="X", help="play it X times as fast")
    parser.set_defaults(run=run)


def _speed(text: str) -> float:
    with contextlib.suppress(ValueError):
        if 0.1 <= (speed := float(text)) <= 1000:
            return speed
    msg = f"a number from 0.1 to 1000, not {text!r}"
    raise argparse.ArgumentTypeError(msg)


def run(arguments: argparse.Namespace) -> int:
    """Play and watch; the exit status."""
    from pilotage.console.app import Start, run_console
    from pilotage.search.surroundings import Surroundings

    with (
        tempfile.TemporaryDirectory(prefix="pilotage-demo-") as folder,
        as_file(files("pilotage.demo")) as shipped,
    ):
        target = Path(folder) / RECORDING
        replay = Replay(shipped / RECORDING, target, arguments.speed)
        replay.start()
        # Nothing of this person's: no skills, no servers, no model.
        around = Surroundings(Path(folder), Path(folder) / "agent", configuration=None, fault="the demo asks no model")
        try:
            return run_console(Start(Path(folder), target, surroundings=lambda _: around))
        finally:
            replay.stop()
