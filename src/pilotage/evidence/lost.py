"""The child of an attempt that was broken off: its entries name none, but the child names the attempt (spec E1, E2)."""

import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from pilotage.evidence.child import FOLDER
from pilotage.records.attempt import Attempt, ChildSession
from pilotage.sessions.locate import find_root
from pilotage.sessions.read import id_from_name

LOOKED_AT = 32 << 10
"""Bytes at the beginning of a child in which the attempt is looked for: there it says what it stems from."""

MOST = 200
"""Files that are looked into, the newest first."""

_EARLIER = 5.0


def folders_of(attempts: Iterable[Attempt]) -> list[Path]:
    """Where children may lie: where those of other attempts do, and where Pilotage would write them now."""
    named = [Path(one.child.file).parent for one in attempts if one.child and one.child.file]
    cwd = Path(tempfile.gettempdir()) / FOLDER
    root = find_root(cwd)
    own = root.path if root.flat else root.path / f"--{str(cwd).strip('/').replace('/', '-')}--"
    return list(dict.fromkeys([*named, own]))


def find_child(attempt: Attempt, folders: Iterable[Path]) -> ChildSession | None:
    """The child that names the attempt; none where none of these folders has one. It reads files."""
    needle, since = f'"{attempt.id}"'.encode("utf-8", "replace"), (attempt.started or 0.0) - _EARLIER
    for folder in folders:
        for path in _newest(folder, since):
            with suppress(OSError), path.open("rb") as file:
                if needle in file.read(LOOKED_AT):
                    return ChildSession(str(path), id_from_name(path))
    return None


def _newest(folder: Path, since: float) -> list[Path]:
    """The sessions of a folder that were written since then, the newest first."""
    found: list[tuple[float, Path]] = []
    with suppress(OSError):
        for path in folder.glob("*.jsonl"):
            with suppress(OSError):
                found.append((path.stat().st_mtime, path))
    return [path for written, path in sorted(found, reverse=True) if written >= since][:MOST]
