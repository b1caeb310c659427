"""The one answer to a search, made from what is known; nothing is asked and nothing is loaded here (spec D8)."""

from collections.abc import Mapping
from enum import StrEnum

import msgspec
from msgspec import Struct

from pilotage.inference.question import RequestFailed
from pilotage.records.capability import Capability, CapabilityKind, CapabilityState, Catalog
from pilotage.search.exact import Query, find_named, is_server, read_query
from pilotage.search.index import Index, with_states
from pilotage.search.lexical import rank
from pilotage.search.names import find_similar, in_any_case
from pilotage.search.semantic import Choice
from pilotage.search.why import explain, read_sought

LIMIT = 8
"""Suggestions at the most where nothing else is asked for (spec D4)."""


class Mode(StrEnum):
    """How an answer came about; a closed list."""

    LIST = "list"
    """All there is was asked for."""
    EXACT = "exact"
    """A name was typed."""
    SEMANTIC = "semantic"
    """A model chose."""
    NATIVE = "native"
    """Words and names were compared."""


class Suggestion(Struct, frozen=True, omit_defaults=True):
    """One capability that may be what is wanted."""

    id: str
    """Its id."""
    name: str
    """Its name."""
    why: str
    """Why it is here, for people."""
    confidence: float | None = None
    """The model's own, from 0 to 1: uncalibrated and no threshold; none where no model chose it."""
    path: str | None = None
    """A skill's SKILL.md, for the agent to read."""


class Answer(Struct, frozen=True, rename="camel", omit_defaults=True):
    """What a search comes to."""

    mode: Mode
    """How it came about."""
    total: int
    """How many match in all."""
    suggestions: tuple[Suggestion, ...]
    """The best of them, up to the limit."""
    loaded: tuple[str, ...]
    """Names of the tools among them that this call activates."""
    available_tools: tuple[str, ...]
    """Names of all tools of the catalog that are declared after it."""
    routing_error: str | None = None
    """Why no model answered where one should have."""

    @property
    def more(self) -> int:
        """How many match and are not suggested."""
        return self.total - len(self.suggestions)

    def to_json(self) -> dict[str, object]:
        """The answer under the keys of spec D8; what is not known is left out."""
        value: dict[str, object] = msgspec.to_builtins(self)
        return value


class _Match(Struct, frozen=True):
    id: str
    why: str
    confidence: float | None = None
    loads: bool = True


def is_wish(catalog: Catalog, index: Index, typed: str) -> bool:
    """Whether a query is a wish, which a model may be asked about: neither a list nor an exact name (spec D6)."""
    query = _read(index, typed)
    entries = _entries(with_states(index, catalog), query)
    return not query.is_list and find_named(entries, index.names, query) is None


def answer(
    catalog: Catalog,
    index: Index,
    typed: str,
    limit: int = LIMIT,
    *,
    choice: Choice | None = None,
    failure: RequestFailed | None = None,
    loading: bool = True,
) -> Answer:
    """Answer a query over a catalog, of which `index` was built.

    `choice` is what a model chose, `failure` why it did not; with neither, nobody asked one. Both count for a wish
    only. `loading` is whether tools are activated, as they are for an agent and not for a person who looks around.
    Raises ValueError for a limit below 1.
    """
    if limit < 1:
        raise ValueError("limit must be a positive integer")
    index = with_states(index, catalog)
    query = _read(index, typed)
    entries = _entries(index, query)
    mode, matches = _matches(entries, index, query, choice, limit)
    shown = [(entries[match.id], match) for match in matches[:limit]]
    suggestions = tuple(
        Suggestion(entry.id, entry.name, match.why, match.confidence, entry.path) for entry, match in shown
    )
    loads = (entry.name for entry, match in shown if match.loads and _can_load(entry))
    loaded = tuple(dict.fromkeys(loads)) if loading else ()
    return Answer(
        mode,
        len(matches),
        suggestions,
        loaded,
        tuple(sorted({*index.declared, *loaded})),
        f"{failure.failure}: {failure}" if failure and mode is Mode.NATIVE else None,
    )


def _read(index: Index, typed: str) -> Query:
    """Read a query. A name that begins like `tool:` is a name before anything else."""
    query = read_query(typed)
    if query.kind and in_any_case(typed) in index.names.full:
        return Query(typed.strip(), None, typed)
    return query


def _entries(index: Index, query: Query) -> Mapping[str, Capability]:
    """The entries of the kind that was said, by id."""
    if query.kind is None:
        return index.entries
    return {id_: entry for id_, entry in index.entries.items() if query.admits(entry)}


def _matches(
    entries: Mapping[str, Capability], index: Index, query: Query, choice: Choice | None, limit: int
) -> tuple[Mode, list[_Match]]:
    """How a query is answered, and all that matches it, best first."""
    if query.is_list:
        listed = sorted(entries.values(), key=lambda entry: (entry.kind, entry.name, entry.id))
        return Mode.LIST, [_Match(entry.id, "listed", loads=False) for entry in listed]
    named = find_named(entries, index.names, query)
    if named is not None:
        return Mode.EXACT, [_Match(id_, why, loads=id_ in named.chosen) for id_, why in named.whys.items()]
    if choice is not None:
        return Mode.SEMANTIC, _chosen(entries, index, query, choice)
    return Mode.NATIVE, _found(entries, index, query, limit)


def _chosen(entries: Mapping[str, Capability], index: Index, query: Query, choice: Choice) -> list[_Match]:
    """What a model chose, ranked by words; what shares none with the wish comes after, in the model's order."""
    places = {found.id: place for place, found in enumerate(rank(index.words, query.text))}
    known = [one for one in choice.chosen if one.id in entries]
    known.sort(key=lambda one: places.get(one.id, len(places)))
    return [_Match(one.id, one.why, one.confidence) for one in known]


def _found(entries: Mapping[str, Capability], index: Index, query: Query, limit: int) -> list[_Match]:
    """What is named nearly so, then what shares telling words; only what is shown is explained.

    Where more is named nearly so than can be shown, no name is meant beyond doubt, and none of them is loaded.
    A tool of which only the server's words match is shown and not loaded, unless nothing better was found: a server
    that says much of itself would load all that it has.
    """
    similar = {id_: None for id_ in find_similar(index.names, query.text) if id_ in entries}
    found = [one.id for one in rank(index.words, query.text) if one.id in entries and one.id not in similar]
    sought = read_sought(query.text)
    shown = max(0, limit - len(similar))
    reasons = {id_: explain(entries[id_], sought) for id_ in found[:shown]}
    is_all = not similar and not any(reason.is_own for reason in reasons.values())
    return [
        *(_Match(id_, "a name like it", loads=len(similar) <= limit) for id_ in similar),
        *(_Match(id_, reason.words, loads=reason.is_own or is_all) for id_, reason in reasons.items()),
        *(_Match(id_, "") for id_ in found[shown:]),
    ]


def _can_load(entry: Capability) -> bool:
    """Whether a search activates an entry: a tool that is there and not declared yet; a skill is read instead."""
    is_tool = entry.kind is not CapabilityKind.SKILL and not is_server(entry)
    return is_tool and entry.state is CapabilityState.LOADABLE
