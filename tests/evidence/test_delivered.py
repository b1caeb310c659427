"""Which review a message's reminders came from."""

from pathlib import Path

from pilotage.evidence.delivered import attempt_of_message
from pilotage.evidence.diagnostics import Subject
from pilotage.evidence.read import read_attempts
from pilotage.records.attempt import Purpose, ReminderState
from pilotage.records.entry import Reminder
from pilotage.sessions.read import read_session
from tests.evidence.test_read import end, start, told
from tests.handmade import user, write_session


def test_by_its_words(tmp_path: Path) -> None:
    """The latest review that told these words to the agent is the one; of unknown words none is (spec U5)."""
    later = Subject("attempt-9", Purpose.TRAJECTORY, "input-1", None, 20)
    waits = ReminderState.WAITING
    entries = [user(), start(), end(waits), told(0), start(later), end(waits, subject=later)]
    attempts = read_attempts(read_session(write_session(tmp_path / "s.jsonl", *entries)))
    found = attempt_of_message(attempts, Reminder((("deviation 0", "x"),), "", None))
    assert found is not None
    assert found.id == "attempt-1"
    assert attempt_of_message(attempts, Reminder((("other", "x"),), "", None)) is None
    assert attempt_of_message(attempts, Reminder((), "other", None)) is None
