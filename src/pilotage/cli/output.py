"""Printing: data on stdout, words on stderr, and nothing of a session that could steer a terminal (spec L1)."""

import json
import shutil
import sys
import time
from collections.abc import Iterable

from pilotage.plain import plain, safe_json

DONE = 0
FOUND = 1
"""A finding or a failure."""
WRONG_USE = 2


def print_object(value: object, *, at_once: bool = False) -> None:
    """One JSON record on a line of its own; `at_once` for somebody who waits for it."""
    is_ascii = sys.stdout.encoding.lower() != "utf-8"
    print(safe_json(json.dumps(value, ensure_ascii=is_ascii)), flush=at_once)


def print_text(text: str) -> None:
    """Text for people, made fit for a terminal."""
    print(plain(text))


def print_row(cells: Iterable[str], *, at_once: bool = False) -> None:
    """One line of cells for people, cut to the terminal's width where there is one; empty cells are left out."""
    lines = (plain(cell.replace("\n", " ")) for cell in cells)
    print(cropped("  ".join(line for line in lines if line.strip()).rstrip()), flush=at_once)


def say(text: str) -> None:
    """Words for the person."""
    print(plain(text), file=sys.stderr, flush=True)


class Progress:
    """How far something has come, said once it takes more than a second (spec L4)."""

    def __init__(self, doing: str) -> None:
        self._doing = doing
        self._next = time.monotonic() + 1
        self._said = False

    def tell(self, done: int, total: int) -> None:
        """So much of it is done."""
        now = time.monotonic()
        if now < self._next or done >= total:
            return
        in_place = sys.stderr.isatty()
        self._next = now + (0.2 if in_place else 5)
        self._said = in_place
        words = f"{self._doing}: {100 * done // total}%"
        print(f"\r{words}" if in_place else words, end="" if in_place else "\n", file=sys.stderr, flush=True)

    def end(self) -> None:
        """It is done: the line that told of it goes."""
        if self._said:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def cropped(line: str) -> str:
    """A clean line, no wider than the terminal; uncut where the output goes to a program."""
    if not sys.stdout.isatty():
        return line
    width = shutil.get_terminal_size().columns
    if line.isascii():
        return line if len(line) <= width else f"{line[: width - 1]}…"
    from rich.cells import cell_len, set_cell_size

    return line if cell_len(line) <= width else f"{set_cell_size(line, width - 1)}…"
