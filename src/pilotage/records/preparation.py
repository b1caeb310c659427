"""What a preparation predicted, and what came of the reads and commands in it (spec P2, P6)."""

from msgspec import Struct


class Suggestion(Struct, frozen=True):
    """A capability that the task may need; nothing was loaded (spec P2)."""

    id: str
    """The capability's id in the catalog."""
    why: str
    """What it is needed for."""


class Read(Struct, frozen=True, tag="read"):
    """A file that the agent will want to read."""

    path: str
    """The candidate: `project:RELATIVE/PATH`, or a skill's entry file."""
    why: str
    """What is looked for in it."""


class Bash(Struct, frozen=True, tag="bash"):
    """A command whose output the agent will want to see."""

    command: str
    """The shell command."""
    why: str
    """What is looked for in its output."""


Action = Read | Bash
"""What Pilotage does for the agent before its first step."""


class Prediction(Struct, frozen=True):
    """The whole answer of the model that was asked, found to be valid."""

    capabilities: tuple[Suggestion, ...]
    """The capabilities, the most needed first."""
    actions: tuple[Action, ...]
    """The actions, in the order in which they are done."""


class ActionResult(Struct, frozen=True):
    """What came of one action."""

    action: Action
    """What was to be done."""
    text: str
    """What the agent reads, as the host's own tool would say it; empty where the action was refused."""
    is_error: bool
    """Whether it failed, as the host's own tool would call it, or was refused."""
    started: int
    """When it began, in milliseconds since the epoch."""
    ended: int
    """When it was over, in milliseconds since the epoch."""
    refusal: str = ""
    """Why it was not done; empty where it was."""
    confined: bool = False
    """Whether a command ran confined (spec P5)."""
    path: str = ""
    """The file that was read, as the host's own read takes it: relative to the main task's folder, or absolute."""
    sha256: str = ""
    """The digest of the whole file that was read, in hexadecimal: what freshness is compared by (spec P7)."""
    size: int | None = None
    """The bytes of the whole file that was read."""
    is_complete: bool = False
    """Whether the text is all of the file: only such a read stands for it (spec P7)."""
