import sys
from pathlib import Path

import pytest

from pilotage.console.clipboard import clipboard_commands, copy_by_command
from tests.console.terminal import write_program

pytestmark = pytest.mark.skipif(sys.platform == "darwin", reason="pbcopy comes first there")


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder that is all there is on PATH, and no display and no tmux."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    for name in ("TMUX", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    return folder


def keeper(shelf: Path, name: str, status: int = 0) -> Path:
    """Put a program there that keeps its arguments and what it is given; where it keeps them."""
    kept = shelf.parent / f"{name}.kept"
    each_line = 'while IFS= read -r line || [ -n "$line" ]; do echo "$line"; done'
    write_program(shelf, name, f'{{ echo "$@"; {each_line}; }} > {kept}\nexit {status}')
    return kept


def test_nothing_there(shelf: Path) -> None:
    """Where there is no such program nothing is called, whatever the environment says."""
    assert clipboard_commands() == []
    assert copy_by_command("x") == ""


@pytest.mark.parametrize(
    ("variable", "name", "arguments"),
    [
        ("TMUX", "tmux", "load-buffer -w -"),
        ("WAYLAND_DISPLAY", "wl-copy", ""),
        ("DISPLAY", "xclip", "-selection clipboard"),
    ],
)
def test_the_tool_of_the_place(
    shelf: Path, monkeypatch: pytest.MonkeyPatch, variable: str, name: str, arguments: str
) -> None:
    """Inside tmux, under Wayland and under X the text goes to the tool of the place, as it is."""
    kept = keeper(shelf, name)
    assert copy_by_command("x") == ""
    monkeypatch.setenv(variable, "1")
    assert copy_by_command("two\nlines, 漢字") == name
    assert kept.read_text("utf-8").split("\n")[:3] == [arguments, "two", "lines, 漢字"]


def test_the_next_when_one_fails(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tool that fails, or cannot be run, gives way to the next."""
    for variable in ("TMUX", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.setenv(variable, "1")
    keeper(shelf, "tmux", status=1)
    write_program(shelf, "wl-copy", "").write_text("#!/no/such/shell\n")
    assert copy_by_command("x") == ""
    kept = keeper(shelf, "xclip")
    assert copy_by_command("x") == "xclip"
    assert kept.exists()


def test_text_that_is_no_utf8(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lone surrogate is copied as a question mark."""
    monkeypatch.setenv("DISPLAY", ":0")
    kept = keeper(shelf, "xclip")
    assert copy_by_command("a\ud800b") == "xclip"
    assert "a?b" in kept.read_text()
