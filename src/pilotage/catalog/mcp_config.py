"""The MCP servers that Pi is told of: its own file and a trusted project's, merged as Pi merges them (spec D9, G4)."""

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from pilotage.catalog.mcp_server import InvalidEntry, McpServer, server_of
from pilotage.jsonfiles import FaultyFile, load_object
from pilotage.records.capability import CatalogFault

_OVERRIDES = ("enabled", "exposure", "toolExposure")
"""What a project may say of a server that stands in the user's file."""


class Configured(Struct, frozen=True):
    """All servers that an agent could be given, and what is wrong with the files."""

    servers: tuple[McpServer, ...]
    """Those that are switched on and not hidden, the user's first."""
    cwd: Path
    """The project, where programs run."""
    faults: tuple[CatalogFault, ...] = ()
    """Files and entries that Pi does not take."""


class _Entry(Struct, frozen=True):
    """One entry as it stands after merging."""

    raw: dict[str, object]
    """What it says."""
    server: McpServer
    """What it means."""


def read_servers(agent: Path, cwd: Path, *, trusted: bool) -> Configured:
    """The servers in the `mcp.json` of Pi's folder and, where Pi trusts the project, of its `.pi`.

    Nothing is started and nothing resolved. What Pi does not take is a fault.
    """
    entries: dict[str, _Entry] = {}
    faults = _read_file(agent / "mcp.json", entries, is_project=False)
    of_project = cwd / ".pi" / "mcp.json"
    if trusted:
        faults += _read_file(of_project, entries, is_project=True)
    elif of_project.exists():
        faults.append(CatalogFault(str(of_project), "is not read: Pi does not trust the project", "trust it in Pi"))
    servers = (entry.server for entry in entries.values() if entry.raw.get("enabled") is not False)
    return Configured(tuple(server for server in servers if not server.is_hidden), cwd, tuple(faults))


def _read_file(path: Path, entries: dict[str, _Entry], *, is_project: bool) -> list[CatalogFault]:
    """Merge a file into `entries`; gives what is wrong with it."""
    try:
        listed = load_object(path).get("mcpServers", {})
    except FaultyFile as fault:
        return [CatalogFault(str(path), str(fault).removeprefix(f"{path}: "), "mend the file: Pi reads none of it")]
    if not isinstance(listed, dict):
        return [CatalogFault(str(path), "mcpServers is no object", "name each server as a key of it")]
    faults = []
    for name, raw in listed.items():
        try:
            entries[name] = _entry(name, raw, entries, str(path), is_project=is_project)
        except InvalidEntry as invalid:
            faults.append(CatalogFault(f"{path}: {name}", str(invalid), "mend the entry: Pi passes over it"))
    return faults


def _entry(name: str, raw: object, entries: Mapping[str, _Entry], source: str, *, is_project: bool) -> _Entry:
    if is_project and isinstance(raw, dict) and not raw.keys() & {"command", "url", "type"}:
        return _overridden(name, raw, entries.get(name))
    server = server_of(name, raw, source)
    for other in entries.values():
        if other.server.name != name and other.server.namespace == server.namespace:
            raise InvalidEntry(f"clashes with {other.server.name}: the names differ in - and _ only")
    if is_project and server.provider is not None:
        raise InvalidEntry("auth may stand in the user's file only")
    return _Entry(raw if isinstance(raw, dict) else {}, server)


def _overridden(name: str, raw: dict[str, object], below: _Entry | None) -> _Entry:
    """The user's entry with what a project says of it."""
    if below is None:
        raise InvalidEntry("needs a command or a url, or a server of this name in the user's file")
    if raw.keys() - set(_OVERRIDES):
        raise InvalidEntry(f"may only set {', '.join(_OVERRIDES)} of the server in the user's file")
    return _Entry(below.raw | raw, server_of(name, below.raw | raw, below.server.source))
