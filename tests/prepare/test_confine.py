import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from pilotage.prepare.confine import Confinement, confined, confinement, shell


def ran(walls: Confinement, folder: Path, command: str) -> tuple[int, str]:
    """Run a command confined; give its exit code and output."""
    done = subprocess.run(
        confined(walls, str(folder), [shell(), "-c", command]), capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def test_folder_is_there(walls: Confinement, folder: Path) -> None:
    """A confined command runs in the folder and reads what is there, also where the folder is in /tmp."""
    (folder / "x").write_text("here")
    assert ran(walls, folder, "pwd; cat x") == (0, f"{folder}\nhere")


@pytest.mark.parametrize("place", ["x", "/x", "/etc/x", "/var/tmp/x"])
def test_nothing_is_written(walls: Confinement, folder: Path, place: str) -> None:
    """A confined command can write nothing that stays, as root neither (spec P5)."""
    code, said = ran(walls, folder, f"echo x > {place}")
    assert code != 0
    assert "Read-only file system" in said or "Permission denied" in said
    assert list(folder.iterdir()) == []


def test_home_is_not_written(walls: Confinement, folder: Path, home: Path) -> None:
    """Nor does what it writes to the home folder stay."""
    ran(walls, folder, "mkdir -p ~; echo x > ~/x")
    assert list(home.iterdir()) == []


def test_walls_hold(walls: Confinement, folder: Path) -> None:
    """It has no capability to make anything writable again, nor gets one in a namespace of its own."""
    assert ran(walls, folder, "grep CapBnd /proc/self/status")[1].split() == ["CapBnd:", "0" * 16]
    remount = "mount -o remount,rw,bind /"
    code, _ = ran(walls, folder, f"{remount} || unshare --user --map-root-user --mount {remount}; echo x > x")
    assert code != 0
    assert list(folder.iterdir()) == []


def test_private_tmp(walls: Confinement, folder: Path) -> None:
    """/tmp is its own: it is written to and gone afterwards, and what others have there is not seen."""
    marker = Path("/tmp") / f"pilotage-{os.getpid()}-{folder.name}"
    marker.write_text("mine")
    try:
        code, said = ran(
            walls, folder, f"! cat {marker} 2>&1 && echo theirs > {marker} && cat {marker} && echo $TMPDIR"
        )
        assert (code, said.splitlines()[-2:]) == (0, ["theirs", "/tmp"])
        assert marker.read_text() == "mine"
    finally:
        marker.unlink()


def test_no_network(walls: Confinement, folder: Path) -> None:
    """There is no network, not even to this machine."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        code, said = ran(walls, folder, f"exec 3<>/dev/tcp/127.0.0.1/{server.getsockname()[1]}")
    assert code != 0
    assert "refused" in said or "unreachable" in said


def test_own_processes(walls: Confinement, folder: Path) -> None:
    """Other processes are neither seen nor reached."""
    code, said = ran(walls, folder, "ls -d /proc/[0-9]* | wc -l")
    assert code == 0
    assert int(said) < 6


def test_where_namespaces_are_closed(walls: Confinement) -> None:
    """Where this user may not make namespaces, it is said that commands run unconfined, and why."""
    ask = "from pilotage.prepare.confine import confinement as c; print(c().works, c().words, sep='\\n')"
    closed = [walls.program, "--dev-bind", "/", "/", "--unshare-user", "--disable-userns", "--cap-drop", "ALL", "--"]
    done = subprocess.run([*closed, sys.executable, "-c", ask], capture_output=True, text=True, check=False)
    if "Unknown option" in done.stderr:
        pytest.skip("this bubblewrap cannot close namespaces")
    works, words = done.stdout.splitlines()
    assert works == "False"
    assert words.startswith(f"commands run unconfined: {walls.program} makes no namespaces here: ")


def test_without_bubblewrap(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without bubblewrap it is said what is missing and how to mend it."""
    monkeypatch.setenv("PATH", str(tmp_path))
    found = confinement()
    assert (found.works, found.program) == (False, "")
    assert "bubblewrap" in found.words


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere nothing is tried")
def test_hanging_bubblewrap(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A bubblewrap that fails without a word counts as none."""
    (tmp_path / "bwrap").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert confinement().words.endswith("makes no namespaces here: no reason given")
