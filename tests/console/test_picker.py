import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.message import Message

from pilotage import paths
from pilotage.calls.counts import COUNTS_FILE
from pilotage.console.messages import CountsRead, SessionsListed
from pilotage.console.screens.picker import PORTION, PickerScreen, SessionList
from tests.console.driven import (
    NOW,
    PALETTE,
    Clock,
    Driven,
    bar,
    console,
    on_screen,
    picker,
    press,
    run,
    settle,
    shown,
    toasts,
    until,
    watched,
)
from tests.handmade import HOSTILE, Fields, agent, call, ran, refused, user, write_session

HERE = Path("/home/dev/reeds")
CALLS = agent(call("a", command="x")), ran("a"), agent(call("b", command="y")), refused("b", "bash")


@pytest.fixture
def sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Give what writes a session into the folder that Pi is told to use, written so many seconds ago."""
    folder = tmp_path / "sessions"
    folder.mkdir()
    monkeypatch.setenv(paths.SESSION_DIR, str(folder))

    def write(name: str, ago: float, *entries: Fields, **header: object) -> Path:
        path = write_session(folder / f"{name}.jsonl", *entries, **{"cwd": str(HERE), "id": name, **header})
        os.utime(path, (NOW - ago, NOW - ago))
        return path

    return write


async def all_counted(pilot: Driven, count: int) -> list[str]:
    """Wait until all sessions are listed and counted; the list's lines."""
    await until(pilot, lambda: picker(pilot).counted == count)
    return [line for line in shown(picker(pilot).sessions) if line]


def test_what_a_line_says(sessions: Callable[..., Path]) -> None:
    """A line says project, name or first words, calls, findings, and how long ago; a live one is marked and said."""
    sessions("named", 30, {"type": "session_info", "name": "fix the upload"}, user("first"), *CALLS)
    sessions("unnamed", 4000, user("why is the legend empty"))

    async def test() -> None:
        async with console(None, cwd=HERE, picks=True) as pilot:
            lines = await all_counted(pilot, 2)
            assert lines[0].split() == ["*", "reeds", "fix", "the", "upload", "2", "calls", "1", "finding", "live"]
            assert " ".join(lines[1].split()) == "reeds why is the legend empty 0 calls 67 min ago"
            assert bar(pilot, "head").endswith("2 sessions")

    run(test)


def test_order(sessions: Callable[..., Path]) -> None:
    """Sessions of the project come first, the newest on top; then the others."""
    sessions("elsewhere", 10, user("other and live"), cwd="/home/dev/heron")
    sessions("old", 9000, user("here and old"))
    sessions("new", 200, user("here and newer"))
    sessions("live", 20, user("here and live"))

    async def test() -> None:
        async with console(None, cwd=HERE, picks=True) as pilot:
            lines = await all_counted(pilot, 4)
            found = [next(word for word in ("and live", "newer", "and old") if word in line) for line in lines]
            assert found == ["and live", "newer", "and old", "and live"]
            assert "heron" in lines[3]
            assert [line[1] for line in lines] == ["*", " ", " ", "*"]

    run(test)


def test_evidence_is_left_out(sessions: Callable[..., Path]) -> None:
    """Sessions that hold what a model was asked are in no list, by folder or by name (spec E3)."""
    sessions("own", 30, user("why is the legend empty"))
    sessions("asked", 20, user("Below is the material"), cwd=f"{tempfile.gettempdir()}/pilotage")
    name = {"type": "session_info", "name": "pi-discovery · trajectory · llama/iq3 · 1"}
    sessions("other", 10, name, user("x"), cwd="/elsewhere/pi-discovery")

    async def test() -> None:
        async with console(None, cwd=HERE, picks=True) as pilot:
            (line,) = await all_counted(pilot, 1)
            assert "why is the legend empty" in line
            assert bar(pilot, "head").endswith("1 session")

    run(test)


def test_typing_filters(sessions: Callable[..., Path]) -> None:
    """Typing filters by project, name, first words and id; Enter opens what is chosen."""
    wanted = sessions("id-77", 500, user("late ack"))
    sessions("id-88", 400, user("empty legend"))
    sessions("id-99", 300, user("late again"), cwd="/home/dev/heron")

    async def test() -> None:
        async with console(None, cwd=HERE, picks=True) as pilot:
            await all_counted(pilot, 3)
            await press(pilot, *"LATE")
            assert [line.split()[0] for line in shown(picker(pilot).sessions) if line] == ["reeds", "heron"]
            assert bar(pilot, "head").endswith("2 of 3 sessions")
            await press(pilot, *" heron")
            assert len([line for line in shown(picker(pilot).sessions) if line]) == 1
            await press(pilot, *["backspace"] * 10, *"id-77", "enter")
            await until(pilot, lambda: not isinstance(pilot.app.screen, PickerScreen))
            assert watched(pilot).timeline is None or watched(pilot).timeline.session.path == wanted  # type: ignore[union-attr]
            await until(pilot, lambda: watched(pilot).is_up_to_date)
            assert "late ack" in on_screen(pilot)

    run(test)


def test_nothing_matches(sessions: Callable[..., Path]) -> None:
    """Where nothing matches it is said what can be done; Enter then opens nothing."""
    sessions("one", 500, user("late ack"))

    async def test() -> None:
        async with console(None, cwd=HERE, picks=True) as pilot:
            await all_counted(pilot, 1)
            await press(pilot, *"zzz", "enter")
            assert "No session matches. Fewer words, or Tab for all projects." in on_screen(pilot)
            assert picker(pilot).prompt.has_focus
            await press(pilot, *["backspace"] * 3)
            assert "late ack" in on_screen(pilot)

    run(test)


def test_scope(sessions: Callable[..., Path]) -> None:
    """Tab shows this project's sessions only, or all."""
    sessions("one", 500, user("late ack"))
    sessions("two", 300, user("heron"), cwd="/home/dev/heron")

    async def test() -> None:
        async with console(None, cwd=HERE, picks=True) as pilot:
            await all_counted(pilot, 2)
            await press(pilot, "tab")
            assert len([line for line in shown(picker(pilot).sessions) if line]) == 1
            assert "this project" in bar(pilot, "foot")
            await press(pilot, "tab")
            assert len([line for line in shown(picker(pilot).sessions) if line]) == 2

    run(test)


def test_no_session_at_all(sessions: Callable[..., Path], tmp_path: Path) -> None:
    """Where there is no session it is said where was looked, and what to do."""

    async def test() -> None:
        async with console(None, cwd=HERE, picks=True) as pilot:
            await until(pilot, lambda: "No session in" in on_screen(pilot))
            assert "Start Pi" in on_screen(pilot)
            await press(pilot, "enter", "down", "up", "pagedown", "pageup")
            assert isinstance(pilot.app.screen, PickerScreen)

    run(test)


def test_leaving(sessions: Callable[..., Path]) -> None:
    """Escape leaves the console where nothing is behind the list, and goes back to the session where one is."""
    path = sessions("one", 500, user("late ack"))

    async def test() -> None:
        async with console(None, cwd=HERE, picks=True) as pilot:
            await press(pilot, "escape")
            await settle(pilot)
            assert pilot.app.return_value == 0
        async with console(path, cwd=HERE) as pilot:
            await press(pilot, "p")
            await all_counted(pilot, 1)
            await press(pilot, "escape")
            assert pilot.app.screen is watched(pilot)
            assert pilot.app.return_value is None

    run(test)


def test_another_session(sessions: Callable[..., Path]) -> None:
    """Another session takes the place of the one before, which is no longer read."""
    first = sessions("one", 500, user("late ack"))
    sessions("two", 300, user("empty legend"))

    async def test() -> None:
        async with console(first, cwd=HERE) as pilot:
            before = watched(pilot)
            await press(pilot, "p")
            await all_counted(pilot, 2)
            await press(pilot, *"legend", "enter")
            await until(pilot, lambda: watched(pilot) is not before and watched(pilot).is_up_to_date)
            assert "empty legend" in on_screen(pilot)
            assert before._feed._ended.is_set()
            assert len(pilot.app.screen_stack) == 2

    run(test)


def test_clicks(sessions: Callable[..., Path]) -> None:
    """A click chooses a session, a second one opens it; the words of the foot can be clicked."""
    sessions("one", 500, user("late ack"))
    sessions("two", 300, user("empty legend"))

    async def test() -> None:
        async with console(None, cwd=HERE, picks=True) as pilot:
            await all_counted(pilot, 2)
            await pilot.click("#foot", offset=(bar(pilot, "foot").index("Tab") + 2, 1))
            assert "this project" in bar(pilot, "foot")
            await pilot.click(SessionList, offset=(30, 1))
            assert isinstance(pilot.app.screen, PickerScreen)
            await pilot.click(SessionList, offset=(31, 1))
            await until(pilot, lambda: not isinstance(pilot.app.screen, PickerScreen))
            await until(pilot, lambda: watched(pilot).is_up_to_date)
            assert "late ack" in on_screen(pilot)

    run(test)


class Listening(PickerScreen):
    """The list, which keeps the order of what it is told."""

    def __init__(self) -> None:
        super().__init__(PALETTE, HERE, Clock())
        self.told: list[tuple[str, int]] = []

    def post_message(self, message: Message) -> bool:
        """Keep it."""
        if isinstance(message, SessionsListed):
            self.told.append(("listed", len(message.listed)))
        if isinstance(message, CountsRead) and ("counted", 0) not in self.told:
            self.told.append(("counted", 0))
        return super().post_message(message)


def test_two_thousand_files(sessions: Callable[..., Path], tmp_path: Path) -> None:
    """Of two thousand files the first hundred are shown before the others are read, and all before any is counted."""
    header = sessions("0", 0).read_text()
    for number in range(1, 2000):
        (tmp_path / "sessions" / f"{number}.jsonl").write_text(header)

    async def test() -> None:
        async with console(None, cwd=HERE, picks=True) as pilot:
            screen = Listening()
            pilot.app.push_screen(screen)
            await until(pilot, lambda: ("counted", 0) in screen.told)
            assert screen.told[0] == ("listed", PORTION)
            assert [what for what, _ in screen.told] == ["listed"] * (len(screen.told) - 1) + ["counted"]
            assert sum(size for _, size in screen.told) == 2000
            assert "2,000 sessions" in bar(pilot, "head")

    run(test)


def test_counts_are_kept(sessions: Callable[..., Path], home: Path) -> None:
    """What was counted is kept, and a file that did not change is not counted again."""
    sessions("one", 500, *CALLS)

    async def test() -> None:
        async with console(None, cwd=HERE, picks=True) as pilot:
            await all_counted(pilot, 1)
            await until(pilot, lambda: (paths.cache_dir() / COUNTS_FILE).exists())
        kept = paths.cache_dir() / COUNTS_FILE
        kept.write_text(kept.read_text().replace('"calls":2', '"calls":77'))
        async with console(None, cwd=HERE, picks=True) as pilot:
            assert "77 calls" in (await all_counted(pilot, 1))[0]

    run(test)


def test_hostile_sessions(sessions: Callable[..., Path], tmp_path: Path) -> None:
    """Names, folders, words and file names of any kind have lines of the list's width, fit for a terminal."""
    name = HOSTILE.replace("/", "").replace("\0", "").replace("\ud800", "")
    for number, text in enumerate((HOSTILE, "[/bold] list[int]", "[@click=app.quit]x[/]", "漢" * 99, "x" * 70_000)):
        sessions(str(number), number, {"type": "session_info", "name": text}, user(text), cwd="/home/" + text)
    sessions("six", 50, user(HOSTILE), *CALLS).rename(tmp_path / "sessions" / f"{name}.jsonl")
    (tmp_path / "sessions" / "nothing.jsonl").write_bytes(b"\x00\xff\x1b[2J\n" * 9)
    (tmp_path / "sessions" / "folder.jsonl").mkdir()

    async def test() -> None:
        async with console(None, cwd=HERE, picks=True) as pilot:
            await until(pilot, lambda: "7 sessions" in bar(pilot, "head") and picker(pilot).counted >= 6)
            sessions_shown = picker(pilot).sessions
            for y in range(sessions_shown.size.height):
                strip = sessions_shown.render_line(y)
                assert strip.text.isprintable()
                assert strip.cell_length == sessions_shown.size.width
            assert "[/bold] list[int]" in on_screen(pilot)
            await pilot.click(SessionList, offset=(30, 2))
            assert toasts(pilot) == []
            assert isinstance(pilot.app.screen, PickerScreen)

    run(test)
