"""The tools of MCP servers as capabilities, under the names that Pi gives them (`HOST.md` e)."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from pilotage.catalog.mcp_server import Exposure, McpServer
from pilotage.catalog.names import id_of
from pilotage.records.capability import Capability, CapabilityKind, CapabilityState, CatalogFault

_LONGEST_NAME = 64
_HASH_LENGTH = 8
_BEYOND_BMP = re.compile("[\U00010000-\U0010ffff]")
_NO_NAME = re.compile(r"[^A-Za-z0-9_]")


class McpTool(Struct, frozen=True):
    """One tool as a server lists it."""

    name: str
    """The server's name for it."""
    description: str
    """Its description, or its title where it has none."""
    parameters: Mapping[str, object]
    """Its input schema as it was given."""


class Listing(Struct, frozen=True):
    """What a server says of itself and all its tools."""

    tools: tuple[McpTool, ...] = ()
    """Its tools, each name once."""
    instructions: str = ""
    """Its instructions to whoever uses it."""


class Listed(Struct, frozen=True):
    """A server, and what is known of its tools."""

    server: McpServer
    """The server."""
    listing: Listing | None = None
    """What it said, now or once; none if nobody knows."""
    is_connected: bool = False
    """Whether that is its whole answer of this moment."""


def capabilities_of(listed: Iterable[Listed]) -> tuple[list[Capability], list[CatalogFault]]:
    """Each server and then its tools, hidden ones left out; and names that two servers claim.

    Pi gives such a name to the server that connects first and the other's tool a name with a hash; here the order
    of the configuration decides, whichever answers first.
    """
    entries: list[Capability] = []
    faults: list[CatalogFault] = []
    owners: dict[str, str] = {}
    for one in listed:
        entries.append(_server_entry(one))
        tools = one.listing.tools if one.listing else ()
        names = tool_names(one.server.name, [tool.name for tool in tools], owners)
        for tool, name in zip(tools, names, strict=True):
            plain = tool_name(one.server.name, tool.name)
            if owners.get(plain, one.server.name) != one.server.name:
                faults.append(_claimed(one.server.name, tool.name, plain, owners[plain]))
            if one.server.exposure_of(tool.name) is not Exposure.HIDDEN:
                entries.append(_tool_entry(one, tool, name))
        owners |= dict.fromkeys(names, one.server.name)
    return entries, faults


def tool_names(server: str, tools: Sequence[str], taken: Iterable[str] = ()) -> list[str]:
    """Pi's names for a server's tools, in their order.

    All that come out alike get a hash, so that none of them depends on the order of the list.
    """
    plain = [tool_name(server, tool) for tool in tools]
    often = Counter(plain)
    return [
        tool_name(server, tool, hashed=often[name] > 1 or name in taken)
        for tool, name in zip(tools, plain, strict=True)
    ]


def tool_name(server: str, tool: str, *, hashed: bool = False) -> str:
    """`mcp__SERVER__TOOL`, with `_` for any other sign; a hash ends it where it is too long or must be told apart."""
    # JavaScript counts a character beyond the first plane as two.
    name = _NO_NAME.sub("_", _BEYOND_BMP.sub("__", f"mcp__{server}__{tool}"))
    if len(name) <= _LONGEST_NAME and not hashed:
        return name
    digest = hashlib.sha256(f"{server}\0{tool}".encode("utf-8", "replace")).hexdigest()[:_HASH_LENGTH]
    return f"{name[: _LONGEST_NAME - _HASH_LENGTH - 1]}_{digest}"


def _server_entry(listed: Listed) -> Capability:
    server = listed.server
    said = listed.listing.instructions if listed.listing else ""
    return Capability(
        id_of(CapabilityKind.MCP, server.namespace),
        CapabilityKind.MCP,
        server.namespace,
        "\n".join(part for part in (server.description, said) if part),
        _state(server.exposure) if listed.is_connected else CapabilityState.NOT_CONNECTED,
        server=server.name,
        origin=server.source,
    )


def _tool_entry(listed: Listed, tool: McpTool, name: str) -> Capability:
    server = listed.server
    said = listed.listing.instructions if listed.listing else ""
    return Capability(
        id_of(CapabilityKind.MCP, name),
        CapabilityKind.MCP,
        name,
        tool.description or f"MCP tool {tool.name} from server {server.name}",
        _state(server.exposure_of(tool.name)) if listed.is_connected else CapabilityState.NOT_CONNECTED,
        parameters=tool.parameters,
        server=server.name,
        namespace="\n".join(part for part in (server.description, said) if part),
        origin=server.source,
    )


def _state(exposure: Exposure) -> CapabilityState:
    return CapabilityState.DECLARED if exposure is Exposure.DIRECT else CapabilityState.LOADABLE


def _claimed(server: str, tool: str, name: str, other: str) -> CatalogFault:
    return CatalogFault(
        server,
        f"its tool {tool} has the name {name}, which a tool of {other} has too",
        "rename one of the servers: Pi gives the name to the one that connects first",
    )
