"""One tool call by the main model: what it was, why it was made and what became of it."""

from enum import StrEnum

from msgspec import Struct


class Outcome(StrEnum):
    """What became of a call; the closed list of spec K1."""

    RUNNING = "running"
    """No result yet, and nothing says that there will be none."""
    OK = "ok"
    """It ran and succeeded."""
    FAILED = "failed"
    """It ran and failed."""
    REJECTED = "rejected"
    """The contract or the host's schema refused it; it never ran."""
    BLOCKED = "blocked"
    """A guard stopped it; it never ran."""
    ABORTED = "aborted"
    """The person stopped it."""
    UNANSWERED = "unanswered"
    """It has no result and will get none."""


FINDINGS = frozenset({Outcome.FAILED, Outcome.REJECTED, Outcome.BLOCKED})
"""Outcomes that a person wants to be led to."""


class Kind(StrEnum):
    """Why a call was not accepted; the closed list of spec C7, in the order in which one stands for all."""

    MISSING_INTENT = "missing-intent"
    """No intent, or one that is not text."""
    EMPTY_INTENT = "empty-intent"
    """An intent without a visible character."""
    EMPTY_RATIONALE = "empty-rationale"
    """A rationale that is given but says nothing."""
    PER_EDIT_PROVENANCE = "per-edit-provenance"
    """An old contract wanted intent or rationale in every edit."""
    STRUCTURE = "structure"
    """A structural field is wrong or missing."""
    NOT_JSON = "not-json"
    """The arguments are not JSON."""
    UNKNOWN_TOOL = "unknown-tool"
    """No tool has that name."""
    CUT_OFF = "cut-off"
    """The output limit ended the call before it was whole."""
    BLOCKED = "blocked"
    """A guard stopped it."""
    HOST_FAILURE = "host-failure"
    """A guard broke or timed out."""


class Mark(StrEnum):
    """A note on the quality of an intent: advice for people, never a reason to refuse (spec C8)."""

    HOLLOW = "hollow"
    """The intent is empty of content."""
    REPEATS_TARGET = "repeats-target"
    """The intent repeats the command or the path."""
    REPEATS_PREVIOUS = "repeats-previous"
    """The intent is the previous one, word for word."""
    COPIES_REQUEST = "copies-request"
    """The intent copies the user's sentence."""


class Rejection(Struct, frozen=True, gc=False):
    """Why a call never ran."""

    kind: Kind
    """The first kind in the order of C7."""
    fields: tuple[str, ...]
    """Dotted paths of the fields at fault, in the order in which they were named."""
    message: str
    """What the agent was told, without the arguments that were repeated to it."""


class ChainLink(Struct, frozen=True, gc=False):
    """A call's place in a chain of tries (spec K4)."""

    id: str
    """The id of the chain's first rejected call."""
    attempt: int
    """Which try this is, from 1."""
    identical: bool
    """Whether the arguments are those of the rejected try before."""


class Place(Struct, frozen=True, gc=False):
    """Where a record stands in its file."""

    line: int
    """The line, from 1."""
    offset: int
    """The byte at which the record begins."""
    length: int
    """Its length in bytes."""


class Call(Struct, frozen=True, gc=False):
    """One tool call with its provenance and its outcome (spec K1)."""

    id: str
    """The host's own id of the call."""
    parent_id: str | None
    """For a nested call, the id of the call that made it."""
    turn: int
    """The turn, from 1; 0 before the first input."""
    step: int | None
    """The step within the turn, from 1; none in a message that was aborted or ended in an error."""
    tool: str
    """The tool's name."""
    target: str | None
    """The path, or the command's first line."""
    brief: str
    """What stands for a target where there is none: the first arguments, shortened."""
    intent: str | None
    """Where the action is heading."""
    rationale: str | None
    """The evidence that set it off."""
    time: float | None
    """When the call was made, in seconds since the epoch."""
    duration_ms: int | None
    """How long it ran, where the file says."""
    outcome: Outcome
    """What became of it."""
    rejection: Rejection | None
    """Why it never ran, if it was rejected or blocked."""
    chain: ChainLink | None
    """Its place in a chain of tries, if a rejection is part of it."""
    active: bool
    """Whether it lies on the active branch."""
    entry: int
    """The index of the entry that made the call."""
    result: int | None
    """The index of the entry that answered it."""
    batch: int
    """How many calls the message made."""
    position: int
    """Which of them this is, from 0."""
    exit_code: int | None
    """The exit code that a failed command reported."""
