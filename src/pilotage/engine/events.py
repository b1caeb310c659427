"""What a host says of a session as it happens; another host needs an adapter that says the same."""

from msgspec import Struct

from pilotage.records.attempt import ReviewedPair


class SessionBegan(Struct, frozen=True):
    """A session was started, resumed or loaded anew."""

    file: str | None
    """The session file; none where the host keeps none."""
    id: str
    """The session's id."""
    cwd: str
    """The folder that the host runs in."""
    trusted: bool
    """Whether the host trusts the project in it."""


class InputGiven(Struct, frozen=True):
    """The user gave an input that is delivered next; a follow-up, which waits for the end of the run, is none yet."""

    starts_run: bool
    """Whether it starts a run, and is no steer."""


class InputDelivered(Struct, frozen=True):
    """An input became part of the conversation."""


class ContextAsked(Struct, frozen=True):
    """The host is about to make a request of the main model."""

    user_entry: str
    """The id of the entry of the input's last user message."""


class StepEnded(Struct, frozen=True):
    """An assistant message and all its tool executions are finished."""

    counts: bool
    """Whether it is a step: it was neither aborted nor an error."""


class RunSettled(Struct, frozen=True):
    """The run is over; no request follows without a new input."""


class Cancelled(Struct, frozen=True):
    """The person stopped the run."""


class BranchSwitched(Struct, frozen=True):
    """The session went to another branch."""


class SessionClosed(Struct, frozen=True):
    """The host leaves the session."""


class ReviewEnded(Struct, frozen=True):
    """A review is over; what it found is given whatever came of it."""

    attempt: str
    """The review's attempt."""
    step: int
    """The step that was reviewed."""
    pairs: tuple[ReviewedPair, ...] = ()
    """Its reminders with what is to become of each."""
    failure: str = ""
    """The kind of its failure; empty where it did not fail."""
    words: str = ""
    """The same for a person."""


class PreparationEnded(Struct, frozen=True):
    """A preparation is over."""

    attempt: str
    """The preparation's attempt."""
    failure: str = ""
    """Why it failed, for a person; empty where it did not."""


Event = (
    SessionBegan
    | InputGiven
    | InputDelivered
    | ContextAsked
    | StepEnded
    | RunSettled
    | Cancelled
    | BranchSwitched
    | SessionClosed
    | ReviewEnded
    | PreparationEnded
)
"""Everything that the engine is told."""
