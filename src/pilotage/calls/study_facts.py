"""What a study keeps of one session, as records that can be added up."""

from array import array

from msgspec import Struct

from pilotage.records.call import Kind, Mark, Outcome


class Fact(Struct, frozen=True):
    """All that a study counts of one call; calls of which it counts the same share one."""

    tool: str
    """The tool's name."""
    outcome: Outcome
    """What became of the call."""
    kind: Kind | None = None
    """Why it never ran."""
    fields: tuple[str, ...] = ()
    """The fields that its refusal names."""
    identical: bool = False
    """Whether it sent the arguments of the rejected try before once more."""
    marks: tuple[Mark, ...] = ()
    """Notes on the quality of its intent."""
    judged: bool = False
    """Whether it was held against the present contract."""
    refused: Kind | None = None
    """Why the present contract would refuse it."""


class ChainFacts(Struct, frozen=True, gc=False):
    """One chain: a rejected call and the tries that followed it (spec K4)."""

    answer: int
    """The number of the answer that made the first, rejected call."""
    tries: int
    """How many calls it has, the first and the last one included."""
    accepted: bool
    """Whether the last try was answered, and not by a rejection: it ran, well or not, or a guard or the person
    stopped it."""
    duration_ms: int | None
    """From the first rejected call to the accepted one; none where there is none, or a time is missing."""
    tokens: int
    """What the answers cost that carried the tries after the first, with all else that they carried."""


class SessionFacts(Struct, frozen=True):
    """What a study counts of one session file; its columns are arrays, as there may be hundreds of thousands."""

    path: str
    """The file."""
    id: str
    """The session's id."""
    time: float | None
    """When it began, in seconds since the epoch."""
    is_child: bool
    """Whether it is evidence, and not an agent's own session (spec E3)."""
    keys: "array[int]"
    """For each answer of the main model a number for its entry's id and time, by which its copies in other files
    are known; 0 where it has no time. Abandoned branches are included, copies within the file are not."""
    tokens: "array[int]"
    """For each answer what it cost: input that was not cached, and output."""
    retries: bytearray
    """For each answer 1 if it carries a later try of a rejected call."""
    made_by: "array[int]"
    """For each call the number of its answer; a call that another tool made has that of its parent."""
    fact_of: "array[int]"
    """For each call the number of its fact."""
    facts: tuple[Fact, ...]
    """Each kind of call that there is."""
    chains: tuple[ChainFacts, ...]
    """The chains, in the order in which they began."""


class Seam(Struct, frozen=True):
    """What tells whether a stretch that was studied by itself fits to the one before it."""

    parent_id: str | None
    """The entry before it that its first entry hangs under."""
    last_id: str | None
    """Its last entry."""
    is_answered: bool
    """Whether the next input begins a turn."""
    strays: int
    """Entries that refer to what may stand before it."""
    is_timed: bool
    """Whether the host writes durations."""
    has_untimed: bool
    """Whether an error was judged before any duration was seen."""
    cwd: str | None
    """The header's folder; none where no header is in it."""
    name: str | None
    """The name that it gives to the session, if it does."""
