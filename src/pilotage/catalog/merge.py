"""Several catalogs as one: what is nearer the agent says the state, the others fill in what it leaves out (spec D2)."""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from pilotage.catalog.names import is_server
from pilotage.records.capability import Capability, CapabilityKind, Catalog

_KINDS = tuple(CapabilityKind)


def merge(*catalogs: Catalog) -> Catalog:
    """All that the catalogs hold, the first's word before the second's: host or session first, disk last.

    Skills stay in the order of their sources; servers, each before its tools, and tools stand in the order of their
    names, whichever answered first.
    """
    return _joined(catalogs, (entry for catalog in catalogs for entry in catalog.entries))


def fill_in(catalog: Catalog, *others: Catalog) -> Catalog:
    """What the first catalog holds and no more, with what the others know of it.

    So the disk serves the host: what the host does not give its agent is not to be had.
    """
    held = {entry.id for entry in catalog.entries}
    joined = (entry for one in (catalog, *others) for entry in one.entries if entry.id in held)
    return _joined((catalog, *others), joined)


def ordered(entries: Iterable[Capability]) -> tuple[Capability, ...]:
    """Each entry once, the first of an id, in the catalog's order."""
    first: dict[str, Capability] = {}
    for entry in entries:
        first.setdefault(entry.id, entry)
    servers = {entry.server: entry.name for entry in first.values() if entry.server and is_server(entry)}
    return tuple(sorted(first.values(), key=lambda entry: _place(entry, servers)))


def _place(entry: Capability, servers: Mapping[str, str]) -> tuple[int, str, int, str]:
    """Where an entry stands; all skills are alike, so that they keep their order."""
    kind = _KINDS.index(entry.kind)
    if entry.kind is CapabilityKind.SKILL:
        return (kind, "", 0, "")
    group = servers.get(entry.server or "", "") if entry.kind is CapabilityKind.MCP else ""
    return (kind, group or entry.name, int(entry.name != group), entry.name)


def _joined(catalogs: Iterable[Catalog], entries: Iterable[Capability]) -> Catalog:
    known: dict[str, Capability] = {}
    for entry in entries:
        known[entry.id] = _filled(known[entry.id], entry) if entry.id in known else entry
    faults = dict.fromkeys(fault for catalog in catalogs for fault in catalog.faults)
    ages: dict[str, float] = {}
    for catalog in catalogs:
        for server, age in catalog.ages.items():
            ages.setdefault(server, age)
    return Catalog(ordered(known.values()), tuple(faults), ages)


def _filled(nearer: Capability, other: Capability) -> Capability:
    """The nearer entry with what the other knows and it does not."""
    return replace(
        nearer,
        description=_fuller(nearer, other),
        path=nearer.path or other.path,
        parameters=other.parameters if nearer.parameters is None else nearer.parameters,
        server=_exacter(nearer.server, other.server),
        namespace=nearer.namespace or other.namespace,
        short=nearer.short if nearer.short is not None else other.short,
        origin=nearer.origin or other.origin,
    )


def _fuller(nearer: Capability, other: Capability) -> str:
    """The nearer description, unless it is the short one or the beginning of the other."""
    is_part = nearer.description == nearer.short or other.description.startswith(nearer.description.rstrip("… "))
    return other.description if is_part and other.description else nearer.description


def _exacter(nearer: str | None, other: str | None) -> str | None:
    """The server's own name: one that was read out of a tool's name has `_` for every `-`."""
    if nearer and other and nearer == other.replace("-", "_"):
        return other
    return nearer or other
