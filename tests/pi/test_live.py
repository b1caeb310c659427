"""The real Pi at work, watched live: a call is there before its tool has finished, its outcome after."""

import asyncio
import json
import os
import time
from pathlib import Path

import pytest
from textual.pilot import Pilot

from pilotage.console.app import Console, Start
from pilotage.console.screens.watch import WatchScreen
from pilotage.settings import Settings
from tests.cli.program import Following
from tests.pi.find import Pi
from tests.pi.run import RunningPi
from tests.pi.scenario import Scenario

PROMPT = {"type": "prompt", "message": "look around, then count"}
PATIENCE = 20.0

SLOW = Scenario(
    mode="rpc",
    turns=[
        {
            "tool_calls": [
                {"name": "bash", "arguments": {"command": "sleep 1; touch first", "intent": "See what is here"}}
            ]
        },
        {
            "tool_calls": [
                {"name": "read", "arguments": {"path": "notes.txt"}},
                {"name": "bash", "arguments": {"command": "sleep 1; touch second; exit 3"}},
            ]
        },
        {"text": "Done."},
    ],
    files={"notes.txt": "one\n"},
)


def seen(following: Following) -> tuple[str, str, str | None]:
    """Wait for the next call: its tool, its outcome and its intent."""
    call = json.loads(following.line())
    return call["tool"], call["outcome"], call["intent"]


@pytest.mark.pi
def test_calls_are_printed_while_their_tools_run(pi: Pi, tmp_path: Path) -> None:
    """`calls --follow` prints each call before its tool has finished, and again with its outcome (spec K5)."""
    with RunningPi(SLOW, pi, tmp_path) as running:
        running.start()
        running.rpc.call(PROMPT)
        running.wait_for_line("look around")
        first, second = (running.home.project / name for name in ("first", "second"))
        with Following(running.home.session_files()[0], "--json") as following:
            assert seen(following) == ("bash", "running", "See what is here")
            assert not first.exists()
            assert seen(following) == ("bash", "ok", "See what is here")
            assert first.exists()
            assert [seen(following), seen(following)] == [("read", "running", None), ("bash", "running", None)]
            assert not second.exists()
            assert [seen(following), seen(following)] == [("read", "ok", None), ("bash", "failed", None)]
        running.rpc.wait_for("agent_settled")
        assert running.finish().exit_code == 0


@pytest.mark.pi
def test_console_shows_calls_while_their_tools_run(pi: Pi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`watch` waits for the first session, shows a running call, then its outcome, and moves along (spec U1)."""
    with RunningPi(SLOW, pi, tmp_path) as running:
        monkeypatch.setenv("PI_CODING_AGENT_DIR", str(running.home.agent))
        asyncio.run(_watch(running))
        assert running.finish().exit_code == 0


async def _watch(running: RunningPi) -> None:
    app = Console(Start(running.home.project), Settings(), [])
    async with app.run_test(size=(120, 30)) as pilot:
        screen = app.screen
        assert isinstance(screen, WatchScreen)
        await _until(pilot, screen, "No session here yet")
        await asyncio.to_thread(running.start)
        await asyncio.to_thread(running.rpc.call, PROMPT)
        await _until(pilot, screen, "See what is here", "running")
        assert not (running.home.project / "first").exists()
        await _until(pilot, screen, "notes.txt", "running")
        await _until(pilot, screen, "exit 3")
        await asyncio.to_thread(running.rpc.wait_for, "agent_settled")
        await asyncio.to_thread(running.rpc.call, {"type": "new_session"})
        await asyncio.to_thread(running.rpc.call, PROMPT | {"message": "another session"})
        await _until(pilot, screen, "another session")


async def _until(pilot: Pilot[int], screen: WatchScreen, *words: str) -> None:
    """Wait until all words stand in the list."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        await pilot.pause(0.05)
        listing = screen.listing
        shown = "\n".join(listing.render_line(y).text for y in range(listing.size.height))
        if all(word in shown for word in words):
            return
    raise AssertionError(f"{words} did not come; {os.linesep}{shown}")
