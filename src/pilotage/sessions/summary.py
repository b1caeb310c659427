"""What a list of sessions shows of one file, from its head and its tail only (spec F8)."""

import os
from pathlib import Path

from msgspec import Struct

from pilotage.records.entry import Entry, Header, SessionName, UserMessage
from pilotage.sessions.decode import decode_line
from pilotage.sessions.lines import Framer
from pilotage.sessions.read import id_from_name

HEAD = 64 << 10
"""Bytes read from the beginning: the header, the system prompt and the first words of the user."""

TAIL = 16 << 10
"""Bytes read from the end."""


class Summary(Struct, frozen=True):
    """One session in a list."""

    path: Path
    """The file."""
    id: str
    """The session's id."""
    cwd: str
    """The folder that the host ran in; empty where the header was lost."""
    version: int
    """The format's version; 0 where the header was lost."""
    started: float | None
    """When it began, in seconds since the epoch."""
    modified: float
    """When it was last written, in seconds since the epoch."""
    size: int
    """Its size in bytes."""
    name: str
    """Its name, where the head or the tail holds one."""
    first_words: str
    """The user's first words, where the head holds them."""
    parent: str | None
    """The file that it was forked from."""
    readable: bool
    """Whether the file could be read and begins with a header."""

    @property
    def title(self) -> str:
        """The name, else the first words."""
        return self.name or self.first_words


def read_summary(path: Path) -> Summary:
    """The summary of one file. A file that cannot be read has one too, with `readable` false."""
    try:
        status, head, tail = _ends_of(path)
    except OSError:
        return _nothing(path)
    if not tail:
        return _summary(path, status, _records(head), [])
    return _summary(path, status, _records(head.rpartition(b"\n")[0]), _records(tail.partition(b"\n")[2]))


def read_header(path: Path) -> Header | None:
    """The header of one file; none where it has none or cannot be read."""
    try:
        _, head, _ = _ends_of(path, tail=0)
    except OSError:
        return None
    first, _, rest = head.partition(b"\n")
    return _header_in(first) or _header_in(rest.rpartition(b"\n")[0])


def _header_in(data: bytes) -> Header | None:
    return next((record for record in _records(data) if isinstance(record, Header)), None) if data else None


def _ends_of(path: Path, tail: int = TAIL) -> tuple[os.stat_result, bytes, bytes]:
    """The status of a file, its head, and as much of its tail as does not begin it. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        status = os.fstat(descriptor)
        head = os.pread(descriptor, HEAD, 0)
        tail_at = max(0, status.st_size - tail)
        return status, head, os.pread(descriptor, tail, tail_at) if tail_at else b""
    finally:
        os.close(descriptor)


def _records(data: bytes) -> list[Header | Entry]:
    """The records in a piece of a file that ends with a line."""
    framer = Framer()
    lines = [*framer.feed(data), framer.tail_line()]
    return [record for line in lines for record in decode_line(line).records]


def _summary(path: Path, status: os.stat_result, head: list[Header | Entry], tail: list[Header | Entry]) -> Summary:
    header = next((record for record in head if isinstance(record, Header)), None)
    contents = [record.content for record in head + tail if isinstance(record, Entry)]
    names = [content.name for content in contents if isinstance(content, SessionName)]
    words = [content.text for content in contents if isinstance(content, UserMessage)]
    return Summary(
        path=path,
        id=(header.id if header else "") or id_from_name(path),
        cwd=header.cwd if header else "",
        version=header.version if header else 0,
        started=header.time if header else None,
        modified=status.st_mtime,
        size=status.st_size,
        name=names[-1] if names else "",
        first_words=words[0][:200] if words else "",
        parent=header.parent if header else None,
        readable=header is not None,
    )


def _nothing(path: Path) -> Summary:
    return Summary(path, id_from_name(path), "", 0, None, 0.0, 0, "", "", None, False)
