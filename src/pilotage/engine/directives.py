"""What the engine wants done; it does none of it itself."""

from msgspec import Struct

from pilotage.records.attempt import ReviewedPair


class Review(Struct, frozen=True):
    """Review the trajectory up to this step, beside the agent's work."""

    attempt: str
    """The attempt's id."""
    input_id: str
    """The input that the step belongs to."""
    step: int
    """The step, counted from 1 within the input."""


class Prepare(Struct, frozen=True):
    """Prepare for this input; the host's request waits for it."""

    attempt: str
    """The attempt's id; it is also the preparation's."""
    input_id: str
    """The input."""
    user_entry: str
    """The id of the entry of the input's last user message."""


class Join(Struct, frozen=True):
    """Wait for the preparation that was begun for this input."""

    attempt: str
    """Its attempt."""


class CallOff(Struct, frozen=True):
    """End an attempt: whatever it still brings is void."""

    attempt: str
    """The attempt."""


class Inject(Struct, frozen=True):
    """Let reminders enter the next request that the host makes anyway (spec R4)."""

    attempt: str
    """The review that they are from."""
    input_id: str
    """The input that it belongs to."""
    step: int
    """The step that was reviewed."""
    pairs: tuple[ReviewedPair, ...]
    """The reminders that the agent is to read."""


class Withdraw(Struct, frozen=True):
    """Drop reminders that have not reached a request yet."""


class Warn(Struct, frozen=True):
    """Tell the person, once."""

    words: str
    """What."""


Directive = Review | Prepare | Join | CallOff | Inject | Withdraw | Warn
"""Everything that the engine may want."""
