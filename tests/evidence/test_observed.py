"""Notes on sessions that are only watched: where they lie, who may read them, and how they join the session's own."""

import asyncio
import stat
from pathlib import Path

import pytest

from pilotage.evidence.diagnostics import Subject, end_data, review_input_data, start_data
from pilotage.evidence.observed import Notes, NoteTaker, notes_file, read_notes
from pilotage.evidence.read import Attempts, read_attempts
from pilotage.paths import data_dir
from pilotage.records.attempt import Purpose, ReminderState, ReviewedPair
from pilotage.sessions.read import WHOLE, read_session
from pilotage.sessions.write import UnwritableSession
from tests.evidence.asked import CAME, CHILD, SUBJECT, pair
from tests.evidence.test_read import BEGAN, PREPARATION, diagnostic, end, start
from tests.handmade import agent, user, write_session

OBSERVED = ReminderState.OBSERVED


def take_notes(session_id: str, watched: Path, began: float = BEGAN + 1, folder: Path | None = None) -> None:
    """Note a whole review of a session."""
    taker = NoteTaker(session_id, watched, folder)
    ended = end_data(SUBJECT, began + 2, outcome="ok", began=began, exchange=CAME, child=CHILD, reminders=[observed()])
    for data in (start_data(SUBJECT, began), review_input_data(SUBJECT, began, {"leftOut": 3}), ended):
        asyncio.run(taker.note(data))


def observed() -> ReviewedPair:
    """Give a reminder for the person."""
    return pair("deviation", OBSERVED)


def test_notes_are_joined_in(tmp_path: Path) -> None:
    """A review of a watched session is an attempt like any other, in its place by time (spec R8, E2)."""
    later = Subject("attempt-3", Purpose.TRAJECTORY, "input-3", None)
    entries = [user(), start(PREPARATION), diagnostic(start_data(later, BEGAN + 9)), agent()]
    path = write_session(tmp_path / "s.jsonl", *entries)
    take_notes("s", path)
    attempts = read_attempts(read_session(path), notes=read_notes("s"))
    assert [attempt.id for attempt in attempts.ordered()] == ["attempt-2", "attempt-1", "attempt-3"]
    assert [attempt.is_observed for attempt in attempts.ordered()] == [False, True, False]
    review = attempts.ordered()[1]
    assert (review.started, review.outcome, review.step, review.leaf) == (BEGAN + 1, "ok", 15, "leaf0001")
    assert (review.child, review.coverage) == (CHILD, {"leftOut": 3})
    assert [reminder.state for reminder in review.pairs] == [OBSERVED]


def test_the_session_is_not_touched(tmp_path: Path) -> None:
    """Not one byte of the session changes, and nothing comes to lie beside it (spec R8)."""
    (tmp_path / "own").mkdir()
    path = write_session(tmp_path / "own" / "s.jsonl", user())
    before = path.read_bytes(), path.stat().st_mtime_ns
    take_notes("s", path)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert list(path.parent.iterdir()) == [path]


def test_notes_are_this_persons_alone(tmp_path: Path) -> None:
    """They lie in Pilotage's own folder, and say which session they are about; nobody else may read them."""
    take_notes("s", tmp_path / "s.jsonl")
    file = notes_file("s")
    assert file.is_relative_to(data_dir())
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    notes = read_session(file)
    assert notes.header
    assert (notes.id, notes.header.parent) == ("s", str(tmp_path / "s.jsonl"))


@pytest.mark.parametrize(
    "session_id", ["../../evil", "/etc/passwd", "", ".", "a\0b", "x" * 4000, "\ud800", "a/b", "CON "]
)
def test_hostile_ids(tmp_path: Path, session_id: str) -> None:
    """A session's id never leads out of the folder, and two ids never share a file."""
    file = notes_file(session_id, tmp_path)
    assert file.parent == tmp_path / "watched"
    assert file != notes_file("evil", tmp_path)
    take_notes(session_id, tmp_path / "s.jsonl", folder=tmp_path)
    assert read_notes(session_id, tmp_path) is not None


def test_following(tmp_path: Path) -> None:
    """What another process notes is joined in when it comes, without reading anything again (spec R8)."""
    session = read_session(write_session(tmp_path / "s.jsonl", user(), start(), end(ReminderState.DELIVERED)))
    attempts = Attempts(session)
    attempts.take(WHOLE)
    notes = Notes("s")
    assert notes.take(attempts) == frozenset()
    taker = NoteTaker("s", session.path)
    other = PREPARATION
    asyncio.run(taker.note(start_data(other, BEGAN + 5)))
    assert notes.take(attempts) == {1}
    asyncio.run(taker.note(end_data(other, BEGAN + 7, outcome="failed", began=BEGAN + 5, failure=("timeout", "No."))))
    assert notes.take(attempts) == {1}
    assert notes.take(attempts) == frozenset()
    assert (attempts.items[1].outcome, attempts.items[1].words) == ("failed", "No.")


def test_a_session_that_is_read_anew(tmp_path: Path) -> None:
    """When the session is rewritten, the notes on it stay."""
    path = write_session(tmp_path / "s.jsonl", user())
    attempts = Attempts(read_session(path))
    take_notes("s", path)
    Notes("s").take(attempts)
    attempts.take(WHOLE)
    assert [attempt.id for attempt in attempts.items] == [SUBJECT.attempt]


def test_two_at_once(tmp_path: Path) -> None:
    """The console and the command line may note at the same time."""
    takers = [NoteTaker("s", tmp_path / "s.jsonl") for _ in range(2)]
    for number in range(20):
        asyncio.run(takers[number % 2].note(start_data(SUBJECT, BEGAN + number)))
    notes = read_notes("s")
    assert notes is not None
    assert (len(notes.tree), notes.tally.clean, notes.tally.damaged) == (20, 21, 0)


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """Where notes cannot be taken, that is an error that names the file."""
    (tmp_path / "watched").write_text("in the way")
    with pytest.raises(UnwritableSession, match="watched"):
        asyncio.run(NoteTaker("s", tmp_path / "s.jsonl", tmp_path).note(start_data(SUBJECT, BEGAN)))
