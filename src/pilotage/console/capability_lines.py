"""Capabilities as lines: one in a list, and in full (spec U4)."""

import json
from collections.abc import Iterator, Mapping

from rich.cells import cell_len

from pilotage.console.pieces import Piece, PieceLine, cut, width_of, wrapped
from pilotage.figures import age, counted
from pilotage.plain import plain, plain_line
from pilotage.records.capability import Capability, CapabilityKind, CapabilityState
from pilotage.records.fields import as_dict, as_list, as_text
from pilotage.search.answer import Suggestion

STATE_ROLES = {
    CapabilityState.DECLARED: "ok",
    CapabilityState.LOADABLE: "middle",
    CapabilityState.NOT_CONNECTED: "rejected",
}
_STATE_WORDS = {
    CapabilityState.DECLARED: "the agent sees it and can call it now",
    CapabilityState.LOADABLE: "a search loads it",
    CapabilityState.NOT_CONNECTED: "its server has not answered, or nobody has asked it",
}
ROOMY = 76
"""Cells from which on a line has room for why it matched and for what it is; below, for one of them."""
SHORTEST = 14
"""Cells below which a text is left out rather than cut."""
MOST_LINES = 400
"""Lines of a description or a schema that the detail shows; the whole text has all of them."""


def capability_line(entry: Capability, found: Suggestion, width: int) -> PieceLine:
    """Kind, name, why it matched, what it is, and its state."""
    badge = [Piece(str(entry.state), STATE_ROLES[entry.state]), Piece(" ")]
    kind = Piece(f" {entry.kind:<5} ", "middle")
    left = [kind, *_name(entry, min(max(SHORTEST, width // 2), width - width_of([kind, *badge]) - 1))]
    room = width - width_of(left) - width_of(badge) - 2
    texts = [
        (plain_line(_why(found), 300), "middle"),
        (plain_line(first_line(entry.short or entry.description), 400), "dim"),
    ]
    body: PieceLine = []
    for text, role in texts if width >= ROOMY else [next((one for one in texts if one[0]), texts[0])]:
        if text and room >= SHORTEST:
            body += [Piece("  "), Piece(cut(text, room - 2), role)]
            room -= width_of(body[-2:])
    gap = max(1, width - width_of(left) - width_of(body) - width_of(badge))
    return [*left, *body, Piece(" " * gap), *badge]


def first_line(text: str) -> str:
    """The first line of a text that says something."""
    return next((line for line in text.split("\n", 20) if line.strip()), "")


def capability_detail(entry: Capability, found: Suggestion, old: float | None, width: int) -> Iterator[PieceLine]:
    """Everything about it: why it is here, its state, where it is from, whole description, parameters and schema.

    `old` is how many seconds ago its server listed it, where that was not now.
    """
    yield from _title(entry, width)
    yield []
    for name, text, role in _facts(entry, found, old):
        yield from _fact(name, text, role, width)
    yield []
    yield from _first_lines(entry.description or "no description", width, "text")
    if entry.short:
        yield []
        yield from _fact("in short", entry.short, "middle", width)
    if entry.namespace:
        yield []
        yield [Piece("its server says", "dim")]
        yield from _first_lines(entry.namespace, width, "middle")
    if entry.parameters is not None:
        yield []
        yield from _parameters(entry.parameters, width)
        yield []
        yield [Piece("schema", "dim")]
        yield from _first_lines(schema_text(entry.parameters), width, "middle")


def whole_text(entry: Capability) -> str:
    """Name, description and schema, as they were given."""
    parts = [entry.name, entry.description, entry.namespace]
    if entry.parameters is not None:
        parts.append(schema_text(entry.parameters))
    return "\n\n".join(part for part in parts if part)


def schema_text(schema: Mapping[str, object]) -> str:
    """A schema as indented JSON."""
    try:
        return json.dumps(schema, ensure_ascii=False, indent=2)
    except (TypeError, ValueError, RecursionError):
        return "a schema that cannot be written"


def _name(entry: Capability, width: int) -> PieceLine:
    """The exact name, what stands before an MCP tool's own name less bright."""
    name = cut(plain_line(entry.name, 300), width)
    server, joint, own = name.rpartition("__")
    if entry.kind is not CapabilityKind.MCP or not own or server == "mcp":
        return [Piece(name, "intent")]
    return [Piece(server + joint, "dim"), Piece(own, "intent")]


def _title(entry: Capability, width: int) -> Iterator[PieceLine]:
    """The name, whole, and the state at its right where there is room."""
    *lines, last = wrapped(plain_line(entry.name, 2000), width, "intent", bold=True)
    yield from lines
    state = Piece(str(entry.state), STATE_ROLES[entry.state])
    gap = width - width_of(last) - cell_len(state.text)
    if gap >= 2:
        yield [*last, Piece(" " * gap), state]
    else:
        yield last
        yield [state]


def _why(found: Suggestion) -> str:
    """Why something is here; nothing where everything is."""
    return "" if found.why == "listed" else found.why


def _facts(entry: Capability, found: Suggestion, old: float | None) -> Iterator[tuple[str, str, str]]:
    """Names, texts and roles of what is known beside the description."""
    if _why(found):
        yield "why", found.why, "text"
    if found.confidence is not None:
        yield "sure", f"{found.confidence:g} of 1 by the model's own word", "middle"
    state = "its file can be read" if entry.kind is CapabilityKind.SKILL else _STATE_WORDS[entry.state]
    yield "state", state, "middle"
    if entry.server:
        yield "server", f"{entry.server}, listed {age(old)} ago" if old is not None else entry.server, "middle"
    if entry.path:
        yield "file", entry.path, "middle"
    elif entry.origin:
        yield "from", entry.origin, "middle"


def _fact(name: str, text: str, role: str, width: int) -> Iterator[PieceLine]:
    label = f"{name:<8} "
    for number, line in enumerate(wrapped(plain_line(text), max(10, width - len(label)), role)):
        yield [Piece(" " * len(label) if number else label, "dim"), *line]


def _first_lines(text: str, width: int, role: str) -> Iterator[PieceLine]:
    """A text wrapped, as much of it as the detail shows."""
    lines = plain(text).strip("\n").split("\n")
    for line in lines[:MOST_LINES]:
        yield from wrapped(line[:4000], width, role)
    if len(lines) > MOST_LINES:
        yield [Piece(f"… {counted(len(lines) - MOST_LINES, 'more line')}; Enter shows all", "dim")]


def _parameters(schema: Mapping[str, object], width: int) -> Iterator[PieceLine]:
    """The parameters at the top of a schema: name, type, whether it must be given, what it means."""
    properties = as_dict(schema.get("properties"))
    required = {as_text(name) for name in as_list(schema.get("required"))}
    yield [Piece(counted(len(properties), "parameter") if properties else "no parameters", "dim")]
    for name, value in list(properties.items())[:MOST_LINES]:
        parameter = as_dict(value)
        kind = _type_words(parameter)
        words = ", ".join(word for word in (kind, "must be given" if name in required else "") if word)
        shown = cut(plain_line(name, 100), width - 2)
        yield [Piece(shown, "text"), Piece("  "), Piece(cut(words, width - 2 - cell_len(shown)), "dim")]
        said = as_text(parameter.get("description"))
        if said:
            yield from ([Piece("  "), *line] for line in wrapped(plain_line(said), max(10, width - 2), "middle"))


def _type_words(parameter: Mapping[str, object]) -> str:
    given = parameter.get("type")
    named = [given] if isinstance(given, str) else as_list(given)
    return plain_line(" or ".join(word for word in map(as_text, named) if word), 60)
