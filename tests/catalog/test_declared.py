from pathlib import Path

from pilotage.catalog.declared import declared_catalog, session_catalog
from pilotage.records.capability import Capability, CapabilityKind, CapabilityState, Catalog
from pilotage.sessions.read import read_session
from tests.handmade import write_session

SKILLS = """<skills>
The following skills provide specialized instructions for specific tasks.

<available_skills>
  <skill>
    <name>tides &amp; winds</name>
    <description>Reads &lt;/description&gt; tables.
Second line.</description>
    <location>/home/dev/it&apos;s/SKILL.md</location>
  </skill>
  <skill><name>bare</name><description></description><location>/b/SKILL.md</location></skill>
</available_skills>
</skills>"""
SERVERS = """<mcp_servers>
MCP servers whose tools are not declared to you. Load the tools of `tool_search` servers with `tool_search`.
- mcp__tides (tool_search): Tide tables
- mcp__my_wind (codemode)
- … 3 more servers; find their tools with searchTools()
</mcp_servers>"""


def kinds(catalog: Catalog) -> list[tuple[str, str]]:
    """Give id and state of each entry."""
    return [(entry.id, entry.state) for entry in catalog.entries]


def test_a_deferred_tool(data: Path) -> None:
    """A recorded session tells the server and the tool that was loaded in mid-run, which is declared (spec D2)."""
    catalog = session_catalog(read_session(data / "deferred.jsonl"))
    assert kinds(catalog) == [("mcp:mcp__tides", "loadable"), ("mcp:mcp__tides__high_water", "declared")]
    server, tool = catalog.entries
    assert (server.description, server.server, tool.server) == ("Tide tables", "tides", "tides")
    assert tool.description == "The next high water at a harbour."
    assert tool.parameters is not None
    assert tool.parameters["required"] == ["harbour"]
    assert tool.origin == str(data / "deferred.jsonl")


def test_a_direct_tool(data: Path) -> None:
    """A tool of an MCP server counts also where it was declared from the start; Pi's own tools never do (spec D1)."""
    catalog = session_catalog(read_session(data / "codemode.jsonl"))
    assert kinds(catalog) == [("mcp:mcp__tides", "loadable"), ("mcp:mcp__tides__list_harbours", "declared")]


def test_a_session_without_any(data: Path) -> None:
    """A session with nothing but Pi's own tools has an empty catalog, and so has one of an old Pi."""
    assert session_catalog(read_session(data / "plain.jsonl")) == Catalog(())
    assert session_catalog(read_session(data / "version1.jsonl")) == Catalog(())


def test_a_tool_declared_later(tmp_path: Path) -> None:
    """Another extension's tool counts when it was declared after the first prompt, until it is taken away."""
    first = {"role": "system", "sections": {}, "toolsAdded": [{"name": "read"}, {"name": "ask"}]}
    later = {"role": "system", "toolsAdded": [{"name": "deploy", "description": "d"}, {"name": "grep"}]}
    path = write_session(
        tmp_path / "s.jsonl", {"type": "message", "message": first}, {"type": "message", "message": later}
    )
    assert kinds(session_catalog(read_session(path))) == [("tool:deploy", "declared")]
    gone = {"role": "system", "toolsRemoved": [{"name": "deploy"}]}
    entries = [{"type": "message", "message": message} for message in (first, later, gone)]
    assert kinds(session_catalog(read_session(write_session(path, *entries)))) == []


def test_pis_own_sections() -> None:
    """Skills and servers are read out of Pi's sections, with what Pi escaped put back."""
    catalog = declared_catalog({"skills": SKILLS, "mcp_servers": SERVERS}, [], origin="s.jsonl")
    assert catalog.entries == (
        Capability(
            "skill:tides & winds",
            CapabilityKind.SKILL,
            "tides & winds",
            "Reads </description> tables.\nSecond line.",
            CapabilityState.LOADABLE,
            path="/home/dev/it's/SKILL.md",
            origin="s.jsonl",
        ),
        Capability(
            "skill:bare",
            CapabilityKind.SKILL,
            "bare",
            "",
            CapabilityState.LOADABLE,
            path="/b/SKILL.md",
            origin="s.jsonl",
        ),
        Capability(
            "mcp:mcp__my_wind",
            CapabilityKind.MCP,
            "mcp__my_wind",
            "",
            CapabilityState.LOADABLE,
            server="my_wind",
            origin="s.jsonl",
        ),
        Capability(
            "mcp:mcp__tides",
            CapabilityKind.MCP,
            "mcp__tides",
            "Tide tables",
            CapabilityState.LOADABLE,
            server="tides",
            origin="s.jsonl",
        ),
    )


def test_pilotages_own_section() -> None:
    """What Pilotage's extension wrote into a prompt is read back; the skills' words may be the short ones (spec D3)."""
    further = "Further tools (tool_search):\n- deploy: Deploys.\n- bare: \n\ntool_search finds all of these."
    catalog = declared_catalog({"capabilities": f"<capabilities>\n{SKILLS}\n\n{SERVERS}\n\n{further}"}, [])
    assert [entry.id for entry in catalog.entries] == [
        "skill:tides & winds",
        "skill:bare",
        "mcp:mcp__my_wind",
        "mcp:mcp__tides",
        "tool:bare",
        "tool:deploy",
    ]
    assert catalog.entries[0].short == catalog.entries[0].description == "Reads </description> tables.\nSecond line."
    assert catalog.entries[-1].description == "Deploys."


def test_a_declared_tool_is_not_also_loadable() -> None:
    """A tool that the section lists and that has been loaded is in the catalog once, declared."""
    section = "Further tools (tool_search):\n- deploy: d"
    catalog = declared_catalog({"capabilities": section}, [{"name": "deploy", "description": "Whole."}])
    assert [(entry.state, entry.description) for entry in catalog.entries] == [("declared", "Whole.")]


def test_odd_tools() -> None:
    """Tools without a name or with odd fields cost nothing."""
    tools: list[dict[str, object]] = [{}, {"name": 5}, {"name": "x", "description": 5, "parameters": []}]
    [entry] = declared_catalog({}, tools).entries
    assert (entry.id, entry.description, entry.parameters) == ("tool:x", "", None)
