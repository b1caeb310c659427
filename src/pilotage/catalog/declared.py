"""The catalog that a session file tells: tools declared on its active branch, and the prompt's sections (spec D2)."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from html import unescape

from pilotage.catalog.merge import ordered
from pilotage.catalog.names import id_of, is_mcp, server_in
from pilotage.records.capability import Capability, CapabilityKind, CapabilityState, Catalog
from pilotage.records.fields import as_dict, as_list, as_text
from pilotage.sessions.prompt import prompt_of
from pilotage.sessions.read import Session

NEVER_DEFERRED = frozenset(
    ("read", "write", "edit", "bash", "powershell", "grep", "find", "ls", "codemode", "tool_search")
)
"""Pi's own tools: whenever they are declared, they are none that a search would load."""

SECTION = "capabilities"
"""The one section that Pilotage's extension puts in place of Pi's own."""

_SKILL = re.compile(
    r"<skill>\s*<name>(.*?)</name>\s*<description>(.*?)</description>\s*<location>(.*?)</location>\s*</skill>",
    re.DOTALL,
)
_SERVER = re.compile(r"^- (mcp__\w+) \((?:codemode|tool_search)\)(?:: (.*))?$", re.MULTILINE)
_FURTHER = re.compile(r"^Further tools \(tool_search\):\n((?:- .*\n?)+)", re.MULTILINE)
_TOOL = re.compile(r"^- ([^\s:]+)(?:: (.*))?$", re.MULTILINE)


def session_catalog(session: Session) -> Catalog:
    """The catalog at the end of a session's active branch. Raises UnreadableSession when the file changed meanwhile."""
    prompt = prompt_of(session)
    return declared_catalog(prompt.sections, prompt.tools, from_start=_from_start(session), origin=str(session.path))


def declared_catalog(
    sections: Mapping[str, str],
    tools: Sequence[Mapping[str, object]],
    *,
    from_start: Collection[str] = (),
    origin: str = "",
) -> Catalog:
    """The catalog in a prompt's sections and declared tools, as they are after every patch.

    A declared tool counts if it is an MCP server's, or was declared later than the first prompt: `from_start` names
    those that were in it. The file says nothing of tools that nobody has loaded.
    """
    declared = (_tool(tool, origin) for tool in tools if _counts(as_text(tool.get("name")), from_start))
    own = sections.get(SECTION, "")
    told = (
        *_skills(sections.get("skills", ""), origin),
        *_servers(sections.get("mcp_servers", ""), origin),
        *_skills(own, origin, is_short=True),
        *_servers(own, origin),
        *_further(own, origin),
    )
    return Catalog(ordered((*declared, *told)))


def _from_start(session: Session) -> set[str]:
    """The names of the tools in the first prompt on the active branch."""
    for index in session.tree.path():
        entry = session.entry(index)
        if entry.role == "system":
            message = as_dict(session.body(entry).get("message"))
            return {as_text(as_dict(tool).get("name")) for tool in as_list(message.get("toolsAdded"))}
    return set()


def _counts(name: str, from_start: Collection[str]) -> bool:
    return is_mcp(name) or bool(name and name not in from_start and name not in NEVER_DEFERRED)


def _tool(tool: Mapping[str, object], origin: str) -> Capability:
    name, parameters = as_text(tool.get("name")), tool.get("parameters")
    kind = CapabilityKind.MCP if is_mcp(name) else CapabilityKind.TOOL
    return Capability(
        id_of(kind, name),
        kind,
        name,
        as_text(tool.get("description")),
        CapabilityState.DECLARED,
        parameters=parameters if isinstance(parameters, dict) else None,
        server=server_in(name),
        origin=origin,
    )


def _skills(section: str, origin: str, *, is_short: bool = False) -> Iterator[Capability]:
    """The skills in Pi's form, which escapes what authors wrote; `is_short` is whether the short words stand there."""
    for match in _SKILL.finditer(section):
        name, description, path = map(unescape, match.groups())
        yield _skill(name, description, path, description if is_short else None, origin)


def _servers(section: str, origin: str) -> Iterator[Capability]:
    """The servers in Pi's own section, with the first line of what they say of themselves."""
    for match in _SERVER.finditer(section):
        yield _server(match[1], match[2] or "", origin)


def _further(section: str, origin: str) -> Iterator[Capability]:
    """The deferred tools of no server, as the extension lists them where it speaks Pi's form."""
    block = _FURTHER.search(section)
    for match in _TOOL.finditer(block[1] if block else ""):
        yield _loadable(match[1], match[2] or "", origin)


def _loadable(name: str, description: str, origin: str) -> Capability:
    kind = CapabilityKind.TOOL
    return Capability(id_of(kind, name), kind, name, description, CapabilityState.LOADABLE, origin=origin)


def _skill(name: str, description: str, path: str, short: str | None, origin: str) -> Capability:
    kind = CapabilityKind.SKILL
    return Capability(
        id_of(kind, name), kind, name, description, CapabilityState.LOADABLE, path=path, short=short, origin=origin
    )


def _server(name: str, description: str, origin: str) -> Capability:
    kind, server = CapabilityKind.MCP, name.removeprefix("mcp__")
    return Capability(
        id_of(kind, name), kind, name, description, CapabilityState.LOADABLE, server=server, origin=origin
    )
