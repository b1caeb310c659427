"""A program in a real terminal (a pty) whose output is drained and stamped, and what the program costs."""

import fcntl
import os
import re
import shutil
import struct
import subprocess
import sys
import termios
import threading
import time
from bisect import bisect_right
from itertools import pairwise
from pathlib import Path
from typing import Self

COLUMNS, LINES = 160, 40

BETWEEN_FRAMES = 0.006
"""Seconds without output that part two frames: one is written at once, and Textual paints 60 a second at most."""

_TICKS = os.sysconf("SC_CLK_TCK")


class Terminal:
    """Runs a program and keeps every byte that it writes with the moment at which it came out."""

    def __init__(self, command: list[str], environment: dict[str, str] | None = None) -> None:
        self._command = command
        self._environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", **(environment or {})}
        self._output = bytearray()
        self._ends: list[int] = []
        self._times: list[float] = []
        self._came = threading.Condition()

    def __enter__(self) -> Self:
        self._control, program = os.openpty()
        fcntl.ioctl(program, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        self.began = time.monotonic()
        self._process = subprocess.Popen(
            self._command, stdin=program, stdout=program, stderr=program, env=self._environment, start_new_session=True
        )
        os.close(program)
        threading.Thread(target=self._drain, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._control)

    @property
    def written(self) -> int:
        """How many bytes came out so far."""
        return len(self._output)

    def press(self, keys: str) -> tuple[float, int]:
        """Send keys; when, in monotonic seconds, and how many bytes had come out before."""
        before = self.written
        pressed = time.monotonic()
        os.write(self._control, keys.encode())
        return pressed, before

    def wait_for(self, text: str, since: int = 0, timeout: float = 120) -> float:
        """When a pattern came out behind the first `since` bytes; TimeoutError when it does not."""
        pattern = re.compile(text.encode())
        end = time.monotonic() + timeout
        with self._came:
            while (found := pattern.search(self._output, since)) is None:
                if not self._came.wait(end - time.monotonic()):
                    msg = f"{text!r} did not come out in {timeout} s; last: {bytes(self._output[-400:])!r}"
                    raise TimeoutError(msg)
            return self._time_of(found.end())

    def painted(self, text: str, since: int = 0) -> float | None:
        """When `text` came out for the first time behind the first `since` bytes; none if it did not."""
        with self._came:
            at = self._output.find(text.encode(), since)
            return None if at < 0 else self._time_of(at + len(text))

    def frames(self, since: int, quiet: float = 0.05, timeout: float = 2.0) -> tuple[float, float] | None:
        """When the first frame behind `since` was out, and the last one; both once nothing has come for `quiet` s.

        None when nothing came within `timeout` seconds.
        """
        with self._came:
            if not self._came.wait_for(lambda: self.written > since, timeout):
                return None
            count = -1
            while count != len(self._ends):
                count = len(self._ends)
                self._came.wait_for(lambda: len(self._ends) != count, quiet)  # noqa: B023 - used at once
            times = self._times[bisect_right(self._ends, since) :]
        last_of_first = next((a for a, b in pairwise(times) if b - a > BETWEEN_FRAMES), times[-1])
        return last_of_first, times[-1]

    def settle(self) -> None:
        """Wait until nothing more comes out."""
        self.frames(max(0, self.written - 1), quiet=0.3)

    def cpu_seconds(self) -> float:
        """Processor time that the program has taken, all its threads together."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def peak_megabytes(self) -> float:
        """The most memory that the program has had."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1024

    def _time_of(self, end: int) -> float:
        """When the byte before `end` came out."""
        return self._times[bisect_right(self._ends, end - 1)]

    def _drain(self) -> None:
        while True:
            try:
                data = os.read(self._control, 1 << 16)
            except OSError:
                return
            now = time.monotonic()
            if not data:
                return
            with self._came:
                self._output += data
                self._ends.append(len(self._output))
                self._times.append(now)
                self._came.notify_all()


def watching(path: Path) -> list[str]:
    """The words that start `pilotage watch`: the program beside this Python, else the first on the search path."""
    beside = Path(sys.executable).parent / "pilotage"
    program = str(beside) if beside.exists() else shutil.which("pilotage") or "pilotage"
    return [program, "watch", str(path)]
