"""What an agent could use: skills, MCP servers and tools, deferred tools (spec D1)."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct


class CapabilityKind(StrEnum):
    """What a capability is; the word before the colon of its id."""

    SKILL = "skill"
    """A folder with instructions that the agent reads."""
    MCP = "mcp"
    """An MCP server, or a tool of one."""
    TOOL = "tool"
    """Any other tool that is not declared from the start."""


class CapabilityState(StrEnum):
    """How near a capability is to the agent."""

    DECLARED = "declared"
    """The main model sees it and can call it now."""
    LOADABLE = "loadable"
    """A search loads it; a skill's file can be read."""
    NOT_CONNECTED = "not connected"
    """Its server has not answered, or nobody has asked it."""


class Capability(Struct, frozen=True):
    """One thing that the agent could use."""

    id: str
    """`skill:NAME`, `mcp:mcp__SERVER`, `mcp:mcp__SERVER__TOOL` or `tool:NAME`."""
    kind: CapabilityKind
    """What it is."""
    name: str
    """The exact name: the skill's, or the one under which the host calls the tool."""
    description: str
    """All that its author says of it."""
    state: CapabilityState
    """How near it is."""
    path: str | None = None
    """A skill's SKILL.md; none for anything else."""
    parameters: Mapping[str, object] | None = None
    """A tool's JSON Schema as it was given."""
    server: str | None = None
    """The name of the MCP server that it belongs to."""
    namespace: str = ""
    """What the server says of itself, for its tools: description and instructions."""
    short: str | None = None
    """What the main prompt's list shows in place of the description (spec D3)."""
    origin: str = ""
    """Where it was found: a file, a server's configuration or the host."""


class CatalogFault(Struct, frozen=True):
    """Something that the catalog lacks, and why."""

    where: str
    """A file, with the line where that is known, or a server's name."""
    what: str
    """What is wrong with it, or what it did."""
    mend: str = ""
    """What a person can do about it."""


class Catalog(Struct, frozen=True):
    """Everything that the agent could use, and what could not be found out."""

    entries: tuple[Capability, ...]
    """Each once, by id, in the order of their sources."""
    faults: tuple[CatalogFault, ...] = ()
    """What is missing."""
    ages: Mapping[str, float] = {}
    """For a server whose tools come from the cache, how old they are, in seconds."""
