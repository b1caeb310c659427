"""What was typed, by its form: a list, an exact name, a server, or a wish (spec D4)."""

import re
from collections.abc import Mapping

from msgspec import Struct

from pilotage.records.capability import Capability, CapabilityKind
from pilotage.search.names import Exact, NameIndex, find_exact, in_any_case

_PREFIX = re.compile(rf"\s*({'|'.join(CapabilityKind)})\s*:(.*)", re.IGNORECASE | re.DOTALL)

_JOINTS = str.maketrans("-. ", "___")


class Query(Struct, frozen=True):
    """What was typed."""

    text: str
    """The name or wish, without the kind before it."""
    kind: CapabilityKind | None
    """The kind that was said before it; none for any."""
    typed: str
    """All of it."""

    @property
    def is_list(self) -> bool:
        """Whether it only asks for a list: nothing, `*`, or signs without any letter or digit."""
        return not any(sign.isalnum() for sign in self.text)

    def admits(self, entry: Capability) -> bool:
        """Whether an entry is of the kind that was said."""
        return self.kind is None or entry.kind is self.kind


class Named(Struct, frozen=True):
    """The entries that a query names."""

    whys: Mapping[str, str]
    """By id, in order, in what way its name is meant."""
    chosen: tuple[str, ...]
    """The ids that are meant beyond doubt: one entry, or a server's tools. None where several could be."""


def read_query(typed: str) -> Query:
    """Tell the form of a query: `skill:`, `mcp:` or `tool:` in any case say the kind."""
    match = _PREFIX.fullmatch(typed)
    if match:
        return Query(match[2].strip(), CapabilityKind(match[1].lower()), typed)
    return Query(typed.strip(), None, typed)


def find_named(entries: Mapping[str, Capability], names: NameIndex, query: Query) -> Named | None:
    """The entries that a query names; none where it names nothing, so that it is a wish.

    A server's name stands for the server and all its tools. Where several entries could be meant, all are given and
    none is chosen: names that differ in `-`, `_` or `.` only, or tools of several servers (spec D5). An id as it
    stands in the catalog is always beyond doubt.
    """
    exact = _within(entries, find_exact(names, query.text))
    if not exact.ids:
        return None
    chosen = _chosen(entries, exact, query)
    whys = {id_: _why(id_, exact) for id_ in exact.ids}
    if not chosen:
        whys = {id_: f"{why}; ask for {id_} to say which" for id_, why in whys.items()}
    servers = [entries[id_] for id_ in (*exact.full, *exact.local) if is_server(entries[id_])]
    tools = [tool.id for server in servers for tool in tools_of(entries, server)]
    whys |= {id_: "tool of this server" for id_ in tools if id_ not in whys}
    if chosen and is_server(entries[chosen]):
        return Named(whys, tuple(tools))
    return Named(whys, (chosen,) if chosen else ())


def is_server(entry: Capability) -> bool:
    """Whether an entry is a whole MCP server and not a tool of one."""
    if entry.kind is not CapabilityKind.MCP:
        return False
    name = entry.name.removeprefix("mcp__")
    return "__" not in name if entry.server is None else _alike(name) == _alike(entry.server)


def tools_of(entries: Mapping[str, Capability], server: Capability) -> list[Capability]:
    """The tools of a server, by name."""
    prefix = f"{server.name}__"
    tools = [
        entry
        for entry in entries.values()
        if entry.kind is CapabilityKind.MCP
        and entry.id != server.id
        and (entry.name.startswith(prefix) if entry.server is None else entry.server == server.server)
    ]
    return sorted(tools, key=lambda entry: (entry.name, entry.id))


def _within(entries: Mapping[str, Capability], exact: Exact) -> Exact:
    """What is in these entries. A server gives way to its tool of the same name, as `fetch` has one."""
    own = {entries[id_].server for id_ in exact.local if id_ in entries and not is_server(entries[id_])} - {None}
    left = {
        id_
        for id_ in exact.ids
        if id_ in entries and (id_ in exact.full or not is_server(entries[id_]) or entries[id_].server not in own)
    }
    full, local, variants = (
        tuple(id_ for id_ in ids if id_ in left) for ids in (exact.full, exact.local, exact.variants)
    )
    return Exact(full, local, variants)


def _why(id_: str, exact: Exact) -> str:
    if id_ in exact.full:
        return "exact name"
    return "exact name after the server's" if id_ in exact.local else "the name but for - _ ."


def _chosen(entries: Mapping[str, Capability], exact: Exact, query: Query) -> str:
    """The id that is meant beyond doubt; empty where there is none."""
    if query.typed.strip() in entries:
        return query.typed.strip()
    if len(exact.ids) == 1:
        return exact.ids[0]
    # A full name is more than another's local one, unless there is a second way to write it.
    twins = [id_ for id_ in exact.ids if _alike(entries[id_].name) == _alike(query.text)]
    return twins[0] if len(twins) == 1 and exact.full == (twins[0],) else ""


def _alike(name: str) -> str:
    return in_any_case(name).translate(_JOINTS)
