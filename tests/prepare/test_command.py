import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from pilotage.prepare.command import CommandEnd, RunningCommand
from pilotage.prepare.confine import Confinement
from tests.prepare.processes import alive, all_gone, comes

LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux adopts orphans")
SHORT = 0.5


def ran(folder: Path, command: str, either: Confinement | None = None, seconds: float = SHORT) -> CommandEnd:
    """Run a command to its end."""
    walls = either if either is not None and either.works else None
    return RunningCommand(command, os.path.realpath(folder), walls, seconds).wait()


@pytest.mark.parametrize(
    ("command", "text", "is_error"),
    [
        ("echo out; echo err >&2; echo out", "out\nerr\nout\n", False),
        ("true", "(no output)", False),
        ("exit 3", "(no output)\n\nCommand exited with code 3", True),
        ("echo x; exit 4", "x\n\n\nCommand exited with code 4", True),
        ("kill -9 $$", "(no output)\n\nCommand exited with code 137", True),
        ("cat; read line; echo $?", "1\n", False),
        ("echo a | tr a b", "b\n", False),
        ("echo 'é\u3000漢'", "é\u3000漢\n", False),
        ("(exec < /dev/tty) 2>/dev/null || echo none", "none\n", False),
    ],
)
def test_ends(folder: Path, either: Confinement, command: str, text: str, is_error: bool) -> None:
    """A command ends in the host's words, has nothing to read and no terminal (HOST.md b)."""
    assert ran(folder, command, either, 5) == CommandEnd(text, is_error)


def test_folder(folder: Path, either: Confinement) -> None:
    """It runs in the folder."""
    assert ran(folder, "pwd", either, 5).text == f"{os.path.realpath(folder)}\n"


def test_time_is_over(folder: Path, either: Confinement) -> None:
    """A command that hangs ends when its time is over, and what it said until then is told."""
    end = ran(folder, "echo first; sleep 71.25", either)
    assert end == CommandEnd("first\n\n\nCommand timed out after 0.5 seconds", True)
    assert alive("sleep 71.25") == []


@pytest.mark.parametrize(
    "command",
    [
        "sleep 72.MARK &",
        "sleep 72.MARK & sleep 72.MARK",
        "setsid sleep 72.MARK & sleep 72.MARK",
        "setsid -f sleep 72.MARK; setsid -f setsid -f sleep 72.MARK",
        "(setsid bash -c 'trap \"\" TERM HUP INT; nohup sleep 72.MARK & disown -a' &); sleep 72.MARK",
        "for i in 1 2 3 4 5 6 7 8 9; do (setsid -f bash -c 'setsid -f sleep 72.MARK; sleep 72.MARK' &); done",
        "env -i /bin/bash -c 'exec -a other sleep 72.MARK' & exit 0",
        'run() { setsid -f bash -c "$(declare -f run); sleep 0.02; : 72.MARK; run"; }; run; sleep 72.MARK',
    ],
    ids=["child", "children", "session", "daemons", "stubborn", "many", "renamed", "runner"],
)
@LINUX
def test_nothing_is_left(folder: Path, either: Confinement, command: str, request: pytest.FixtureRequest) -> None:
    """Whatever a command leaves behind, in whichever session, is gone when its end is told."""
    mark = f"{os.getpid()}{abs(hash(request.node.nodeid)) % 10**6}"
    ran(folder, command.replace("MARK", mark), either)
    assert alive(f"72.{mark}") == []


def test_children_that_hold_the_output(folder: Path) -> None:
    """A command that has ended is not waited for because a child of it holds its output."""
    assert ran(folder, "sleep 73 & echo started", seconds=30) == CommandEnd("started\n", False)


def test_children_that_end_soon(folder: Path) -> None:
    """What a child says right after its command has ended is told as well."""
    assert ran(folder, "echo late > >(sleep 0.02; cat)", seconds=30).text == "late\n"


def test_endless_output(folder: Path, either: Confinement) -> None:
    """Endless output ends with the time, and its end alone is told."""
    end = ran(folder, "yes", either)
    assert end.is_error
    assert end.text.endswith("The full output was not kept.]\n\nCommand timed out after 0.5 seconds")
    assert len(end.text) < 5000


def test_a_gigabyte(folder: Path, either: Confinement) -> None:
    """A gigabyte is told by its end, or its time is over before it is all there."""
    text = ran(folder, "head -c 1000000000 /dev/zero | tr '\\0' a", either, 2).text
    assert "[Showing last 50.0KB of line 1. The full output was not kept.]" in text


def test_output_closed(folder: Path) -> None:
    """A command that closes its output is still waited for, and ends in time."""
    assert ran(folder, "exec >&- 2>&-; sleep 74").text == "Command timed out after 0.5 seconds"


def test_cancelled(folder: Path, either: Confinement) -> None:
    """A command that is called off ends at once, with all its processes."""
    walls = either if either.works else None
    mark = f"75.{os.getpid()}{either.works:d}"
    running = RunningCommand(f"setsid -f sleep {mark}; echo on; sleep {mark}", os.path.realpath(folder), walls, 30)
    threading.Timer(0.3, running.cancel).start()
    assert running.wait() == CommandEnd("on\n\n\nCommand aborted", True, is_cancelled=True)
    assert alive(mark) == []


@LINUX
def test_pilotage_dies(folder: Path) -> None:
    """When Pilotage is killed in the middle, the command and all its processes end as well."""
    mark = f"76.{os.getpid()}"
    command = f"setsid -f sleep {mark}; touch started; sleep {mark}"
    code = (
        "from pilotage.prepare.command import RunningCommand as R\n"
        f"R({command!r}, {os.path.realpath(folder)!r}, None, 60).wait()"
    )
    own = subprocess.Popen([sys.executable, "-c", code])
    try:
        assert comes(folder / "started")
    finally:
        own.kill()
        own.wait()
    assert all_gone(mark)


def test_environment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command sees little of Pilotage's own environment, and runs no file that it names."""
    (folder / "start").write_text("echo sourced")
    monkeypatch.setenv("BASH_ENV", str(folder / "start"))
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-secret")
    text = ran(folder, "env", seconds=5).text
    assert "secret" not in text
    assert "sourced" not in text
    assert "PATH=" in text
    assert "GIT_OPTIONAL_LOCKS=0" in text


def test_no_folder(folder: Path) -> None:
    """A folder that is gone is an error of the system's."""
    with pytest.raises(FileNotFoundError):
        ran(folder / "gone", "true")
