from pathlib import Path

from pilotage.console.agent_searches import AgentSearch, AgentSearches
from pilotage.console.search_lines import search_choices
from tests.console.driven import texts, timeline_of
from tests.handmade import agent, call, ran, refused, user, write_session

LOADED = "Loaded 2 tools. They are available from your next call:\n- mcp__tides__high_water: Next.\n- fetch: Get it."


def searches(path: Path) -> list[AgentSearch]:
    """Give the searches of a session."""
    return AgentSearches(timeline_of(path)).all_of_them()


def test_a_recorded_session(data: Path) -> None:
    """In Pi's own recording each search has its query, what it loaded, and whether that was called afterwards."""
    moon, water = searches(data / "deferred.jsonl")
    assert (water.query, water.loaded, water.used) == (
        "high water harbour",
        ("mcp__tides__high_water",),
        ("mcp__tides__high_water",),
    )
    assert (moon.query, moon.loaded, moon.used, moon.failure) == ("moon", (), (), "")


def test_without_details(tmp_path: Path) -> None:
    """Where a result has only its text, the names are read from that."""
    path = write_session(
        tmp_path / "s.jsonl",
        agent(call("s", "tool_search", query="tides")),
        ran("s", LOADED),
        agent(call("f", "fetch", url="x")),
    )
    (found,) = searches(path)
    assert found.loaded == ("mcp__tides__high_water", "fetch")
    assert found.used == ("fetch",)


def test_our_own_answer(tmp_path: Path) -> None:
    """Of an answer in Pilotage's form, what was named and not loaded counts too; a skill is used when it is read."""
    details = {
        "mode": "semantic",
        "loaded": ["fetch"],
        "suggestions": [
            {"id": "tool:fetch", "name": "fetch", "why": "gets it"},
            {"id": "skill:tides", "name": "tides", "why": "tells how", "path": "/skills/tides/SKILL.md"},
            {"id": "skill:moon", "name": "moon", "why": "tells how", "path": "/skills/moon/SKILL.md"},
        ],
        "routingError": "timeout: too slow",
    }
    path = write_session(
        tmp_path / "s.jsonl",
        agent(call("s", "tool_search", query="tides")),
        ran("s", "Loaded 1 tool", details=details),
        agent(call("r", "read", path="/skills/tides/SKILL.md")),
    )
    (found,) = searches(path)
    assert found.loaded == ("fetch",)
    assert [name for name, _ in found.offered] == ["tides", "moon"]
    assert found.used == ("tides",)
    (line,) = texts([search_choices([found])[-1].line(80)])
    assert line.endswith("model failed  1 loaded, 1 used")
    assert found.failure == "timeout: too slow"


def test_what_came_before_is_no_use(tmp_path: Path) -> None:
    """A call before the search, or one that was rejected, is no use of what the search loaded."""
    path = write_session(
        tmp_path / "s.jsonl",
        agent(call("a", "fetch", url="x")),
        ran("a"),
        agent(call("s", "tool_search", query="get")),
        ran("s", "", details={"loaded": ["fetch"]}),
        agent(call("b", "fetch", url=3)),
        refused("b", "fetch"),
    )
    (found,) = searches(path)
    assert (found.loaded, found.used) == (("fetch",), ())


def test_searches_that_failed(tmp_path: Path) -> None:
    """A search that failed says why, one without a result has none, and odd arguments and details do no harm."""
    path = write_session(
        tmp_path / "s.jsonl",
        user(),
        agent(call("a", "tool_search", query="")),
        ran("a", "query must not be empty", is_error=True),
        agent(call("b", "tool_search", query=["x"])),
        ran("b", "", details={"loaded": "all", "suggestions": [3, {"name": 4}]}),
        agent(call("c", "tool_search", query="later")),
    )
    later, odd, failed = searches(path)
    assert failed.failure == "query must not be empty"
    assert (odd.query, odd.loaded, odd.offered) == ("", (), ())
    assert (later.query, later.call.result) == ("later", None)


def test_read_once(tmp_path: Path) -> None:
    """A search is read once: when the file is gone, what was read stays; what was not is left out."""
    path = write_session(
        tmp_path / "s.jsonl", agent(call("s", "tool_search", query="tides")), ran("s", "", details={"loaded": ["a"]})
    )
    timeline = timeline_of(path)
    read = AgentSearches(timeline)
    before = read.all_of_them()
    path.unlink()
    assert read.all_of_them() == before
    assert AgentSearches(timeline).all_of_them() == []
