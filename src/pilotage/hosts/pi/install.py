"""What Pilotage puts into Pi, and how it is taken away again (spec H1).

It is a copy of the extension's folder in a place that Pi looks through by itself, `extensions` in its own folder or
in a project's `.pi`. So Pi's settings are neither read nor written: nobody else's lines can be lost, a second Pilotage
or a removed one leaves no dead path behind, and Pi needs no Python to start. `contract.json` is made from the models
at that moment, `serving.json` names the Python that it is installed from; the list of what was put there lies beside
them.
"""

import contextlib
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from enum import StrEnum
from importlib.resources import files
from pathlib import Path

from msgspec import Struct

from pilotage import __version__
from pilotage.contract.handout import handout

NAME = "pilotage"
"""The extension's folder."""

CONTRACT = "contract.json"
"""The contract beside the extension."""

SERVING = "serving.json"
"""How the extension starts Pilotage, and what Pilotage's tool says of itself."""

LIST = "installed.json"
"""The list of what was put there."""

ENTRY = "index.js"
"""What Pi loads; a folder without it is no extension."""


class State(StrEnum):
    """How an extension's folder stands to what would be installed now."""

    ABSENT = "absent"
    """There is none."""
    CURRENT = "current"
    """It is what this Pilotage would install."""
    OUTDATED = "outdated"
    """Another Pilotage put it there."""
    BROKEN = "broken"
    """Something that was put there is gone."""
    CHANGED = "changed"
    """Something that was put there is not as it was."""
    FOREIGN = "foreign"
    """Somebody else put it there."""


class Installed(Struct, frozen=True):
    """What there is of an extension."""

    folder: Path
    """Its folder."""
    state: State
    """How it stands."""
    version: str = ""
    """The Pilotage that put it there."""
    names: tuple[str, ...] = ()
    """The files that are gone, or are not as they were."""


class NotOurs(Exception):
    """A folder or file that Pilotage did not put there, or not so; its text says which, and what to do."""


class _Record(Struct, frozen=True):
    """What `installed.json` says."""

    version: str
    """The Pilotage that put it there."""
    files: dict[str, str]
    """The SHA-256 of each file by its name."""
    parents: int
    """How many folders above had to be made for it."""


def extension_folder(base: Path) -> Path:
    """Where the extension belongs below Pi's own folder, or below a project's `.pi`."""
    return base / "extensions" / NAME


def inspect(folder: Path) -> Installed:
    """Look at what there is of an extension."""
    if not folder.is_symlink() and not folder.exists():
        return Installed(folder, State.ABSENT)
    record = _record(folder)
    if record is None:
        return Installed(folder, State.FOREIGN)
    wanted = _hashes(_wanted())
    found = {name: _hash(folder / name) for name in record.files}
    # An installation that was interrupted leaves files that are newer than its list.
    changed = tuple(name for name, value in found.items() if value not in (None, record.files[name], wanted.get(name)))
    missing = tuple(name for name, value in found.items() if value is None)
    if changed:
        return Installed(folder, State.CHANGED, record.version, changed)
    if missing:
        return Installed(folder, State.BROKEN, record.version, missing)
    is_current = found == wanted == record.files and record.version == __version__
    return Installed(folder, State.CURRENT if is_current else State.OUTDATED, record.version)


def install(folder: Path) -> bool:
    """Put the extension there; whether anything had to be done.

    Each file is written whole or not at all, the one that Pi loads last. Raises NotOurs, and OSError.
    """
    before = inspect(folder)
    if before.state is State.CURRENT:
        return False
    _refuse_others(before)
    record = _record(folder)
    parents = record.parents if record else sum(not parent.exists() for parent in folder.parents)
    wanted = _wanted()
    _refuse_strangers(folder, wanted, record)
    folder.mkdir(parents=True, exist_ok=True)
    told = json.dumps({"pilotage": __version__, "parents": parents, "files": _hashes(wanted)}, indent=1)
    if record is None:
        _write(folder / LIST, f"{told}\n".encode())
    for name in sorted(wanted, key=lambda name: name == ENTRY):
        _write(folder / name, wanted[name])
    for name in set(record.files if record else ()) - set(wanted):
        (folder / name).unlink(missing_ok=True)
    _write(folder / LIST, f"{told}\n".encode())
    return True


def uninstall(folder: Path) -> bool:
    """Take away what was put there and nothing else; whether there was anything.

    Folders go where they were made for it and are empty. Raises NotOurs, and OSError.
    """
    before = inspect(folder)
    if before.state is State.ABSENT:
        return False
    _refuse_others(before)
    record = _record(folder)
    names = record.files if record else {}
    for name in sorted(names, key=lambda name: name != ENTRY):
        (folder / name).unlink(missing_ok=True)
    (folder / LIST).unlink()
    with contextlib.suppress(OSError):
        folder.rmdir()
        for parent in folder.parents[: record.parents if record else 0]:
            parent.rmdir()
    return True


def _refuse_others(found: Installed) -> None:
    if found.state is State.FOREIGN:
        msg = f"{found.folder} was not put there by pilotage; move it away first"
        raise NotOurs(msg)
    if found.state is State.CHANGED:
        names = ", ".join(found.names)
        msg = f"{found.folder}: {names} changed since it was installed; save what is yours and remove the folder"
        raise NotOurs(msg)


def _refuse_strangers(folder: Path, wanted: Mapping[str, bytes], record: _Record | None) -> None:
    """Refuse to write over a file that the list does not name."""
    known = record.files if record else {}
    for name, content in wanted.items():
        if name not in known and (folder / name).exists() and (folder / name).read_bytes() != content:
            msg = f"{folder / name} was not put there by pilotage; move it away first"
            raise NotOurs(msg)


def _wanted() -> dict[str, bytes]:
    """Every file of the extension with its content."""
    here = files("pilotage.hosts.pi")
    scripts = (file for file in (here / "extension").iterdir() if file.name.endswith(".js"))
    # -P: what lies in the folder that Pi runs in is never imported.
    command = [sys.executable, "-P", "-m", "pilotage", "bridge"]
    serving = {"command": command, "toolSearch": (here / "tool_search.md").read_text("utf-8").strip()}
    return {**{file.name: file.read_bytes() for file in scripts}, CONTRACT: _json(handout()), SERVING: _json(serving)}


def _json(value: object) -> bytes:
    return f"{json.dumps(value, ensure_ascii=False, indent=1)}\n".encode()


def _hashes(contents: Mapping[str, bytes]) -> dict[str, str]:
    return {name: hashlib.sha256(contents[name]).hexdigest() for name in sorted(contents)}


def _hash(file: Path) -> str | None:
    """The SHA-256 of a file; none where there is none."""
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except FileNotFoundError:
        return None


def _record(folder: Path) -> _Record | None:
    """What the list in a folder says; none where there is none that can be read, or the folder is a link."""
    if folder.is_symlink():
        return None
    try:
        told = json.loads((folder / LIST).read_text("utf-8"))
        names = {str(name): str(value) for name, value in told["files"].items()}
        record = _Record(str(told["pilotage"]), names, int(told["parents"]))
    except (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return None
    # A list that names other folders was not written here.
    return record if all(Path(name).name == name for name in names) else None


def _write(file: Path, content: bytes) -> None:
    """Write a file whole, or leave what was there."""
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=".pilotage-")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        temporary.chmod(0o644)
        temporary.replace(file)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
