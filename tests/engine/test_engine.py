"""What is due in a session, and what of it still counts."""

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilotage.engine.directives import CallOff, Directive, Inject, Join, Prepare, Review, Warn, Withdraw
from pilotage.engine.engine import Engine
from pilotage.engine.events import (
    BranchSwitched,
    Cancelled,
    ContextAsked,
    Event,
    InputDelivered,
    InputGiven,
    PreparationEnded,
    ReviewEnded,
    RunSettled,
    SessionBegan,
    SessionClosed,
    StepEnded,
)
from pilotage.records.attempt import ReminderState, ReviewedPair
from pilotage.records.configuration import Configuration

PAIR = ReviewedPair("Edited first; reproduce first.", "User request: reproduce it first", True, ReminderState.WAITING)
REPEATED = ReviewedPair("Again.", "User request: again", True, ReminderState.REPEATED)
BEGAN = SessionBegan("/s.jsonl", "s", "/w", trusted=True)
STEP = StepEnded(counts=True)


def engine(period: int = 2, **more: bool) -> Engine:
    """Make an engine that reviews, with readable ids."""
    numbers = count(1)
    configuration = Configuration(trajectory_warnings=True, trajectory_warning_every_steps=period, **more)
    return Engine(configuration, lambda: f"id{next(numbers)}")


def run(at: Engine, *events: Event) -> list[list[Directive]]:
    """Give what each event makes due."""
    return [at.take(event) for event in events]


def begun(at: Engine, *, starts_run: bool = True) -> Engine:
    """Give the user's input and deliver it."""
    run(at, BEGAN, InputGiven(starts_run=starts_run), InputDelivered())
    return at


def reviews(told: list[list[Directive]]) -> list[int]:
    """Give the steps of the reviews that became due."""
    return [one.step for some in told for one in some if isinstance(one, Review)]


def finish(at: Engine, review: Review, *pairs: ReviewedPair, failure: str = "") -> list[Directive]:
    """End a review."""
    return at.take(
        ReviewEnded(review.attempt, review.step, pairs, failure, failure and f"{failure} at step {review.step}")
    )


def due(at: Engine) -> Review:
    """Take steps until a review is due."""
    while True:
        for one in at.take(STEP):
            if isinstance(one, Review):
                return one


@pytest.mark.parametrize(("period", "steps"), [(1, [1, 2, 3, 4, 5]), (2, [2, 4]), (5, [5]), (15, []), (0, [])])
def test_a_review_is_due_every_so_many_steps(period: int, steps: list[int]) -> None:
    """A review is due every N steps, and never where N is 0 (spec R1)."""
    at = begun(engine(period))
    seen = []
    for _ in range(5):
        for one in at.take(STEP):
            assert isinstance(one, Review)
            seen.append(one.step)
            finish(at, one)
    assert seen == steps


def test_reviews_off_means_none() -> None:
    """Where reviews are off, the period alone makes none."""
    at = begun(Engine(Configuration(trajectory_warning_every_steps=1)))
    assert reviews(run(at, STEP, STEP)) == []


def test_a_cancelled_step_is_none() -> None:
    """A step that was aborted or an error neither counts nor triggers (spec R1, W)."""
    at = begun(engine(2))
    assert reviews(run(at, STEP, StepEnded(counts=False), StepEnded(counts=False))) == []
    assert reviews(run(at, STEP)) == [2]


def test_an_input_counts_anew() -> None:
    """A new input begins at step 1, whether it starts a run or steers one (spec R1)."""
    at = begun(engine(2))
    run(at, STEP, InputGiven(starts_run=False), InputDelivered())
    assert reviews(run(at, STEP)) == []
    assert reviews(run(at, STEP)) == [2]


def test_one_review_at_a_time() -> None:
    """While a review is at work, none is begun beside it."""
    at = begun(engine(1))
    assert reviews(run(at, STEP, STEP, STEP)) == [1]


def test_reminders_enter_the_run() -> None:
    """Reminders of a review that ends while the agent works are injected, and only those that are to be sent."""
    at = begun(engine(2))
    review = due(at)
    assert finish(at, review, PAIR, REPEATED) == [Inject(review.attempt, review.input_id, 2, (PAIR,))]


LATE = {
    "settled": [RunSettled()],
    "steered": [InputGiven(starts_run=False)],
    "delivered": [InputGiven(starts_run=False), STEP, InputDelivered()],
    "followed up": [STEP, InputDelivered()],
    "prompted": [RunSettled(), InputGiven(starts_run=True), InputDelivered()],
}
"""What can come before a review ends."""


@pytest.mark.parametrize("events", LATE.values(), ids=LATE)
def test_late_reminders_are_not_sent(events: list[Event]) -> None:
    """A review that the end of the run or an input overtakes goes on, is late, and is not sent (spec R4)."""
    at = begun(engine(2))
    review = due(at)
    assert not at.is_late(review.attempt)
    assert not [one for some in run(at, *events) for one in some if isinstance(one, CallOff)]
    assert at.is_late(review.attempt)
    assert finish(at, review, PAIR) == []


def test_a_failure_that_comes_late_is_told() -> None:
    """A review that failed after a new input is a warning all the same (spec M8)."""
    at = begun(engine(2))
    review = due(at)
    run(at, InputGiven(starts_run=False), STEP, InputDelivered())
    assert finish(at, review, failure="timeout") == [Warn("a review failed: timeout at step 2")]


def test_an_overtaken_review_holds_up_no_other() -> None:
    """A review of an input before is no reason to leave one out, and the new one's reminders are sent (spec R1)."""
    at = begun(engine(2))
    before = due(at)
    run(at, InputGiven(starts_run=False), STEP, InputDelivered())
    review = due(at)
    assert (review.step, review.input_id != before.input_id) == (2, True)
    assert finish(at, before, PAIR) == []
    assert finish(at, review, PAIR) == [Inject(review.attempt, review.input_id, 2, (PAIR,))]


def test_the_last_step_before_an_input_is_not_reviewed() -> None:
    """What a review would say at the end of a step that a steer waits for would be too late at once."""
    at = begun(engine(2))
    assert reviews(run(at, STEP, InputGiven(starts_run=False), STEP)) == []


def test_a_steer_that_is_taken_back() -> None:
    """A steer that was given and never delivered puts off the next review, and none after it."""
    at = begun(engine(2))
    run(at, InputGiven(starts_run=False))
    assert at.take(STEP) == []
    review = due(at)
    assert finish(at, review, PAIR) == [Inject(review.attempt, review.input_id, 2, (PAIR,))]


def test_a_settled_run_lets_its_review_end() -> None:
    """The end of a run withdraws what waits and calls no review off: it may still say something to the person."""
    at = begun(engine(2))
    due(at)
    assert at.take(RunSettled()) == [Withdraw()]


@pytest.mark.parametrize("event", [Cancelled(), BranchSwitched(), SessionClosed()], ids=lambda one: type(one).__name__)
def test_what_is_void_is_called_off(event: Event) -> None:
    """A cancel, a switch and the end call every review off and withdraw what waits (spec R4)."""
    at = begun(engine(2))
    before = due(at)
    run(at, InputGiven(starts_run=False), STEP, InputDelivered())
    review = due(at)
    assert at.take(event) == [CallOff(before.attempt), CallOff(review.attempt), Withdraw()]
    assert finish(at, review, PAIR) == finish(at, before, PAIR) == []


def test_an_input_nobody_announced() -> None:
    """A message that is delivered without having been given, as a follow-up is, is an input as well (spec W)."""
    at = begun(engine(2))
    at.take(STEP)
    before = at.input_id
    assert at.take(InputDelivered()) == [Withdraw()]
    assert at.input_id != before


def test_messages_of_one_turn() -> None:
    """Messages that are delivered one after the other belong to one input, which is prepared for (spec W, P1)."""
    at = begun(engine(2, capability_prediction=True))
    before = at.input_id
    assert at.take(InputDelivered()) == []
    (prepare,) = at.take(ContextAsked("u2"))
    assert isinstance(prepare, Prepare)
    assert (at.input_id, prepare.input_id) == (before, before)


def test_a_run_that_another_extension_starts() -> None:
    """Steps after a settled run count on, and their reviews are sent: a message of an extension can start a run."""
    at = begun(engine(2))
    run(at, STEP, RunSettled())
    review = due(at)
    assert finish(at, review, PAIR) == [Inject(review.attempt, review.input_id, 2, (PAIR,))]


def test_failures_are_told_once() -> None:
    """The same kind of failure is a warning once in a session, whatever its words (spec M8)."""
    at = begun(engine(1))
    told = [finish(at, due(at), failure="timeout") for _ in range(3)]
    assert told == [[Warn("a review failed: timeout at step 1")], [], []]


def test_one_preparation_for_an_input() -> None:
    """The first request of an input prepares, later ones join, and none follows once it has ended (spec P8)."""
    at = begun(engine(0, capability_prediction=True))
    asked = ContextAsked("u1")
    first, second = run(at, asked, asked)
    assert isinstance(first[0], Prepare)
    assert second == [Join(first[0].attempt)]
    assert run(at, PreparationEnded(first[0].attempt), asked, STEP, asked) == [[], [], [], []]


@pytest.mark.parametrize("more", [{}, {"action_prediction": False}])
def test_both_halves_off_prepares_nothing(more: dict[str, bool]) -> None:
    """With both halves off, nothing is prepared (spec P2)."""
    assert begun(engine(0, **more)).take(ContextAsked("u1")) == []


def test_no_actions_allowed_prepares_nothing() -> None:
    """With only actions on and none allowed, nothing is prepared (spec P2)."""
    at = begun(Engine(Configuration(action_prediction=True, max_suggested_actions=0)))
    assert at.take(ContextAsked("u1")) == []


def test_a_steer_is_not_prepared_for() -> None:
    """Only a prompt that starts a run is prepared for (spec W, input)."""
    at = begun(engine(0, capability_prediction=True), starts_run=False)
    assert at.take(ContextAsked("u1")) == []


@pytest.mark.parametrize("event", [InputGiven(starts_run=False), Cancelled(), BranchSwitched(), RunSettled()])
def test_a_late_preparation_is_void(event: Event) -> None:
    """A steer, a cancel, a switch and the end of the run call a preparation off (spec P8)."""
    at = begun(engine(0, capability_prediction=True))
    prepare = at.take(ContextAsked("u1"))[0]
    assert isinstance(prepare, Prepare)
    assert CallOff(prepare.attempt) in at.take(event)


EVENTS = st.sampled_from(
    [
        BEGAN,
        InputGiven(starts_run=True),
        InputGiven(starts_run=False),
        InputDelivered(),
        ContextAsked("u"),
        STEP,
        StepEnded(counts=False),
        RunSettled(),
        Cancelled(),
        BranchSwitched(),
        SessionClosed(),
        "end review",
        "end preparation",
    ]
)


@given(st.lists(EVENTS, max_size=60), st.integers(0, 3))
def test_whatever_happens_nothing_is_asked_twice(events: list[Event | str], period: int) -> None:
    """In any order of events each review and preparation ends once or is called off, and one of each counts at most."""
    at = Engine(Configuration("p", "m", True, True, True, period))
    reviews_at_work: list[Review] = []
    preparations: list[Prepare] = []
    for event in events:
        if event == "end review":
            told = finish(at, reviews_at_work.pop(), PAIR) if reviews_at_work else []
        elif event == "end preparation":
            told = at.take(PreparationEnded(preparations.pop().attempt)) if preparations else []
        else:
            assert not isinstance(event, str)
            told = at.take(event)
        for one in told:
            if isinstance(one, Review):
                reviews_at_work.append(one)
            elif isinstance(one, Prepare):
                preparations.append(one)
            elif isinstance(one, CallOff):
                reviews_at_work = [review for review in reviews_at_work if review.attempt != one.attempt]
                preparations = [prepare for prepare in preparations if prepare.attempt != one.attempt]
        inputs = [review.input_id for review in reviews_at_work]
        assert len(inputs) == len(set(inputs))
        assert sum(not at.is_late(review.attempt) for review in reviews_at_work) <= 1
        assert len(preparations) <= 1
    off = [one.attempt for one in at.take(SessionClosed()) if isinstance(one, CallOff)]
    assert sorted(off) == sorted(one.attempt for one in (*reviews_at_work, *preparations))
