"""Ignore files as git reads and applies them, `gitignore(5)` and its silent corners alike (spec P3, cases H1).

pathspec, the library for this, was measured against git and left: what a rule says of a folder it takes for all that
is below, which goes wrong as soon as ignore files are nested; it raises at lines that git passes over; and one line
with six stars kept it busy for a minute and a half, where a clone's own ignore file must not keep anybody waiting.
"""

import os
import re
import stat
from collections.abc import Callable
from pathlib import Path

from pilotage.prepare.glob import SPECIAL, Unmatchable, translate

MOST_BYTES = 1 << 20
"""The largest ignore file that is read."""

LONGEST_LINE = 4096
"""Bytes of the longest line that is a rule: no path is longer."""

Tick = Callable[[], None]
"""Called before each piece of work; it raises where the time is over."""


class TooLarge(Exception):
    """The ignore file is larger than any that is read, so nobody knows what it ignores."""


class _Rule:
    """One line of an ignore file."""

    __slots__ = ("_expression", "_ignore_case", "_pattern", "_prefix", "by_name", "for_folders", "negated")

    def __init__(self, line: bytes, *, ignore_case: bool) -> None:
        self.negated = line.startswith(b"!")
        line = line[self.negated :]
        self.for_folders = line.endswith(b"/")
        line = line[: len(line) - self.for_folders]
        self.by_name = b"/" not in line
        plain = next((at for at, char in enumerate(line) if char in SPECIAL), len(line))
        self._ignore_case = ignore_case
        # Git compares what stands before the first wildcard by itself, so stars right behind it begin a segment.
        prefix = line[:plain].removeprefix(b"/")
        self._prefix = prefix.lower() if ignore_case else prefix
        self._pattern = line[plain:]
        self._expression: re.Pattern[bytes] | None = None

    def matches(self, path: bytes, tick: Tick) -> bool:
        """Whether the rule speaks of this path, or of this name where it is `by_name`."""
        start = path[: len(self._prefix)]
        if (start.lower() if self._ignore_case else start) != self._prefix:
            return False
        if not self._pattern:
            return len(path) == len(self._prefix) and bool(path)
        return self._compiled(tick).fullmatch(path, len(self._prefix)) is not None

    def _compiled(self, tick: Tick) -> re.Pattern[bytes]:
        if self._expression is None:
            tick()
            try:
                self._expression = translate(self._pattern, ignore_case=self._ignore_case)
            except Unmatchable:
                self._expression = _NOTHING
        return self._expression


_NOTHING = re.compile(rb"(?!)")


class IgnoreFile:
    """The rules of one ignore file, for what lies below its folder."""

    def __init__(self, text: bytes, tick: Tick, *, ignore_case: bool = False) -> None:
        self._rules: list[_Rule] = []
        for line in text.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
            tick()
            kept = _trimmed(line)
            if kept and len(kept) <= LONGEST_LINE:
                self._rules.append(_Rule(kept, ignore_case=ignore_case))
        self._rules.reverse()

    def __bool__(self) -> bool:
        """Whether it has any rule."""
        return bool(self._rules)

    def ignores(self, path: bytes, tick: Tick, *, is_folder: bool) -> bool | None:
        """Whether the last rule that speaks of the path ignores it or takes it back; none where no rule does.

        `path` is relative to the file's folder, without a slash at either end. That a folder above it is
        ignored is for whoever walks to know: nothing below such a folder can be taken back.
        """
        name = path[path.rfind(b"/") + 1 :]
        for rule in self._rules:
            if rule.for_folders and not is_folder:
                continue
            if rule.matches(name if rule.by_name else path, tick):
                return not rule.negated
        return None


def _trimmed(line: bytes) -> bytes:
    """A line without its carriage return and the spaces at its end that no backslash keeps; empty for a comment."""
    if line.startswith(b"#"):
        return b""
    line = line.removesuffix(b"\r").partition(b"\0")[0]
    bare = line.rstrip(b" ")
    backslashes = len(bare) - len(bare.rstrip(b"\\"))
    return bare + b" " if backslashes % 2 and len(line) > len(bare) else bare


def read_beside(folder: int) -> bytes:
    """Read `.gitignore` in an open folder; empty where there is none, or none that git would read.

    Git follows no link here. Raises TooLarge.
    """
    try:
        return _read(os.open(".gitignore", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder))
    except OSError:
        return b""


def read_standing(path: Path) -> bytes:
    """Read an ignore file outside the tree, through links as git does; empty where there is none.

    Raises TooLarge.
    """
    try:
        return _read(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC))
    except OSError:
        return b""


def _read(descriptor: int) -> bytes:
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return b""
        text = b""
        while len(text) <= MOST_BYTES and (more := os.read(descriptor, MOST_BYTES)):
            text += more
    finally:
        os.close(descriptor)
    if len(text) > MOST_BYTES:
        raise TooLarge
    return text
