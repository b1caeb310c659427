"""How long it takes from a line in the session file to its row on the terminal (spec N1).

`python -m tests.bench.follow [--pi] [--calls N]`: a real console on 100,000 calls, a second process that appends,
and beside them a bare loop that looks at the file as often and does nothing else. With `--pi` Pi itself writes.
"""

import argparse
import json
import os
import tempfile
import threading
import time
from datetime import datetime
from pathlib import Path

from pilotage.console.feed import POLL
from tests.bench.figures import Figure, share, spread, table
from tests.bench.session_file import Appended, marker, write_session
from tests.bench.terminal import Terminal, watching
from tests.pi.find import find_pi
from tests.pi.run import RunningPi
from tests.pi.scenario import Scenario

APPENDED = 60
GAP = (0.05, 0.15)
GOAL_MS = 100


class BareLoop:
    """Looks at a file as often as the console does, and only notes when bytes were there."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read: list[tuple[float, bytes]] = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._offset = path.stat().st_size
        self._thread.start()

    def end(self) -> None:
        """Look no more."""
        self._ended.wait(3 * POLL)
        self._ended.set()
        self._thread.join()

    def read(self, text: str) -> float | None:
        """When `text` was read."""
        return next((moment for moment, data in self._read if text.encode() in data), None)

    def _run(self) -> None:
        while not self._ended.is_set():
            if self._path.stat().st_size > self._offset:
                descriptor = os.open(self._path, os.O_RDONLY)
                data = os.pread(descriptor, 4 << 20, self._offset)
                os.close(descriptor)
                self._offset += len(data)
                self._read.append((time.monotonic(), data))
            self._ended.wait(POLL)


def follow_appended(folder: Path, calls: int) -> list[Figure]:
    """A second process writes; from just before its write to the bytes of the row on the terminal."""
    path = folder / "large.jsonl"
    author = write_session(path, calls)
    with Terminal(watching(path)) as terminal:
        terminal.wait_for(marker(calls - 1))
        terminal.settle()
        loop = BareLoop(path)
        appended = Appended(path, author, calls, APPENDED, GAP)
        stamps = dict(zip(map(marker, appended.numbers), appended.stamps(), strict=True))
        loop.end()
        terminal.settle()
        painted, read = _delays(stamps, terminal, loop)
    return _figures(f"append to row, {calls:,} calls", painted, read, len(stamps))


def follow_pi() -> list[Figure]:
    """Pi writes: from the moment that its line tells to the bytes of the row on the terminal."""
    markers = [marker(number) for number in range(APPENDED)]
    calls = [
        {"tool_calls": [{"name": "bash", "arguments": {"command": "true", "intent": f"{word} Is it so?"}}]}
        for word in markers
    ]
    scenario = Scenario(
        mode="rpc",
        turns=[{"text": "Ready."}, *calls],
        pace_ms=(50, 150),
        extensions=["ask_intents.js"],
        environment={"RIG_REMINDERS": "{HERE}/scenarios/intents_reminders.json"},
    )
    with RunningPi(scenario, find_pi()) as pi:
        pi.start()
        pi.rpc.prompt("Begin.")
        (path,) = pi.home.session_files()
        with Terminal(watching(path)) as terminal:
            terminal.wait_for("Ready|Begin")
            terminal.settle()
            loop = BareLoop(path)
            pi.rpc.prompt("Go on.")
            loop.end()
            terminal.settle()
            stamps = _moments_of_lines(path, markers)
            painted, read = _delays(stamps, terminal, loop)
    return _figures("Pi's line to row", painted, read, len(markers))


def _moments_of_lines(path: Path, markers: list[str]) -> dict[str, float]:
    """For each marker when its line says that it was written, in monotonic seconds."""
    offset = time.time() - time.monotonic()
    moments = {}
    for line in path.read_text("utf-8").splitlines():
        for word in markers:
            if word in line and '"role":"assistant"' in line:
                moments[word] = datetime.fromisoformat(json.loads(line)["timestamp"]).timestamp() - offset
    return moments


def _delays(stamps: dict[str, float], terminal: Terminal, loop: BareLoop) -> tuple[list[float], list[float]]:
    """Seconds from each moment until its marker was painted, and until the bare loop had read it."""
    painted = [moment - begun for word, begun in stamps.items() if (moment := terminal.painted(word)) is not None]
    read = [moment - begun for word, begun in stamps.items() if (moment := loop.read(word)) is not None]
    return painted, read


def _figures(name: str, painted: list[float], read: list[float], count: int) -> list[Figure]:
    return [
        Figure(f"{name}: p95, ms", 1000 * share(painted, 0.95), GOAL_MS, 1000 * share(read, 0.95), spread(painted)),
        Figure("the bare loop: p95, ms", 1000 * share(read, 0.95), note=spread(read)),
        Figure("rows that were never painted", count - len(painted), 0),
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pi", action="store_true", help="let Pi itself write")
    parser.add_argument("--calls", type=int, default=100_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pilotage-bench-") as folder:
        print(table(follow_pi() if given.pi else follow_appended(Path(folder), given.calls)))


if __name__ == "__main__":
    main()
