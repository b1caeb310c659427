"""Where git's rules for a folder come from, beside the ignore files in it and above it (spec P3)."""

import os
import re
import subprocess
from pathlib import Path

from msgspec import Struct

_PATIENCE = 1.0
_KEYS = r"^core\.(excludesfile|ignorecase)$"
_HEAD = re.compile(rb"ref:\s*refs/|[0-9a-f]{40}")
_MISLEADING = ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX")
"""Variables that would make git speak of another repository than the folder's own."""


class Repository(Struct, frozen=True):
    """A work tree and where git keeps what it knows of it."""

    root: Path
    """The folder that holds `.git`."""
    common: Path
    """The folder that holds `info/exclude`."""


class Standing(Struct, frozen=True):
    """The rules that hold everywhere, weakest first, and how git compares names."""

    files: tuple[Path, ...]
    """Ignore files; some may not exist."""
    ignore_case: bool
    """Whether git takes names that differ in case alone for the same."""


def find_repository(folder: Path) -> Repository | None:
    """Find the nearest folder at or above this one that is a work tree."""
    for root in (folder, *folder.parents):
        common = _common_folder(root)
        if common is not None:
            return Repository(root, common)
    return None


def is_work_tree(folder: Path) -> bool:
    """Whether the folder is the top of a repository of its own, which git lists and does not enter."""
    return _common_folder(folder) is not None


def standing_rules(folder: Path, repository: Repository | None) -> Standing:
    """The person's own ignore file and then the repository's, as `git … --exclude-standard` takes them."""
    excludes, ignore_case = _configured(folder)
    own = () if repository is None else (repository.common / "info" / "exclude",)
    return Standing((*(() if excludes is None else (excludes,)), *own), ignore_case)


def _configured(folder: Path) -> tuple[Path | None, bool]:
    """What git is told of ignoring: it is asked itself, as nobody else reads all of its configuration alike."""
    excludes: Path | None = _default_excludes()
    ignore_case = False
    for key, _, value in (line.partition("\n") for line in _asked(folder).split("\0")):
        if key == "core.excludesfile":
            excludes = folder / value if value else None
        elif key == "core.ignorecase":
            ignore_case = value.lower() not in ("false", "no", "off", "0")
    return excludes, ignore_case


def _asked(folder: Path) -> str:
    """Git's answer; empty where there is no git or it has nothing to say."""
    environment = {name: value for name, value in os.environ.items() if name not in _MISLEADING}
    try:
        done = subprocess.run(
            ["git", "config", "--type=path", "-z", "--get-regexp", _KEYS],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode("utf-8", "surrogateescape")


def _default_excludes() -> Path:
    named = os.environ.get("XDG_CONFIG_HOME")
    return (Path(named) if named else Path.home() / ".config") / "git" / "ignore"


def _common_folder(root: Path) -> Path | None:
    """The folder of the repository whose work tree this is; none where it is no work tree."""
    git = _git_folder(root / ".git")
    if git is None:
        return None
    common = git / _line(git / "commondir")
    is_whole = _HEAD.match(_start(git / "HEAD")) and (common / "objects").is_dir() and (common / "refs").is_dir()
    return common if is_whole else None


def _git_folder(place: Path) -> Path | None:
    """What `.git` is or points to; none where there is no such thing."""
    try:
        if place.is_dir():
            return place
    except OSError:
        return None
    named = _line(place)
    return place.parent / named.removeprefix("gitdir: ") if named.startswith("gitdir: ") else None


def _line(path: Path) -> str:
    return os.fsdecode(_start(path)).rstrip("\r\n")


def _start(path: Path) -> bytes:
    """The first bytes of a small file; empty where it cannot be read or is no file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(descriptor, 4096)
    except OSError:
        return b""
    finally:
        os.close(descriptor)
