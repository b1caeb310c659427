"""One session's life as a state machine without input or output: events of the host in, directives out.

    no session ── SessionBegan ──> idle
    idle ── InputGiven, InputDelivered ──> working, step 0
    working ── ContextAsked ──> working        first of an input that starts a run: Prepare; later ones: Join
    working ── StepEnded ──> working, step + 1     every N steps, unless one is under way: Review
    working ── RunSettled ──> idle      what is prepared is called off, what waits is void
    any ── Cancelled, BranchSwitched, SessionClosed ──> idle      all that was begun is called off, what waits is void
    any ── InputGiven ──> the same      what is prepared is called off, what waits is void, reviews are overtaken
    any ── ReviewEnded ──> the same      working on the same input: Inject; otherwise nothing: it is late

A review that is overtaken by an input or by the end of its run goes on: it may still say something to the person.
"""

import uuid
from collections.abc import Callable

from pilotage.engine.directives import CallOff, Directive, Inject, Join, Prepare, Review, Warn, Withdraw
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
from pilotage.records.attempt import ReminderState
from pilotage.records.configuration import Configuration


def new_id() -> str:
    """An id that nothing else has."""
    return uuid.uuid4().hex


class Engine:
    """What is due in one session, and what of it still counts."""

    def __init__(self, configuration: Configuration, make_id: Callable[[], str] = new_id) -> None:
        self._configuration = configuration
        self._make_id = make_id
        self._warned: set[str] = set()
        self._input = make_id()
        self._is_given = False
        self._starts_run = False
        self._works = False
        self._step = 0
        self._review: Review | None = None
        self._overtaken: dict[str, None] = {}
        self._preparation: Prepare | None = None
        self._is_prepared = False

    @property
    def input_id(self) -> str:
        """The input that the session is at."""
        return self._input

    def is_late(self, attempt: str) -> bool:
        """Whether a review's reminders would come too late: the run is over, or another input was given (spec R4)."""
        is_current = self._review is not None and self._review.attempt == attempt
        return not is_current or not self._works or self._is_given

    def take(self, event: Event) -> list[Directive]:
        """Give what one event makes due, in the order in which it is to be done."""
        match event:
            case InputGiven(starts_run=starts_run):
                return self._give(starts_run=starts_run)
            case InputDelivered():
                return self._deliver()
            case ContextAsked(user_entry=entry):
                return self._prepare(entry)
            case StepEnded(counts=counts):
                return self._end_step() if counts else []
            case RunSettled():
                self._works = False
                return [*self._call_off_preparation(), Withdraw()]
            case Cancelled() | BranchSwitched() | SessionClosed() | SessionBegan():
                self._works = False
                return self._void()
            case ReviewEnded():
                return self._end_review(event)
            case PreparationEnded(attempt=attempt, failure=failure):
                if self._preparation is not None and self._preparation.attempt == attempt:
                    self._preparation, self._is_prepared = None, True
                return self._warn(f"nothing was prepared: {failure}") if failure else []

    def _give(self, *, starts_run: bool) -> list[Directive]:
        """Begin an input; all that was for the one before is void, and what is reviewed of it comes too late."""
        if self._review is not None:
            self._overtaken[self._review.attempt] = None
            self._review = None
        self._input = self._make_id()
        self._is_given, self._starts_run, self._is_prepared = True, starts_run, False
        return [*self._call_off_preparation(), Withdraw()]

    def _deliver(self) -> list[Directive]:
        """Count steps anew; an input that nobody announced begins here, unless nothing was said since the last one."""
        if self._works and not self._is_given and self._is_fresh():
            return []
        void = [] if self._is_given else self._give(starts_run=not self._works)
        self._is_given, self._works, self._step = False, True, 0
        return void

    def _is_fresh(self) -> bool:
        """Whether nothing has come of the input yet: what is delivered now belongs to the same turn."""
        return not self._step and self._preparation is None and not self._is_prepared

    def _prepare(self, entry: str) -> list[Directive]:
        wanted = self._configuration
        if not (wanted.capability_prediction or (wanted.action_prediction and wanted.max_suggested_actions)):
            return []
        if self._preparation is not None:
            return [Join(self._preparation.attempt)]
        if self._is_prepared or not self._starts_run or self._step:
            return []
        self._preparation = Prepare(self._make_id(), self._input, entry)
        return [self._preparation]

    def _end_step(self) -> list[Directive]:
        self._works, self._step = True, self._step + 1
        # The input that was given is delivered next, or was taken back: either way it announces nothing any more.
        is_last, self._is_given = self._is_given, False
        period = self._configuration.trajectory_warning_every_steps if self._configuration.trajectory_warnings else 0
        if is_last or not period or self._step % period or self._review is not None:
            return []
        self._review = Review(self._make_id(), self._input, self._step)
        return [self._review]

    def _end_review(self, ended: ReviewEnded) -> list[Directive]:
        review, is_late = self._review, self.is_late(ended.attempt)
        if review is not None and review.attempt == ended.attempt:
            self._review = None
        elif ended.attempt in self._overtaken:
            del self._overtaken[ended.attempt]
        else:
            return []
        if ended.failure:
            return self._warn(f"a review failed: {ended.words}", kind=ended.failure)
        pairs = tuple(pair for pair in ended.pairs if pair.state is ReminderState.WAITING)
        if review is None or not pairs or is_late:
            return []
        return [Inject(review.attempt, review.input_id, review.step, pairs)]

    def _void(self) -> list[Directive]:
        """Call off what is at work, and drop what has not reached a request."""
        at_work = [*self._overtaken, *([self._review.attempt] if self._review else [])]
        self._review, self._overtaken, self._is_given = None, {}, False
        return [*self._call_off_preparation(), *map(CallOff, at_work), Withdraw()]

    def _call_off_preparation(self) -> list[Directive]:
        if self._preparation is None:
            return []
        attempt, self._preparation = self._preparation.attempt, None
        return [CallOff(attempt)]

    def _warn(self, words: str, kind: str = "") -> list[Directive]:
        """Say a thing once in a session, one of a kind once: nobody wants to read it every few steps."""
        if (kind or words) in self._warned:
            return []
        self._warned.add(kind or words)
        return [Warn(words)]
