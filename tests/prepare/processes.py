"""Which processes of a test's own are alive."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

SOON = 5.0


def alive(mark: str) -> list[int]:
    """List the living processes with this mark among their arguments."""
    return [pid for pid, arguments in _processes() if mark in arguments and pid != os.getpid()]


def all_gone(mark: str) -> bool:
    """Wait a little until no process with this mark is alive; say whether that came."""
    end = time.monotonic() + SOON
    while alive(mark) and time.monotonic() < end:
        time.sleep(0.01)
    return not alive(mark)


def comes(path: Path) -> bool:
    """Wait until a file is there; say whether it came."""
    end = time.monotonic() + SOON
    while not path.exists() and time.monotonic() < end:
        time.sleep(0.01)
    return path.exists()


def _processes() -> Iterator[tuple[int, str]]:
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            yield int(folder.name), (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
