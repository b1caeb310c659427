"""What an id, a name and a namespace in the catalog say of each other (spec D1, D4; `HOST.md` e)."""

import re

from pilotage.records.capability import Capability, CapabilityKind

_MCP_TOOL = re.compile(r"mcp__(.+?)__(.+)", re.DOTALL)


def id_of(kind: CapabilityKind, name: str) -> str:
    """A capability's id: its kind, a colon, its name."""
    return f"{kind}:{name}"


def is_mcp(name: str) -> bool:
    """Whether a tool or a namespace is an MCP server's, by Pi's names."""
    return name.startswith("mcp__") and len(name) > len("mcp__")


def server_in(name: str) -> str | None:
    """The server in the name of an MCP tool or server, as far as the name tells: `-` has become `_` in it."""
    if not is_mcp(name):
        return None
    tool = _MCP_TOOL.fullmatch(name)
    return tool[1] if tool else name.removeprefix("mcp__")


def namespace_of(server: str) -> str:
    """Pi's name for a server: `mcp__SERVER`, with `_` for each `-`."""
    return f"mcp__{server.replace('-', '_')}"


def is_server(entry: Capability) -> bool:
    """Whether an entry is an MCP server itself and none of its tools."""
    return entry.server is not None and entry.name == namespace_of(entry.server)
