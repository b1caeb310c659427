import os
from pathlib import Path

import pytest

from pilotage.prepare.ignore import LONGEST_LINE, MOST_BYTES, IgnoreFile, TooLarge, read_beside, read_standing


def nothing() -> None:
    """Let the time stand still."""


def verdict(text: bytes, path: bytes, *, is_folder: bool = False) -> bool | None:
    """Give what an ignore file says of a path below its folder."""
    return IgnoreFile(text, nothing).ignores(path, nothing, is_folder=is_folder)


@pytest.mark.parametrize(
    ("text", "path", "said"),
    [
        (b"a", b"a", True),
        (b"a", b"x/a", True),
        (b"/a", b"x/a", None),
        (b"x/a", b"x/a", True),
        (b"x/a", b"y/x/a", None),
        (b"a/", b"a", None),
        (b"*\n!a", b"a", False),
        (b"!a\n*", b"a", True),
        (b"!a", b"a/b", None),
        (b"# a", b"# a", None),
        (b"\\#a", b"#a", True),
        (b"\\!a", b"!a", True),
        (b"a ", b"a", True),
        (b"a\\ ", b"a ", True),
        (b"a\\\\ ", b"a\\", True),
        (b"a\t", b"a", None),
        (b" a", b"a", None),
        (b"a\r\nb\r", b"b", True),
        (b"\xef\xbb\xbfa", b"a", True),
        (b"a\0b", b"a", True),
        (b"!", b"a", None),
        (b"/", b"a", None),
        (b"//", b"a", None),
        (b"", b"a", None),
        (b"[", b"[", None),
        (b"x[/]y", b"x/y", None),
        (b"x/foo**/bar", b"x/foo/y/bar", True),
    ],
)
def test_lines(text: bytes, path: bytes, said: bool | None) -> None:
    """A line says of a path what git reads in it; the last one that speaks of it decides (cases H1)."""
    assert verdict(text, path) is said


def test_folders() -> None:
    """A rule with a slash at its end is for folders, and for what is in them by whoever walks."""
    assert verdict(b"a/", b"x/a", is_folder=True) is True
    assert verdict(b"a/", b"a/b") is None


def test_endless_line() -> None:
    """A line longer than any path is no rule."""
    assert verdict(b"*" * LONGEST_LINE, b"a") is True
    assert verdict(b"*" * (LONGEST_LINE + 1), b"a") is None


def test_work_is_ticked() -> None:
    """Each line that is read and each pattern that is compiled asks first whether there is time."""
    ticks = []
    file = IgnoreFile(b"a\nb*\n[", lambda: ticks.append("line"))
    assert ticks == ["line"] * 3
    file.ignores(b"b1", lambda: ticks.append("pattern"), is_folder=False)
    file.ignores(b"b2", lambda: ticks.append("pattern"), is_folder=False)
    assert ticks[3:] == ["pattern"] * 2


@pytest.mark.parametrize("kind", ["missing", "folder", "link", "pipe"])
def test_no_ignore_file(tmp_path: Path, kind: str) -> None:
    """What git would not read as an ignore file is none, and a pipe holds nobody up."""
    place = tmp_path / ".gitignore"
    if kind == "folder":
        place.mkdir()
    elif kind == "link":
        (tmp_path / "rules").write_text("a")
        place.symlink_to("rules")
    elif kind == "pipe":
        os.mkfifo(place)
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        assert read_beside(folder) == b""
    finally:
        os.close(folder)


def test_standing_file(tmp_path: Path) -> None:
    """An ignore file outside the tree is read through links as well, as git does."""
    (tmp_path / "rules").write_text("a")
    (tmp_path / "link").symlink_to("rules")
    assert read_standing(tmp_path / "link") == b"a"
    assert read_standing(tmp_path / "missing") == b""


def test_too_large(tmp_path: Path) -> None:
    """An ignore file that is too large to read is an error: nobody knows what it ignores."""
    (tmp_path / "rules").write_bytes(b"a\n" * MOST_BYTES)
    with pytest.raises(TooLarge):
        read_standing(tmp_path / "rules")
