"""Where Pi's sessions lie, and which of them is meant (spec F8, J4; `HOST.md` a)."""

import contextlib
import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec import Struct

from pilotage import paths
from pilotage.plain import plain_line
from pilotage.sessions.read import id_from_name
from pilotage.sessions.summary import read_header, read_summary


class Root(Struct, frozen=True):
    """A folder of sessions."""

    path: Path
    """The folder."""
    flat: bool
    """Whether its files lie in it directly; else each project has a folder in it."""


class NoSuchSession(Exception):
    """A name that stands for no session, or for several; its text says so and lists the candidates."""


def find_root(cwd: Path) -> Root:
    """The folder in which Pi keeps the sessions of a project: environment, settings, default, in this order.

    The project's own settings count for this key even where Pi does not trust the project.
    """
    named = os.environ.get(paths.SESSION_DIR)
    if not named:
        for settings in (cwd / ".pi" / "settings.json", paths.agent_dir() / "settings.json"):
            named = _session_dir_of(settings)
            if named:
                break
    if named:
        return Root(cwd / _expanded(named), flat=True)
    return Root(paths.agent_dir() / "sessions", flat=False)


def _session_dir_of(settings: Path) -> str | None:
    """The `sessionDir` in a settings file; none where the file has none or cannot be read."""
    try:
        value = json.loads(settings.read_text("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return None
    named = value.get("sessionDir") if isinstance(value, dict) else None
    return named if isinstance(named, str) and named else None


def _expanded(named: str) -> Path:
    """The path with a home folder for its `~`; unchanged where nobody has that name."""
    try:
        return Path(named).expanduser()
    except RuntimeError:
        return Path(named)


def find_folders(root: Root) -> list[Path]:
    """The folders that session files lie in. Links are not followed into folders."""
    if root.flat:
        return [root.path]
    return [root.path, *(Path(entry.path) for entry in _scan(root.path) if entry.is_dir(follow_symlinks=False))]


def paths_in(folder: Path) -> list[Path]:
    """The session files in one folder, in no order; a folder that cannot be read costs only itself."""
    paths = []
    for entry in _scan(folder):
        if entry.name.endswith(".jsonl"):
            with contextlib.suppress(OSError):
                if entry.is_file():
                    paths.append(Path(entry.path))
    return paths


def find_below(folder: Path, fail: Callable[[OSError], None]) -> list[Path]:
    """The session files in a folder and in all that lie below it, by name; links are not followed into folders.

    `fail` hears of each folder that cannot be read.
    """
    folders = sorted(Path(found) for found, _, _ in os.walk(folder, onerror=fail))
    return [path for found in folders for path in sorted(paths_in(found))]


def find_files(root: Root) -> list[tuple[Path, os.stat_result]]:
    """All session files below a root, the one written last first."""
    return newest_first(path for folder in find_folders(root) for path in paths_in(folder))


def newest_first(paths: Iterable[Path]) -> list[tuple[Path, os.stat_result]]:
    """Files with what the system knows of them, the one written last first; those that are gone are left out."""
    files = []
    for path in paths:
        with contextlib.suppress(OSError):
            files.append((path, path.stat()))
    return sorted(files, key=lambda file: file[1].st_mtime_ns, reverse=True)


def _scan(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except (OSError, ValueError):
        return []


def is_same_folder(named: str, cwd: Path) -> bool:
    """Whether a header's `cwd` is this folder: the header says so, not the name of the file's folder."""
    try:
        return bool(named) and os.path.realpath(named) == os.path.realpath(cwd)
    except ValueError:
        return False


def find_newest(cwd: Path) -> Path | None:
    """The session of this folder that was written last."""
    for path, _ in find_files(find_root(cwd)):
        header = read_header(path)
        if header and is_same_folder(header.cwd, cwd):
            return path
    return None


def resolve(name: str | None, cwd: Path) -> Path:
    """The file that a path, an id, an id prefix or nothing (the newest of this folder) stands for.

    Raises NoSuchSession with a sentence for the person.
    """
    if not name:
        return _newest_or_raise(cwd)
    path = _expanded(name)
    try:
        is_folder, is_there = path.is_dir(), path.exists() or path.is_symlink()
    except OSError as error:
        is_folder, is_there = False, isinstance(error, PermissionError)
    if is_folder:
        msg = f"{name} is a folder, not a session file; `pilotage sessions` lists the sessions that there are"
        raise NoSuchSession(msg)
    if is_there:
        return path
    if os.sep in name or name.endswith(".jsonl"):
        msg = f"{name}: no such file"
        raise NoSuchSession(msg)
    return _by_prefix(name, find_root(cwd))


def _newest_or_raise(cwd: Path) -> Path:
    newest = find_newest(cwd)
    if newest is None:
        root = find_root(cwd)
        msg = (
            f"no session of {cwd} in {root.path}; start Pi in this folder, name a session,"
            " or see all with `pilotage sessions --all`"
        )
        raise NoSuchSession(msg)
    return newest


def _by_prefix(prefix: str, root: Root) -> Path:
    """The one session whose id begins so; an id that is the prefix itself wins."""
    files = [path for path, _ in find_files(root)]
    ids = {path: id_from_name(path) for path in files}
    if not any(session_id.startswith(prefix) for session_id in ids.values()):
        ids = {path: read_summary(path).id for path in files}
    found = [path for path in files if ids[path].startswith(prefix)]
    exact = [path for path in found if ids[path] == prefix]
    if len(exact) == 1 or len(found) == 1:
        return (exact or found)[0]
    if not found:
        msg = f"no session with an id that begins with {prefix!r} in {root.path}; `pilotage sessions --all` lists all"
        raise NoSuchSession(msg)
    lines = [_candidate(path) for path in found[:20]]
    more = [f"  and {len(found) - 20} more"] if len(found) > 20 else []
    msg = "\n".join([f"{prefix!r} is ambiguous, {len(found)} sessions begin so:", *lines, *more])
    raise NoSuchSession(msg)


def _candidate(path: Path) -> str:
    summary = read_summary(path)
    return f"  {summary.id}  {summary.cwd}  {plain_line(summary.title, 60)}".rstrip()
