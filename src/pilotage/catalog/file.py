"""A catalog from a file of JSON lines: `{kind, name, description, parameters?, path?, server?}` each (spec L)."""

from pathlib import Path

from pilotage.catalog.merge import ordered
from pilotage.catalog.names import id_of, server_in
from pilotage.jsonfiles import FaultyFile
from pilotage.records.capability import Capability, CapabilityKind, CapabilityState, Catalog, CatalogFault
from pilotage.records.fields import as_text
from pilotage.sessions.tolerant import load_object

_FORM = '{"kind": "skill", "name": "…", "description": "…"}'


class _Faulty(Exception):
    """A line that is no entry; its text is the reason."""


def read_catalog(path: Path) -> Catalog:
    """The entries of a file in the catalog's order; a line that is none is a fault that names it.

    Raises FaultyFile when the file cannot be read.
    """
    try:
        lines = path.read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n")
    except OSError as error:
        raise FaultyFile(f"{path}: {error.strerror or error}") from error
    entries: dict[str, Capability] = {}
    faults = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            entry = _entry(line, str(path))
            if entry.id in entries:
                raise _Faulty(f"there is a {entry.id} before it")
            entries[entry.id] = entry
        except _Faulty as faulty:
            faults.append(CatalogFault(f"{path}:{number}", str(faulty), f"write it as {_FORM}"))
    return Catalog(ordered(entries.values()), tuple(faults))


def _entry(line: bytes, origin: str) -> Capability:
    """The entry on one line. Raises _Faulty."""
    try:
        value = load_object(line)
    except ValueError as error:
        raise _Faulty("is not one JSON object") from error
    word, name, parameters = value.get("kind"), as_text(value.get("name")), value.get("parameters")
    if word not in tuple(CapabilityKind):
        raise _Faulty(f"its kind is none of {', '.join(CapabilityKind)}")
    if not name.strip() or not isinstance(value.get("description"), str):
        raise _Faulty("has no name or no description")
    if not isinstance(parameters, dict | None):
        raise _Faulty("its parameters are no object")
    kind = CapabilityKind(str(word))
    server = as_text(value.get("server")) or (server_in(name) if kind is CapabilityKind.MCP else None)
    return Capability(
        id_of(kind, name),
        kind,
        name,
        as_text(value.get("description")),
        CapabilityState.LOADABLE,
        path=as_text(value.get("path")) or None,
        parameters=parameters,
        server=server,
        origin=origin,
    )
