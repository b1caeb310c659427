"""`pilotage` as a program of its own, for exit statuses, pipes, signals and files that grow."""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, Self

COMMAND = [sys.executable, "-m", "pilotage"]
PATIENCE = 20
"""Seconds after which a line that does not come is missed."""


def run(*arguments: str | Path, typed: bytes = b"", **environment: str) -> "subprocess.CompletedProcess[bytes]":
    """Run a command to its end, with more in its environment."""
    words = [*COMMAND, *map(str, arguments)]
    return subprocess.run(
        words, input=typed, capture_output=True, check=False, timeout=60, env=os.environ | environment
    )


def pipeline(command: str) -> "subprocess.Popen[str]":
    """Start a line of shell whose exit status is that of the first program that fails."""
    words = ["bash", "-o", "pipefail", "-c", command]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


class Following:
    """A `pilotage calls --follow` that goes on until the test is done with it."""

    def __init__(self, *arguments: str | Path) -> None:
        # Python's own setting would hide a line that is written and not sent.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        words = [*COMMAND, "calls", *map(str, arguments), "--follow"]
        self.process = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
        )
        """The program."""
        assert self.process.stdout
        assert self.process.stderr
        self._out = _lines_of(self.process.stdout)
        self._err = _lines_of(self.process.stderr)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()

    def line(self) -> str:
        """Wait for the next line of data."""
        return self._out.get(timeout=PATIENCE)

    def calls(self, count: int) -> list[tuple[str, str]]:
        """Wait for so many calls as JSON; the id and the outcome of each."""
        records = [json.loads(self.line()) for _ in range(count)]
        return [(record["id"], record["outcome"]) for record in records]

    def word(self) -> str:
        """Wait for the next line of words."""
        return self._err.get(timeout=PATIENCE)

    def interrupt(self) -> tuple[int, str, str]:
        """End it as a person does; its exit status and whatever else it printed."""
        self.process.send_signal(signal.SIGINT)
        return self.end()

    def end(self) -> tuple[int, str, str]:
        """Wait for its end; its exit status and whatever else it printed."""
        status = self.process.wait(PATIENCE)
        return status, _rest(self._out), _rest(self._err)


def _lines_of(stream: IO[str]) -> "queue.Queue[str]":
    """Give the lines of a stream as they come; an empty one when it has ended."""
    lines: queue.Queue[str] = queue.Queue()

    def pump() -> None:
        for line in stream:
            lines.put(line)
        lines.put("")

    threading.Thread(target=pump, daemon=True).start()
    return lines


def _rest(lines: "queue.Queue[str]") -> str:
    """Give what is left of a stream that has ended."""
    return "".join(iter(lambda: lines.get(timeout=PATIENCE), ""))
