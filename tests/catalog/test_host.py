from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilotage.catalog.host import host_catalog
from pilotage.records.capability import CapabilityState, Catalog

TIDES = {
    "name": "mcp__my_tides",
    "aliases": ["my-tides"],
    "description": "Tides.",
    "instructions": "Two harbours.",
}


def tool(name: str, exposure: str = "deferred", *, active: bool = False, **fields: Any) -> dict[str, Any]:
    """Give a tool as Pi tells it, with what the extension adds."""
    given = {"name": name, "description": f"About {name}.", "parameters": {"type": "object"}, "exposure": exposure}
    return given | {"sourceInfo": {"source": "x"}, "active": active} | fields


def test_all_that_counts() -> None:
    """Skills, servers with their tools and deferred tools are in the catalog, with what the host says of them."""
    told = {
        "skills": [{"name": "s", "description": "d", "filePath": "/s/SKILL.md", "short": "S."}],
        "tools": [
            tool("deploy", origin="/x/deploy.js"),
            tool("mcp__my_tides__high", namespace=TIDES),
            tool("mcp__my_tides__low", namespace=TIDES, active=True),
        ],
    }
    catalog = host_catalog(told)
    assert [(entry.id, entry.state, entry.server) for entry in catalog.entries] == [
        ("skill:s", "loadable", None),
        ("mcp:mcp__my_tides", "loadable", "my-tides"),
        ("mcp:mcp__my_tides__high", "loadable", "my-tides"),
        ("mcp:mcp__my_tides__low", "declared", "my-tides"),
        ("tool:deploy", "loadable", None),
    ]
    assert (catalog.entries[0].path, catalog.entries[0].short) == ("/s/SKILL.md", "S.")
    assert [entry.origin for entry in catalog.entries[-2:]] == ["host", "/x/deploy.js"]
    assert catalog.entries[1].description == catalog.entries[2].namespace == "Tides.\nTwo harbours."
    assert catalog.entries[2].parameters == {"type": "object"}


@pytest.mark.parametrize(
    ("name", "exposure", "active", "state"),
    [
        ("bash", "direct", True, None),
        ("grep", "direct", False, None),
        ("tool_search", "model-only", True, None),
        ("x", "hidden", False, None),
        ("x", "deferred", False, CapabilityState.LOADABLE),
        ("x", "codemode", True, CapabilityState.DECLARED),
        ("mcp__a__b", "direct", True, CapabilityState.DECLARED),
        ("mcp__a__b", "direct", False, None),
        ("mcp__a__b", "hidden", True, None),
        ("list_mcp_resources", "deferred", False, CapabilityState.LOADABLE),
    ],
)
def test_what_counts(name: str, exposure: str, active: bool, state: CapabilityState | None) -> None:
    """Hidden tools and such as are declared from the start are out, unless an MCP server's (spec D1)."""
    entries = host_catalog({"tools": [tool(name, exposure, active=active)]}).entries
    assert [entry.state for entry in entries] == ([] if state is None else [state])


def test_a_server_of_declared_tools() -> None:
    """A server is declared where none of its tools needs a search; one whose tools were loaded stays as it is."""
    direct = [tool("mcp__my_tides__a", "direct", active=True, namespace=TIDES)]
    loaded = [tool("mcp__my_tides__a", "deferred", active=True, namespace=TIDES)]
    assert host_catalog({"tools": direct}).entries[0].state is CapabilityState.DECLARED
    assert host_catalog({"tools": loaded}).entries[0].state is CapabilityState.LOADABLE


def test_a_skill_for_people_only() -> None:
    """A skill that only a person may call is not in the catalog."""
    assert host_catalog({"skills": [{"name": "s", "disableModelInvocation": True}]}) == Catalog(())


def test_odd_entries_cost_themselves() -> None:
    """An entry of an odd shape is told with its place; the others are there."""
    told = {
        "skills": [5, {"name": ""}, {"name": "s", "filePath": 5}],
        "tools": [None, tool("x", "sideways"), tool("y", namespace="no"), {"name": "z", "exposure": []}, tool("w")],
    }
    catalog = host_catalog(told)
    assert [entry.id for entry in catalog.entries] == ["skill:s", "tool:w", "tool:y"]
    assert [fault.where for fault in catalog.faults] == [
        "host: skill 1",
        "host: skill 2",
        "host: tool 1",
        "host: tool x",
        "host: tool z",
    ]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["deferred", "mcp__a__b"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["tools", "skills", "name", "exposure", "namespace", "active", "aliases", "description"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(JSON)
def test_any_shape_is_a_catalog(told: object) -> None:
    """Whatever a host tells, it is a catalog in which each id stands once."""
    entries = host_catalog(told).entries
    assert len({entry.id for entry in entries}) == len(entries)
