from collections.abc import Sequence

import pytest

from pilotage.records.attempt import Attempt, Purpose, ReminderState, ReviewedPair
from pilotage.review.discipline import judge, was_told

TESTS = ("The tests were not run before the commit. Run them.", 'System prompt: "Run the tests before each commit."')
AGAIN = ("Tests have still not been run before committing.", 'System prompt: "Run the tests before each commit"')
SCOPE = ("The report was changed although nobody asked for it; undo that.", 'User request: "mend the upload"')

WAITING, DELIVERED, LATE = ReminderState.WAITING, ReminderState.DELIVERED, ReminderState.LATE
REPEATED, UNSOURCED, OBSERVED = ReminderState.REPEATED, ReminderState.UNSOURCED, ReminderState.OBSERVED


def review(*named: tuple[tuple[str, str], ReminderState], outcome: str = "ok", **fields: object) -> Attempt:
    """Give a review of earlier on."""
    pairs = tuple(ReviewedPair(*pair, True, state) for pair, state in named)
    attempt = Attempt(id="a", purpose=Purpose.TRAJECTORY, input_id="i", entry="e", outcome=outcome, pairs=pairs)
    return Attempt(**{name: fields.get(name, getattr(attempt, name)) for name in Attempt.__struct_fields__})


def states(
    pairs: Sequence[tuple[str, str]], *history: Attempt, served: bool = True, found: bool = True, hold: bool = False
) -> list[ReminderState]:
    """Judge reminders; what becomes of each."""
    judged = judge(pairs, [found] * len(pairs), history, is_served=served, hold_unsourced=hold)
    assert [(pair.deviation, pair.source, pair.source_found) for pair in judged] == [(*pair, found) for pair in pairs]
    return [pair.state for pair in judged]


@pytest.mark.parametrize(("served", "state"), [(True, WAITING), (False, OBSERVED)])
def test_first_time(served: bool, state: ReminderState) -> None:
    """What was not said before waits for the agent, or is for the person where a session is observed (spec R8)."""
    assert states([TESTS, SCOPE], review(), served=served) == [state, state]


@pytest.mark.parametrize("before", [WAITING, DELIVERED])
@pytest.mark.parametrize("again", [TESTS, AGAIN])
def test_not_twice(before: ReminderState, again: tuple[str, str]) -> None:
    """The same reminder, or nearly the same, is not sent again (spec R6)."""
    assert states([again, SCOPE], review((TESTS, before))) == [REPEATED, WAITING]


def test_held_back_for_as_long_as_it_stands() -> None:
    """Each review that finds the deviation again keeps it held back (spec R6)."""
    assert states([TESTS], review((TESTS, DELIVERED)), review((AGAIN, REPEATED)), review((TESTS, REPEATED))) == [
        REPEATED
    ]


def test_the_deviation_came_back() -> None:
    """After a review that did not find it, it is said again, and then held back again (spec R6)."""
    told, gone = review((TESTS, DELIVERED)), review((SCOPE, WAITING))
    assert states([TESTS], told, gone) == [WAITING]
    assert states([TESTS], told, gone, review((AGAIN, WAITING))) == [REPEATED]
    assert states([TESTS], told, review()) == [WAITING]


@pytest.mark.parametrize("outcome", ["failed", "void", "skipped", ""])
def test_reviews_that_failed_prove_nothing(outcome: str) -> None:
    """A review that failed did not find the deviation gone (spec R6)."""
    assert states([TESTS], review((TESTS, DELIVERED)), review(outcome=outcome)) == [REPEATED]


def test_preparations_are_no_reviews() -> None:
    """A preparation in between says nothing of the deviation."""
    assert states([TESTS], review((TESTS, DELIVERED)), review(purpose=Purpose.PREPARATION)) == [REPEATED]


@pytest.mark.parametrize("before", [LATE, UNSOURCED, OBSERVED])
def test_what_the_agent_never_read_is_said(before: ReminderState) -> None:
    """A reminder that did not reach the agent does not keep the next one from it."""
    assert states([TESTS], review((TESTS, before))) == [WAITING]
    assert states([TESTS], review((TESTS, DELIVERED)), review((TESTS, before))) == [REPEATED]


@pytest.mark.parametrize("before", list(ReminderState))
def test_what_the_person_has_seen(before: ReminderState) -> None:
    """Whatever the person has seen is not told to the person as new."""
    assert states([AGAIN], review((TESTS, before)), served=False) == [REPEATED]


@pytest.mark.parametrize(("hold", "state"), [(True, UNSOURCED), (False, WAITING)])
def test_without_a_source(hold: bool, state: ReminderState) -> None:
    """A reminder whose source was not found is held back where the person wants it so (spec R9)."""
    assert states([TESTS], found=False, hold=hold) == [state]


def test_twice_in_one_answer() -> None:
    """One review says a thing once, and what it holds back for want of a source has not been said."""
    assert states([TESTS, AGAIN]) == [WAITING, REPEATED]
    judged = judge([TESTS, AGAIN], [False, True], [], is_served=True, hold_unsourced=True)
    assert [pair.state for pair in judged] == [UNSOURCED, WAITING]


def test_nothing_was_reviewed() -> None:
    """Without reviews nothing was told."""
    assert not was_told(TESTS, [], is_served=True)
    assert states([]) == []
