import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilotage.records.entry import Entry, Header
from pilotage.sessions.decode import Damage, Tally
from pilotage.sessions.follow import FRESH, FileState, Follower, Reading
from tests.sessions.raw import FILES, HEADER, TORN, drained, ids, joined, said, unhurried

AS_ROOT = pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with a header and one entry."""
    file = tmp_path / "s.jsonl"
    file.write_bytes(joined([HEADER, said("a1")]))
    return file


def append(path: Path, data: bytes) -> None:
    """Add bytes to a file."""
    with path.open("ab") as file:
        file.write(data)


def following(path: Path) -> Follower:
    """Give a follower that has read the file."""
    follower = Follower(path)
    drained(follower)
    return follower


def test_first_reading(path: Path) -> None:
    """The first reading brings all that there is, and no restart."""
    reading = Follower(path).read()
    assert (ids(reading.records), reading.restarted, reading.behind) == (["s1", "a1"], False, 0)


def test_nothing_new(path: Path) -> None:
    """While nothing happens, a reading brings nothing."""
    follower = following(path)
    assert follower.read() == follower.read() == Reading(FileState.PRESENT)


def test_new_lines(path: Path) -> None:
    """A reading brings what was added since the last one, and only that."""
    follower = following(path)
    append(path, joined([said("a2", "a1"), b"x", said("a3", "a2")]))
    reading = follower.read()
    assert ids(reading.records) == ["a2", "a3"]
    assert [(damage.line, damage.length) for damage in reading.damages] == [(4, 1)]
    assert follower.tally == Tally(clean=4, damaged=1, headers=1, entries=3)


def test_touched_file(path: Path) -> None:
    """A file whose time alone changed brings nothing."""
    follower = following(path)
    os.utime(path, (1, 1))
    assert follower.read() == Reading(FileState.PRESENT)
    assert follower.modified == 1


def test_record_in_two_pieces(path: Path) -> None:
    """A record that is written in two pieces is shown once it is whole, in one piece (cases A4)."""
    line = said("a2", "a1", "漢字")
    for cut in range(1, len(line)):
        path.write_bytes(joined([HEADER, said("a1")]))
        follower = following(path)
        append(path, line[:cut])
        assert follower.read().records == ()
        append(path, line[cut:] + b"\n")
        reading = follower.read()
        assert (ids(reading.records), reading.damages) == (["a2"], ())


def test_whole_tail_is_shown_at_once_and_not_twice(path: Path) -> None:
    """A last line without its newline is shown when it is whole, and not again with the newline (cases A3)."""
    follower = following(path)
    append(path, said("a2", "a1"))
    assert ids(follower.read().records) == ["a2"]
    assert follower.read().records == ()
    append(path, b"\n")
    assert follower.read().records == ()
    assert follower.tally == Tally(clean=3, headers=1, entries=2)


def test_whole_tail_with_a_carriage_return(path: Path) -> None:
    """That holds for a line that ends in CRLF as well, however it is cut."""
    follower = following(path)
    append(path, said("a2", "a1"))
    assert ids(follower.read().records) == ["a2"]
    append(path, b"\r")
    assert follower.read().records == ()
    append(path, b"\n" + said("a3", "a2") + b"\r\n")
    assert ids(follower.read().records) == ["a3"]
    assert follower.tally.clean == 4


def test_whole_tail_that_goes_on(path: Path) -> None:
    """What follows a shown tail on its line is found when the line ends, and the shown record is not repeated."""
    follower = following(path)
    append(path, said("a2", "a1"))
    assert ids(follower.read().records) == ["a2"]
    append(path, said("a3", "a2") + TORN)
    assert follower.read().records == ()
    append(path, b"\n")
    reading = follower.read()
    assert (ids(reading.records), len(reading.damages)) == (["a3"], 1)
    assert follower.tally == Tally(clean=2, recovered=1, headers=1, entries=3)


def test_finish_takes_the_tail(path: Path) -> None:
    """When no more is expected, a tail is a line like any other."""
    append(path, TORN)
    follower = following(path)
    assert [(damage.line, damage.length) for damage in follower.finish().damages] == [(3, len(TORN))]
    assert follower.tally.damaged == 1


def test_finish_does_not_repeat_a_shown_tail(path: Path) -> None:
    """A tail that was shown is counted at the end and not shown again."""
    append(path, said("a2", "a1"))
    follower = following(path)
    assert follower.finish().records == ()
    assert follower.tally == Tally(clean=3, headers=1, entries=2)


def test_finish_without_a_tail(path: Path) -> None:
    """A file that ends with a newline has nothing more."""
    assert following(path).finish() == Reading(FileState.PRESENT)


def test_small_steps(path: Path) -> None:
    """A file may be read in small steps; each says how much is still behind."""
    append(path, said("a2", "a1"))
    follower = Follower(path)
    readings = drained(follower, step=7)
    assert ids(record for reading in readings for record in reading.records) == ["s1", "a1", "a2"]
    size = path.stat().st_size
    assert [reading.behind for reading in readings] == [max(0, size - 7 * nth) for nth in range(1, len(readings) + 1)]


def test_tail_is_not_shown_while_more_is_behind(path: Path) -> None:
    """A step that ends right before a newline shows no record twice."""
    follower = Follower(path)
    readings = drained(follower, step=len(HEADER))
    assert ids(record for reading in readings for record in reading.records) == ["s1", "a1"]
    assert follower.tally == Tally(clean=2, headers=1, entries=1)


def test_truncation(path: Path) -> None:
    """A file that became shorter is read anew from its beginning (cases B1)."""
    follower = following(path)
    path.write_bytes(joined([HEADER]))
    reading = follower.read()
    assert (ids(reading.records), reading.restarted) == (["s1"], True)
    assert follower.tally == Tally(clean=1, headers=1)


def test_truncation_to_nothing(path: Path) -> None:
    """A file that was emptied voids what was read, and is followed on."""
    follower = following(path)
    path.write_bytes(b"")
    reading = follower.read()
    assert (reading.records, reading.restarted, follower.tally) == ((), True, Tally())
    append(path, joined([HEADER]))
    reading = follower.read()
    assert (ids(reading.records), reading.restarted) == (["s1"], False)


def test_truncation_and_regrowth(path: Path) -> None:
    """A file that shrank and grew past the old end between two looks is read anew (cases B1)."""
    append(path, joined(said(f"b{n}", "a1") for n in range(8)))
    follower = following(path)
    with path.open("r+b") as file:
        file.truncate(len(HEADER) + 1)
    append(path, joined(said(f"c{n}", None, "longer than before") for n in range(20)))
    reading = follower.read()
    assert reading.restarted
    assert ids(reading.records) == ["s1", *(f"c{n}" for n in range(20))]


def test_replacement_by_rename(path: Path) -> None:
    """Another file under the same name is read anew, even if it is the longer one."""
    follower = following(path)
    other = path.with_suffix(".new")
    other.write_bytes(joined([HEADER, said("a1"), said("a2", "a1")]))
    other.rename(path)
    reading = follower.read()
    assert (ids(reading.records), reading.restarted) == (["s1", "a1", "a2"], True)


@pytest.mark.parametrize("entry_id", ["x", "a1"])
def test_rewrite_in_place_of_the_same_size(path: Path, entry_id: str) -> None:
    """A file rewritten in place to the same size is read anew: its first or its last bytes are others."""
    follower = following(path)
    changed = path.read_bytes().replace(b"hi", b"HI") if entry_id == "a1" else path.read_bytes().replace(b"s1", b"s2")
    with path.open("r+b") as file:
        file.write(changed)
    os.utime(path, (2, 2))
    reading = follower.read()
    assert (len(reading.records), reading.restarted) == (2, True)


def test_rewritten_header(path: Path) -> None:
    """A migration that rewrites the header and all lines is read anew, although the file grew."""
    follower = following(path)
    path.write_bytes(path.read_bytes().replace(b'"version":3', b'"version":33') + joined([said("a2", "a1")]))
    reading = follower.read()
    assert (ids(reading.records), reading.restarted) == (["s1", "a1", "a2"], True)


def test_restart_in_small_steps(path: Path) -> None:
    """A file that is replaced while it is read in steps is begun anew."""
    follower = Follower(path)
    assert follower.read(step=20).behind
    path.write_bytes(joined([b" " * 30, HEADER]))
    readings = drained(follower, step=20)
    assert readings[0].restarted
    assert ids(record for reading in readings for record in reading.records) == ["s1"]


def test_shown_tail_is_forgotten_at_a_restart(path: Path) -> None:
    """A tail that was shown before a restart hides nothing of the new file."""
    append(path, said("a2", "a1"))
    follower = following(path)
    path.write_bytes(said("a2", "a1"))
    reading = follower.read()
    assert (ids(reading.records), reading.restarted) == (["a2"], True)


def test_disappearance_and_return(path: Path) -> None:
    """A file that goes is missing; the same file back is gone on with, another one is read anew."""
    follower = following(path)
    hidden = path.rename(path.with_suffix(".hidden"))
    assert follower.read().state is FileState.MISSING
    assert follower.read().reason == "No such file or directory"
    append(hidden, joined([said("a2", "a1")]))
    hidden.rename(path)
    reading = follower.read()
    assert (reading.state, ids(reading.records), reading.restarted) == (FileState.PRESENT, ["a2"], False)
    path.unlink()
    assert follower.read().state is FileState.MISSING
    path.write_bytes(joined([HEADER]))
    reading = follower.read()
    assert (ids(reading.records), reading.restarted) == (["s1"], True)


def test_file_that_is_not_there_yet(tmp_path: Path) -> None:
    """A file may be waited for."""
    follower = Follower(tmp_path / "none" / "s.jsonl")
    assert follower.read().state is FileState.MISSING
    follower.path.parent.mkdir()
    assert follower.read().state is FileState.MISSING
    follower.path.write_bytes(b"")
    assert follower.read() == Reading(FileState.PRESENT)
    append(follower.path, joined([HEADER]))
    assert ids(follower.read().records) == ["s1"]


def test_folder_of_the_file_becomes_a_file(path: Path) -> None:
    """A path through something that is no folder leads to no file."""
    assert Follower(path / "s.jsonl").read().state is FileState.MISSING


def test_folder(tmp_path: Path) -> None:
    """A folder cannot be read, and it is said why."""
    assert Follower(tmp_path).read() == Reading(FileState.UNREADABLE, reason="a folder, not a session file")


def test_pipe_and_device(tmp_path: Path) -> None:
    """Pipes and devices are never opened, so that nothing hangs."""
    os.mkfifo(tmp_path / "pipe.jsonl")
    for path in (tmp_path / "pipe.jsonl", Path(os.devnull)):
        assert Follower(path).read() == Reading(FileState.UNREADABLE, reason="not a regular file")


def test_links(path: Path) -> None:
    """A link is followed to its file; links in a circle cannot be read (cases B5)."""
    link = path.with_name("link.jsonl")
    link.symlink_to(path)
    assert ids(Follower(link).read().records) == ["s1", "a1"]
    circle = path.with_name("circle.jsonl")
    circle.symlink_to(circle)
    assert Follower(circle).read().state is FileState.UNREADABLE


@AS_ROOT
def test_file_that_may_not_be_read(path: Path) -> None:
    """A file without permission cannot be read, and can again when it is given (cases B6)."""
    follower = following(path)
    path.chmod(0)
    assert follower.read() == Reading(FileState.PRESENT)
    path.chmod(0o600)
    append(path, joined([said("a2", "a1")]))
    path.chmod(0)
    reading = follower.read()
    assert (reading.state, reading.reason) == (FileState.UNREADABLE, "Permission denied")
    path.chmod(0o600)
    assert ids(follower.read().records) == ["a2"]


def test_name_that_is_too_long(tmp_path: Path) -> None:
    """A name that the system refuses is told in the system's words."""
    reading = Follower(tmp_path / ("x" * 300)).read()
    assert (reading.state, reading.reason) == (FileState.UNREADABLE, "File name too long")


PAGE = Path("/sys/devices/system/cpu/online")


@pytest.mark.skipif(not PAGE.exists(), reason="needs a file whose size is a lie")
def test_file_that_is_shorter_than_it_says() -> None:
    """A file that holds less than its size says is read to its end, and the end is reached."""
    follower = Follower(PAGE)
    assert len(drained(follower)) <= 2


def test_life(path: Path) -> None:
    """A file is live while it was written within two minutes or grew since it was opened (spec K1)."""
    os.utime(path, (1000, 1000))
    follower = Follower(path)
    assert not follower.is_live(1000)
    drained(follower)
    assert follower.is_live(1000 + FRESH)
    assert not follower.is_live(1001 + FRESH)
    append(path, joined([said("a2", "a1")]))
    os.utime(path, (1000, 1000))
    follower.read()
    assert follower.has_grown
    assert follower.is_live(9999)


def test_first_reading_is_no_growth(path: Path) -> None:
    """A file that is read in many steps has not grown by that."""
    follower = Follower(path)
    drained(follower, step=10)
    assert not follower.has_grown


def test_file_that_comes_has_grown(tmp_path: Path) -> None:
    """A file that was not there at first has grown when it is."""
    follower = Follower(tmp_path / "s.jsonl")
    follower.read()
    follower.path.write_bytes(joined([HEADER]))
    follower.read()
    assert follower.has_grown


def test_offsets_behind_a_byte_order_mark(tmp_path: Path) -> None:
    """Records stand where they say, with a byte order mark and CRLF as well (cases A9, A10)."""
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + HEADER + b"\r\n" + said("a1") + b"\r\n")
    reading = Follower(path).read()
    data = path.read_bytes()
    places = [record.place for record in reading.records]
    assert [data[place.offset : place.offset + place.length] for place in places] == [HEADER, said("a1")]


@pytest.mark.parametrize("step", [1 << 20, 4 << 20])
def test_huge_line(tmp_path: Path, step: int) -> None:
    """A line of 20 MB is read, and the line behind it as well (cases A16)."""
    path = tmp_path / "s.jsonl"
    path.write_bytes(joined([HEADER, said("big", None, "A" * 20_000_000), said("a2", "big")]))
    follower = Follower(path)
    records = [record for reading in drained(follower, step) for record in reading.records]
    assert ids(records) == ["s1", "big", "a2"]
    assert records[1].place.length > 20_000_000


Seen = tuple[list[Header | Entry], list[Damage], Tally]


def all_of(follower: Follower, readings: list[Reading]) -> Seen:
    """Give everything that these readings and the end of the file brought."""
    readings = [*readings, *drained(follower), follower.finish()]
    assert not any(reading.restarted for reading in readings)
    records = [record for reading in readings for record in reading.records]
    return records, [damage for reading in readings for damage in reading.damages], follower.tally


WRITES = st.lists(st.tuples(st.integers(1, 400), st.integers(0, 2), st.integers(1, 900)), max_size=12)
"""How many bytes are written at a time, how often is read after that, and how many bytes a reading takes."""


@unhurried
@given(FILES, WRITES)
def test_following_equals_reading_at_once(data: bytes, writes: list[tuple[int, int, int]]) -> None:
    """Whatever the file and however it grows and is read, all is told once, as if it were read at once (spec F6)."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.jsonl"
        path.touch()
        follower = Follower(path)
        readings, written = [], 0
        for length, times, step in writes:
            append(path, data[written : written + length])
            written += length
            readings += [follower.read(step) for _ in range(times)]
        append(path, data[written:])
        records, damages, tally = all_of(follower, readings)
        assert (records, damages, tally) == all_of(Follower(path), [])
        assert tally.lines == data.count(b"\n") + (not data.endswith(b"\n") and bool(data))
        assert tally.lines == tally.clean + tally.recovered + tally.damaged + tally.blank


FATES = st.tuples(
    st.sampled_from(["write", "append", "replace", "remove"]), FILES, st.sampled_from([b"", b"\n", b"\n"])
)
"""What happens to a file: how it changes, what it gets, and how that ends."""


@unhurried
@given(st.lists(FATES, max_size=6))
def test_any_fate_of_a_file_is_survived(fates: list[tuple[str, bytes, bytes]]) -> None:
    """Whatever happens to a file, its records since the last restart are what it holds, line by line (spec F6)."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.jsonl"
        follower = Follower(path)
        records: list[Header | Entry] = []
        for moment, (fate, data, end) in enumerate(fates):
            if fate == "append":
                append(path, data + end)
            elif fate == "remove":
                path.unlink(missing_ok=True)
            else:
                target = path if fate == "write" else path.with_suffix(".new")
                target.write_bytes(b"%d\n" % moment + data + end)
                target.rename(path)
            if path.exists():
                os.utime(path, (moment, moment))
            for reading in drained(follower, step=500):
                records = [*([] if reading.restarted else records), *reading.records]
            if path.exists() and path.read_bytes().endswith(b"\n"):
                fresh = Follower(path)
                assert records == [record for reading in drained(fresh) for record in reading.records]
                assert follower.tally == fresh.tally
