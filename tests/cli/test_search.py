import json
from pathlib import Path

import pytest

from tests.catalog.running import script, shell
from tests.catalog.written import write_json, write_skill
from tests.cli.conftest import Pilotage, Store
from tests.cli.program import run
from tests.handmade import HOSTILE
from tests.inference.server import Server, message, said
from tests.test_imports import after

CHOSEN = {"chosen": [{"id": "skill:release", "why": "Tells how to publish.", "confidence": 0.9}]}


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give Pi's folder with two skills."""
    folder = tmp_path / "agent"
    write_skill(folder / "skills" / "release" / "SKILL.md", "description: Cut a release, with notes and a tag")
    write_skill(folder / "skills" / "tides" / "SKILL.md", "description: Read tables of high and low water")
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(folder))
    return folder


def named(agent: Path, url: str) -> None:
    """Name a model at an address, in Pi's own files."""
    write_json(agent / "settings.json", {"capabilityDiscovery": {"provider": "own", "model": "m"}})
    entry = {"baseUrl": url, "apiKey": "local", "api": "openai-completions", "models": [{"id": "m"}]}
    write_json(agent / "models.json", {"providers": {"own": entry}})


def test_table(pilotage: Pilotage, store: Store, agent: Path) -> None:
    """For people: name, kind, state, why and one line, the data alone on stdout."""
    done = pilotage("search", "cut a release")
    assert done.status == 0
    assert done.lines == [
        "release  skill  loadable       name: release; description: cut, release  Cut a release, with notes and a tag"
    ]
    assert done.err == ""


def test_everything(pilotage: Pilotage, store: Store, agent: Path) -> None:
    """A star lists all there is, however much; a limit shows fewer and says how many more there are."""
    for number in range(20):
        write_skill(agent / "skills" / f"s{number}" / "SKILL.md", "description: d")
    assert len(pilotage("search", "*").lines) == 22
    few = pilotage("search", "*", "--limit", "3")
    assert len(few.lines) == 3
    assert few.err == "19 more; --limit shows more of them\n"


def test_json(pilotage: Pilotage, store: Store, agent: Path) -> None:
    """As JSON it is the answer of spec D8."""
    (record,) = pilotage("search", "TIDES", "--json").records
    assert record == {
        "mode": "exact",
        "total": 1,
        "suggestions": [
            {
                "id": "skill:tides",
                "name": "tides",
                "why": "exact name",
                "path": str(agent / "skills" / "tides" / "SKILL.md"),
            }
        ],
        "loaded": [],
        "availableTools": [],
    }


def test_nothing_found(pilotage: Pilotage, store: Store, agent: Path) -> None:
    """Nothing found is status 1, said in words; as JSON there is an answer all the same."""
    done = pilotage("search", "zzzz")
    assert (done.status, done.out, done.err) == (1, "", "nothing found\n")
    done = pilotage("search", "zzzz", "--json")
    assert (done.status, done.records[0]["total"]) == (1, 0)


@pytest.mark.parametrize("arguments", [["x", "--limit", "0"], ["x", "--limit", "-3"], ["x", "--cwd", "/no/folder"]])
def test_wrong_use(pilotage: Pilotage, store: Store, arguments: list[str]) -> None:
    """A limit below one and a folder that is not there are wrong use."""
    done = pilotage("search", *arguments)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("pilotage: ")


def test_session(pilotage: Pilotage, store: Store, agent: Path) -> None:
    """What a session declares counts, and its folder is the project; an unknown session is wrong use."""
    store.add("deferred", "abc", cwd=store.cwd)
    write_json(store.cwd / ".pi" / "mcp.json", {"mcpServers": {}})
    done = pilotage("search", "high_water", "--session", "abc")
    assert done.lines[0].startswith("mcp__tides__high_water  mcp    declared")
    assert "Pi does not trust the project" in done.err
    assert pilotage("search", "x", "--session", "nothing-like-it").status == 2


def test_catalog_file(pilotage: Pilotage, store: Store, agent: Path, tmp_path: Path) -> None:
    """A file's catalog is searched alone; a line that is no entry is named, a file that is not there is a failure."""
    file = tmp_path / "c.jsonl"
    file.write_text('{"kind": "tool", "name": "fetch", "description": "Get a page"}\n[\n')
    done = pilotage("search", "*", "--catalog", file)
    assert (done.status, len(done.lines)) == (0, 1)
    assert f"{file}:2: is not one JSON object" in done.err
    done = pilotage("search", "*", "--catalog", tmp_path / "none.jsonl")
    assert (done.status, done.out) == (1, "")
    assert "none.jsonl" in done.err


def test_servers(store: Store, agent: Path, tmp_path: Path) -> None:
    """Servers are asked, or what they listed is taken with its age; progress is told; commands run when asked for."""
    ran_it = tmp_path / "ran"
    servers = {
        "tides": script("tides"),
        "dying": shell("sleep 1.3; exit 3"),
        "keyed": shell("exit 1", env={"KEY": f"!touch {ran_it}; echo k"}),
    }
    write_json(agent / "mcp.json", {"mcpServers": servers})
    cold = run("search", "mcp:*", "--no-servers")
    assert b"mcp__tides__" not in cold.stdout
    asked = run("search", "mcp:*")
    assert b"mcp__tides__" in asked.stdout
    assert b"asking MCP servers: " in asked.stderr
    assert b" of 3 done, " in asked.stderr
    assert b"dying: " in asked.stderr
    assert not ran_it.exists()
    known = run("search", "mcp:*", "--no-servers")
    assert b"mcp__tides__" in known.stdout
    assert b"tides: listed " in known.stderr
    run("search", "x", "--run-commands")
    assert ran_it.exists()


def test_model(pilotage: Pilotage, store: Store, agent: Path) -> None:
    """A model that is named is asked about a wish; not without one, not for a name, and not where it is not wanted."""
    with Server(said(message(json.dumps(CHOSEN)))) as server:
        assert pilotage("search", "how do I publish").status == 1
        named(agent, server.url)
        done = pilotage("search", "how do I publish")
        assert done.lines[0].startswith("release  skill  loadable       Tells how to publish.")
        assert len(server.requests) == 1
        pilotage("search", "release")
        pilotage("search", "how do I publish", "--no-model")
        assert len(server.requests) == 1
        (record,) = pilotage("search", "how do I publish", "--json").records
        assert record["mode"] == "semantic"


def test_model_that_fails(pilotage: Pilotage, store: Store, agent: Path) -> None:
    """Where the model fails words have answered, and the failure is said; so is a faulty configuration."""
    with Server() as server:
        named(agent, server.url)
    done = pilotage("search", "cut a release")
    assert done.status == 0
    assert done.lines[0].startswith("release")
    assert done.err.startswith("no answer of a model: unreachable: own/m cannot be reached")
    write_json(agent / "settings.json", {"capabilityDiscovery": {"modell": "m"}})
    assert "modell is not a key" in pilotage("search", "cut a release").err
    (agent / "settings.json").write_text("{")
    assert "settings.json" in pilotage("search", "cut a release").err


def test_hostile_output(pilotage: Pilotage, store: Store, agent: Path, tmp_path: Path) -> None:
    """Nothing of a name, a description or a fault could steer a terminal."""
    lines = ({"kind": "tool", "name": HOSTILE, "description": HOSTILE}, {"kind": HOSTILE, "name": f"x{HOSTILE}"})
    (tmp_path / "c.jsonl").write_text("\n".join(map(json.dumps, lines)))
    done = pilotage("search", "*", "--catalog", tmp_path / "c.jsonl")
    assert done.status == 0
    assert all(line.isprintable() for line in (done.out + done.err).splitlines())


def test_loads_what_it_needs(store: Store, agent: Path) -> None:
    """A search loads nothing for a screen; the net only for a model, the MCP client only for servers (spec L2)."""
    assert after("search", "release") == set()
    assert after("search", "release", "--json") == set()
    with Server(said(message(json.dumps(CHOSEN)))) as server:
        named(agent, server.url)
        assert after("search", "release") == set()
        # The HTTP client brings rich along by itself.
        assert after("search", "how do I publish") - {"rich"} == {"httpx"}
    write_json(agent / "mcp.json", {"mcpServers": {"gone": {"command": "/no/such/program"}}})
    assert after("search", "release", "--no-servers") == set()
    assert {"textual", "rich"} & after("search", "release") == set()
