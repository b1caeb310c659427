"""Small catalogs made by hand."""

from collections.abc import Mapping

from pilotage.records.capability import Capability, CapabilityKind, CapabilityState, Catalog

LOADABLE, DECLARED, NOT_CONNECTED = (
    CapabilityState.LOADABLE,
    CapabilityState.DECLARED,
    CapabilityState.NOT_CONNECTED,
)


def tool(
    name: str,
    description: str = "",
    state: CapabilityState = LOADABLE,
    parameters: Mapping[str, object] | None = None,
) -> Capability:
    """Give a deferred tool."""
    return Capability(f"tool:{name}", CapabilityKind.TOOL, name, description, state, parameters=parameters)


def mcp_tool(server: str, name: str, description: str = "", state: CapabilityState = LOADABLE) -> Capability:
    """Give a tool of an MCP server, under Pi's name for it."""
    full = f"mcp__{server.replace('-', '_')}__{name.replace('-', '_')}"
    return Capability(f"mcp:{full}", CapabilityKind.MCP, full, description, state, server=server)


def mcp_server(server: str, description: str = "", state: CapabilityState = LOADABLE) -> Capability:
    """Give an MCP server."""
    name = f"mcp__{server.replace('-', '_')}"
    return Capability(f"mcp:{name}", CapabilityKind.MCP, name, description, state, server=server)


def skill(name: str, description: str = "") -> Capability:
    """Give a skill."""
    path = f"/skills/{name}/SKILL.md"
    return Capability(f"skill:{name}", CapabilityKind.SKILL, name, description, LOADABLE, path=path)


def catalog(*entries: Capability) -> Catalog:
    """Give a catalog."""
    return Catalog(entries)


OFFICE = catalog(
    skill("release-notes", "How to write release notes: gather merged changes, group them, name who is affected."),
    mcp_server("playwright", "Drives a web browser."),
    mcp_tool("playwright", "browser-click", "Click an element on the page."),
    mcp_tool("playwright", "browser-open", "Open an address in a new tab."),
    mcp_server("tracker", "The team's issue tracker.", NOT_CONNECTED),
    mcp_tool("github", "create_issue", "Create a new issue in a repository."),
    mcp_tool("github", "list_issues", "List the issues of a repository."),
    mcp_tool("gitlab", "create_issue", "Create an issue in a project."),
    tool("notify", "Send a message to the person's phone.", DECLARED),
    tool("weather_forecast", "Forecast the weather for a city and a day."),
    tool("convert_currency", "Convert an amount from one currency to another."),
    tool("read_document", "Read the text of an office document."),
)
"""A catalog with something of everything."""
