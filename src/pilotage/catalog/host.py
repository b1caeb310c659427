"""The catalog as the host tells it while it is served (spec D1, D2; `HOST.md` c).

What it sends is `{tools: [{name, description, parameters, exposure, namespace?, active, origin?}],
skills: [{name, description, filePath, disableModelInvocation?, short?}]}`: Pi's `getAllTools()` with what is active,
and the skills of its prompt.
"""

from collections.abc import Iterator

from pilotage.catalog.merge import ordered
from pilotage.catalog.names import id_of, is_mcp, server_in
from pilotage.records.capability import Capability, CapabilityKind, CapabilityState, Catalog, CatalogFault
from pilotage.records.fields import as_dict, as_list, as_text

ORIGIN = "host"
"""The origin of every entry that only the host vouches for."""

_ASKED_FOR = ("codemode", "deferred")
_NEVER_ASKED_FOR = ("direct", "model-only", "hidden")


def host_catalog(told: object) -> Catalog:
    """The catalog in what a host told.

    Hidden tools are not in it, nor those that are declared from the start, unless an MCP server's. An entry of an
    odd shape costs itself and is a fault.
    """
    given = as_dict(told)
    faults: list[CatalogFault] = []
    skills = list(_skills(as_list(given.get("skills")), faults))
    tools = list(_tools(as_list(given.get("tools")), faults))
    return Catalog(ordered((*skills, *_servers(tools, given), *tools)), tuple(faults))


def _skills(given: list[object], faults: list[CatalogFault]) -> Iterator[Capability]:
    for number, value in enumerate(given, 1):
        skill = as_dict(value)
        name = as_text(skill.get("name"))
        if not name:
            faults.append(_odd(f"skill {number}"))
        elif skill.get("disableModelInvocation") is not True:
            path = as_text(skill.get("filePath")) or None
            yield Capability(
                id_of(CapabilityKind.SKILL, name),
                CapabilityKind.SKILL,
                name,
                as_text(skill.get("description")),
                CapabilityState.LOADABLE,
                path=path,
                short=as_text(skill.get("short")) or None,
                origin=path or ORIGIN,
            )


def _tools(given: list[object], faults: list[CatalogFault]) -> Iterator[Capability]:
    for number, value in enumerate(given, 1):
        tool = as_dict(value)
        name, exposure = as_text(tool.get("name")), tool.get("exposure", "direct")
        if not name or exposure not in (*_ASKED_FOR, *_NEVER_ASKED_FOR):
            faults.append(_odd(f"tool {name or number}"))
            continue
        is_active, is_of_mcp = tool.get("active") is True, is_mcp(name)
        if exposure in _ASKED_FOR or (exposure == "direct" and is_of_mcp and is_active):
            yield _tool(tool, name, is_active=is_active)


def _tool(tool: dict[str, object], name: str, *, is_active: bool) -> Capability:
    kind = CapabilityKind.MCP if is_mcp(name) else CapabilityKind.TOOL
    namespace, parameters = as_dict(tool.get("namespace")), tool.get("parameters")
    return Capability(
        id_of(kind, name),
        kind,
        name,
        as_text(tool.get("description")),
        CapabilityState.DECLARED if is_active else CapabilityState.LOADABLE,
        parameters=parameters if isinstance(parameters, dict) else None,
        server=_server_of(name, namespace),
        namespace=_about(namespace),
        origin=as_text(tool.get("origin")) or ORIGIN,
    )


def _server_of(name: str, namespace: dict[str, object]) -> str | None:
    """The server's own name: Pi gives it as the namespace's alias, since the name in the tool's has lost its `-`."""
    if not is_mcp(name):
        return None
    alias = next(iter(as_list(namespace.get("aliases"))), None)
    return as_text(alias) or server_in(as_text(namespace.get("name"))) or server_in(name)


def _about(namespace: dict[str, object]) -> str:
    texts = (as_text(namespace.get("description")), as_text(namespace.get("instructions")))
    return "\n".join(text for text in texts if text)


def _servers(tools: list[Capability], given: dict[str, object]) -> Iterator[Capability]:
    """Each MCP server that a tool in the catalog belongs to; it is declared when none of its tools need a search."""
    by_name = {tool.name: tool for tool in tools if tool.kind is CapabilityKind.MCP}
    of_server: dict[str, Capability] = {}
    searched: set[str] = set()
    for value in map(as_dict, as_list(given.get("tools"))):
        namespace = as_text(as_dict(value.get("namespace")).get("name"))
        tool = by_name.get(as_text(value.get("name")))
        if tool is not None and is_mcp(namespace):
            of_server.setdefault(namespace, tool)
            if value.get("exposure") in _ASKED_FOR:
                searched.add(namespace)
    for name, tool in of_server.items():
        yield Capability(
            id_of(CapabilityKind.MCP, name),
            CapabilityKind.MCP,
            name,
            tool.namespace,
            CapabilityState.LOADABLE if name in searched else CapabilityState.DECLARED,
            server=tool.server,
            origin=ORIGIN,
        )


def _odd(where: str) -> CatalogFault:
    return CatalogFault(f"{ORIGIN}: {where}", "has a shape that is not known", "install the extension again")
