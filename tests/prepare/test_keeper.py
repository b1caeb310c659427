import os
import subprocess
import sys
from pathlib import Path

from pilotage.prepare import keeper

KEEPER = [sys.executable, "-I", "-S", str(Path(keeper.__file__))]


def report(*command: str, seconds: float = 5, typed: bytes | None = None) -> str:
    """Keep a command; give the keeper's report. With `typed`, its standard input closes after that."""
    told, tell = os.pipe()
    own = subprocess.Popen(
        [*KEEPER, str(seconds), str(tell), *command], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, pass_fds=(tell,)
    )
    os.close(tell)
    with own, os.fdopen(told) as lines:
        if typed is not None and own.stdin is not None:
            own.stdin.write(typed)
            own.stdin.close()
        return lines.read()


def test_exit_codes() -> None:
    """The exit code is reported, a signal's as a shell would have it."""
    assert report("/bin/sh", "-c", "exit 7") == "exited 7\n"
    assert report("/bin/sh", "-c", "kill -15 $$") == "exited 143\n"


def test_no_such_program() -> None:
    """A program that is not there is reported in the system's words."""
    assert report("/nowhere/at/all") == "failed No such file or directory\n"


def test_time_is_over() -> None:
    """When the time is over, that is reported."""
    assert report("/bin/sleep", "78", seconds=0.1) == "timed-out\n"


def test_children_go_on() -> None:
    """Where the command had ended already and its children had not, its exit code is reported as well."""
    assert report("/bin/sh", "-c", "sleep 78 & sleep 0.25; exit 3", seconds=0.3) in ("timed-out 3\n", "timed-out\n")


def test_input_closes() -> None:
    """When its standard input closes, the command is called off; what is typed before means nothing."""
    assert report("/bin/sleep", "78", typed=b"go on\n") == "cancelled\n"


def test_descendants() -> None:
    """Descendants are found by the process table, dead ones not."""
    own = subprocess.Popen(["/bin/sleep", "78"])
    assert own.pid in keeper.descendants(os.getpid())
    own.kill()
    own.wait()
    assert own.pid not in keeper.descendants(os.getpid())
