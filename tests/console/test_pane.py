from collections.abc import Hashable, Sequence
from pathlib import Path

import pytest

from pilotage.console.panes import EMPTY_WORDS, Pane
from pilotage.console.parts import Part, Whole
from pilotage.console.pieces import Piece, PieceLine, cut
from pilotage.console.screens.pane import PaneScreen
from pilotage.console.screens.picker import PickerScreen
from pilotage.console.screens.whole import WholeText
from pilotage.console.widgets.choices import Choice
from pilotage.plain import plain_line
from tests.console.driven import (
    PALETTE,
    Driven,
    bar,
    chosen,
    console,
    grow,
    on_screen,
    palettes,
    press,
    run,
    settle,
    shown,
    strips,
    toasts,
    watched,
)
from tests.handmade import agent, call, lines_of, ran, user, write_session

ENTRIES = (
    user("Find out why"),
    *(agent(call(f"c{number}", command=f"run {number}", intent=f"intent {number}")) for number in range(12)),
)


class Intents(PaneScreen):
    """The intents of the session, the newest on top."""

    pane = Pane.EVIDENCE

    def choices(self) -> Sequence[Choice]:
        """Each call."""
        calls = self.watched.timeline.calls.items if self.watched.timeline else []
        intents = [plain_line(one.intent or "") for one in reversed(calls)]
        return [Choice(lambda width, text=text: [Piece(cut(text, width))], text) for text in intents]  # type: ignore[misc]

    def detail_of(self, key: Hashable, width: int) -> list[PieceLine]:
        """The intent, and how wide there is room."""
        return [[Piece(f"detail of {key}, {width} wide")]]

    def notice(self) -> Sequence[str]:
        """That there are none."""
        return "No intent here.", "They are listed as soon as there are."

    def hints(self) -> Sequence[Piece]:
        """Something to do."""
        return (Piece("y copy", "dim", command="copy-part"),)

    def parts(self) -> list[Part]:
        """The intent."""
        return [Part("i", "intent", str(self.listing.chosen))]

    def whole(self) -> Whole:
        """The intent."""
        return Whole("intent", f"whole {self.listing.chosen}")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Give a session with twelve calls."""
    return write_session(tmp_path / "s.jsonl", *ENTRIES)


async def opened(pilot: Driven) -> Intents:
    """Push the pane over the session."""
    pane = Intents(PALETTE, watched(pilot))
    pilot.app.push_screen(pane)
    await settle(pilot)
    return pane


def test_looks(path: Path) -> None:
    """A pane has the session's head, the tabs with its own lit, its hints and the help; wide, the detail is beside."""

    async def test() -> None:
        async with console(path, size=(150, 30)) as pilot:
            head = bar(pilot, "head")
            pane = await opened(pilot)
            assert bar(pilot, "head") == head
            assert bar(pilot, "foot").startswith("calls   reminders   search   prepared   evidence   study")
            assert bar(pilot, "foot").endswith("y copy   ? help")
            lit = [one.text for one in pane.query_one("#foot").render_line(0) if one.style and one.style.bold]
            assert lit == ["evidence"]
            assert shown(pane.listing)[0] == "intent 11"
            assert any("detail of intent 11" in line for line in shown(pane.detail))
            await press(pilot, "j")
            assert any("detail of intent 10" in line for line in shown(pane.detail))

    run(test)


@pytest.mark.parametrize("size", [(80, 24), (60, 15), (150, 38)])
def test_detail_and_back(path: Path, size: tuple[int, int]) -> None:
    """Enter opens the detail and then the whole text; Escape goes back, to the same row, and then to the calls."""

    async def test() -> None:
        async with console(path, size=size) as pilot:
            pane = await opened(pilot)
            await press(pilot, "j", "j", "enter")
            assert pane.detail.has_focus
            assert "detail of intent 9" in on_screen(pilot)
            await press(pilot, "enter")
            assert isinstance(pilot.app.screen, WholeText)
            assert "whole intent 9" in on_screen(pilot)
            await press(pilot, "escape", "escape")
            assert pane.listing.has_focus
            assert pane.listing.chosen == "intent 9"
            await press(pilot, "tab", "tab")
            assert pane.listing.has_focus
            await press(pilot, "escape")
            assert pilot.app.screen is watched(pilot)
            assert "intent 11" in chosen(pilot)

    run(test)


def test_session_grows_behind(path: Path) -> None:
    """While a pane is in front the session is read on: the pane shows what is new, and keeps cursor and window."""

    async def test() -> None:
        async with console(path, size=(150, 10)) as pilot:
            pane = await opened(pilot)
            await press(pilot, *"jjjjjjjjj")
            before = shown(pane.listing), pane.listing.chosen
            more = agent(call("new", command="x", intent="intent 12")), ran("new")
            await grow(pilot, path, "".join(lines_of([*ENTRIES, *more])[len(ENTRIES) :]))
            assert (shown(pane.listing), pane.listing.chosen) == before
            await press(pilot, "g")
            assert shown(pane.listing)[0] == "intent 12"
            await press(pilot, "escape")
            assert "intent 12" in chosen(pilot)

    run(test)


def test_nothing_to_list(tmp_path: Path) -> None:
    """An empty pane says so over its whole width; Enter and Tab do no harm, and what comes is listed."""
    path = write_session(tmp_path / "s.jsonl", user("first"))

    async def test() -> None:
        async with console(path, size=(150, 20)) as pilot:
            pane = await opened(pilot)
            assert "No intent here." in on_screen(pilot)
            assert not pane.detail.region.area
            await press(pilot, "enter", "tab", "j", "G")
            assert pane.listing.has_focus
            more = lines_of([user("first"), agent(call("a", command="x", intent="the first"))])[1:]
            await grow(pilot, path, "".join(more))
            await settle(pilot)
            assert "detail of the first" in on_screen(pilot)

    run(test)


def test_keys_of_every_pane(path: Path) -> None:
    """From a pane the keys lead to the other panes, to another theme, the help, the picker and out."""

    async def test() -> None:
        async with console(path) as pilot:
            await opened(pilot)
            await press(pilot, "2")
            assert EMPTY_WORDS[Pane.REMINDERS][0] in on_screen(pilot)
            await press(pilot, "escape")
            pane = await opened(pilot)
            await press(pilot, "1")
            assert pilot.app.screen is watched(pilot)
            pane = await opened(pilot)
            await press(pilot, "t")
            light = next(one for one in palettes() if one.name == "light")
            grounds = {light.style("text", ground).bgcolor for ground in ("ground", "head", "cursor")}
            for _, strip in strips(pilot):
                assert {segment.style.bgcolor for segment in strip if segment.style} <= grounds
            await press(pilot, "question_mark")
            assert isinstance(pilot.app.screen, WholeText)
            await press(pilot, "escape", "y", "i")
            assert toasts(pilot)[-1].startswith("intent copied")
            await press(pilot, "p")
            assert isinstance(pilot.app.screen, PickerScreen)
            await press(pilot, "escape")
            assert pilot.app.screen is pane
            await press(pilot, "6")
            assert not isinstance(pilot.app.screen, Intents)
            assert len(pilot.app.screen_stack) == 3
            await press(pilot, "q")
            assert pilot.app.return_value == 0

    run(test)


def test_saving_from_a_pane(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is chosen can be saved under a name that is asked for."""
    monkeypatch.chdir(tmp_path)

    async def test() -> None:
        async with console(path) as pilot:
            pane = await opened(pilot)
            await press(pilot, "x", "enter")
            assert (tmp_path / "intent.txt").read_text() == "whole intent 11"
            assert pane.listing.has_focus
            await press(pilot, "x", "escape")
            assert pane.listing.has_focus

    run(test)


def test_another_session_from_a_pane(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A session that is picked in front of a pane takes the place of the one before, and the pane is gone."""
    monkeypatch.setenv("PI_CODING_AGENT_SESSION_DIR", str(tmp_path / "sessions"))
    (tmp_path / "sessions").mkdir()
    other = write_session(tmp_path / "sessions" / "other.jsonl", user("Another task"))

    async def test() -> None:
        async with console(path) as pilot:
            first = watched(pilot)
            await opened(pilot)
            await press(pilot, "p")
            for _ in range(200):
                await pilot.pause(0.01)
                if "Another task" in on_screen(pilot):
                    break
            await press(pilot, "enter")
            await settle(pilot)
            assert pilot.app.screen is watched(pilot) is not first
            assert len(pilot.app.screen_stack) == 2
            assert first._feed._ended.is_set()
            assert other.exists()

    run(test)
