import os
import time
from pathlib import Path

import pytest

from pilotage import paths
from pilotage.sessions.choose import Choice, Chooser, is_at_rest
from pilotage.sessions.follow import FRESH
from pilotage.sessions.read import Session, read_session
from tests.handmade import agent, call, lines_of, ran, user
from tests.sessions.raw import joined, packed

WORKING = [user(), agent(call("c1", command="ls"))]
RESTING = [user(), agent(text="Done.", stop="stop")]


class Folder:
    """A project and the flat folder of its sessions."""

    def __init__(self, root: Path) -> None:
        self.cwd = root / "project"
        self.sessions = root / "sessions"
        self.cwd.mkdir()
        self.sessions.mkdir()

    def write(self, name: str, *entries: dict[str, object], age: float = 0, cwd: str | None = None) -> Path:
        """Write a session that was written so many seconds ago."""
        path = self.sessions / f"{name}.jsonl"
        path.write_bytes(joined([packed({"type": "session", "id": name, "cwd": cwd or str(self.cwd)})]))
        with path.open("a") as file:
            file.writelines(lines_of(entries))
        return self.age(path, age)

    def age(self, path: Path, age: float) -> Path:
        """Make a file one that was written so many seconds ago."""
        os.utime(path, (time.time() - age, time.time() - age))
        return path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """An empty project."""
    made = Folder(tmp_path)
    monkeypatch.setenv(paths.SESSION_DIR, str(made.sessions))
    return made


LONG_AGO = 10 * FRESH


def test_no_session(folder: Folder) -> None:
    """While a folder has no session there is nothing to watch, and the first one that comes is taken."""
    chooser = Chooser(folder.cwd)
    assert chooser.look(None) == Choice(None, None)
    path = folder.write("new")
    assert chooser.look(None) == Choice(path, None)


def test_newest_first(folder: Folder) -> None:
    """At the start the session that was written last is watched, live or not."""
    folder.write("older", age=LONG_AGO + 5)
    newest = folder.write("newest", age=LONG_AGO)
    assert Chooser(folder.cwd).look(None) == Choice(newest, None)


def test_sessions_of_other_folders(folder: Folder) -> None:
    """Sessions of other folders, and files without a header, are none of ours."""
    folder.write("elsewhere", cwd="/elsewhere")
    (folder.sessions / "headless.jsonl").write_bytes(joined([b"x"]))
    assert Chooser(folder.cwd).look(None) == Choice(None, None)


def test_file_whose_header_comes_later(folder: Folder) -> None:
    """A file without a header is looked at again until it has one."""
    chooser = Chooser(folder.cwd)
    (folder.sessions / "late.jsonl").touch()
    assert chooser.look(None).path is None
    path = folder.write("late")
    assert chooser.look(None).path == path


def test_alone(folder: Folder) -> None:
    """A session without a live one beside it is stayed with."""
    folder.write("old", age=LONG_AGO)
    session = read_session(folder.write("ours", *RESTING))
    chooser = Chooser(folder.cwd)
    assert chooser.look(session) == chooser.look(session) == Choice(session.path, None)


def test_next_session_of_our_host(folder: Folder) -> None:
    """When ours has come to rest, a session that began since is the host's next one, and is moved on to."""
    session = read_session(folder.write("ours", *RESTING, age=5))
    chooser = Chooser(folder.cwd)
    assert chooser.look(session) == Choice(session.path, None)
    following = folder.write("next", *WORKING)
    assert chooser.look(session) == Choice(following, None)
    assert chooser.look(read_session(following)) == Choice(following, None)


def test_session_of_another_host(folder: Folder) -> None:
    """While ours is at work, a session that began since is another host's: it is named and not followed."""
    session = read_session(folder.write("ours", *WORKING, age=5))
    chooser = Chooser(folder.cwd)
    chooser.look(session)
    other = folder.write("other", *WORKING)
    assert chooser.look(session) == Choice(session.path, other)


def test_live_session_beside_ours(folder: Folder) -> None:
    """A session that was live from the beginning is named, even when ours rests."""
    other = folder.write("other", *WORKING)
    session = read_session(folder.write("ours", *RESTING))
    assert Chooser(folder.cwd).look(session) == Choice(session.path, other)


def test_older_session_that_comes_to_life(folder: Folder) -> None:
    """An older session that comes to life is followed only when ours is no longer live."""
    older = folder.write("older", *WORKING, age=LONG_AGO)
    ours = folder.write("ours", *RESTING, age=5)
    session = read_session(ours)
    chooser = Chooser(folder.cwd)
    assert chooser.look(session) == Choice(ours, None)
    folder.age(older, 0)
    assert chooser.look(session) == Choice(ours, older)
    session = read_session(folder.age(ours, LONG_AGO))
    assert chooser.look(session) == Choice(older, None)


def test_back_and_forth(folder: Folder) -> None:
    """A session that was moved on from is not moved back to; it is named when it is written again."""
    ours = read_session(folder.write("ours", *RESTING, age=5))
    chooser = Chooser(folder.cwd)
    chooser.look(ours)
    following = read_session(folder.write("next", *RESTING))
    assert chooser.look(ours).path == following.path
    assert chooser.look(following) == chooser.look(following) == Choice(following.path, None)
    folder.age(ours.path, -1)
    assert chooser.look(following) == Choice(following.path, ours.path)


def test_session_that_is_not_read_yet(folder: Folder) -> None:
    """A session of which nothing was read yet is not live."""
    live = folder.write("live", *WORKING)
    path = folder.write("ours", age=LONG_AGO)
    assert Chooser(folder.cwd).look(Session(path)) == Choice(live, None)


@pytest.mark.parametrize(
    ("entries", "rests"),
    [
        ([], True),
        ([{"type": "label"}], True),
        (RESTING, True),
        ([*RESTING, {"type": "session_info", "name": "N"}], True),
        ([user()], False),
        ([*RESTING, user()], False),
        (WORKING, False),
        ([*WORKING, ran("c1")], False),
        ([*WORKING, ran("c1"), agent(text="Done.", stop="stop")], True),
        ([user(), agent(stop="aborted")], True),
        ([user(), agent(call("c1"), stop="aborted")], True),
        ([user(), agent(call("c1"), stop="error")], True),
    ],
)
def test_rest(folder: Folder, entries: list[dict[str, object]], rests: bool) -> None:
    """An agent rests when its last answer asks for nothing; words and results wait for an answer."""
    assert is_at_rest(read_session(folder.write("s", *entries))) is rests


@pytest.mark.parametrize(
    ("recording", "rests"),
    [("plain", True), ("killed", False), ("abort_stream", True), ("retry", True), ("notes", True)],
)
def test_rest_in_recordings(data: Path, recording: str, rests: bool) -> None:
    """Sessions of the real Pi rest at their end, but for one that was killed."""
    assert is_at_rest(read_session(data / f"{recording}.jsonl")) is rests
