import asyncio
import json
import os
from pathlib import Path

import pytest

from pilotage.records.capability import CapabilityState, Catalog
from pilotage.search.answer import Mode
from pilotage.search.index import build_index
from pilotage.search.lookup import ask_model, asked_catalog, found_catalog, said_catalog, together
from pilotage.search.surroundings import Surroundings
from pilotage.sessions.read import read_session
from tests.catalog.running import Setting, script, shell
from tests.catalog.written import write_json, write_skill
from tests.inference.server import HOLD, Server, message, said
from tests.search.catalogs import OFFICE

CHOSEN = {"chosen": [{"id": "tool:notify", "why": "Tells the person.", "confidence": 0.9}]}


@pytest.fixture
def setting(tmp_path: Path) -> Setting:
    """Give Pi's folder and a project, with one skill."""
    found = Setting(tmp_path)
    write_skill(found.agent / "skills" / "release" / "SKILL.md", "description: Cut a release")
    return found


def around(setting: Setting) -> Surroundings:
    """Give the surroundings of the project."""
    return Surroundings(setting.project, setting.agent, is_trusted=True)


def served(setting: Setting, url: str) -> Surroundings:
    """Give surroundings with a model at an address."""
    entry = {"baseUrl": url, "apiKey": "local", "api": "openai-completions", "models": [{"id": "iq3"}]}
    write_json(setting.agent / "models.json", {"providers": {"llama": entry}})
    return around(setting)


def states(catalog: Catalog) -> dict[str, CapabilityState]:
    """Give the state of each entry by name."""
    return {entry.name: entry.state for entry in catalog.entries}


def test_disk(setting: Setting, tmp_path: Path) -> None:
    """From the disk come skills and servers; no server is started for it."""
    started = tmp_path / "started"
    setting.configure(one=shell(f"touch {started}"))
    assert states(found_catalog(around(setting))) == {
        "release": CapabilityState.LOADABLE,
        "mcp__one": CapabilityState.NOT_CONNECTED,
    }
    assert not started.exists()


def test_servers(setting: Setting) -> None:
    """Each server that is asked is told of when it is done; what it listed is known the next time, as an old list."""
    setting.configure(tides=script("tides"), gone={"command": "/no/such/program"})
    told: list[tuple[int, int, int]] = []
    asked = asked_catalog(
        around(setting), tell=lambda catalog, done, total: told.append((len(catalog.entries), done, total))
    )
    catalog = asyncio.run(asked)
    assert [(done, total) for _, done, total in told] == [(1, 2), (2, 2)]
    assert told[-1][0] == len(catalog.entries)
    tools = [entry for entry in catalog.entries if entry.name.startswith("mcp__tides__")]
    assert tools
    assert all(entry.state is CapabilityState.LOADABLE for entry in tools)
    assert [fault.where for fault in catalog.faults] == ["gone"]
    again = found_catalog(around(setting))
    assert {entry.id for entry in again.entries} == {entry.id for entry in catalog.entries}
    assert list(again.ages) == ["tides"]


def test_names_that_two_servers_claim(setting: Setting) -> None:
    """Where tools of two servers have one name, both are there all the same, and it is said."""
    setting.configure(a=script("tides"), a__x=script("tides"))
    whole = asyncio.run(asked_catalog(around(setting)))
    assert len({entry.id for entry in whole.entries}) == len(whole.entries)


def test_session_and_disk(setting: Setting, data: Path) -> None:
    """What the session declares counts first; the disk adds what it does not tell."""
    said_there = said_catalog(read_session(data / "deferred.jsonl"))
    catalog = together(said_there, found_catalog(around(setting)))
    assert states(catalog)["mcp__tides__high_water"] is CapabilityState.DECLARED
    assert states(catalog)["release"] is CapabilityState.LOADABLE


def test_a_session_that_changed(tmp_path: Path, data: Path) -> None:
    """A session that cannot be read any more is a fault, and no failure."""
    path = tmp_path / "s.jsonl"
    path.write_bytes((data / "deferred.jsonl").read_bytes())
    session = read_session(path)
    path.write_text("gone\n")
    (fault,) = said_catalog(session).faults
    assert fault.where == str(path)


def test_a_wish(setting: Setting) -> None:
    """A wish is put to the model once, with the thinking level of searches, and its choice is the answer."""
    with Server(said(message(json.dumps(CHOSEN)))) as server:
        answer = asyncio.run(ask_model(build_index(OFFICE), "tell me when it is done", served(setting, server.url)))
        assert len(server.requests) == 1
    assert answer.mode is Mode.SEMANTIC
    assert [(one.id, one.why, one.confidence) for one in answer.suggestions] == [
        ("tool:notify", "Tells the person.", 0.9)
    ]
    assert answer.loaded == ()


@pytest.mark.parametrize("query", ["*", "", "notify", "tool:notify"])
def test_no_wish(setting: Setting, query: str) -> None:
    """A list and an exact name are answered without a model."""
    with Server(said(message(json.dumps(CHOSEN)))) as server:
        answer = asyncio.run(ask_model(build_index(OFFICE), query, served(setting, server.url)))
        assert server.requests == []
    assert answer.routing_error is None


def test_no_answer(setting: Setting) -> None:
    """A model that is not there, answers nonsense, or is configured wrongly is a failure in the answer (spec D6)."""
    index = build_index(OFFICE)
    with Server(said(message("no JSON"))) as server:
        surroundings = served(setting, server.url)
        nonsense = asyncio.run(ask_model(index, "what is the weather", surroundings))
    gone = asyncio.run(ask_model(index, "what is the weather", surroundings))
    void = Surroundings(setting.project, setting.agent, configuration=None, fault="model must be text")
    faulty = asyncio.run(ask_model(index, "what is the weather", void))
    for answer, words in ((nonsense, "not-json: "), (gone, "unreachable: "), (faulty, "no-model: model must be text")):
        assert answer.mode is Mode.NATIVE
        assert answer.suggestions[0].id == "tool:weather_forecast"
        assert answer.routing_error is not None
        assert answer.routing_error.startswith(words)


def test_cancelled(setting: Setting) -> None:
    """Cancelled, a request is given up at once."""

    async def test(surroundings: Surroundings, server: Server) -> None:
        asking = asyncio.create_task(ask_model(build_index(OFFICE), "what is the weather", surroundings))
        await asyncio.to_thread(server.holding.wait, 20)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert await asyncio.to_thread(server.left.wait, 20)

    with Server(HOLD) as server:
        asyncio.run(test(served(setting, server.url), server))


def test_variables_are_those_given(setting: Setting) -> None:
    """What the request takes from the environment is what it is given."""
    entry = {"apiKey": "$SOME_KEY", "api": "openai-completions", "models": [{"id": "iq3"}]}
    with Server(said(message(json.dumps(CHOSEN)))) as server:
        write_json(setting.agent / "models.json", {"providers": {"llama": {**entry, "baseUrl": server.url}}})
        environ = {**os.environ, "SOME_KEY": "sk-of-this-test-0123456789"}
        asyncio.run(ask_model(build_index(OFFICE), "tell me", around(setting), environ=environ))
        assert "authorization: bearer sk-of-this-test-0123456789" in server.head
