"""Session files that Pilotage makes itself: whole, of version 3, and nobody else's (spec F9; `HOST.md` a)."""

import contextlib
import json
import os
import re
import secrets
import time
import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from pilotage.sessions.locate import Root

Fields = Mapping[str, object]
"""An entry without its id, parent and time, or a message."""

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class UnwritableSession(Exception):
    """A session file that cannot be made or added to; its text says which, why, and what to do."""


class NewSession:
    """A session file of our own, which grows entry by entry."""

    def __init__(self, path: Path, session_id: str, cwd: str) -> None:
        self.path = path
        """The file."""
        self.id = session_id
        """The session's id."""
        self.cwd = cwd
        """The folder that a host goes on with it in."""
        self.leaf: str | None = None
        """The id of the last entry."""
        self._ids: set[str] = set()

    def append(self, *entries: Fields) -> tuple[str, ...]:
        """Add entries, each a child of the one before; their ids. Raises UnwritableSession."""
        before = self.leaf
        data, ids = self._lines(entries)
        try:
            descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND)
            try:
                _write_whole(descriptor, data)
            finally:
                os.close(descriptor)
        except OSError as error:
            self.leaf = before
            raise _unwritable(self.path, error) from error
        return ids

    def _lines(self, entries: Sequence[Fields]) -> tuple[bytes, tuple[str, ...]]:
        lines, ids = [], []
        for entry in entries:
            entry_id = self._fresh_id()
            stamp = iso_milliseconds(time.time())
            # Pi's own order: the type first, then what every entry has.
            own = {"type": entry["type"], "id": entry_id, "parentId": self.leaf, "timestamp": stamp}
            lines.append(_line({**own, **entry}))
            ids.append(entry_id)
            self.leaf = entry_id
        return b"".join(lines), tuple(ids)

    def _fresh_id(self) -> str:
        entry_id = secrets.token_hex(4)
        while entry_id in self._ids:
            entry_id = secrets.token_hex(4)
        self._ids.add(entry_id)
        return entry_id


def create_session(
    root: Root, cwd: Path, entries: Sequence[Fields], *, session_id: str | None = None, parent: str | None = None
) -> NewSession:
    """Make a session with these entries, for a host that goes on with it in `cwd`.

    The file is this user's alone, its name is new, and it is written in one go; where that fails, no file is left.
    `parent` is the session file that it stems from. Raises UnwritableSession.
    """
    began = time.time()
    stamp, session_id = iso_milliseconds(began), session_id or str(uuid7(began))
    folder = folder_of(root, cwd)
    path = folder / f"{re.sub('[:.]', '-', stamp)}_{session_id}.jsonl"
    session = NewSession(path, session_id, str(cwd))
    header = {"type": "session", "version": 3, "id": session_id, "timestamp": stamp, "cwd": str(cwd)}
    first = _line(header | ({"parentSession": parent} if parent else {}))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
    except OSError as error:
        raise _unwritable(path, error) from error
    try:
        _write_whole(descriptor, first + session._lines(entries)[0])
    except OSError as error:
        with contextlib.suppress(OSError):
            path.unlink()
        raise _unwritable(path, error) from error
    finally:
        os.close(descriptor)
    return session


def folder_of(root: Root, cwd: Path) -> Path:
    """The folder below a root in which Pi keeps the sessions of `cwd`."""
    if root.flat:
        return root.path
    name = re.sub(r"[/\\:]", "-", re.sub(r"^[/\\]", "", str(cwd)))
    return root.path / f"--{name}--"


def iso_milliseconds(seconds: float) -> str:
    """A time as Pi writes it: ISO 8601 with milliseconds, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def uuid7(seconds: float) -> uuid.UUID:
    """A UUID of version 7: the time in milliseconds, then chance."""
    value = int(seconds * 1000) << 80 | secrets.randbits(80)
    value = value & ~(0xF << 76) | 7 << 76
    return uuid.UUID(int=value & ~(0x3 << 62) | 2 << 62)


def message(role: str, content: object, at: float | None = None, **fields: object) -> Fields:
    """An entry with a message; `at` is when it was, in seconds since the epoch, now where it is not given."""
    milliseconds = round((time.time() if at is None else at) * 1000)
    return {"type": "message", "message": {"role": role, "content": content, **fields, "timestamp": milliseconds}}


def custom(custom_type: str, data: Mapping[str, object]) -> Fields:
    """An entry outside the model's context."""
    return {"type": "custom", "customType": custom_type, "data": data}


def session_name(name: str) -> Fields:
    """An entry that names the session."""
    return {"type": "session_info", "name": name}


def _line(value: Mapping[str, object]) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _LONE_SURROGATE.sub(_escaped, text).encode() + b"\n"


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def _write_whole(descriptor: int, data: bytes) -> None:
    """Write all of it at the end of a file, or nothing, and raise OSError."""
    size, view = os.fstat(descriptor).st_size, memoryview(data)
    try:
        while view:
            view = view[os.write(descriptor, view) :]
    except OSError:
        with contextlib.suppress(OSError):
            os.ftruncate(descriptor, size)
        raise


def _unwritable(path: Path, error: OSError) -> UnwritableSession:
    return UnwritableSession(f"{path}: cannot be written: {error.strerror}; see to the folder's rights and free space")
