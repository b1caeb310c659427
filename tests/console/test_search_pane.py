import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pilotage.console.screens.search import SearchScreen
from pilotage.search.surroundings import Surroundings
from tests.catalog.running import Setting, script, shell
from tests.catalog.written import write_json, write_skill
from tests.console.driven import (
    Clock,
    Driven,
    bar,
    console,
    grow,
    listed,
    on_screen,
    press,
    run,
    settle,
    toasts,
    until,
)
from tests.handmade import HOSTILE, agent, call, lines_of, ran, user, write_session
from tests.inference.server import HOLD, Server, message, said

CHOSEN = {
    "chosen": [
        {"id": "skill:tide-tables", "why": "Says how to read the table.", "confidence": 0.6},
        {"id": "mcp:mcp__tides__high_water", "why": "Gives the time of high water.", "confidence": 0.95},
    ]
}


class Place(Setting):
    """A folder with Pi's configuration and skills, and a project with a session that has searched."""

    def __init__(self, root: Path, recording: Path) -> None:
        super().__init__(root)
        write_skill(
            self.agent / "skills" / "tide-tables" / "SKILL.md", "description: Read tables of high and low water"
        )
        write_skill(self.agent / "skills" / "release" / "SKILL.md", "description: Cut a release")
        write_skill(self.agent / "skills" / "bad" / "SKILL.md", "name: [x")
        self.path = root / "s.jsonl"
        self.path.write_text(recording.read_text().replace("/home/dev/kestrel-api", str(self.project)))

    def around(self, model: str = "") -> Callable[[Path], Surroundings]:
        """Give what the console is to find; `model` is the address of one."""
        if model:
            entry = {"baseUrl": model, "apiKey": "local", "api": "openai-completions", "models": [{"id": "iq3"}]}
            write_json(self.agent / "models.json", {"providers": {"llama": entry}})
        return lambda cwd: Surroundings(cwd, self.agent, is_trusted=True)


@pytest.fixture
def place(tmp_path: Path, data: Path) -> Place:
    """Give a place without servers and models."""
    return Place(tmp_path, data / "deferred.jsonl")


async def opened(pilot: Driven) -> SearchScreen:
    """Open the pane, and wait until all is known."""
    await press(pilot, "s")
    screen = pilot.app.screen
    assert isinstance(screen, SearchScreen)
    await until(pilot, lambda: screen.is_settled)
    return screen


def test_everything(place: Place) -> None:
    """With nothing typed everything is listed and counted; below it the agent's searches, then what is at fault."""

    async def test() -> None:
        async with console(place.path, size=(150, 30), surroundings=place.around()) as pilot:
            screen = await opened(pilot)
            lines = listed(screen)
            assert lines[0] == "4 capabilities: 2 skills, 1 MCP server, 1 MCP tool"
            assert lines[1].startswith("mcp   mcp__tides")
            assert screen.listing.chosen == "mcp:mcp__tides"
            assert lines[2].startswith("mcp   mcp__tides__high_water  The next high water at a harbour.")
            assert lines[2].endswith("declared")
            assert lines[3].startswith("skill release  Cut a release")
            assert lines[3].endswith("loadable")
            assert lines[5] == "the agent searched 2 times, the latest first"
            assert lines[6].startswith("17:40 moon")
            assert lines[6].endswith("nothing found")
            assert lines[7].endswith("1 loaded, used")
            assert lines[8] == "not as it should be"
            assert "bad/SKILL.md" in lines[9]

    run(test)


def test_found_while_typing(place: Place) -> None:
    """Each letter finds; the arrows move in the list while the line keeps the keys, and the detail follows."""

    async def test() -> None:
        async with console(place.path, size=(150, 30), surroundings=place.around()) as pilot:
            screen = await opened(pilot)
            await press(pilot, *"high water")
            assert screen.query_line.value == "high water"
            assert "2 of 4 match by words" in listed(screen)
            assert screen.listing.chosen == "mcp:mcp__tides__high_water"
            assert '"harbour": {' in on_screen(pilot)
            await press(pilot, "down")
            assert screen.listing.chosen == "skill:tide-tables"
            assert "why      description: high, water" in on_screen(pilot)
            await press(pilot, "up", "pagedown", "pageup", "x")
            assert screen.query_line.has_focus
            assert screen.query_line.value == "high waterx"
            await press(pilot, *["backspace"] * 11, *"zzzz")
            assert "none of 4 matches by words" in listed(screen)
            assert not any("agent searched" in line for line in listed(screen))

    run(test)


def test_exact_name(place: Place) -> None:
    """An exact name is said to be one, with all that has it."""

    async def test() -> None:
        async with console(place.path, size=(150, 30), surroundings=place.around()) as pilot:
            screen = await opened(pilot)
            await press(pilot, *"HIGH_WATER")
            assert listed(screen)[0] == "1 of 4 matches by name"
            assert "exact name after the server's" in listed(screen)[1]

    run(test)


def test_model_chooses(place: Place) -> None:
    """Enter asks the model: what it chose, why, how sure it is, and how long it took; Enter again opens the detail."""

    async def test() -> None:
        with Server(said(message(json.dumps(CHOSEN)))) as server:
            async with console(place.path, size=(80, 24), surroundings=place.around(server.url)) as pilot:
                screen = await opened(pilot)
                await press(pilot, *"when is high tide", "enter")
                await until(pilot, lambda: screen.desk.is_answered)
                assert len(server.requests) == 1
                lines = listed(screen)
                assert lines[0].startswith("llama/iq3 chose 2 of 4 in ")
                assert "Gives the time of high water." in "\n".join(lines)
                while screen.listing.chosen != "mcp:mcp__tides__high_water":
                    await press(pilot, "down")
                await press(pilot, "enter")
                assert "sure     0.95 of 1 by the model's own word" in on_screen(pilot)
                await press(pilot, "escape")
                assert screen.query_line.has_focus
                assert screen.listing.chosen == "mcp:mcp__tides__high_water"
                await press(pilot, "s")
                assert not screen.desk.is_answered
                assert len(server.requests) == 1

    run(test)


def test_model_that_fails(place: Place) -> None:
    """A model that cannot be reached is said as that, with where one is named, and words have found all the same."""

    async def test() -> None:
        with Server() as server:
            url = server.url
        async with console(place.path, size=(150, 30), surroundings=place.around(url)) as pilot:
            screen = await opened(pilot)
            await press(pilot, *"water", "enter")
            await until(pilot, lambda: screen.desk.is_answered)
            text = " ".join(listed(screen))
            assert "no answer of a model: unreachable: llama/iq3 cannot be reached" in text
            assert f"provider and model of capabilityDiscovery in {place.agent / 'settings.json'}" in text
            assert "2 of 4 match by words" in text

    run(test)


def test_faulty_configuration(place: Place) -> None:
    """Where the configuration is void, its fault is what is said, and nothing is asked."""

    def faulty(cwd: Path) -> Surroundings:
        return Surroundings(cwd, place.agent, configuration=None, fault="model must be text")

    async def test() -> None:
        async with console(place.path, surroundings=faulty) as pilot:
            screen = await opened(pilot)
            await press(pilot, *"water", "enter")
            await until(pilot, lambda: screen.desk.is_answered)
            assert "no-model: model must be text" in " ".join(listed(screen))

    run(test)


def test_called_off(place: Place) -> None:
    """While a model is asked the seconds are told and typing goes on; Escape calls it off, and then leaves."""

    async def test() -> None:
        clock = Clock()
        with Server(HOLD) as server:
            async with console(place.path, size=(150, 30), clock=clock, surroundings=place.around(server.url)) as pilot:
                screen = await opened(pilot)
                await press(pilot, *"water", "enter")
                await until(pilot, server.holding.is_set)
                clock.now += 3
                await until(pilot, lambda: "asking llama/iq3, 3 s" in listed(screen))
                assert "Escape calls it off" in bar(pilot, "foot")
                await press(pilot, "s")
                assert screen.query_line.value == "waters"
                await press(pilot, "escape")
                assert not any("asking" in line for line in listed(screen))
                await until(pilot, server.left.is_set)
                assert pilot.app.screen is screen
                await press(pilot, "escape")
                assert pilot.app.screen is not screen

    run(test)


def test_leaving_calls_off(place: Place) -> None:
    """Whoever leaves the pane, or the console, waits for no model."""

    async def test() -> None:
        with Server(HOLD) as server:
            async with console(place.path, surroundings=place.around(server.url)) as pilot:
                await opened(pilot)
                await press(pilot, *"water", "enter")
                await until(pilot, server.holding.is_set)
                pilot.app.exit(0)
            assert server.left.wait(20)

    run(test)


def test_servers_are_asked(place: Place) -> None:
    """Servers are asked behind: what is known is there at once, each one's tools when it answers, faults at the end."""
    place.configure(tides=script("tides"), silent=shell("sleep 60"), gone={"command": "/no/such/program"})

    async def test() -> None:
        async with console(place.path, size=(150, 30), surroundings=place.around()) as pilot:
            await press(pilot, "s")
            screen = pilot.app.screen
            assert isinstance(screen, SearchScreen)
            await until(pilot, lambda: any(line.startswith("asking ") for line in listed(screen)))
            await press(pilot, *"rel")
            assert screen.query_line.value == "rel"
            await press(pilot, *["backspace"] * 3)
            await until(pilot, lambda: screen.desk.waits_for == 1)
            assert any("asking 1 server" in line for line in listed(screen))
            assert not screen.is_settled
            index = screen.desk.index
            assert index is not None
            tools = [entry for entry in index.entries.values() if entry.server == "tides"]
            assert len(tools) > 2
            assert any("gone" in line for line in listed(screen))

    run(test)


def test_opened_again(place: Place, tmp_path: Path) -> None:
    """Opened again the pane has query and answer as they were, and asks no server a second time, unless told to."""
    count = tmp_path / "count"
    place.configure(dying=shell(f"echo x >> {count}; exit 3"))

    async def test() -> None:
        with Server(said(message(json.dumps(CHOSEN)))) as server:
            async with console(place.path, size=(150, 30), surroundings=place.around(server.url)) as pilot:
                screen = await opened(pilot)
                await press(pilot, *"tide", "enter")
                await until(pilot, lambda: screen.desk.is_answered)
                await press(pilot, "escape")
                again = await opened(pilot)
                assert again is not screen
                assert again.query_line.value == "tide"
                assert listed(again)[0].startswith("llama/iq3 chose 2 of ")
                assert count.read_text() == "x\n"
                await press(pilot, "tab", "u")
                await until(pilot, lambda: count.read_text() == "x\nx\n" and again.is_settled)

    run(test)


def test_commands_are_run_when_asked_for(place: Place, tmp_path: Path) -> None:
    """A command for a key is not run by itself; it is said how, and the key for it runs it."""
    ran_it = tmp_path / "ran"
    place.configure(keyed=shell("exit 1", env={"KEY": f"!touch {ran_it}; echo k"}))

    async def test() -> None:
        async with console(place.path, size=(150, 30), surroundings=place.around()) as pilot:
            screen = await opened(pilot)
            assert any("nobody asked to run it" in line for line in listed(screen))
            assert not ran_it.exists()
            await press(pilot, "tab", "U")
            await until(pilot, lambda: ran_it.exists() and screen.is_settled)

    run(test)


def test_agent_searches_meanwhile(place: Place) -> None:
    """A search that the agent makes while the pane is open is shown, and what it loaded is declared now."""
    tool = {"name": "fetch", "description": "Get a page", "parameters": {}}
    more = (
        agent(call("n", "tool_search", query="get a page")),
        {"type": "message", "message": {"role": "system", "content": "", "toolsAdded": [tool]}},
        ran("n", "", details={"loaded": ["fetch"]}),
    )

    async def test() -> None:
        async with console(place.path, size=(150, 30), surroundings=place.around()) as pilot:
            screen = await opened(pilot)
            lines = lines_of(more)
            lines[0] = json.dumps(json.loads(lines[0]) | {"parentId": last_id(place.path)}) + "\n"
            await grow(pilot, place.path, "".join(lines))
            await until(pilot, lambda: any("get a page" in line for line in listed(screen)))
            assert any("1 loaded, none used" in line for line in listed(screen))
            await until(pilot, lambda: any(line.startswith("tool  fetch") for line in listed(screen)))

    run(test)


def last_id(path: Path) -> str:
    """Give the id of a session's last entry."""
    return str(json.loads(path.read_text().splitlines()[-1])["id"])


def test_taking(place: Place) -> None:
    """The exact name is copied while one types; from the list any part, and a skill's file can be opened."""

    async def test() -> None:
        async with console(place.path, size=(150, 30), surroundings=place.around()) as pilot:
            screen = await opened(pilot)
            await press(pilot, *"tide-tables", "ctrl+y")
            assert pilot.app.clipboard == "tide-tables"
            assert toasts(pilot)[-1].startswith("name copied")
            await press(pilot, "tab", "y", "p")
            assert pilot.app.clipboard == str(place.agent / "skills" / "tide-tables" / "SKILL.md")
            assert screen.target() == Path(pilot.app.clipboard)
            await press(pilot, "enter", "enter")
            assert "Read tables of high and low water" in on_screen(pilot)
            await press(pilot, "escape", "escape", "slash", *["backspace"] * 11, "tab", "G", "y", "w")
            assert pilot.app.clipboard.endswith("bad/SKILL.md:2")
            await press(pilot, "k", "y", "l")
            assert pilot.app.clipboard == "mcp__tides__high_water"

    run(test)


@pytest.mark.parametrize("size", [(150, 38), (80, 24), (60, 15), (30, 8)])
def test_any_size(place: Place, size: tuple[int, int]) -> None:
    """On any terminal line, list and foot are there; tab goes from line to list to detail and back."""

    async def test() -> None:
        async with console(place.path, size=size, surroundings=place.around()) as pilot:
            screen = await opened(pilot)
            await press(pilot, "tab")
            assert screen.listing.has_focus
            await press(pilot, "tab")
            assert screen.detail.has_focus
            await press(pilot, "tab")
            assert screen.query_line.has_focus
            assert screen.query_line.region.height == 1
            if size[0] >= 60:
                assert listed(screen)[0].startswith("4 capabilities")
                assert bar(pilot, "foot").endswith("Ctrl+P all")

    run(test)


def test_hostile_capabilities(tmp_path: Path) -> None:
    """Names, descriptions, queries and faults of others are signs on the screen, and nothing of them is markup."""
    place = tmp_path / "s.jsonl"
    tool = {"name": f"mcp__x__{HOSTILE}", "description": f"{HOSTILE} [/x]", "parameters": {HOSTILE: HOSTILE}}
    system = {"type": "message", "message": {"role": "system", "content": "", "toolsAdded": [tool]}}
    search = agent(call("s", "tool_search", query=HOSTILE))
    write_session(place, user(), system, search, ran("s", "", details={"loaded": [HOSTILE]}), cwd=str(tmp_path))

    async def test() -> None:
        async with console(place, size=(150, 40), surroundings=lambda cwd: Surroundings(cwd, tmp_path)) as pilot:
            screen = await opened(pilot)
            for _ in range(4):
                assert all(line.isprintable() for line in on_screen(pilot).split("\n"))
                await press(pilot, "down")
            screen.query_line.value = HOSTILE
            await settle(pilot)
            assert all(line.isprintable() for line in on_screen(pilot).split("\n"))

    run(test)


def test_nothing_to_find(tmp_path: Path) -> None:
    """Where there is nothing at all, the pane says so and does no harm."""
    path = write_session(tmp_path / "s.jsonl", user(), cwd=str(tmp_path))

    async def test() -> None:
        async with console(path, surroundings=lambda cwd: Surroundings(cwd, tmp_path / "none")) as pilot:
            screen = await opened(pilot)
            assert listed(screen) == ["0 capabilities"]
            await press(pilot, "enter", "tab", "enter", "y", "o", "x", "O", "j", "G", "g", "tab", "ctrl+y")
            assert pilot.app.screen is screen

    run(test)


LOADED = """
import asyncio, sys
from pathlib import Path
from pilotage.console.app import Console, Start
from pilotage.search.surroundings import Surroundings
from pilotage.settings import Settings
async def main(path, agent):
    around = lambda cwd: Surroundings(cwd, Path(agent))
    app = Console(Start(Path(agent), Path(path), surroundings=around), Settings(), [])
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("s")
        for key in "water":
            await pilot.press(key)
        while not app.screen.is_settled:
            await pilot.pause(0.01)
    print(*{"httpx", "mcp", "anyio", "pydantic"} & set(sys.modules))
asyncio.run(main(*sys.argv[1:]))
"""


def test_opening_loads_no_client(place: Place) -> None:
    """Opening the pane and typing load neither the HTTP client nor the MCP client."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED, str(place.path), str(place.agent)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
