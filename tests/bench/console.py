"""What the console costs with 100,000 calls beside what it costs with 1,000 (spec N3, N4).

`python -m tests.bench.console [--quick]`: the real console in a real terminal, measured from outside.
"""

import argparse
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.bench.figures import Figure, share, spread, table
from tests.bench.session_file import Appended, Author, marker, write_session
from tests.bench.terminal import COLUMNS, LINES, Terminal, watching

FRAME_MS, STALL_MS, APPEND_CPU_MS, APPEND_BYTES, IDLE_PERCENT = 16, 50, 10, 2000, 1

WHEEL_DOWN, WHEEL_UP = (f"\x1b[<{button};{COLUMNS // 4};{LINES // 2}M" for button in (65, 64))


@dataclass(frozen=True)
class Action:
    """Something that the person does again and again."""

    name: str
    """What it is."""
    keys: tuple[str, ...]
    """What is pressed, one after the other."""
    rounds: int
    """How often all of them are."""
    before: str = "g"
    """What is pressed before, unmeasured."""
    after: str = ""
    """What is pressed after each round, unmeasured."""


ACTIONS = (
    Action("cursor down", ("j",), 60),
    Action("page down", (" ",), 60),
    Action("wheel down", (WHEEL_DOWN,), 60),
    Action("wheel up at the end", (WHEEL_UP,), 60, before="G"),
    Action("first row, last row", ("g", "G"), 15),
    Action("next finding", ("n",), 30),
    Action("next turn", ("]",), 30),
    Action("fold and unfold a turn in the middle", ("z",), 20, before="g" + " " * 15),
    Action("fold and unfold all turns", ("Z",), 10),
    Action("type a filter", tuple("retry loop"), 3, after="\x1b/"),
    Action("type a filter by state", tuple("is:failed"), 2, after="\x1b/"),
)


@dataclass
class Measured:
    """What one session came to."""

    figures: list[Figure]
    """Each figure, without a base."""

    def value(self, name: str) -> float:
        """The value of the figure of that name."""
        return next(figure.value for figure in self.figures if figure.name == name)


class Bench:
    """One console on one session."""

    def __init__(self, folder: Path, calls: int, *, quick: bool) -> None:
        self._path, self._calls, self._quick = folder / f"calls-{calls}.jsonl", calls, quick
        self._author: Author = write_session(self._path, calls)
        self._appended = 0

    def run(self) -> Measured:
        """Measure everything, one after the other."""
        with Terminal(watching(self._path)) as terminal:
            figures = [*self._load(terminal), *self._idle(terminal)]
            for action in ACTIONS:
                figures += self._act(terminal, action)
            for name, key in (("followed", "G"), ("out of sight", "g")):
                figures += self._append(terminal, name, key)
            figures += self._mixed_use(terminal)
            figures.append(Figure("peak memory, MB", terminal.peak_megabytes()))
        return Measured(figures)

    def _load(self, terminal: Terminal) -> Iterator[Figure]:
        first = terminal.wait_for(r"c\d{6} ") - terminal.began
        whole = terminal.wait_for(marker(self._calls - 1)) - terminal.began
        terminal.settle()
        yield Figure("start to first rows, ms", 1000 * first, 1000)
        yield Figure("start to all rows, ms", 1000 * whole)

    def _idle(self, terminal: Terminal) -> Iterator[Figure]:
        time.sleep(2)
        seconds, before, written = (5 if self._quick else 20), terminal.cpu_seconds(), terminal.written
        time.sleep(seconds)
        yield Figure("idle, % of a core", 100 * (terminal.cpu_seconds() - before) / seconds, IDLE_PERCENT)
        yield Figure("idle, bytes a second", (terminal.written - written) / seconds)

    def _act(self, terminal: Terminal, action: Action) -> Iterator[Figure]:
        filters = bool(action.after)
        for key in [*action.before, *(["/"] if filters else [])]:
            _pressed(terminal, key)
        terminal.settle()
        first: list[float] = []
        last: list[float] = []
        before, presses = terminal.cpu_seconds(), 0
        # Even, so that what was folded is unfolded at the end.
        rounds = max(2, action.rounds // 6 * 2) if self._quick else action.rounds
        for turn in range(rounds):
            for key in action.keys:
                presses += 1
                if frames := _pressed(terminal, key):
                    first.append(frames[0])
                    last.append(frames[1])
            if turn < rounds - 1:
                for key in action.after:
                    _pressed(terminal, key, timeout=0.3)
        cpu = (terminal.cpu_seconds() - before) / presses
        for key in action.after[:1]:
            _pressed(terminal, key, timeout=0.3)
        name = action.name
        yield Figure(f"{name}: p50, ms", 1000 * share(first, 0.5), FRAME_MS, note=spread(first))
        yield Figure(f"  {name}, its last frame: p50, ms", 1000 * share(last, 0.5), note=spread(last))
        yield Figure(f"  {name}, processor, ms", 1000 * cpu)

    def _append(self, terminal: Terminal, name: str, key: str) -> Iterator[Figure]:
        _pressed(terminal, key)
        terminal.settle()
        count = 20 if self._quick else 60
        before, written = terminal.cpu_seconds(), terminal.written
        began = time.monotonic()
        self._more(count, (0.05, 0.15)).stamps()
        terminal.settle()
        cpu, taken = terminal.cpu_seconds() - before, time.monotonic() - began
        note = f"{2 * count} lines in {taken:.1f} s"
        limit = APPEND_BYTES if name == "out of sight" else None
        yield Figure(f"processor a line appended, {name}, ms", 1000 * cpu / (2 * count), APPEND_CPU_MS, note=note)
        yield Figure(f"bytes a row appended, {name}", (terminal.written - written) / count, limit)

    def _more(self, count: int, gap: tuple[float, float]) -> Appended:
        appended = Appended(self._path, self._author, self._calls + self._appended, count, gap)
        self._appended += count
        return appended

    def _mixed_use(self, terminal: Terminal) -> Iterator[Figure]:
        """Keys at random while the session grows; a stall shows as a long time to the first frame.

        From the end upwards, then from the top downwards, a few keys each, as a key that moves nothing paints nothing.
        """
        random, waits, seconds = Random(7), list[float](), 10 if self._quick else 60
        growing = self._more(int(seconds / 0.6), (0.4, 0.6))
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for begin, keys in (("G", ["k", WHEEL_UP, "N", "["]), ("g", ["j", " ", WHEEL_DOWN, "n", "]"])):
                for key in [begin, *random.choices(keys, k=10), "z", "z"]:
                    frames = _pressed(terminal, key)
                    waits += [frames[0]] if frames else []
                    time.sleep(random.choice((0, 0, 0.02, 0.2)))
        growing.stamps()
        yield Figure("longest key to frame in mixed use, ms", 1000 * max(waits), STALL_MS, note=spread(waits))
        slow = sum(wait > STALL_MS / 1000 for wait in waits)
        yield Figure("keys that took longer", slow, 0, note=f"of {len(waits)}")


def _pressed(terminal: Terminal, key: str, timeout: float = 2.0) -> tuple[float, float] | None:
    """Press a key: seconds until its first frame and its last one are out; none when it paints nothing."""
    pressed, written = terminal.press(key)
    frames = terminal.frames(written, timeout=timeout)
    return frames and (frames[0] - pressed, frames[1] - pressed)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="10,000 calls, and fewer of everything")
    quick = parser.parse_args().quick
    with tempfile.TemporaryDirectory(prefix="pilotage-bench-") as folder:
        small = Bench(Path(folder), 1_000, quick=quick).run()
        large = Bench(Path(folder), 10_000 if quick else 100_000, quick=quick).run()
    rows = [Figure(f.name, f.value, f.goal, small.value(f.name), f.note) for f in large.figures]
    print(table(rows))


if __name__ == "__main__":
    main()
