"""A host that plays a recorded session into a file, at a pace that a person can follow.

It writes as Pi does: one whole line at a time, in one append. Whoever follows the file cannot tell it from a host.
"""

import json
import threading
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

SHORTEST = 0.15
"""Seconds between two lines at the least."""
LONGEST = 2.5
"""Seconds between two lines at the most."""


class Replay:
    """Plays one recording into one file."""

    def __init__(self, recording: Path, target: Path, speed: float = 1.0) -> None:
        self._lines = recording.read_bytes().splitlines(keepends=True)
        self._target = target
        self._speed = speed
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._play, name="replay", daemon=True)

    def start(self) -> None:
        """Begin to play, in a thread of its own."""
        self._thread.start()

    def stop(self) -> None:
        """End it, in the middle of the session if need be."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()

    def _play(self) -> None:
        # The first lines are there at once, as Pi writes them together with the user's first words.
        with self._target.open("ab", buffering=0) as file:
            for pause, line in paced(self._lines):
                if self._ended.wait(pause / self._speed):
                    return
                file.write(_dated(line))


def paced(lines: Iterable[bytes]) -> Iterator[tuple[float, bytes]]:
    """Each line with the seconds before it: as recorded, within what a person can follow."""
    before: float | None = None
    spoken = False
    for line in lines:
        record = json.loads(line)
        moment = datetime.fromisoformat(record["timestamp"]).timestamp()
        pause = 0.0 if before is None or not spoken else min(LONGEST, max(SHORTEST, moment - before))
        spoken = spoken or record.get("message", {}).get("role") == "user"
        before = moment
        yield pause, line


def _dated(line: bytes) -> bytes:
    """The line as if it were written now."""
    record = json.loads(line)
    record["timestamp"] = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    message = record.get("message")
    if message and "timestamp" in message:
        message["timestamp"] = int(time.time() * 1000)
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
