"""One row of a session's line of time."""

from enum import StrEnum

from msgspec import Struct


class RowKind(StrEnum):
    """What a row tells of."""

    INPUT = "input"
    """The user's words."""
    CALL = "call"
    """A call."""
    REMINDER = "reminder"
    """What a review told the agent."""
    SHELL = "shell"
    """A command that the person ran in the host."""
    COMPACTION = "compaction"
    """The conversation so far became a summary."""
    BRANCH = "branch"
    """The conversation went back and took another way."""
    ERROR = "error"
    """The main model's request failed."""
    INTERRUPTION = "interruption"
    """The person stopped the agent while it answered."""


class Row(Struct, frozen=True, gc=False):
    """One row; what it shows of its entry or call is looked up there."""

    kind: RowKind
    """What it tells of."""
    entry: int
    """The index of its entry."""
    call: int = -1
    """For a call, its number; -1 otherwise."""
    text: str = ""
    """What it says, for rows that are no call."""
    turn: int = -1
    """The index of the entry that began its turn; -1 before the first."""
