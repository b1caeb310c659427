"""The person's editor, and files for it."""

import os
import re
import shlex
import tempfile
from pathlib import Path

_UNSAFE = re.compile(r"[^\w.-]+")


def editor_command(wanted: str | None) -> list[str]:
    """The editor as words of a command: the setting's, else `$VISUAL`, `$EDITOR`, `vi`."""
    command = wanted or os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        return shlex.split(command) or ["vi"]
    except ValueError:  # a quote that is not closed
        return command.split()


def temporary_copy(text: str, name: str) -> Path:
    """A file of its own that holds the text; nobody but this user may read it."""
    folder = Path(tempfile.mkdtemp(prefix="pilotage-"))
    file = folder / f"{safe_name(name)}.txt"
    file.write_text(text, "utf-8", "replace")
    return file


def safe_name(name: str) -> str:
    """A file name out of any text: letters, digits, dot and dash only."""
    return _UNSAFE.sub("-", name).strip("-.")[:60] or "output"


def free_path(folder: Path, name: str) -> Path:
    """A path in a folder at which nothing lies yet."""
    stem = safe_name(name)
    candidates = [folder / f"{stem}.txt", *(folder / f"{stem}-{number}.txt" for number in range(2, 1000))]
    return next(path for path in candidates if not path.exists())


def save(text: str, path: Path) -> None:
    """Write the text to a new file. Raises OSError, FileExistsError among them."""
    with path.open("x", encoding="utf-8", errors="replace") as file:
        file.write(text)
