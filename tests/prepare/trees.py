"""Folders with ignore files, and what git itself says of them."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from pilotage.prepare.names import can_be_told, is_closed_folder, is_credential


def git(folder: Path, *arguments: str) -> bytes:
    """Run git in a folder, deaf to whatever this machine's administrator has configured."""
    environment = os.environ | {"GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(["git", *arguments], cwd=folder, env=environment, capture_output=True, check=True)
    return done.stdout


def plant(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files, making the folders on the way; a name that another file is in the way of is left out."""
    for name, text in files.items():
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            continue


def listed_by_git(folder: Path, levels: int = 3) -> set[str]:
    """List what git finds untracked and not ignored, without what never becomes a candidate (spec P3)."""
    names = git(folder, "ls-files", "-o", "-z", "--exclude-standard").split(b"\0")
    return {name for raw in names if raw and _may_be_listed(folder, name := os.fsdecode(raw), levels)}


def _may_be_listed(folder: Path, name: str, levels: int) -> bool:
    *folders, last = name.split("/")
    if not all(map(can_be_told, [*folders, last])) or any(map(is_closed_folder, folders)):
        return False
    if not last:
        return len(folders) <= levels
    return len(folders) < levels and (folder / name).is_file() and not is_credential(last)
