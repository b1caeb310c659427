import json
import re
import resource
import signal
import stat
import time
import uuid
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilotage.sessions.locate import Root
from pilotage.sessions.read import read_session
from pilotage.sessions.summary import read_summary
from pilotage.sessions.write import (
    UnwritableSession,
    create_session,
    custom,
    folder_of,
    message,
    session_name,
    uuid7,
)
from tests.handmade import HOSTILE
from tests.sessions.raw import unhurried


@pytest.fixture
def root(tmp_path: Path) -> Root:
    """A folder of sessions with a folder for each project."""
    return Root(tmp_path / "sessions", flat=False)


def lines(path: Path) -> list[dict[str, object]]:
    """Give the records of a file."""
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_whole_file(root: Root, tmp_path: Path) -> None:
    """A session is whole from its first moment: a header of version 3, then entries that hang on each other (F9)."""
    opening = [session_name("n"), message("user", "Hello."), custom("x", {"a": 1})]
    session = create_session(root, tmp_path, opening, parent="/p.jsonl")
    first, *entries = lines(session.path)
    assert first.pop("timestamp")
    assert first == {
        "type": "session",
        "version": 3,
        "id": session.id,
        "cwd": str(tmp_path),
        "parentSession": "/p.jsonl",
    }
    ids = [entry["id"] for entry in entries]
    assert [entry["parentId"] for entry in entries] == [None, *ids[:-1]]
    assert all(re.fullmatch("[0-9a-f]{8}", str(entry_id)) for entry_id in ids)
    assert [entry["type"] for entry in entries] == ["session_info", "message", "custom"]
    assert all(list(entry)[:4] == ["type", "id", "parentId", "timestamp"] for entry in entries)
    assert session.leaf == ids[-1]


def test_name_and_rights(root: Root, tmp_path: Path) -> None:
    """The file is named by its time and id as Pi's are, and is this user's alone."""
    session = create_session(root, tmp_path, [message("user", "Hello.")])
    stamp = str(lines(session.path)[0]["timestamp"])
    assert session.path.name == f"{stamp.replace(':', '-').replace('.', '-')}_{session.id}.jsonl"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", stamp)
    assert stat.S_IMODE(session.path.stat().st_mode) == 0o600
    assert read_summary(session.path).id == session.id


@pytest.mark.parametrize(
    ("cwd", "name"),
    [
        ("/home/dev/kestrel-api", "--home-dev-kestrel-api--"),
        ("/home/dev/a b/.c", "--home-dev-a b-.c--"),
        ("/c:/日本", "--c--日本--"),
        ("/", "----"),
    ],
)
def test_folder(cwd: str, name: str) -> None:
    """Each project has a folder by Pi's rule, where the root is not flat (`HOST.md` a)."""
    assert folder_of(Root(Path("/s"), flat=False), Path(cwd)) == Path("/s") / name
    assert folder_of(Root(Path("/s"), flat=True), Path(cwd)) == Path("/s")


def test_growing(root: Root, tmp_path: Path) -> None:
    """Entries are added one after the other, and what was there stays to the byte."""
    session = create_session(root, tmp_path, [message("user", "Hello.")])
    before = session.path.read_bytes()
    ids = session.append(custom("x", {}), custom("y", {}))
    assert session.path.read_bytes().startswith(before)
    assert [entry["id"] for entry in lines(session.path)[2:]] == list(ids)
    assert lines(session.path)[2]["parentId"] == lines(session.path)[1]["id"]
    assert session.append() == ()
    assert session.leaf == ids[-1]


def test_file_that_is_gone(root: Root, tmp_path: Path) -> None:
    """A file that somebody took away is not made anew; that it is gone is said, and nothing is thought written."""
    session = create_session(root, tmp_path, [message("user", "Hello.")])
    session.path.unlink()
    leaf = session.leaf
    with pytest.raises(UnwritableSession, match=re.escape(str(session.path))):
        session.append(custom("x", {}))
    assert not session.path.exists()
    assert session.leaf == leaf


def test_name_that_is_taken(root: Root, tmp_path: Path) -> None:
    """Sessions of one name and millisecond never overwrite each other: a second one is refused."""
    made: dict[Path, str] = {}
    for number in range(100):
        try:
            session = create_session(root, tmp_path, [message("user", str(number))], session_id="same")
        except UnwritableSession:
            continue
        assert session.path not in made
        made[session.path] = str(number)
    assert {path: str(lines(path)[1]["message"]["content"]) for path in made} == made  # type: ignore[index]


def test_folder_that_is_a_file(tmp_path: Path) -> None:
    """Where no folder can be made, that is said with what to do."""
    (tmp_path / "sessions").write_text("")
    with pytest.raises(UnwritableSession, match="rights"):
        create_session(Root(tmp_path / "sessions", flat=True), tmp_path, [message("user", "x")])


def test_full_disk(root: Root, tmp_path: Path) -> None:
    """What cannot be written as a whole is not written at all, and the file stays as it was."""
    session = create_session(root, tmp_path, [message("user", "Hello.")])
    before = session.path.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 100, limits[1]))
    try:
        with pytest.raises(UnwritableSession):
            session.append(custom("x", {"text": "y" * 500}))
        with pytest.raises(UnwritableSession):
            create_session(root, tmp_path, [message("user", "z" * 5000)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert session.path.read_bytes() == before
    assert list(session.path.parent.iterdir()) == [session.path]
    session.append(custom("x", {}))
    assert len(read_session(session.path).tree) == 2


def test_hostile_text(root: Root, tmp_path: Path) -> None:
    """Whatever text is written is read again as it was, one line an entry."""
    session = create_session(root, tmp_path, [message("user", HOSTILE)])
    session.path.read_bytes().decode()
    read = read_session(session.path)
    assert read.tally.clean == 2
    body = read.body(read.entry(0))
    assert body["message"] == json.loads(json.dumps(body["message"]))
    assert json.loads(session.path.read_bytes().splitlines()[1])["message"]["content"] == HOSTILE


@unhurried
@given(st.text())
def test_any_text(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    """Any text comes back to the letter."""
    folder = tmp_path_factory.mktemp("any")
    session = create_session(Root(folder, flat=True), folder, [message("user", text), custom("x", {text: text})])
    first = json.loads(session.path.read_bytes().split(b"\n")[1])
    assert first["message"]["content"] == text
    assert json.loads(session.path.read_bytes().split(b"\n")[2])["data"] == {text: text}


def test_ids() -> None:
    """Session ids are UUIDs of version 7: in the order of their times, and no two alike."""
    early, late = uuid7(1_700_000_000.0), uuid7(1_700_000_000.001)
    assert (early.version, early.variant) == (7, uuid.RFC_4122)
    assert str(early) < str(late)
    assert early.int >> 80 == 1_700_000_000_000
    assert len({uuid7(1.0) for _ in range(1000)}) == 1000


def test_message_times() -> None:
    """A message says when it was in milliseconds, now where nobody says."""
    told = message("user", "x", 12.3456)["message"]
    assert isinstance(told, dict)
    assert told["timestamp"] == 12346
    now = message("user", "x")["message"]
    assert isinstance(now, dict)
    assert abs(now["timestamp"] / 1000 - time.time()) < 60
