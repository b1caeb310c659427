import os
import shutil
from pathlib import Path

import pytest

from pilotage.calls.counts import CountsCache, count
from pilotage.sessions.read import UnreadableSession
from tests.handmade import HOSTILE, write_session


@pytest.fixture
def session(data: Path, tmp_path: Path) -> Path:
    """Return a copy of a recorded session."""
    return Path(shutil.copy(data / "rejects.jsonl", tmp_path / "s.jsonl"))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Return where a cache is kept; its folder is not there yet."""
    return tmp_path / "cache" / "counts.json"


def test_counts_of_a_session(data: Path) -> None:
    """A count holds name, lines, entries, calls and outcomes of the active branch."""
    found = count(data / "notes.jsonl")
    assert (found.name, found.entries, found.unknown, found.calls) == ("survey, second look", 24, 0, 1)
    assert found.lines == {"total": 25, "clean": 25, "recovered": 0, "damaged": 0, "blank": 0}
    assert count(data / "branch.jsonl").calls == 0
    assert count(data / "codemode.jsonl").calls == 6


def test_every_outcome_is_counted(data: Path) -> None:
    """All outcomes of a file that is read once are there, zero or not, and running is none of them (spec K1)."""
    assert count(data / "rejects.jsonl").outcomes == {
        "ok": 3,
        "failed": 0,
        "rejected": 10,
        "blocked": 2,
        "aborted": 0,
        "unanswered": 0,
    }
    assert count(data / "killed.jsonl").outcomes["unanswered"] == 1


def test_lines_add_up(data: Path) -> None:
    """Clean, recovered, damaged and blank lines are all lines, in a file with a torn one too."""
    lines = count(data / "version1.jsonl").lines
    assert lines["recovered"] == 1
    assert lines["total"] == sum(number for name, number in lines.items() if name != "total")


def test_unreadable_file(tmp_path: Path) -> None:
    """A file that is no session cannot be counted; the cache has nothing on it."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"\x89PNG\r\n")
    with pytest.raises(UnreadableSession, match="not a session"):
        count(path)
    assert CountsCache(tmp_path / "counts.json").counted(path) is None
    assert CountsCache(tmp_path / "counts.json").counted(tmp_path / "missing.jsonl") is None


def test_counts_are_kept(session: Path, store: Path) -> None:
    """What was counted once is known to the next run (spec F8)."""
    cache = CountsCache.load(store)
    assert cache.known(session) is None
    counted = cache.counted(session)
    assert counted is not None
    cache.save()
    assert CountsCache.load(store).known(session) == counted


def test_changed_file_is_counted_anew(session: Path, store: Path) -> None:
    """Counts go with the file's identity, size and time: a file that grew or was replaced has none (spec F8)."""
    cache = CountsCache.load(store)
    cache.counted(session)
    with session.open("a") as file:
        file.write("\n")
    assert cache.known(session) is None
    cache.counted(session)
    times = session.stat()
    Path(shutil.copy(session, session.with_name("new"))).replace(session)
    os.utime(session, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert cache.known(session) is None


def test_kept_counts_need_no_file_to_be_read(session: Path, store: Path) -> None:
    """A file of the same identity, size and time is not read again."""
    cache = CountsCache.load(store)
    counted = cache.counted(session)
    times = session.stat()
    session.write_bytes(b"x" * times.st_size)
    os.utime(session, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert cache.counted(session) == counted


@pytest.mark.parametrize("kept", [b"", b"\xff", b"[]", b'{"1": {"calls": 3}}', b'{"1": '])
def test_broken_cache(session: Path, store: Path, kept: bytes) -> None:
    """A cache that cannot be read, or is of another shape, counts as empty and is written anew."""
    store.parent.mkdir()
    store.write_bytes(kept)
    cache = CountsCache.load(store)
    cache.counted(session)
    cache.save()
    assert CountsCache.load(store).known(session) is not None


def test_cache_that_cannot_be_written(session: Path, tmp_path: Path) -> None:
    """A cache without a place to be written to costs the next count only."""
    (tmp_path / "file").touch()
    cache = CountsCache.load(tmp_path / "file" / "counts.json")
    assert cache.counted(session) is not None
    cache.save()


def test_nothing_new_is_not_written(session: Path, store: Path) -> None:
    """A run that counted nothing writes nothing, and one that did leaves no other file behind."""
    CountsCache.load(store).save()
    assert not store.parent.exists()
    cache = CountsCache.load(store)
    cache.counted(session)
    cache.save()
    assert [path.name for path in store.parent.iterdir()] == ["counts.json"]


def test_hostile_name_is_kept(tmp_path: Path, store: Path) -> None:
    """A name with lone surrogates does not spoil the cache."""
    path = write_session(tmp_path / "s.jsonl", {"type": "session_info", "name": HOSTILE})
    cache = CountsCache.load(store)
    cache.counted(path)
    cache.save()
    known = CountsCache.load(store).known(path)
    assert known is not None
    assert known.name == HOSTILE.encode("utf-8", "replace").decode()
