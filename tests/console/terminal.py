"""A program in a real terminal: what it receives is kept byte for byte."""

import fcntl
import os
import re
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from pathlib import Path
from typing import Self

PATIENCE = 30.0
"""Seconds after which what does not come is given up."""


class Terminal:
    """Runs a program on a pty; from the program's view it is xterm with all colours."""

    def __init__(self, command: list[str], *, size: tuple[int, int] = (100, 30), **environment: str) -> None:
        self._command = command
        self._size = size
        self._environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", **environment}
        self._output = bytearray()
        self._came = threading.Condition()
        self._closed = False

    def __enter__(self) -> Self:
        self._control, program = os.openpty()
        columns, lines = self._size
        fcntl.ioctl(program, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self._process = subprocess.Popen(
            self._command, stdin=program, stdout=program, stderr=program, env=self._environment, start_new_session=True
        )
        os.close(program)
        threading.Thread(target=self._drain, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        os.close(self._control)

    @property
    def output(self) -> bytes:
        """Everything that came out so far."""
        with self._came:
            return bytes(self._output)

    def press(self, keys: str) -> None:
        """Type."""
        os.write(self._control, keys.encode())

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the program."""
        self._process.send_signal(number)

    def wait_for(self, text: str, since: int = 0) -> None:
        """Wait until words are painted; styles and moves of the cursor between them do not count."""
        deadline = time.monotonic() + PATIENCE
        with self._came:
            while text not in painted(bytes(self._output[since:])):
                if self._closed or not self._came.wait(deadline - time.monotonic()):
                    message = f"{text!r} did not come out; last: {painted(bytes(self._output))[-600:]!r}"
                    raise AssertionError(message)

    def settle(self, quiet: float = 0.4) -> None:
        """Wait until nothing more comes: a frame is written in several pieces, and words may stand in the first."""
        with self._came:
            while self._came.wait(quiet):
                pass

    def end(self) -> int:
        """Wait until the program has ended and all its output is here; its exit status."""
        status = self._process.wait(PATIENCE)
        with self._came:
            self._came.wait_for(lambda: self._closed, PATIENCE)
        return status

    def _drain(self) -> None:
        while True:
            try:
                data = os.read(self._control, 1 << 16)
            except OSError:
                data = b""
            with self._came:
                self._output += data
                self._closed = not data
                self._came.notify_all()
            if not data:
                return


_SEQUENCE = re.compile(
    r"\x1b\[[0-9;:?<=>]*[ -/]*[@-~]"  # CSI
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # OSC
    r"|\x1b[PX^_][^\x1b]*\x1b\\"  # DCS, SOS, PM, APC
    r"|\x1b[()][0-9A-Za-z]|\x1b[ -/]*[0-~]"
)


def sequences(output: bytes) -> list[str]:
    """Give every escape sequence in what a terminal received."""
    return _SEQUENCE.findall(output.decode("utf-8", "replace"))


def painted(output: bytes) -> str:
    """Give what a terminal received without its escape sequences."""
    return _SEQUENCE.sub("", output.decode("utf-8", "replace"))


def pilotage(*arguments: str) -> list[str]:
    """Give the words that start the program as this Python has it."""
    return [sys.executable, "-m", "pilotage", *arguments]


def write_program(folder: Path, name: str, script: str) -> Path:
    """Put a program on the shelf that a test puts on PATH."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return file
