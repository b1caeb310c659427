from pathlib import Path

import pytest

from pilotage.console.editor import editor_command, free_path, safe_name, save, temporary_copy
from tests.handmade import HOSTILE


def test_whose_editor(monkeypatch: pytest.MonkeyPatch) -> None:
    """The setting comes first, then `$VISUAL`, then `$EDITOR`, then vi; its words are those of a shell."""
    assert editor_command(None) == ["vi"]
    monkeypatch.setenv("EDITOR", "nano")
    assert editor_command(None) == ["nano"]
    monkeypatch.setenv("VISUAL", "code --wait 'a b'")
    assert editor_command(None) == ["code", "--wait", "a b"]
    assert editor_command("hx") == ["hx"]
    assert editor_command("  ") == ["vi"]


def test_a_quote_that_is_not_closed() -> None:
    """A command with a stray quote is taken word by word."""
    assert editor_command('vi "x') == ["vi", '"x']


def test_a_copy_is_private() -> None:
    """A copy for the editor holds the text, and nobody else may read it."""
    file = temporary_copy("two\nlines\ud800", "bash pytest -q")
    assert file.read_text("utf-8") == "two\nlines?"
    assert file.name == "bash-pytest--q.txt"
    assert file.parent.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("read src/a.py", "read-src-a.py"),
        ("../../etc/passwd", "etc-passwd"),
        ("..", "output"),
        ("", "output"),
        ("-rf /", "rf"),
        ("a\0b\x1b]52;c;x\x07", "a-b-52-c-x"),
        ("漢字", "漢字"),
        ("x" * 500, "x" * 60),
    ],
)
def test_safe_names(name: str, safe: str) -> None:
    """Any text makes a file name that stays in its folder and is no option."""
    assert safe_name(name) == safe


def test_hostile_names(tmp_path: Path) -> None:
    """A file can be made under the name of anything."""
    for name in (HOSTILE, "漢" * 300, "/" * 9):
        path = free_path(tmp_path, name)
        path.write_text("x")
        assert path.parent == tmp_path


def test_free_path(tmp_path: Path) -> None:
    """The name that is offered is one at which nothing lies."""
    names = []
    for _ in range(3):
        path = free_path(tmp_path, "bash ls")
        save("x", path)
        names.append(path.name)
    assert names == ["bash-ls.txt", "bash-ls-2.txt", "bash-ls-3.txt"]


def test_saving_overwrites_nothing(tmp_path: Path) -> None:
    """Where a file is there already nothing is written."""
    path = tmp_path / "x.txt"
    save("first\ud800", path)
    with pytest.raises(FileExistsError):
        save("second", path)
    assert path.read_text() == "first?"
