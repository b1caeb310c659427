from pathlib import Path

import pytest

from pilotage.console.panes import EMPTY_WORDS, Pane
from pilotage.console.screens.evidence import EvidenceScreen
from pilotage.console.screens.prepared import PreparedScreen
from tests.console.driven import Clock, Driven, bar, console, grow, listed, on_screen, press, run, until, watched
from tests.console.evidenced import BEGAN, ENDED, begins, ends, preparation, reviewed
from tests.handmade import Fields, agent, call, lines_of, ran, user, write_session


@pytest.fixture
def path(data: Path, tmp_path: Path) -> Path:
    """Give the recorded session with its children."""
    return reviewed(data, tmp_path)


def record(*names: str, attempt: str = "attempt-1") -> Fields:
    """Give the record of a preparation that suggested these and read `notes.md`."""
    asked = {"type": "toolCall", "id": "p", "name": "read", "arguments": {"path": "notes.md", "intent": "See it."}}
    messages: list[Fields] = [
        {"role": "assistant", "content": [asked], "timestamp": BEGAN * 1000},
        {"role": "toolResult", "toolCallId": "p", "content": [{"type": "text", "text": "as it was"}], "durationMs": 3},
    ]
    suggestions = [{"id": name, "why": "It fits."} for name in names]
    data = {"attempt": attempt, "prefetch": {"rounds": [{"messages": messages}]}, "suggestions": suggestions}
    return {"type": "custom", "customType": "capability-prefetch", "data": data}


async def opened(pilot: Driven, *keys: str) -> PreparedScreen:
    """Open the pane, and wait until it is known what became of all."""
    await press(pilot, *(keys or ("4",)))
    screen = pilot.app.screen
    assert isinstance(screen, PreparedScreen)
    await until(pilot, lambda: screen.is_settled)
    return screen


@pytest.mark.parametrize("size", [(80, 24), (60, 15), (150, 38)])
def test_looks(path: Path, size: tuple[int, int]) -> None:
    """What was suggested and done, and what became of it, the newest on top, in any terminal (spec P9)."""

    async def test() -> None:
        async with console(path, size=size, clock=Clock(ENDED)) as pilot:
            screen = await opened(pilot)
            lines = listed(screen)
            assert lines[0].startswith("21:04 Now 30 for the nightly run.")
            assert lines[0].endswith("failed: not-json")
            assert lines[1].startswith("!  example/glm-5.3 did not answer")
            assert lines[2].startswith("21:04 Raise the limit to 20")
            assert "4 of 5 used" in lines[2]
            assert [line.split()[0] for line in lines[3:]] == ["skill", "skill", "read", "read", "bash"]
            assert [line.split()[-1] for line in lines[3:]] == ["used", "unused", "used", "used", "used"]
            assert "prepared 1" in bar(pilot, "foot")
            await press(pilot, "G", "enter")
            assert "grep -rn limit" in on_screen(pilot)
            assert "confined yes" in on_screen(pilot)
            await press(pilot, "escape", "escape")
            assert pilot.app.screen is watched(pilot)

    run(test)


def test_details(path: Path) -> None:
    """Why something was suggested, what a command brought, what it all cost, and where the evidence lies."""

    async def test() -> None:
        async with console(path, size=(150, 38), clock=Clock(ENDED)) as pilot:
            await opened(pilot)
            told = " ".join(on_screen(pilot).split())
            assert "did not answer with JSON alone" in told
            assert "2,508 tokens sent, 17 received" in told
            await press(pilot, "j")
            assert "brought  2 suggestions, 3 read or run" in on_screen(pilot)
            assert "used     4 of 5" in on_screen(pilot)
            await press(pilot, "j")
            assert "why      A setting of the survey is to be" in on_screen(pilot)
            assert "loaded   nothing: that stays with the agent" in on_screen(pilot)
            await press(pilot, "j")
            assert "became   unused" in on_screen(pilot)
            await press(pilot, "G")
            assert "./check.py:5:print" in on_screen(pilot)
            assert "reconstructed from the calls of the turn" in on_screen(pilot)
            await press(pilot, "e")
            screen = pilot.app.screen
            assert isinstance(screen, EvidenceScreen)
            await until(pilot, lambda: screen.is_settled)
            assert '{"capabilities": [' in on_screen(pilot)

    run(test)


def test_copies(path: Path) -> None:
    """Ids, commands and results can be copied; a result can be opened whole."""

    async def test() -> None:
        async with console(path, size=(150, 38), clock=Clock(ENDED)) as pilot:
            screen = await opened(pilot, "4")
            await press(pilot, "j", "j")
            assert [part.name for part in screen.parts()][:2] == ["id", "why"]
            await press(pilot, "G")
            parts = {part.name: part.text for part in screen.parts()}
            assert parts["command"].startswith("grep -rn limit")
            assert parts["result"].startswith("./check.py:5:")
            assert screen.target() == Path(parts["file"])
            await press(pilot, "enter", "enter")
            assert "./check.py:5:" in on_screen(pilot)

    run(test)


def test_fate_follows_the_calls(tmp_path: Path) -> None:
    """While its turn goes on it is looked at again what became of what was prepared."""
    entries = [user(), begins(preparation()), record("tool:tides"), ends(preparation())]
    path = write_session(tmp_path / "s.jsonl", *entries)

    async def test() -> None:
        async with console(path, size=(100, 30), clock=Clock(BEGAN + 20)) as pilot:
            screen = await opened(pilot)
            assert [line.split()[-1] for line in listed(screen)[1:]] == ["unused", "unused"]
            more = [agent(call("a", "tides"), call("b", "read", path="notes.md")), ran("a"), ran("b", "another text")]
            await grow(pilot, path, "".join(lines_of([*entries, *more])[len(entries) :]))
            await until(pilot, lambda: screen.is_settled)
            assert [line.split()[-1] for line in listed(screen)[1:]] == ["used", "stale"]
            await press(pilot, "G", "enter")
            assert "the file had changed when the agent read it" in " ".join(on_screen(pilot).split())

    run(test)


def test_records_without_notes(tmp_path: Path) -> None:
    """A record that no diagnostic entry tells of is shown as well, as another extension leaves it (spec P6, E3)."""
    data = {"prefetch": {"rounds": []}, "suggestions": ["skill:tides"]}
    carrier: Fields = {"type": "custom_message", "customType": "capability-prefetch", "content": "x", "details": data}
    path = write_session(tmp_path / "s.jsonl", user("Look."), carrier)

    async def test() -> None:
        async with console(path, size=(150, 30)) as pilot:
            screen = await opened(pilot)
            assert listed(screen)[0].endswith("no notes")
            assert "a message to the model, by another" in on_screen(pilot)
            assert "no diagnostic entry tells of it" in " ".join(on_screen(pilot).split())
            assert screen.chosen_attempt() is None

    run(test)


def test_under_way_and_broken_off(tmp_path: Path) -> None:
    """A preparation under way says how long; one that was broken off that it has no end."""
    path = write_session(tmp_path / "s.jsonl", user(), begins(preparation()))
    clock = Clock(BEGAN + 5)

    async def test() -> None:
        async with console(path, size=(150, 30), clock=clock) as pilot:
            screen = await opened(pilot)
            assert listed(screen)[0].endswith("running 5 s")
            clock.now += 9000
            screen.grew()
            await until(pilot, lambda: listed(screen)[0].endswith("incomplete"))
            assert "whatever ran it was broken off" in " ".join(on_screen(pilot).split())

    run(test)


def test_missing_child(path: Path, tmp_path: Path) -> None:
    """Without the child it is not known whether a command was confined, and why is said."""
    for child in (tmp_path / "children").iterdir():
        child.unlink()

    async def test() -> None:
        async with console(path, size=(150, 38), clock=Clock(ENDED)) as pilot:
            await opened(pilot)
            await press(pilot, "j")
            assert str(tmp_path / "children") in "".join(on_screen(pilot).split())
            await press(pilot, "G")
            assert "confined not told" in on_screen(pilot)
            assert "./check.py:5:" in on_screen(pilot)

    run(test)


def test_nothing_yet(tmp_path: Path) -> None:
    """An empty pane says what would be here and what to set."""
    path = write_session(tmp_path / "s.jsonl", user())

    async def test() -> None:
        async with console(path) as pilot:
            await opened(pilot)
            told = " ".join(on_screen(pilot).split())
            assert EMPTY_WORDS[Pane.PREPARED][0] in told
            assert "capabilityPrediction or actionPrediction true" in told
            await press(pilot, "enter", "y", "o", "x", "e")

    run(test)
