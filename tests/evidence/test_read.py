from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilotage.evidence.diagnostics import (
    Data,
    Subject,
    context_ready_data,
    end_data,
    reminder_message,
    review_input_data,
    start_data,
)
from pilotage.evidence.read import Attempts, read_attempts
from pilotage.records.attempt import Attempt, ChildSession, Purpose, ReminderState
from pilotage.sessions.read import Session, read_session
from tests.calls.opened import grown
from tests.evidence.asked import BROKEN, CAME, CHILD, SUBJECT, pair
from tests.handmade import Fields, agent, header, lines_of, user, write_session
from tests.sessions.raw import unhurried

BEGAN = 1_767_600_000.0
PREPARATION = Subject("attempt-2", Purpose.PREPARATION, "input-2", None, None, "p-2")
W, D, L = ReminderState.WAITING, ReminderState.DELIVERED, ReminderState.LATE


def diagnostic(data: Data) -> Fields:
    """Give a diagnostic entry."""
    return {"type": "custom", "customType": "capability-prefetch-diagnostic", "data": data}


def start(subject: Subject = SUBJECT) -> Fields:
    """Give the start of an attempt."""
    return diagnostic(start_data(subject, BEGAN))


def end(*states: ReminderState, subject: Subject = SUBJECT) -> Fields:
    """Give the end of a review with one reminder for each state."""
    pairs = [pair(f"deviation {number}", state) for number, state in enumerate(states)]
    return diagnostic(
        end_data(subject, BEGAN + 2, outcome="ok", began=BEGAN, exchange=CAME, child=CHILD, reminders=pairs)
    )


def told(*numbers: int, subject: Subject = SUBJECT) -> Fields:
    """Give the message that brings reminders to the agent."""
    pairs = [pair(f"deviation {number}") for number in numbers]
    return {"type": "custom_message", **reminder_message(subject, pairs)}


def attempts_of(folder: Path, *entries: Fields, is_over: bool = False) -> list[Attempt]:
    """Give the attempts in a session of these entries."""
    return read_attempts(read_session(write_session(folder / "s.jsonl", *entries)), is_over=is_over).items


def states(folder: Path, *entries: Fields, is_over: bool = False) -> list[ReminderState]:
    """Give the states of the first attempt's reminders."""
    return [reminder.state for reminder in attempts_of(folder, *entries, is_over=is_over)[0].pairs]


def test_review(tmp_path: Path) -> None:
    """The entries of one attempt make one attempt, whole (spec E2)."""
    seen = diagnostic(review_input_data(SUBJECT, BEGAN + 1, {"leftOut": 3}, CHILD))
    (attempt,) = attempts_of(tmp_path, user(), start(), seen, end(W, ReminderState.REPEATED))
    assert attempt == Attempt(
        id="attempt-1",
        purpose=Purpose.TRAJECTORY,
        input_id="input-1",
        entry="e2",
        step=15,
        started=BEGAN,
        ended=BEGAN + 2,
        outcome="ok",
        requests=1,
        milliseconds=2000,
        tokens=(900, 12),
        child=CHILD,
        coverage={"leftOut": 3},
        leaf="leaf0001",
        pairs=(pair("deviation 0"), pair("deviation 1", ReminderState.REPEATED)),
        writer="pilotage",
    )


def test_incomplete(tmp_path: Path) -> None:
    """A start without an end is an incomplete attempt (spec E2)."""
    first, second = attempts_of(tmp_path, user(), start(), start(PREPARATION), end(W))
    assert (first.id, first.ended is None, first.outcome) == ("attempt-1", False, "ok")
    assert (second.id, second.ended, second.outcome, second.purpose) == ("attempt-2", None, "", Purpose.PREPARATION)


def test_failed_preparation(tmp_path: Path) -> None:
    """A failure is told with its kind and words; that a context was returned is told apart."""
    failed = end_data(PREPARATION, BEGAN + 1, outcome="failed", began=BEGAN, failure=BROKEN)
    ready = diagnostic(context_ready_data(PREPARATION, BEGAN + 2))
    (attempt,) = attempts_of(tmp_path, user(), start(PREPARATION), diagnostic(failed), ready)
    assert (attempt.outcome, attempt.failure, attempt.words) == ("failed", "unreachable", str(BROKEN))
    assert attempt.context_ready
    assert attempt.requests == 0


def test_entries_in_any_order(tmp_path: Path) -> None:
    """Attempts that overlap are told apart by their ids, in the order in which they began."""
    other = Subject("attempt-9", Purpose.TRAJECTORY, "input-1", None, 20)
    items = attempts_of(tmp_path, user(), start(), start(other), end(W, subject=other), end(W, W))
    assert [(item.id, item.step, len(item.pairs)) for item in items] == [("attempt-1", 15, 2), ("attempt-9", 20, 1)]


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ([end(W)], [W]),
        ([end(W), told(0)], [D]),
        ([told(0), end(W)], [D]),
        ([end(W, W), told(1)], [W, D]),
        ([end(W), agent(text="Done.", stop="stop"), told(0)], [D]),
        ([end(W), user("Next.")], [L]),
        ([end(W), user("Next."), told(0)], [D]),
        ([user("Next."), end(W)], [W]),
        ([end(L)], [L]),
        ([end(ReminderState.REPEATED, W, ReminderState.UNSOURCED), told(1)], ["repeated", D, "unsourced"]),
        ([end(ReminderState.OBSERVED), user("Next.")], [ReminderState.OBSERVED]),
        ([end(W), told(0, subject=Subject("other", Purpose.TRAJECTORY, "input-9", None))], [W]),
    ],
)
def test_what_became_of_reminders(tmp_path: Path, entries: list[Fields], expected: list[str]) -> None:
    """A reminder was delivered if its message stands in the session, and is late once an input passed it by (R4)."""
    assert states(tmp_path, user(), start(), *entries) == expected


def test_end_of_the_session(tmp_path: Path) -> None:
    """What still waits when the session is over was never delivered."""
    assert states(tmp_path, user(), start(), end(W, ReminderState.REPEATED), is_over=True) == [L, "repeated"]
    assert states(tmp_path, user(), start(), end(W), told(0), is_over=True) == [D]


def test_the_words_were_changed(tmp_path: Path) -> None:
    """A message of the attempt delivers its reminders though their words are others."""
    assert states(tmp_path, user(), start(), end(W), told(7)) == [D]


def test_original_extension(tmp_path: Path) -> None:
    """Evidence of the original extension is read as far as its fields are known (spec E3)."""
    child: Data = {"file": "/pi/c.jsonl", "id": "c-1"}
    common: Data = {"version": 1, "inputId": "in-1", "parentLeafId": "l-1", "attempt": "a-1"}
    entries = [
        user(),
        diagnostic(common | {"event": "start", "kind": "trajectory"}),
        diagnostic(common | {"event": "review-input", "skills": 4, "truncated": True}),
        diagnostic(common | {"event": "end", "childSession": child, "requestCount": 1, "elapsedMs": 812.4}),
        {
            "type": "custom_message",
            "customType": "capability-trajectory-warning",
            "content": "Mind this.",
            "details": {"warnings": [["Began early.", "User: ask first."]]},
        },
    ]
    (attempt,) = attempts_of(tmp_path, *entries)
    assert attempt.coverage == {"skills": 4, "truncated": True}
    assert attempt.child == ChildSession("/pi/c.jsonl", "c-1")
    assert (attempt.requests, attempt.milliseconds, attempt.outcome, attempt.writer) == (1, 812, "ok", "")
    assert [(told.deviation, told.source, told.state) for told in attempt.pairs] == [
        ("Began early.", "User: ask first.", D)
    ]
    assert attempt.started == 1767603602.0


def test_old_entries(tmp_path: Path) -> None:
    """An entry that names neither an event nor an attempt is an attempt of its own, and a failure ends it."""
    (failed, child) = attempts_of(
        tmp_path, diagnostic({"error": "no model"}), diagnostic({"childSession": {"file": "/c", "id": "x"}})
    )
    assert (failed.id, failed.outcome, failed.failure, failed.words) == ("e1", "failed", "failed", "no model")
    assert (child.id, child.ended, child.child) == ("e2", None, ChildSession("/c", "x"))


def test_no_evidence(data: Path) -> None:
    """A session without evidence has no attempts, a reminder without its attempt included."""
    without = [path for path in data.glob("*.jsonl") if b"capability-prefetch" not in path.read_bytes()]
    assert data / "intents.jsonl" in without
    for path in without:
        attempts = read_attempts(read_session(path))
        assert (attempts.items, attempts.prepared) == ([], [])


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from(
    [
        *("version", "by", "event", "kind", "attempt", "inputId", "step", "childSession", "requests", "elapsedMs"),
        *("tokens", "outcome", "failure", "coverage", "reminders", "time", "prefetch", "suggestions", "error"),
    ]
)
WORDS = st.sampled_from(["start", "review-input", "context-ready", "end", "trajectory", "a1", "a2", "waiting"])
TYPES = st.sampled_from(
    ["capability-prefetch-diagnostic", "capability-prefetch", "capability-trajectory-warning", "other"]
)
ENTRIES = st.builds(
    lambda kind, custom_type, data: {"type": kind, "customType": custom_type, "data": data, "details": data},
    st.sampled_from(["custom", "custom_message"]),
    TYPES,
    st.dictionaries(NAMES, WORDS | ODD, max_size=8),
)
SESSIONS = st.lists(ENTRIES | st.sampled_from([user(), start(), end(W, W), told(0), start(PREPARATION)]), max_size=12)


@unhurried
@given(SESSIONS)
def test_line_by_line(tmp_path_factory: pytest.TempPathFactory, entries: list[Fields]) -> None:
    """Whatever stands in the entries, following a session leads to the same as reading it at once."""
    folder = tmp_path_factory.mktemp("evidence")
    whole = read_attempts(read_session(write_session(folder / "whole.jsonl", *entries)))
    session = Session(folder / "grown.jsonl")
    followed = Attempts(session)
    for reading in grown(session, folder / "whole.jsonl"):
        followed.take(session.take(reading))
    assert followed.items == whole.items
    assert followed.prepared == whole.prepared


def test_what_changed(tmp_path: Path) -> None:
    """Following says which attempts are new or have changed, and only those."""
    path = tmp_path / "s.jsonl"
    session = Session(path)
    attempts = Attempts(session)
    changes = []
    lines = lines_of([user(), start(), start(PREPARATION), agent(text="Hm."), end(W), user("Next.")])
    path.write_text(header())
    for line in lines:
        with path.open("a") as file:
            file.write(line)
        changes.append(attempts.take(session.take(session.follower.read())).attempts)
    assert changes == [set(), {0}, {1}, set(), {0}, {0}]


def test_file_that_is_gone(tmp_path: Path) -> None:
    """An entry whose line is no longer there tells nothing; the reader is about to say what happened to the file."""
    session = read_session(write_session(tmp_path / "s.jsonl", user(), start()))
    session.path.unlink()
    assert read_attempts(session).items == []
