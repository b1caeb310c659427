"""What of a capability is searched: its fields, each with its text and its weight (spec D7)."""

from enum import StrEnum

from msgspec import Struct

from pilotage.records.capability import Capability, CapabilityKind
from pilotage.search.schema_text import schema_text

MOST_CHARACTERS = 20_000
"""Characters of a description that are read."""

_MOST_OF_SERVER = 2_000


class Field(StrEnum):
    """Where a word stands."""

    NAME = "name"
    """In the name, for an MCP tool in its own part."""
    SERVER = "server"
    """In the server's name or in what it says of itself."""
    DESCRIPTION = "description"
    """In the description."""
    PARAMETER = "parameter"
    """In a parameter's name."""
    PARAMETER_TEXT = "parameter text"
    """In what is said of a parameter."""


# Halves and wholes, so that sums do not depend on the order of adding.
WEIGHTS = {
    Field.NAME: 2.0,
    Field.SERVER: 1.0,
    Field.DESCRIPTION: 1.0,
    Field.PARAMETER: 0.5,
    Field.PARAMETER_TEXT: 0.5,
}
"""How much a word counts by where it stands. A heavy name would win wishes that only share its words."""


class Text(Struct, frozen=True):
    """The text of one field."""

    field: Field
    """Which."""
    text: str
    """Its text."""


def texts_of(entry: Capability) -> list[Text]:
    """The texts of a capability, empty ones left out."""
    parameters = schema_text(entry.parameters)
    server = f"{entry.server or server_part(entry)} {entry.namespace}"[:_MOST_OF_SERVER]
    texts = [
        Text(Field.NAME, local_name(entry)),
        Text(Field.SERVER, server),
        Text(Field.DESCRIPTION, entry.description[:MOST_CHARACTERS]),
        Text(Field.PARAMETER, parameters.names),
        Text(Field.PARAMETER_TEXT, parameters.descriptions),
    ]
    return [text for text in texts if text.text and not text.text.isspace()]


def local_name(entry: Capability) -> str:
    """The name without the server: what stands after the last `__`, or all of it where nothing does (spec D5)."""
    return entry.name.rpartition("__")[2] or entry.name


def server_part(entry: Capability) -> str:
    """The server in an MCP tool's name; empty for anything else."""
    if entry.kind is not CapabilityKind.MCP:
        return ""
    return entry.name.rpartition("__")[0].removeprefix("mcp").removeprefix("__")
