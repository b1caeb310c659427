import os
from pathlib import Path

import pytest

from pilotage.sessions.summary import HEAD, TAIL, read_header, read_summary
from tests.sessions.raw import HEADER, TORN, joined, packed, said


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A place for a session."""
    return tmp_path / "2026-01-01T00-00-00-000Z_s9.jsonl"


def name(text: str) -> bytes:
    """Give an entry that names the session."""
    return packed({"type": "session_info", "id": "n", "parentId": None, "timestamp": "t", "name": text})


def filler(size: int) -> list[bytes]:
    """Give lines of bookkeeping that take about so many bytes."""
    line = packed({"type": "custom", "id": "f", "parentId": None, "data": "x" * 1000})
    return [line] * (size // len(line) + 1)


def test_summary(path: Path) -> None:
    """A summary says what the header says, how the session is named and what the user said first."""
    header = packed(
        {
            "type": "session",
            "version": 3,
            "id": "s1",
            "timestamp": "2026-01-01T00:00:00Z",
            "cwd": "/w",
            "parentSession": "/p.jsonl",
        }
    )
    path.write_bytes(joined([header, said("a", None, "Mend it."), said("b", "a", "Go on."), name("Mending")]))
    os.utime(path, (5, 5))
    summary = read_summary(path)
    assert (summary.path, summary.id, summary.cwd, summary.version) == (path, "s1", "/w", 3)
    assert (summary.started, summary.modified, summary.parent) == (1_767_225_600.0, 5.0, "/p.jsonl")
    assert (summary.size, summary.readable) == (path.stat().st_size, True)
    assert (summary.name, summary.first_words, summary.title) == ("Mending", "Mend it.", "Mending")


def test_title_without_a_name(path: Path) -> None:
    """A session without a name goes by the user's first words, 200 characters of them."""
    path.write_bytes(joined([HEADER, said("a", None, "x" * 900)]))
    assert read_summary(path).title == "x" * 200


def test_latest_name_counts(path: Path) -> None:
    """The latest name counts, and an empty one clears it."""
    path.write_bytes(joined([HEADER, name("one"), name("two")]))
    assert read_summary(path).name == "two"
    path.write_bytes(joined([HEADER, name("one"), name("")]))
    assert read_summary(path).name == ""


def test_large_file_is_read_at_its_ends(path: Path) -> None:
    """Of a large file the head and the tail are read: what stands in the middle is not looked for (spec F8)."""
    middle = [*filler(HEAD), name("hidden"), said("m", None, "hidden"), *filler(TAIL)]
    path.write_bytes(joined([HEADER, said("a", None, "First."), *middle]))
    assert read_summary(path).title == "First."
    path.write_bytes(joined([HEADER, said("a", None, "First."), *middle, name("Last")]))
    assert read_summary(path).title == "Last"


def test_sparse_gigabytes(path: Path) -> None:
    """A file of 4 GB, a hole in the middle, is summed up like any other."""
    path.write_bytes(joined([HEADER, said("a", None, "First.")]))
    with path.open("r+b") as file:
        file.truncate(4 << 30)
        file.seek(0, os.SEEK_END)
        file.write(b"\n" + joined([name("End")]))
    summary = read_summary(path)
    assert (summary.title, summary.size > 4 << 30) == ("End", True)


@pytest.mark.parametrize("size", [*range(TAIL - 400, TAIL + 400, 57), HEAD - 1, HEAD, HEAD + 1, HEAD + TAIL])
@pytest.mark.parametrize("end", [b"", b"\n"])
def test_files_around_the_limits(path: Path, size: int, end: bytes) -> None:
    """A file of any size has its header, first words and last name, with a last newline or without."""
    first, last = joined([HEADER, said("a", None, "First.")]), name("Last") + end
    frame = len(joined([packed({"type": "custom", "id": "f", "parentId": None, "data": ""})]))
    data = "x" * (size - len(first) - len(last) - frame)
    path.write_bytes(first + joined([packed({"type": "custom", "id": "f", "parentId": None, "data": data})]) + last)
    assert path.stat().st_size == size
    summary = read_summary(path)
    assert (summary.id, summary.first_words, summary.name) == ("s1", "First.", "Last")


def test_huge_first_entry(path: Path) -> None:
    """A picture in the first entry hides neither the header nor the name at the end (cases A16)."""
    path.write_bytes(joined([HEADER, said("a", None, "A" * 3_000_000), name("Last")]))
    summary = read_summary(path)
    assert (summary.id, summary.readable, summary.title) == ("s1", True, "Last")


def test_huge_last_entry(path: Path) -> None:
    """A last line that fills the tail costs the name at most."""
    path.write_bytes(joined([HEADER, said("a", None, "First."), said("b", "a", "A" * 3_000_000)]))
    assert read_summary(path).title == "First."


def test_lost_header(path: Path) -> None:
    """A file without a header has the id in its name and is marked (cases B3)."""
    path.write_bytes(joined([said("a", None, "First.")]))
    summary = read_summary(path)
    assert (summary.id, summary.cwd, summary.version, summary.readable) == ("s9", "", 0, False)
    assert summary.title == "First."
    assert read_header(path) is None


def test_damage_in_the_head(path: Path) -> None:
    """Damage around the header and the first words costs neither (cases A1, A7, A9, A10)."""
    path.write_bytes(b"\xef\xbb\xbf" + HEADER + b"\r\n" + b"\x00" * 99 + b"\n" + TORN + said("a", None, "First."))
    summary = read_summary(path)
    assert (summary.id, summary.title) == ("s1", "First.")
    header = read_header(path)
    assert header is not None
    assert header.id == "s1"


def test_header_and_entry_on_one_line(path: Path) -> None:
    """A header that lost its newline is a header."""
    path.write_bytes(HEADER + said("a") + b"\n")
    header = read_header(path)
    assert header is not None
    assert header.cwd == "/w"


@pytest.mark.parametrize("content", [b"", b"\n", b"x", b"\x00" * 70_000, b"x" * 70_000, b"{" * 70_000])
def test_file_that_is_no_session(path: Path, content: bytes) -> None:
    """A file without a record has a summary that says so."""
    path.write_bytes(content)
    summary = read_summary(path)
    assert (summary.id, summary.title, summary.readable, summary.size) == ("s9", "", False, len(content))
    assert read_header(path) is None


def test_what_cannot_be_read(tmp_path: Path) -> None:
    """A folder, a pipe, a missing file and a circle of links have a summary each, and nothing hangs (cases B5, B6)."""
    (tmp_path / "x_folder.jsonl").mkdir()
    os.mkfifo(tmp_path / "x_pipe.jsonl")
    (tmp_path / "x_circle.jsonl").symlink_to("x_circle.jsonl")
    for session_id in ("folder", "pipe", "missing", "circle"):
        path = tmp_path / f"x_{session_id}.jsonl"
        summary = read_summary(path)
        assert (summary.id, summary.readable, summary.size, summary.title) == (session_id, False, 0, "")
        assert read_header(path) is None


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_file_that_may_not_be_read(path: Path) -> None:
    """A file without permission has a summary that says so (cases B6)."""
    path.write_bytes(joined([HEADER]))
    path.chmod(0)
    assert read_summary(path).readable is False
    assert read_header(path) is None


def test_recordings(data: Path) -> None:
    """Each recording has a summary with its folder, its beginning and the user's first words."""
    for path in sorted(data.glob("*.jsonl")):
        summary = read_summary(path)
        header = read_header(path)
        assert header is not None
        assert (summary.id, summary.cwd, summary.started) == (header.id, header.cwd, header.time)
        assert summary.readable
        assert summary.first_words
