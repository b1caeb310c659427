import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given

from pilotage.records.call import Place
from pilotage.records.entry import AgentMessage, ToolResult, UserMessage
from pilotage.sessions.decode import Tally
from pilotage.sessions.follow import FileState, Follower
from pilotage.sessions.read import (
    Growth,
    Session,
    UnreadableSession,
    id_from_name,
    read_bytes,
    read_object,
    read_session,
)
from tests.sessions.raw import FILES, HEADER, TORN, TORN_BLOCKS, drained, ids, joined, packed, said, unhurried

RECORDINGS = sorted(path.name for path in (Path(__file__).parents[1] / "data").glob("*.jsonl"))


def written(path: Path, *lines: bytes) -> Path:
    """Write a file of these lines and return its path."""
    path.write_bytes(joined(lines))
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A place for a session."""
    return tmp_path / "2026-01-01T00-00-00-000Z_s9.jsonl"


def name(text: str, parent: str) -> bytes:
    """Give an entry that names the session."""
    return packed({"type": "session_info", "id": f"n{text}", "parentId": parent, "timestamp": "t", "name": text})


@pytest.mark.parametrize("recording", RECORDINGS)
def test_recordings(data: Path, recording: str) -> None:
    """Every line of every recording is read, each entry has its body, and the branch ends at the last entry."""
    session = read_session(data / recording)
    tally, lines = session.tally, (data / recording).read_bytes().count(b"\n")
    assert (tally.lines, tally.damaged, tally.blank, tally.unknown, session.damages) == (lines, 0, 0, 0, [])
    assert session.header is not None
    assert session.header.cwd.startswith("/")
    assert len(session.tree) == tally.entries
    assert session.tree.leaf == len(session.tree) - 1
    assert (session.tree.attached, session.tree.duplicates) == (0, 0)
    for entry in session.tree.entries:
        assert session.body(entry)["type"] == entry.type
        assert entry.time is not None


@pytest.mark.parametrize("recording", RECORDINGS)
def test_recordings_grow_line_by_line(data: Path, path: Path, recording: str) -> None:
    """A recording that is followed line by line is the session that is read at once."""
    session = Session(path)
    path.touch()
    for line in (data / recording).read_bytes().splitlines(keepends=True):
        with path.open("ab") as file:
            file.write(line)
        session.take(session.follower.read())
    whole = read_session(data / recording)
    assert session.tree.entries == whole.tree.entries
    assert (session.tree.parents, session.tree.active) == (whole.tree.parents, whole.tree.active)
    assert (session.header, session.name, session.tally) == (whole.header, whole.name, whole.tally)
    left = {index: switch.left for index, switch in session.switches.items()}
    assert left == {index: switch.left for index, switch in whole.switches.items()}


def test_branches_of_a_recording(data: Path) -> None:
    """In a session that went back twice both branches that were left are told."""
    session = read_session(data / "branch.jsonl")
    assert len(session.switches) == 2
    assert not all(session.tree.active)


def test_version_1(data: Path) -> None:
    """A session of version 1 is one line of descent, and of two records on one line neither is lost."""
    session = read_session(data / "version1.jsonl")
    assert session.header is not None
    assert (session.header.version, session.tally.recovered) == (1, 1)
    assert session.tree.path() == list(range(len(session.tree)))
    assert session.tree.entries[-1].id.endswith(".2")


def test_killed_session_ends_with_a_call(data: Path) -> None:
    """A file whose host was killed ends with a call that nobody answered (cases C8)."""
    session = read_session(data / "killed.jsonl")
    last = session.entry(session.tree.leaf).content
    assert isinstance(last, AgentMessage)
    answered = {e.content.call_id for e in session.tree.entries if isinstance(e.content, ToolResult)}
    assert not {call.id for call in last.calls} & answered


def test_session_without_a_header(path: Path) -> None:
    """A file that starts with a message is a session, with the id in its name (cases B3)."""
    session = read_session(written(path, said("a"), said("b", "a")))
    assert (session.header, session.id, len(session.tree)) == (None, "s9", 2)


def test_first_header_counts(path: Path) -> None:
    """Of two headers the first one counts (cases C1)."""
    other = HEADER.replace(b"s1", b"s2")
    session = read_session(written(path, HEADER, said("a"), other, said("a"), said("b", "a")))
    assert session.id == "s1"
    assert session.tally == Tally(clean=5, headers=2, entries=3)
    assert (ids(session.tree.entries), session.tree.duplicates) == (["a", "b"], 1)


def test_latest_name_counts(path: Path) -> None:
    """The latest name in the order of the file counts, whatever its branch, and an empty one clears it."""
    session = read_session(written(path, HEADER, said("a"), name("one", "a"), name("two", "a"), said("b", "none")))
    assert session.name == "two"
    assert read_session(written(path, name("one", "a"), name("", "a"))).name == ""


def test_last_line_without_a_newline(path: Path) -> None:
    """A record that lacks its newline is read, also when it is the only one (cases A3)."""
    path.write_bytes(HEADER)
    assert read_session(path).id == "s1"
    path.write_bytes(HEADER + b"\n" + said("a"))
    assert ids(read_session(path).tree.entries) == ["a"]


def test_bad_lines_cost_themselves(path: Path) -> None:
    """After a bad line reading goes on, and its children hang under the nearest earlier entry (cases A6, A17)."""
    redacted = rb'{"type":"message","id":"r","parentId":"a","message":{"role":"user","content":"mail:\***@***"}}'
    session = read_session(
        written(
            path, HEADER, said("a"), redacted, said("b", "r"), b"\x00" * 300 + said("c", "b"), TORN + said("d", "c")
        )
    )
    assert ids(session.tree.entries) == ["a", "b", "c", "d"]
    assert session.tree.path() == [0, 1, 2, 3]
    assert session.tree.attached == 1
    assert [damage.line for damage in session.damages] == [3, 5, 6]
    assert session.tally == Tally(clean=3, recovered=2, damaged=1, headers=1, entries=4)


def test_torn_line_that_a_crash_left(path: Path) -> None:
    """A torn last line is damage and nothing else."""
    path.write_bytes(joined([HEADER, said("a")]) + TORN_BLOCKS)
    session = read_session(path)
    assert (ids(session.tree.entries), session.tally.damaged) == (["a"], 1)


def test_windows_file(path: Path) -> None:
    """A file with a byte order mark and CRLF is read like any other, and bodies are found (cases A9, A10)."""
    path.write_bytes(b"\xef\xbb\xbf" + joined([HEADER + b"\r", said("a") + b"\r", b"\r"]))
    session = read_session(path)
    assert (session.id, session.tally) == ("s1", Tally(clean=2, blank=1, headers=1, entries=1))
    assert session.body(session.entry(0))["id"] == "a"


def test_body(path: Path) -> None:
    """A body has every field of the entry as the file has it, unknown ones as well (spec F1)."""
    fields = {"type": "custom", "id": "a", "parentId": None, "tomorrow": [1, {"x": "é"}], "n": 10**30}
    session = read_session(written(path, HEADER, packed(fields)))
    assert session.body(session.entry(0)) == fields


def test_body_of_a_recovered_record(path: Path) -> None:
    """A record that shares its line has its own body."""
    session = read_session(written(path, HEADER + said("a") + said("b", "a"), TORN + said("c", "b")))
    assert [session.body(entry)["id"] for entry in session.tree.entries] == ["a", "b", "c"]


def test_body_that_is_gone(path: Path) -> None:
    """A body that the file no longer holds is an error that says so."""
    session = read_session(written(path, HEADER, said("a"), said("b", "a")))
    path.write_bytes(path.read_bytes()[:-9])
    assert session.body(session.entry(0))["id"] == "a"
    with pytest.raises(UnreadableSession, match="line 3 is no longer what it was; read the session again"):
        session.body(session.entry(1))
    path.unlink()
    with pytest.raises(UnreadableSession, match="line 2 is no longer"):
        session.body(session.entry(0))


def test_bytes_at_a_place(path: Path) -> None:
    """The bytes at a place are those of the file, as many as there are."""
    written(path, b"abc")
    assert read_bytes(path, Place(1, 1, 2)) == b"bc"
    assert read_bytes(path, Place(1, 1, 99)) == b"bc\n"
    with pytest.raises(UnreadableSession):
        read_object(path, Place(1, 0, 3))


def test_empty_file(path: Path) -> None:
    """An empty file is a session without entries; Pi opens it as well."""
    path.touch()
    session = read_session(path)
    assert (session.id, len(session.tree), session.tally.lines) == ("s9", 0, 0)


@pytest.mark.parametrize("content", [b"x\ny\n", b"\x00" * 99, b"[1]\n", b"# Title\n\nWords.\n", b"\x1f\x8b\x08\x00"])
def test_file_that_is_no_session(path: Path, content: bytes) -> None:
    """A file without a single record is no session, and is told so."""
    path.write_bytes(content)
    with pytest.raises(UnreadableSession, match="not a session: none of its"):
        read_session(path)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """A missing file, a folder, a circle of links and a device are errors that name the file and the reason."""
    circle = tmp_path / "circle.jsonl"
    circle.symlink_to(circle)
    for path, reason in (
        (tmp_path / "none.jsonl", "No such file or directory"),
        (tmp_path, "a folder, not a session file"),
        (circle, "Too many levels of symbolic links"),
        (Path("/dev/zero"), "not a regular file"),
    ):
        with pytest.raises(UnreadableSession) as caught:
            read_session(path)
        assert str(caught.value) == f"{path}: {reason}"


def test_growth(path: Path) -> None:
    """A reading says which entries are new, whether edges changed and whether another branch is active."""
    session = Session(written(path, HEADER, said("a"), said("b", "a")))
    assert session.take(session.follower.read()) == Growth(0, rebuilt=False, switched=False)

    def grow(line: bytes) -> Growth:
        with path.open("ab") as file:
            file.write(line + b"\n")
        return session.take(session.follower.read())

    assert grow(said("c", "b")) == Growth(2, rebuilt=False, switched=False)
    assert grow(said("d", "a")) == Growth(3, rebuilt=False, switched=True)
    assert session.switches[3].left == (1, 2)
    assert grow(said("e", "later")) == Growth(4, rebuilt=False, switched=False)
    assert grow(said("later", "d")) == Growth(5, rebuilt=True, switched=True)
    assert session.tree.path() == [0, 3, 5]


def test_restart(path: Path) -> None:
    """A file that is another one voids everything that was read."""
    session = Session(written(path, HEADER, said("a"), name("N", "a"), b"x"))
    session.take(session.follower.read())
    written(path, HEADER.replace(b"s1", b"s2"), said("z"))
    assert session.take(session.follower.read()) == Growth(0, rebuilt=True, switched=False)
    assert (session.id, session.name, session.damages, ids(session.tree.entries)) == ("s2", "", [], ["z"])
    path.unlink()
    reading = session.follower.read()
    assert reading.state is FileState.MISSING
    session.take(reading)
    assert ids(session.tree.entries) == ["z"]


def test_two_writers(path: Path) -> None:
    """Of two hosts that write to one file both branches are read, and the last line says which is active (cases B4)."""
    left = [said(f"l{n}", f"l{n - 1}" if n else None) for n in range(5)]
    right = [said(f"r{n}", f"r{n - 1}" if n else "l0") for n in range(5)]
    session = read_session(written(path, HEADER, *(line for pair in zip(left, right, strict=True) for line in pair)))
    assert ids(session.entry(index) for index in session.tree.path()) == ["l0", "r0", "r1", "r2", "r3", "r4"]
    assert len(session.switches) == 8


def test_bodies_are_not_held_in_memory(path: Path) -> None:
    """Of a picture of 20 MB nothing stays in memory, and reading it takes a few times its size (spec F4, cases A16)."""
    image = {"type": "image", "data": "A" * 20_000_000, "mimeType": "image/png"}
    result = {"role": "toolResult", "toolCallId": "c", "content": [image], "isError": True}
    written(path, HEADER, packed({"type": "message", "id": "a", "parentId": None, "message": result}), said("b", "a"))
    del image, result
    tracemalloc.start()
    try:
        session = read_session(path)
        held, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert ids(session.tree.entries) == ["a", "b"]
    assert held < 1_000_000
    assert peak < 70_000_000
    message = session.body(session.entry(0))["message"]
    assert isinstance(message, dict)
    assert len(message["content"][0]["data"]) == 20_000_000


def test_reading_never_writes(path: Path) -> None:
    """A file that was read is byte for byte what it was, damage included (spec F1)."""
    written(path, b"\x00", TORN + said("a"), HEADER)
    before, status = path.read_bytes(), path.stat()
    session = read_session(path)
    session.body(session.entry(0))
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (before, status.st_mtime_ns)


@pytest.mark.parametrize(
    ("file", "session_id"),
    [
        ("2026-11-30T15-46-12-378Z_01a22d22-aa.jsonl", "01a22d22-aa"),
        ("2026-11-30T15-46-12-378Z_my_own.jsonl", "my_own"),
        ("plain.jsonl", "plain"),
        ("a.b.jsonl", "a.b"),
    ],
)
def test_id_from_a_name(file: str, session_id: str) -> None:
    """A file of Pi's is named for its time and its id; of any other the name is the id."""
    assert id_from_name(Path("dir_x") / file) == session_id


@unhurried
@given(FILES)
def test_any_file_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """Any bytes at all are a session whose lines all count, or no session; there is no third."""
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    path.write_bytes(data)
    try:
        session = read_session(path)
    except UnreadableSession:
        follower = Follower(path)
        drained(follower)
        follower.finish()
        assert (follower.tally.headers, follower.tally.entries) == (0, 0)
        assert follower.tally.damaged
        return
    tally = session.tally
    assert tally.entries == len(session.tree) + session.tree.duplicates
    for entry in session.tree.entries:
        body = session.body(entry)
        assert body.get("id", entry.id) == entry.id or not isinstance(body["id"], str)
        assert not isinstance(entry.content, UserMessage) or entry.role == "user"
