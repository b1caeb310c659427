"""One record of a session file, reduced to what a row of the timeline needs.

Bodies (outputs, images, full arguments) are not here: an entry knows its place in the file, and whoever opens
it fetches them from there.
"""

from msgspec import Struct

from pilotage.records.call import Place


class Usage(Struct, frozen=True, gc=False):
    """What one model request cost, as the host noted it."""

    input: int = 0
    """Tokens sent that were not cached."""
    output: int = 0
    """Tokens received."""
    cache_read: int = 0
    """Tokens sent that were cached."""
    cost: float = 0.0
    """The price in the host's currency, in US dollars for Pi."""


class CallRequest(Struct, frozen=True, gc=False):
    """One call as an assistant message made it."""

    id: str
    """The host's own id of the call."""
    tool: str
    """The tool's name."""
    target: str | None
    """The path, or the command's first line."""
    brief: str
    """The first arguments, shortened, where there is no target."""
    intent: str | None
    """The intent, for the tools of the contract."""
    rationale: str | None
    """The rationale, for the tools of the contract."""


class UserMessage(Struct, frozen=True, gc=False):
    """The user's words."""

    text: str
    """The first 4,000 characters."""
    images: int
    """How many images came with them."""


class AgentMessage(Struct, frozen=True, gc=False):
    """One answer of the main model."""

    calls: tuple[CallRequest, ...]
    """The calls that it made, in order."""
    stop_reason: str
    """The host's word for why it ended; empty where the file has none."""
    error: str | None
    """The first 2,000 characters of the host's error message."""
    timed: bool
    """Whether the message says how long it took; files of older hosts never do."""
    usage: Usage
    """What it cost."""
    model: str
    """The model that answered."""

    @property
    def is_step(self) -> bool:
        """Whether it counts as a step: a message that was aborted or ended in an error does not (spec W)."""
        return self.stop_reason not in ("aborted", "error")


class NestedCall(Struct, frozen=True, gc=False):
    """A call that a tool made while it ran."""

    id: str
    """Its own id, `<parent>/<n>`."""
    tool: str
    """The tool's name."""
    target: str | None
    """The path, or the command's first line."""
    brief: str
    """The first arguments, shortened, where there is no target."""
    status: str
    """The host's word: ok, error or unfinished."""
    duration_ms: int | None
    """How long it ran."""
    error: str
    """The first 2,000 characters of the error's text."""


class ToolResult(Struct, frozen=True, gc=False):
    """What came back from one call."""

    call_id: str
    """The call that it answers."""
    tool: str
    """The tool's name as the result has it."""
    is_error: bool
    """Whether the host calls it an error."""
    duration_ms: int | None
    """How long the tool ran; none if it never ran, or in a file of an older host."""
    text: str
    """For an error, its text: the first and last 2,000 characters. Empty otherwise."""
    nested: tuple[NestedCall, ...]
    """The calls that the tool made."""


class ShellCommand(Struct, frozen=True, gc=False):
    """A command that the person ran in the host."""

    command: str
    """The command, its first 400 characters."""
    exit_code: int | None
    """Its exit code."""


class Reminder(Struct, frozen=True, gc=False):
    """What a review told the agent (spec R3, R4), read leniently whoever wrote it."""

    pairs: tuple[tuple[str, str], ...]
    """[where it deviated and what to do, the principle's source and words]."""
    text: str
    """What the agent read."""
    step: int | None
    """The step that was reviewed."""


class CustomMessage(Struct, frozen=True, gc=False):
    """A message by an extension."""

    custom_type: str
    """Whose it is."""
    text: str
    """Its first 400 characters."""


class Compaction(Struct, frozen=True, gc=False):
    """The host put the conversation so far into a summary."""

    summary: str
    """The summary's first 400 characters."""
    tokens_before: int | None
    """How many tokens the context had."""


class BranchSummary(Struct, frozen=True, gc=False):
    """What the host kept of a branch that was left."""

    summary: str
    """The summary's first 400 characters."""


class SessionName(Struct, frozen=True, gc=False):
    """A name for the session; an empty one clears it."""

    name: str
    """The name."""


class ModelChange(Struct, frozen=True, gc=False):
    """Another model from here on."""

    provider: str
    """The provider's id."""
    model: str
    """The model's id."""


class ThinkingChange(Struct, frozen=True, gc=False):
    """Another thinking level from here on."""

    level: str
    """The host's word for it."""


Content = (
    UserMessage
    | AgentMessage
    | ToolResult
    | ShellCommand
    | Reminder
    | CustomMessage
    | Compaction
    | BranchSummary
    | SessionName
    | ModelChange
    | ThinkingChange
)
"""What an entry can hold that a row of the timeline needs."""


class Header(Struct, frozen=True, gc=False):
    """The first record of a session file."""

    id: str
    """The session's id."""
    version: int
    """The format's version: 1 where the file names none."""
    time: float | None
    """When the session began, in seconds since the epoch."""
    cwd: str
    """The folder that the host ran in."""
    parent: str | None
    """The file that this session was forked from."""
    place: Place
    """Where it stands."""


class Entry(Struct, frozen=True, gc=False):
    """One node of the session's forest."""

    id: str
    """The host's id, or `L<line>` where it gave none (version 1)."""
    parent_id: str | None
    """The id of the entry before it; none for a root."""
    chained: bool
    """Whether the file names no parent at all, so that the entry follows the one before it (version 1)."""
    type: str
    """The host's word for the entry's type, whatever it is."""
    role: str
    """The role of its message; empty for other types."""
    time: float | None
    """When it was appended, in seconds since the epoch."""
    place: Place
    """Where it stands."""
    content: Content | None
    """What a row needs of it; none for bookkeeping and for types that are not known."""
