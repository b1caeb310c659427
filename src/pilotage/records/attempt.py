"""One preparation or review, as the parent session's diagnostic entries tell it (spec E2)."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

DIAGNOSTIC_TYPE = "capability-prefetch-diagnostic"
"""The `customType` of the entries that point to evidence."""

PREPARATION_TYPE = "capability-prefetch"
"""The `customType` of the entry that holds what a preparation brought (spec P6)."""

REMINDER_TYPE = "capability-trajectory-warning"
"""The `customType` of the message that holds reminders (spec R4)."""


class Purpose(StrEnum):
    """What a model was asked for; the word in a child session's name."""

    PREPARATION = "preparation"
    """What the agent will need."""
    TRAJECTORY = "trajectory"
    """Whether the agent left a principle."""


class Event(StrEnum):
    """What a diagnostic entry tells."""

    START = "start"
    """An attempt begins; written before the session file is read."""
    REVIEW_INPUT = "review-input"
    """What a review saw, and what was left out (spec R5)."""
    CONTEXT_READY = "context-ready"
    """A context with results was returned to the host; no proof that a provider received it."""
    END = "end"
    """The attempt is over, whatever came of it."""


class ReminderState(StrEnum):
    """What became of a reminder."""

    WAITING = "waiting"
    """It enters the next request that is made anyway."""
    DELIVERED = "delivered"
    """It stands in the session, for the agent to read."""
    LATE = "late"
    """It came when the run was over or another input was given; the agent never read it."""
    REPEATED = "repeated"
    """Held back: the agent was told so before, and the deviation had not gone away since."""
    UNSOURCED = "unsourced"
    """Held back: its source does not stand in what the review was given, and the person wants such kept back."""
    OBSERVED = "observed"
    """The session was only watched: the reminder is for the person."""


class ReviewedPair(Struct, frozen=True):
    """One reminder as a review gave it."""

    deviation: str
    """Where the agent deviated and what to do."""
    source: str
    """The principle's source and its own words."""
    source_found: bool
    """Whether the source stands in what the review was given (spec R9)."""
    state: ReminderState
    """What became of it when the review ended; a later state is read from the session."""


class Action(Struct, frozen=True):
    """A read or a command that a preparation had done, and what it brought (spec E1, P6)."""

    tool: str
    """`read` or `bash`."""
    arguments: Mapping[str, object]
    """Its arguments."""
    text: str
    """What it brought: the file's text, or the command's output."""
    is_error: bool
    """Whether it failed."""
    began: float
    """When it was begun, in seconds since the epoch."""
    seconds: float
    """How long it took."""
    confined: bool | None = None
    """For a command, whether it ran confined (spec P5)."""
    executor: str = ""
    """Who ran it: `pilotage`, or what another writer says."""


class SuggestionState(StrEnum):
    """What became of a suggestion (spec P9)."""

    USED = "used"
    """The agent called, read or loaded it within the turn."""
    UNUSED = "unused"
    """The agent did not."""
    STALE = "stale"
    """The file changed before the agent used it."""
    LATE = "late"
    """It was void when it came."""


class Suggestion(Struct, frozen=True):
    """A capability that a preparation suggested."""

    id: str
    """The capability's id."""
    why: str = ""
    """The model's words for it."""
    confidence: float | None = None
    """How sure the model says it is; uncalibrated."""
    state: SuggestionState | None = None
    """What became of it, where that was written down."""


class Prepared(Struct, frozen=True):
    """What a preparation brought, as the parent session keeps it (spec P6)."""

    entry: str
    """The id of the entry that carries it; its place and time say nothing about when the actions ran."""
    input_id: str = ""
    """The input that it was made for."""
    attempt: str = ""
    """The attempt that made it."""
    preparation_id: str = ""
    """The id that links it to its delivery."""
    in_context: bool = False
    """Whether the carrier is itself a message to the model, as another writer's is."""
    suggestions: tuple[Suggestion, ...] = ()
    """The capabilities that were suggested."""
    actions: tuple[Action, ...] = ()
    """What was read and run, in the order of the rounds."""
    tokens: tuple[int, int] | None = None
    """Tokens sent and received, where it says so."""
    milliseconds: int | None = None
    """How long it took, where it says so."""


class ChildSession(Struct, frozen=True):
    """Where an attempt's real input and output lie."""

    file: str
    """The child session's absolute path."""
    id: str
    """Its session id."""


class Attempt(Struct, frozen=True):
    """One preparation or review."""

    id: str
    """The attempt's own id."""
    purpose: Purpose
    """What it was for."""
    input_id: str
    """The input that it belongs to."""
    entry: str
    """The id of its `start` entry, or of the first that is there."""
    step: int | None = None
    """The step that was reviewed."""
    started: float | None = None
    """When, in seconds since the epoch."""
    ended: float | None = None
    """When it was over; none for an incomplete attempt."""
    outcome: str = ""
    """`ok`, `failed`, `void` or `skipped`, or what another writer says; empty while it is incomplete."""
    failure: str = ""
    """Which way it failed: a word of `inference.question.Failure`, or another writer's."""
    words: str = ""
    """Why it failed, for a person."""
    requests: int | None = None
    """Model requests made."""
    milliseconds: int | None = None
    """How long it took."""
    tokens: tuple[int, int] | None = None
    """Tokens sent and received."""
    child: ChildSession | None = None
    """Where the real input and output lie."""
    coverage: dict[str, object] = {}
    """What a review saw, as it was written."""
    pairs: tuple[ReviewedPair, ...] = ()
    """The reminders of a review."""
    context_ready: bool = False
    """Whether a context with its results was returned to the host."""
    writer: str = ""
    """Who wrote it: `pilotage`, or empty for another writer."""
    leaf: str | None = None
    """The id of the session's last entry when it began: its place in the session."""
    is_observed: bool = False
    """Whether the session was only watched: then its notes, and `entry`, lie in Pilotage's own folder (spec R8)."""
