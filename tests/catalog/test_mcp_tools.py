import pytest

from pilotage.catalog.mcp_server import McpServer, server_of
from pilotage.catalog.mcp_tools import Listed, Listing, McpTool, capabilities_of, tool_name, tool_names


def listed(name: str, *tools: str, **fields: object) -> Listed:
    """Give a server that has listed these tools."""
    return Listed(server(name, **fields), Listing(tuple(McpTool(tool, "", {}) for tool in tools)), is_connected=True)


def server(name: str, **fields: object) -> McpServer:
    """Give a configured server."""
    return server_of(name, {"command": "x", **fields}, "mcp.json")


@pytest.mark.parametrize(
    ("server_name", "tool", "name"),
    [
        ("tides", "high_water", "mcp__tides__high_water"),
        ("my-tides", "high.water/now", "mcp__my_tides__high_water_now"),
        ("s", "潮汐", "mcp__s____"),
        ("s", "😀", "mcp__s____"),
        ("s", "x" * 56, "mcp__s__" + "x" * 56),
        ("s", "x" * 57, "mcp__s__" + "x" * 47 + "_065b956f"),
    ],
)
def test_names(server_name: str, tool: str, name: str) -> None:
    """A tool has Pi's name: other signs are `_`, one too long ends in a hash."""
    assert tool_name(server_name, tool) == name


def test_names_that_come_out_alike() -> None:
    """All tools whose names come out alike get a hash, whatever the order of the list; the others get none (F4)."""
    names = tool_names("s", ["a-b", "c", "a.b", "a_b"])
    assert names[1] == "mcp__s__c"
    assert len(set(names)) == 4
    assert all(name.startswith("mcp__s__a_b_") for name in (names[0], *names[2:]))
    assert tool_names("s", ["a_b", "a.b", "a-b"]) == [names[3], names[2], names[0]]


def test_a_name_that_two_servers_claim() -> None:
    """Both tools are there, the second's under a hash, and the claim is told."""
    entries, faults = capabilities_of([listed("a", "b__c"), listed("a__b", "c")])
    names = [entry.name for entry in entries]
    assert names[:3] == ["mcp__a", "mcp__a__b__c", "mcp__a__b"]
    assert names[3].startswith("mcp__a__b__c_")
    assert [fault.what for fault in faults] == ["its tool c has the name mcp__a__b__c, which a tool of a has too"]


def test_hidden_tools() -> None:
    """A hidden tool is not in the catalog (spec D1)."""
    entries, _ = capabilities_of([listed("a", "one", "two", toolExposure={"t*": "hidden"})])
    assert [entry.name for entry in entries] == ["mcp__a", "mcp__a__one"]


def test_a_tool_without_words() -> None:
    """A tool without a description has the one that Pi makes up."""
    entries, _ = capabilities_of([listed("a", "one")])
    assert entries[1].description == "MCP tool one from server a"
