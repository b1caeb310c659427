import asyncio
from pathlib import Path

from pilotage.console.evidence_feed import EvidenceFeed
from pilotage.console.panes import Pane
from pilotage.evidence.diagnostics import end_data, start_data
from pilotage.evidence.observed import NoteTaker
from pilotage.records.attempt import ReminderState
from pilotage.sessions.read import WHOLE
from tests.console.driven import reminder, timeline_of
from tests.console.evidenced import BEGAN, begins, brings, ends, pair, preparation, review
from tests.handmade import Fields, user, write_session

GONE = ("unreachable", "Nothing answers.")


def fed(folder: Path, *entries: Fields) -> tuple[EvidenceFeed, str, list[str]]:
    """Give what waits among the reminders of a session, and what is said to have failed."""
    timeline = timeline_of(write_session(folder / "s.jsonl", user(), *entries, id="watched"))
    feed = EvidenceFeed(timeline.session)
    said = feed.take(WHOLE)
    feed.look()
    return feed, feed.counts(timeline)[Pane.REMINDERS], said


def test_reminders_are_counted(tmp_path: Path) -> None:
    """Counted is what reached a reader or still may, once; messages without notes as well (spec R4)."""
    waits, late = pair("Count."), pair("Ask.", ReminderState.LATE)
    entries = [reminder(("Other.", "x")), ends(review(), waits, late), brings(review(), [waits])]
    assert fed(tmp_path)[1] == ""
    assert fed(tmp_path, *entries)[1] == "2"


def test_a_failure_is_marked_and_said_once(tmp_path: Path) -> None:
    """While the latest review is a failed one that is marked; a kind of failure is said once (spec M8)."""
    failed = [ends(review(number), failure=GONE, at=BEGAN + number) for number in (1, 2)]
    _, words, said = fed(tmp_path, *failed)
    assert (words, said) == ("!", ["a review failed: Nothing answers.; 2 tells more"])
    assert fed(tmp_path, *failed, ends(review(3)))[1] == ""
    prepared = ends(preparation(4), failure=GONE)
    assert fed(tmp_path, prepared)[2] == ["nothing was prepared: Nothing answers.; 4 tells more"]


def test_reviews_by_hand(tmp_path: Path) -> None:
    """Reviews that a person asked for lie elsewhere, and are joined in (spec R8)."""
    taker = NoteTaker("watched", tmp_path / "s.jsonl")
    said = [pair("Count.", ReminderState.OBSERVED)]
    for data in (start_data(review(), BEGAN), end_data(review(), BEGAN + 1, outcome="ok", began=BEGAN, reminders=said)):
        asyncio.run(taker.note(data))
    feed, words, _ = fed(tmp_path, begins(preparation(2)))
    assert words == "1"
    assert {one.id: one.is_observed for one in feed.attempts.items} == {"attempt-1": True, "attempt-2": False}
