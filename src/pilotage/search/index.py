"""A catalog made ready to be searched, by names and by words: built once, asked many times."""

from collections.abc import Mapping

from msgspec import Struct

from pilotage.records.capability import Capability, CapabilityKind, CapabilityState, Catalog
from pilotage.search.exact import is_server
from pilotage.search.lexical import WordIndex, index_words
from pilotage.search.names import NameIndex, index_names


class Index(Struct, frozen=True):
    """The indexes of one catalog. Both stay good while names, descriptions and schemas do; states may change."""

    catalog: Catalog
    """The catalog."""
    entries: Mapping[str, Capability]
    """Its entries by id."""
    declared: tuple[str, ...]
    """The names of its tools that are declared."""
    names: NameIndex
    """Its names."""
    words: WordIndex
    """Its words."""


def build_index(catalog: Catalog) -> Index:
    """Index every entry of a catalog."""
    entries = catalog.entries
    return Index(catalog, by_id(catalog), declared_tools(catalog), index_names(entries), index_words(entries))


def with_states(index: Index, catalog: Catalog) -> Index:
    """The index for a catalog of the same names, descriptions and schemas, whose states may differ."""
    if index.catalog is catalog:
        return index
    return Index(catalog, by_id(catalog), declared_tools(catalog), index.names, index.words)


def by_id(catalog: Catalog) -> dict[str, Capability]:
    """The entries of a catalog by id."""
    return {entry.id: entry for entry in catalog.entries}


def declared_tools(catalog: Catalog) -> tuple[str, ...]:
    """The names of the tools that the main model sees."""
    declared = [entry for entry in catalog.entries if entry.state is CapabilityState.DECLARED]
    return tuple(entry.name for entry in declared if entry.kind is not CapabilityKind.SKILL and not is_server(entry))
