"""Reading one candidate: a text file inside its allowed folder and nothing else, whatever stands there (spec P4).

A path is opened step by step and through no link. Where links are on the way, the place that they lead to is looked
up, held to be inside, and opened in the same manner; so a link that is swapped meanwhile opens nothing.
"""

import errno
import hashlib
import os
import stat

from msgspec import Struct

from pilotage.prepare.beneath import open_beneath, open_root
from pilotage.prepare.candidates import Place
from pilotage.prepare.names import is_closed_folder, is_credential

MOST_BYTES = 50_000
"""The bytes of the largest file that is read (spec P4)."""

MOST_LINES = 2_000
"""Lines that the host's own read gives at once (`HOST.md` b)."""

_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class NotRead(Exception):
    """The file was not read; its text says why."""


class FileText(Struct, frozen=True):
    """A file that was read whole."""

    text: str
    """What the host's own read would give of it."""
    sha256: str
    """The digest of all its bytes, in hexadecimal."""
    size: int
    """How many bytes it has."""
    is_complete: bool
    """Whether `text` is all of it."""


def read_text(place: Place, most: int = MOST_BYTES) -> FileText:
    """Read a candidate of at most `most` bytes; raises NotRead."""
    try:
        data = _data(place, most)
    except FileNotFoundError as error:
        msg = "it is gone"
        raise NotRead(msg) from error
    except OSError as error:
        raise NotRead(error.strerror or "it cannot be opened") from error
    if len(data) > most:
        msg = f"it has more than {most:,} bytes"
        raise NotRead(msg)
    return _told(data)


def _data(place: Place, most: int) -> bytes:
    """The file's bytes, as far as one beyond `most`."""
    with open_root(place.folder) as root:
        try:
            return _opened(root, place.parts, most)
        except _OnTheWay:
            return _opened(root, _real_parts(place), most)


class _OnTheWay(OSError):
    """Something on the way to the file is a link, or became something else."""


def _opened(root: int, parts: tuple[str, ...], most: int) -> bytes:
    try:
        with open_beneath(root, parts[:-1]) as folder:
            # Opening a device can do something by itself, so what it is comes first; it is looked at again after.
            status = os.stat(parts[-1], dir_fd=folder, follow_symlinks=False)
            if stat.S_ISLNK(status.st_mode):
                raise _OnTheWay(errno.ELOOP, "a link is on its way")
            _insist_on_file(status)
            descriptor = os.open(parts[-1], _FILE, dir_fd=folder)
    except OSError as error:
        # A link in a folder's place is "not a directory" on Linux and "too many links" elsewhere.
        if error.errno in (errno.ENOTDIR, errno.ELOOP):
            raise _OnTheWay(error.errno, "a link is on its way, or a file in a folder's place") from error
        raise
    try:
        _insist_on_file(os.fstat(descriptor))
        return _read(descriptor, most)
    finally:
        os.close(descriptor)


def _insist_on_file(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        msg = "it is a folder" if stat.S_ISDIR(status.st_mode) else "it is not a regular file"
        raise NotRead(msg)


def _read(descriptor: int, most: int) -> bytes:
    """Read on to the end: some files have no size, and others grow."""
    data = b""
    while len(data) <= most and (more := os.read(descriptor, most + 1 - len(data))):
        data += more
    return data


def _real_parts(place: Place) -> tuple[str, ...]:
    """The way to where links lead; raises NotRead where that is outside, or under a name that is never listed."""
    real = os.path.realpath(os.path.join(place.folder, *place.parts), strict=True)  # noqa: PTH118
    root = place.folder.rstrip("/") + "/"
    if not real.startswith(root):
        msg = "it leads out of the folder"
        raise NotRead(msg)
    parts = tuple(real.removeprefix(root).split("/"))
    if any(map(is_closed_folder, parts[:-1])) or is_credential(parts[-1]):
        msg = "it leads to what is never listed"
        raise NotRead(msg)
    return parts


def _told(data: bytes) -> FileText:
    """The file's text as the host would give it, with its note where that is not all (`HOST.md` b)."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        msg = "it is not text in UTF-8"
        raise NotRead(msg) from error
    if "\0" in text:
        msg = "it is not text"
        raise NotRead(msg)
    lines = text.split("\n")
    is_complete = len(lines) - text.endswith("\n") <= MOST_LINES
    if not is_complete:
        note = f"[Showing lines 1-{MOST_LINES} of {len(lines)}. Use offset={MOST_LINES + 1} to continue.]"
        text = "\n".join(lines[:MOST_LINES]) + f"\n\n{note}"
    return FileText(text, hashlib.sha256(data).hexdigest(), len(data), is_complete)
