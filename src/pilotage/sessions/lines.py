"""Bytes into lines: the framing of a session file (spec F2).

Only byte 0x0A ends a line. U+2028, U+0085 and a lone CR are content, and a character may be cut by the end of a
chunk, so everything here is bytes.
"""

from msgspec import Struct

BOM = b"\xef\xbb\xbf"


class Line(Struct, frozen=True, gc=False):
    """One line without its end."""

    number: int
    """The line's number, from 1."""
    offset: int
    """The byte of the file at which `data` begins."""
    data: bytes
    """Its bytes, without the newline and without one carriage return before it."""


class Framer:
    """Cuts a growing run of bytes into lines; what has no newline yet stays bytes.

    `offset` is the byte of the file at which the run begins; from there on lines are counted.
    """

    def __init__(self, offset: int = 0) -> None:
        self._pieces: list[bytes] = []
        self._offset = offset
        self._number = 0

    @property
    def tail(self) -> bytes:
        """The bytes after the last newline."""
        if len(self._pieces) > 1:
            self._pieces = [b"".join(self._pieces)]
        return self._pieces[0] if self._pieces else b""

    @property
    def offset(self) -> int:
        """The byte after the last newline taken: where the tail begins (spec F6)."""
        return self._offset

    def feed(self, chunk: bytes) -> list[Line]:
        """The lines that `chunk` completes, in order."""
        if b"\n" not in chunk:
            if chunk:
                self._pieces.append(chunk)
            return []
        parts = chunk.split(b"\n")
        parts[0] = self.tail + parts[0]
        last = parts.pop()
        self._pieces = [last] if last else []
        return [self._line(data) for data in parts]

    def tail_line(self) -> Line:
        """The tail as the line that it would be if it ended here."""
        return framed(self._number + 1, self._offset, self.tail)

    def _line(self, data: bytes) -> Line:
        self._number += 1
        line = framed(self._number, self._offset, data)
        self._offset += len(data) + 1
        return line


def framed(number: int, offset: int, data: bytes) -> Line:
    """The line that these bytes are, with its newline or without it.

    A byte order mark at byte 0 of the file and one carriage return at its end are no part of it.
    """
    data = data.removesuffix(b"\n")
    if offset == 0 and data.startswith(BOM):
        data = data[len(BOM) :]
        offset = len(BOM)
    return Line(number, offset, data.removesuffix(b"\r"))
