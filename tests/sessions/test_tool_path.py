"""Which file a tool's path means."""

import pytest

from pilotage.sessions.tool_path import absolute_path


@pytest.mark.parametrize(
    ("path", "absolute"),
    [
        ("notes.txt", "/w/notes.txt"),
        ("./a//b/../notes.txt", "/w/a/notes.txt"),
        ("../notes.txt", "/notes.txt"),
        ("@notes.txt", "/w/notes.txt"),
        ("@@notes.txt", "/w/@notes.txt"),
        ("/etc/hosts", "/etc/hosts"),
        ("//etc/hosts", "/etc/hosts"),
        ("~/notes.txt", "/home/dev/notes.txt"),
        ("~", "/home/dev"),
        ("~dev/notes.txt", "/w/~dev/notes.txt"),
        ("a\u00a0b\u202fc.txt", "/w/a b c.txt"),
        ("", "/w"),
    ],
)
def test_absolute_path(path: str, absolute: str) -> None:
    """A path is resolved as the host resolves it: against its folder, `@`, `~` and odd spaces seen to."""
    assert absolute_path(path, "/w", "/home/dev") == absolute


def test_own_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no home folder is given it is this process's."""
    monkeypatch.setenv("HOME", "/home/dev")
    assert absolute_path("~/x", "/w") == "/home/dev/x"
