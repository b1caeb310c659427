import json

import pytest

from pilotage.console.capability_lines import MOST_LINES, capability_detail, capability_line, schema_text, whole_text
from pilotage.console.pieces import cut_front, width_of
from pilotage.console.search_lines import fault_choices, fault_detail, kinds_of
from pilotage.records.capability import Capability, CapabilityKind, CapabilityState, Catalog, CatalogFault
from pilotage.search.answer import Suggestion
from tests.console.driven import role_of, text_of, texts
from tests.handmade import HOSTILE

SCHEMA = {
    "type": "object",
    "properties": {
        "harbour": {"type": "string", "description": "The harbour's name"},
        "day": {"type": ["string", "null"]},
        "odd": 3,
    },
    "required": ["harbour"],
}
TIDES = Capability(
    "mcp:mcp__tides__high_water",
    CapabilityKind.MCP,
    "mcp__tides__high_water",
    "The next high water.\n\nTimes are local.",
    CapabilityState.LOADABLE,
    parameters=SCHEMA,
    server="tides",
    namespace="Tides of the North Sea.",
    origin="/home/dev/.pi/agent/mcp.json",
)
SKILL = Capability(
    "skill:tide-tables",
    CapabilityKind.SKILL,
    "tide-tables",
    "Read tide tables.",
    CapabilityState.LOADABLE,
    path="/skills/tide-tables/SKILL.md",
    short="Tables of tides",
)
FOUND = Suggestion(TIDES.id, TIDES.name, "name: high, water", 0.75)
LISTED = Suggestion(SKILL.id, SKILL.name, "listed")


def detail(entry: Capability, found: Suggestion, old: float | None = None, width: int = 60) -> list[str]:
    """Give a detail as it is shown."""
    return texts(capability_detail(entry, found, old, width))


def test_a_line() -> None:
    """A line says kind, exact name, why it matched, what it is, and its state, in a tone of its own."""
    line = capability_line(TIDES, FOUND, 110)
    words = " mcp   mcp__tides__high_water  name: high, water  The next high water."
    assert text_of(line).startswith(words)
    assert text_of(line).endswith("loadable ")
    assert role_of(line, "high_water") == "intent"
    assert role_of(line, "mcp__tides") == "dim"
    assert role_of(capability_line(SKILL, LISTED, 110), "tide-tables") == "intent"
    assert "listed" not in text_of(capability_line(SKILL, LISTED, 110))
    assert "Tables of tides" in text_of(capability_line(SKILL, LISTED, 110))


@pytest.mark.parametrize("width", [12, 20, 40, 60, 75, 76, 100, 200])
def test_any_width(width: int) -> None:
    """A line is never wider than its list where that has room for name and state, whatever it tells."""
    hostile = Capability(
        "tool:x", CapabilityKind.TOOL, HOSTILE * 4, "漢字" * 100, CapabilityState.NOT_CONNECTED, parameters={}
    )
    for entry in (TIDES, SKILL, hostile):
        line = capability_line(entry, Suggestion(entry.id, entry.name, HOSTILE), width)
        assert width_of(line) <= width or width < 24
        assert text_of(line).isprintable()


def test_narrow_says_why() -> None:
    """On a narrow list why it matched stands in place of what it is; where there is no why, what it is."""
    assert "name: high, water" in text_of(capability_line(TIDES, FOUND, 75))
    assert "The next" not in text_of(capability_line(TIDES, FOUND, 75))
    assert "Tables of tides" in text_of(capability_line(SKILL, LISTED, 60))


def test_a_detail() -> None:
    """The detail has everything: why, how sure, state, server, file, all words, the parameters and the schema."""
    told = detail(TIDES, FOUND, 7200.0)
    for line in (
        "why      name: high, water",
        "sure     0.75 of 1 by the model's own word",
        "state    a search loads it",
        "server   tides, listed 2 h ago",
        "from     /home/dev/.pi/agent/mcp.json",
        "The next high water.",
        "Times are local.",
        "Tides of the North Sea.",
        "3 parameters",
        "harbour  string, must be given",
        "  The harbour's name",
        "day  string or null",
        '  "type": "object",',
    ):
        assert line in told, line
    assert told[0].startswith("mcp__tides__high_water")
    assert told[0].endswith("loadable")
    of_skill = detail(SKILL, LISTED)
    assert "file     /skills/tide-tables/SKILL.md" in of_skill
    assert "in short Tables of tides" in of_skill
    assert not any("schema" in line or "why" in line for line in of_skill)


def test_hostile_details() -> None:
    """Names, descriptions and schemas reach the screen as signs that steer nothing, and are wrapped to the width."""
    schema = {"type": HOSTILE, "properties": {HOSTILE: {"description": HOSTILE, "type": [HOSTILE, 3]}}, "required": 3}
    entry = Capability(
        "x",
        CapabilityKind.TOOL,
        HOSTILE,
        HOSTILE * 20,
        CapabilityState.DECLARED,
        parameters=schema,
        server=HOSTILE,
        namespace=HOSTILE,
        origin=HOSTILE,
        short=HOSTILE,
    )
    for width in (20, 60):
        for line in capability_detail(entry, Suggestion("x", "x", HOSTILE, 0.5), 3.0, width):
            assert text_of(line).isprintable()
            assert width_of(line) <= width


def test_long_descriptions() -> None:
    """A description of many lines is shown in part, and says how to see all; the whole text has all of it."""
    entry = Capability("x", CapabilityKind.TOOL, "x", "line\n" * 5000, CapabilityState.DECLARED)
    told = detail(entry, LISTED)
    assert len(told) < MOST_LINES + 20
    assert any("more lines; Enter shows all" in line for line in told)
    assert whole_text(entry).count("line") == 5000


def test_whole_text() -> None:
    """The whole text is name, description, what the server says and the schema, as they were given."""
    assert whole_text(TIDES).startswith("mcp__tides__high_water\n\nThe next high water.")
    assert json.loads(whole_text(TIDES).rpartition("North Sea.\n\n")[2]) == SCHEMA
    deep: dict[str, object] = {}
    inner = deep
    for _ in range(100_000):
        inner["a"] = {}
        inner = inner["a"]  # type: ignore[assignment]
    assert schema_text(deep) == "a schema that cannot be written"


def test_counts_of_kinds() -> None:
    """How many there are is said by kind, servers apart from their tools."""
    server = Capability(
        "mcp:mcp__tides", CapabilityKind.MCP, "mcp__tides", "", CapabilityState.LOADABLE, server="tides"
    )
    assert kinds_of([SKILL, server, TIDES]) == "3 capabilities: 1 skill, 1 MCP server, 1 MCP tool"
    assert kinds_of([]) == "0 capabilities"


def test_faults() -> None:
    """A fault has one line with the end of its place, and in full what and the mend."""
    fault = CatalogFault(f"/home/dev/{'x' * 60}/SKILL.md:2", f"no YAML {HOSTILE}", f"mend it {HOSTILE}")
    _, head, line = fault_choices(Catalog((), (fault,)))
    assert head.key is None
    assert line.key == fault
    assert "SKILL.md:2  no YAML" in text_of(line.line(80))
    assert width_of(line.line(80)) <= 80
    told = texts(fault_detail(fault, 50))
    assert any(text.startswith("mend it") for text in told)
    assert all(text.isprintable() for text in told)
    assert fault_choices(Catalog(())) == []


def test_ends_of_texts() -> None:
    """Of a text that is too long the end is kept, by its width in cells."""
    assert cut_front("abcdef", 6) == "abcdef"
    assert cut_front("abcdef", 4) == "…def"
    assert cut_front("漢字漢字", 4) == "…字"
