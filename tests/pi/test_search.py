"""The agent's search in the real Pi: what it finds and loads, and that Pi's own answers where Pilotage cannot."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pilotage.hosts.pi.install import SERVING, extension_folder, install
from tests.pi.find import Pi
from tests.pi.run import RunningPi
from tests.pi.scenario import Scenario
from tests.pi.served import Json, Left, play

pytestmark = pytest.mark.pi

KEY = "sk-canary-4f1d9a7e2c5b8f0a3d6e"
MODEL_RULE = "You choose capabilities for a coding agent"
ON: Json = {"capabilityDiscovery": {"provider": "example", "model": "glm-5.3"}}
TIDES: Json = {"command": "{PYTHON}", "args": ["{HERE}/mcp_server.py"], "exposure": "deferred"}
MCP: Json = {"mcpServers": {"tides": {**TIDES, "description": "Tide tables"}}}
SKILLS = {
    "~/.pi/agent/skills/release-notes/SKILL.md": (
        "---\nname: release-notes\ndescription: Write release notes from the commits since the last tag.\n"
        "metadata:\n  catalog-description: Release notes\n---\nRead the log first.\n"
    ),
    "~/.pi/agent/skills/harbour-log/SKILL.md": (
        "---\nname: harbour-log\ndescription: Keep a harbour's log book & its <entries>.\n---\nOpen the book.\n"
    ),
}
WISH = "when is the next high water"


def searching(*queries: str, rules: list[Json] | None = None, **more: Any) -> Scenario:
    """A scenario in which the model searches, once for each query."""
    turns: list[Json] = [{"tool_calls": [{"name": "tool_search", "arguments": {"query": one}}]} for one in queries]
    given = {"mcp": MCP, "files": SKILLS, **more}
    return Scenario(
        prompts=["Go."], turns=[*turns, *given.pop("after", []), {"text": "Done."}], rules=rules or [], **given
    )


def chosen(*ids: str) -> Json:
    """The answer of a model that chooses these."""
    value = {"chosen": [{"id": one, "why": "It does this.", "confidence": 0.5} for one in ids]}
    return {"match": MODEL_RULE, "where": "first", "turn": {"text": json.dumps(value)}}


def details(left: Left) -> list[Json]:
    """The details of each search."""
    return [result["details"] for result in left.results if result["toolName"] == "tool_search"]


def declared(left: Left, number: int) -> set[str]:
    """The tools that a request of the main model declares."""
    return {tool["function"]["name"] for tool in left.run.requests[number].body["tools"]}


def prompt(left: Left) -> str:
    """The system prompt of the first request."""
    return str(left.run.requests[0].body["messages"][0]["content"])


def broken(command: list[str]) -> Callable[[RunningPi], None]:
    """Start another program in place of Pilotage."""

    def change(running: RunningPi) -> None:
        file = extension_folder(running.home.agent) / SERVING
        file.write_text(json.dumps({**json.loads(file.read_text("utf-8")), "command": command}), "utf-8")

    return change


def test_wishes_names_and_lists(pi: Pi, tmp_path: Path) -> None:
    """A wish loads its tool, which the next call uses; a skill is named with its path; a list loads nothing (D4-D8)."""
    call = {"tool_calls": [{"name": "mcp__tides__high_water", "arguments": {"harbour": "Husum"}}]}
    turns = [
        {"tool_calls": [{"name": "tool_search", "arguments": {"query": "*"}}]},
        {"tool_calls": [{"name": "tool_search", "arguments": {"query": "write the release notes"}}]},
        {"tool_calls": [{"name": "tool_search", "arguments": {"query": WISH, "limit": 1}}]},
        call,
        {"tool_calls": [{"name": "tool_search", "arguments": {"query": "HIGH_WATER"}}]},
        {"tool_calls": [{"name": "tool_search", "arguments": {"query": "skill:harbour-log"}}]},
        {"text": "Done."},
    ]
    left = play(Scenario(prompts=["Go."], turns=turns, mcp=MCP, files=SKILLS), pi, tmp_path)
    listed, notes, wish, again, skill = details(left)
    assert (listed["mode"], listed["total"], listed["loaded"]) == ("list", 5, [])
    assert "mcp__tides__high_water" not in declared(left, 1)
    assert (notes["mode"], notes["suggestions"][0]["name"]) == ("native", "release-notes")
    assert notes["suggestions"][0]["path"].endswith("/release-notes/SKILL.md")
    assert (wish["loaded"], wish["availableTools"]) == (["mcp__tides__high_water"], ["mcp__tides__high_water"])
    assert "mcp__tides__high_water" in declared(left, 3)
    assert "Husum: 06:12" in left.texts
    assert (again["mode"], again["suggestions"][0]["name"], again["loaded"]) == ("exact", "mcp__tides__high_water", [])
    assert [one["id"] for one in skill["suggestions"]] == ["skill:harbour-log"]
    assert "routingError" not in json.dumps(details(left))
    assert left.run.errors == ""


def test_one_section_tells_all(pi: Pi, tmp_path: Path) -> None:
    """Skills and MCP servers stand in one section, a skill with its short description, each once (spec D3, H5)."""
    left = play(searching("*"), pi, tmp_path)
    text = prompt(left)
    assert text.count("<capabilities>") == 1
    assert "<mcp_servers>" not in text
    assert "<skills>" not in text
    assert "<description>Release notes</description>" in text
    assert "Keep a harbour&apos;s log book &amp; its &lt;entries&gt;." in text
    assert "mcp__tides (tool_search): Tide tables" in text
    without = play(searching("*"), pi, tmp_path / "without", served=False)
    assert "<mcp_servers>" in prompt(without)


def test_words_fit_the_tools(pi: Pi, tmp_path: Path) -> None:
    """Without a tool that reads, no skills are told; without tool_search, it is not spoken of (spec H5)."""
    scenario = Scenario(prompts=["Go."], files=SKILLS, arguments=["--tools", "write"])
    text = prompt(play(scenario, pi, tmp_path))
    assert "release-notes" not in text
    assert "tool_search" not in text


def test_the_model_chooses(pi: Pi, tmp_path: Path) -> None:
    """Where a model is set up, its choice is loaded, though words alone would have found another (spec D6)."""
    choice = chosen("mcp:mcp__tides__list_harbours", "skill:harbour-log")
    left = play(searching(WISH, rules=[choice], settings=ON), pi, tmp_path)
    (found,) = details(left)
    assert (found["mode"], found["loaded"]) == ("semantic", ["mcp__tides__list_harbours"])
    assert {one["name"] for one in found["suggestions"]} == {"mcp__tides__list_harbours", "harbour-log"}
    assert all(one["confidence"] == 0.5 for one in found["suggestions"])
    asked = next(request for request in left.run.requests if request.is_structured)
    assert asked.body["response_format"]["json_schema"]["strict"] is True
    assert "tools" not in asked.body
    assert "high_water" in asked.body["messages"][1]["content"]
    assert "mcp:mcp__tides__high_water" not in json.dumps(asked.body["response_format"])


FAILING: list[tuple[str, Json]] = [
    ("server-error", {"error": {"status": 500}}),
    ("not-allowed", {"error": {"status": 401}}),
    ("unknown-name", {"text": '{"chosen": [{"id": "tool:none", "why": "x", "confidence": 1}]}'}),
    ("not-json", {"text": "I would take high_water."}),
    ("cut-off", {"text": '{"chosen": []}', "finish_reason": "length"}),
]


@pytest.mark.parametrize(("kind", "turn"), FAILING, ids=[kind for kind, _ in FAILING])
def test_a_failing_model(kind: str, turn: Json, pi: Pi, tmp_path: Path) -> None:
    """A model that fails is a stated failure, and words answer in its place (spec D6)."""
    rule = {"match": MODEL_RULE, "where": "first", "turn": turn}
    left = play(searching(WISH, rules=[rule], settings=ON), pi, tmp_path)
    (found,) = details(left)
    assert left.run.errors == ""
    assert found["routingError"].startswith(f"{kind}: ")
    assert (found["mode"], found["loaded"][0]) == ("native", "mcp__tides__high_water")
    assert "routingError" in next(iter(left.texts))


def test_a_faulty_configuration(pi: Pi, tmp_path: Path) -> None:
    """A block with faults asks no model; each fault is named once for the person, and search goes on (spec G2)."""
    settings = {"capabilityDiscovery": {"provider": "example", "autoRecommend": True, "maxSuggestedActions": 9}}
    left = play(searching(WISH, settings=settings), pi, tmp_path)
    (found,) = details(left)
    assert found["loaded"][0] == "mcp__tides__high_water"
    assert "autoRecommend" in found["routingError"]
    assert not any(request.is_structured for request in left.run.requests)
    assert left.run.errors.count("autoRecommend is not a key") == 1
    assert left.run.errors.count("maxSuggestedActions must be") == 1


@pytest.mark.parametrize(
    ("command", "warning"),
    [
        (["/nowhere/python"], "ENOENT"),
        (["sh", "-c", "echo that is not right >&2; exit 3"], "that is not right"),
        (["sh", "-c", "while read -r line; do echo rubbish; done"], "no JSON object"),
        (["sh", "-c", "exec sleep 60"], "does not answer"),
        (["sh", "-c", "read -r a; read -r b; exit 1"], "ended with 1"),
    ],
    ids=["missing", "dies", "rubbish", "hangs", "dies-later"],
)
def test_a_broken_process(command: list[str], warning: str, pi: Pi, tmp_path: Path) -> None:
    """Without its process, Pi works as without Pilotage: its own search answers, after one warning (spec H4)."""
    left = play(searching(WISH), pi, tmp_path / "with", change=broken(command))
    without = play(searching(WISH), pi, tmp_path / "without", served=False)
    assert left.results == without.results
    assert left.run.exit_code == without.run.exit_code == 0
    assert left.run.output == without.run.output
    warnings = [line for line in left.run.errors.splitlines() if line.strip()]
    assert len(warnings) == 1
    assert warning in warnings[0]
    assert "pilotage doctor" in warnings[0]


def test_a_search_is_called_off(pi: Pi, tmp_path: Path) -> None:
    """Cancelling ends the model's request within 100 ms (spec M4)."""
    rule = {"match": MODEL_RULE, "where": "first", "turn": {"text": "{}", "delay_ms": 20_000}}
    with RunningPi(searching(WISH, rules=[rule], settings=ON, mode="rpc"), pi, tmp_path) as running:
        install(extension_folder(running.home.agent))
        running.start()
        running.rpc.send({"type": "prompt", "message": "Go."})
        asked = running.wait_until(lambda: next((one for one in running.server.requests if one.is_structured), None))
        began = time.time()
        running.rpc.call({"type": "abort"})
        ended = running.wait_until(lambda: running.server.script.called_off.get(asked.number))
        running.finish()
    assert ended - began < 0.1


def test_no_key_is_told(pi: Pi, tmp_path: Path) -> None:
    """A key reaches its server and nothing else: no output, no session file, no request's body (spec M2)."""
    rule = {
        "match": MODEL_RULE,
        "where": "first",
        "turn": {"error": {"status": 401, "body": {"error": {"message": KEY}}}},
    }
    scenario = searching(f"{WISH} {KEY}", rules=[rule], settings=ON, environment={"TIDE_API_KEY": KEY})

    def with_key(running: RunningPi) -> None:
        file = running.home.agent / "models.json"
        file.write_text(file.read_text("utf-8").replace('"example-key"', json.dumps(KEY)), "utf-8")

    left = play(scenario, pi, tmp_path, change=with_key)
    asked = next(request for request in left.run.requests if request.is_structured)
    assert KEY in asked.headers["authorization"]
    assert KEY not in json.dumps(asked.body)
    assert KEY not in left.run.errors + left.run.output
    (found,) = details(left)
    assert found["routingError"].startswith("not-allowed: ")
    assert KEY not in json.dumps(found)


def test_loaded_tools_stay(pi: Pi, tmp_path: Path) -> None:
    """A resumed session still declares what it had loaded, as its server is waited for (spec H3)."""
    scenario = searching(WISH, mode="rpc", rpc=[])
    with RunningPi(scenario, pi, tmp_path) as running:
        install(extension_folder(running.home.agent))
        running.start()
        running.rpc.prompt("Go.")
        running.finish()
        before = len(running.server.requests)
        running.start("--session", str(running.home.session_files()[0]))
        running.rpc.prompt("Go on.")
        running.finish()
        first = running.server.requests[before]
    assert "mcp__tides__high_water" in {tool["function"]["name"] for tool in first.body["tools"]}
