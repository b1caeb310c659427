from pathlib import Path

import pytest

from pilotage.console.reviews import Failed, Going, Messages, Reminded, is_going
from pilotage.console.rows import Sight
from pilotage.records.attempt import ReminderState
from tests.console.driven import reminder
from tests.console.evidenced import BEGAN, LATER, begins, brings, ends, opened, pair, review, reviewed, told
from tests.handmade import agent, call, ran, user, write_session

D, W, L = ReminderState.DELIVERED, ReminderState.WAITING, ReminderState.LATE
NOW = Sight(BEGAN + 30, live=True)


def states(path: Path, sight: Sight = LATER) -> list[ReminderState]:
    """Give the states of the reminders of a session, the newest first."""
    return [item.pair.state for item in told(path, sight).items if isinstance(item, Reminded)]


def test_recorded_session(data: Path, tmp_path: Path) -> None:
    """Reminders, a failure and a review without an end, the newest on top; what said nothing is only counted."""
    reviews = told(reviewed(data, tmp_path))
    assert [type(item).__name__ for item in reviews.items] == [
        *("Going", "Reminded", "Reminded", "Reminded", "Failed", "Reminded")
    ]
    assert states(tmp_path / "reviewed.jsonl") == [
        *(L, ReminderState.REPEATED, ReminderState.UNSOURCED, ReminderState.DELIVERED)
    ]
    assert [item.step for item in reviews.items if isinstance(item, Reminded)] == [10, 8, 8, 4]
    assert (reviews.total, reviews.silent, reviews.called_off) == (5, 1, 0)
    assert all(reviews.find(item.key) is item for item in reviews.items)
    assert reviews.find(None) is None


def test_failures_of_one_kind_are_one_item(tmp_path: Path) -> None:
    """Reviews that fail alike one after the other are one item; another kind, or a reminder between, parts them."""
    gone, slow = ("unreachable", "Nothing answers."), ("timeout", "Too slow.")
    said = ends(review(4), pair("Count first.", L), at=BEGAN + 4)
    entries = [
        *(ends(review(number), failure=gone, at=BEGAN + number) for number in (1, 2)),
        *(ends(review(3), failure=slow, at=BEGAN + 3), said),
        *(ends(review(number), failure=gone, at=BEGAN + number) for number in (5, 6, 7)),
    ]
    items = told(write_session(tmp_path / "s.jsonl", user(), *entries)).items
    assert [len(item.attempts) if isinstance(item, Failed) else 0 for item in items] == [3, 0, 1, 2]
    assert [item.key for item in items] == [
        (f"attempt-{number}", place) for number, place in ((5, -1), (4, 0), (3, -1), (1, -1))
    ]


def test_waiting_while_the_agent_works(tmp_path: Path) -> None:
    """A reminder waits while the run goes on; when the agent has ended it, or its host is gone, it came too late."""
    entries = [user(), agent(call("a", command="x")), ran("a"), ends(review(), pair("Count first."))]
    path = write_session(tmp_path / "s.jsonl", *entries)
    assert states(path, NOW) == [W]
    assert states(path) == [L]
    settled = write_session(tmp_path / "t.jsonl", *entries, agent(text="Done.", stop="stop"))
    assert states(settled, NOW) == [L]
    failing = write_session(tmp_path / "u.jsonl", *entries, agent(stop="error"))
    assert states(failing, NOW) == [W]


def test_message_without_notes(tmp_path: Path) -> None:
    """A message that no diagnostic entry tells of is a reminder too, once for each pair, and knows no review."""
    pairs = (("Edited first.", "User: read."), ("Nothing tested.", "Skill checks."))
    path = write_session(tmp_path / "s.jsonl", user(), reminder(*pairs), agent(call("a", command="x")))
    items = told(path).items
    assert [item.pair.deviation for item in items if isinstance(item, Reminded)] == ["Edited first.", "Nothing tested."]
    assert [item.attempt for item in items if isinstance(item, Reminded)] == [None, None]
    assert all(isinstance(item, Reminded) and item.after == 1 and item.step == 5 for item in items)


def test_message_of_a_review_is_told_once(tmp_path: Path) -> None:
    """A message that a review brought makes no second reminder, and the calls since are counted from it."""
    subject, said = review(), [pair("Count first."), pair("Ask.")]
    entries = [user(), begins(subject), agent(call("a", command="x")), ran("a"), ends(subject, *said)]
    path = write_session(tmp_path / "s.jsonl", *entries, brings(subject, said[:1]))
    items = told(path, NOW).items
    assert [(item.pair.state, item.after) for item in items if isinstance(item, Reminded)] == [(D, 5), (W, 1)]


def test_without_end(tmp_path: Path) -> None:
    """A review without an end is under way while its host may be at work and its time is not over."""
    path = write_session(tmp_path / "s.jsonl", user(), begins(review()))
    for sight, expected in ((NOW, True), (LATER, False), (Sight(BEGAN + 900, live=True), False)):
        (item,) = told(path, sight).items
        assert isinstance(item, Going)
        assert is_going(item, sight) is expected


def test_abandoned_branch(tmp_path: Path) -> None:
    """What was told on a branch that was left is marked so."""
    entries = [user(), ends(review(), pair("Count first.", L)), user("Again.", parentId="e1")]
    (item,) = told(write_session(tmp_path / "s.jsonl", *entries)).items
    assert isinstance(item, Reminded)
    assert not item.active


def test_nothing(tmp_path: Path) -> None:
    """A session without reviews tells nothing."""
    reviews = told(write_session(tmp_path / "s.jsonl", user()))
    assert (reviews.items, reviews.total) == ((), 0)


@pytest.mark.parametrize("outcome", ["void", "skipped"])
def test_called_off_and_skipped(tmp_path: Path, outcome: str) -> None:
    """A review that was called off is counted; one that was skipped for a reason is a failure."""
    words = ("diagnostic", "no room") if outcome == "skipped" else None
    path = write_session(tmp_path / "s.jsonl", user(), ends(review(), outcome=outcome, failure=words))
    reviews = told(path)
    assert (reviews.called_off, len(reviews.items)) == ((1, 0) if outcome == "void" else (0, 1))


def test_messages_are_found_as_the_session_grows(data: Path, tmp_path: Path) -> None:
    """Each message is found once, and anew when the session is read anew."""
    timeline, _ = opened(reviewed(data, tmp_path))
    messages = Messages()
    first = list(messages.of(timeline.session.tree))
    assert len(first) == 1
    assert messages.of(timeline.session.tree) == first
    other, _ = opened(tmp_path / "reviewed.jsonl")
    assert messages.of(other.session.tree) == first
