import json
from pathlib import Path

import pytest

from pilotage.console.panes import EMPTY_WORDS, Pane
from pilotage.console.screens.evidence import EvidenceScreen
from pilotage.console.screens.whole import TextLines, WholeText
from pilotage.evidence.child import begin_child
from pilotage.inference.question import Exchange, Question, Reply
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
    shown,
    toasts,
    until,
    watched,
)
from tests.console.evidenced import BEGAN, ENDED, begins, ends, review, reviewed
from tests.evidence.asked import BROKEN, ORIGIN, QUESTION
from tests.handmade import agent, call, lines_of, ran, user, write_session


@pytest.fixture
def path(data: Path, tmp_path: Path) -> Path:
    """Give the recorded session with its children."""
    return reviewed(data, tmp_path)


async def opened(pilot: Driven, *keys: str) -> EvidenceScreen:
    """Open the browser, and wait until what is unfolded was read."""
    await press(pilot, *(keys or ("5",)))
    screen = pilot.app.screen
    assert isinstance(screen, EvidenceScreen)
    await until(pilot, lambda: screen.is_settled)
    return screen


@pytest.mark.parametrize("size", [(80, 24), (60, 15), (150, 38)])
def test_looks(path: Path, size: tuple[int, int]) -> None:
    """The newest attempt is unfolded; Enter unfolds another, opens a text, and then the whole text."""

    async def test() -> None:
        async with console(path, size=size, clock=Clock(ENDED)) as pilot:
            screen = await opened(pilot)
            assert listed(screen)[0].startswith("the session  8 attempts")
            assert "- 21:04 review" in listed(screen)[2]
            assert screen.listing.chosen == ("session",)
            await press(pilot, "j", "j", "enter")
            assert not any("duties" in line for line in listed(screen))
            await press(pilot, "j", "enter")
            await until(pilot, lambda: screen.is_settled)
            assert any("duties" in line for line in listed(screen))
            await press(pilot, "j", "j", "enter")
            assert screen.detail.has_focus
            assert "input as sent" in on_screen(pilot)
            await press(pilot, "enter")
            assert isinstance(pilot.app.screen, WholeText)
            assert "input as sent" in bar(pilot, "head")
            await press(pilot, "q", "escape", "escape")
            assert pilot.app.screen is watched(pilot)

    run(test)


def test_finding_in_a_whole_text(path: Path) -> None:
    """In the whole text / finds words, n and N go on; the line is marked and in sight (spec U5: searchable)."""

    async def test() -> None:
        async with console(path, size=(80, 24), clock=Clock(ENDED)) as pilot:
            await press(pilot, "2", "G")
            screen = await opened(pilot, "e")
            await press(pilot, "k", "k", "enter", "enter")
            await press(pilot, "slash", *"check.py", "enter")
            lines = shown(pilot.app.screen.query_one(TextLines))
            assert "'check.py': line 1 of" in bar(pilot, "foot")
            assert "check.py" in next(line for line in lines if line.startswith(">"))
            await press(pilot, "n")
            assert "'check.py': line 2 of" in bar(pilot, "foot")
            await press(pilot, "N", "N")
            last = bar(pilot, "foot").split("line ")[1].split(" ")[0]
            assert bar(pilot, "foot").split("of ")[1].startswith(last)
            await press(pilot, "slash", *"zzz", "enter")
            assert "stands nowhere here" in bar(pilot, "foot")
            await press(pilot, "slash", "escape", "escape")
            assert pilot.app.screen is screen

    run(test)


def test_comparing(path: Path) -> None:
    """C marks an attempt and a second c on another shows how their inputs differ; the same again unmarks (spec U5)."""

    async def test() -> None:
        async with console(path, size=(100, 30), clock=Clock(ENDED)) as pilot:
            screen = await opened(pilot)
            await press(pilot, "c")
            assert toasts(pilot)[-1] == "choose an attempt to compare its input"
            await press(pilot, "G", "k", "c", "c")
            assert not any(line.startswith("c ") for line in listed(screen))
            await press(pilot, "c")
            assert sum(line.startswith("c ") for line in listed(screen)) == 1
            assert "c with this one" in bar(pilot, "foot")
            await press(pilot, "k", "c")
            await until(pilot, lambda: isinstance(pilot.app.screen, WholeText))
            told = on_screen(pilot)
            assert "review of step 2 at 21:04:41 and review of step 4 at 21:04:44" in told
            assert "system: the same" in told
            assert "+call read: Do the notes read well?" in told
            await press(pilot, "q")
            assert not any(line.startswith("c ") for line in listed(screen))

    run(test)


def test_comparing_with_one_that_is_gone(path: Path, tmp_path: Path) -> None:
    """Where one of both cannot be read there is no comparison, and it is said why."""
    for child in sorted((tmp_path / "children").iterdir())[:2]:
        child.unlink()

    async def test() -> None:
        async with console(path, size=(100, 30), clock=Clock(ENDED)) as pilot:
            await opened(pilot)
            await press(pilot, "G", "c", "k", "k", "c")
            await until(pilot, lambda: bool(toasts(pilot)) and "no comparison" in toasts(pilot)[-1])
            assert str(tmp_path / "children") in toasts(pilot)[-1]

    run(test)


def test_missing_children(path: Path, tmp_path: Path) -> None:
    """A child that is gone is said with its path; what the parent tells can still be opened (spec E3)."""
    for child in (tmp_path / "children").iterdir():
        child.unlink()

    async def test() -> None:
        async with console(path, size=(150, 38), clock=Clock(ENDED)) as pilot:
            await press(pilot, "2", "G")
            screen = await opened(pilot, "e")
            assert screen.listing.chosen == ("words", screen.chosen_attempt().id)  # type: ignore[union-attr]
            assert "the child session cannot be read" in on_screen(pilot)
            await press(pilot, "j", "enter")
            assert "Automatic review by Pilotage" in on_screen(pilot)

    run(test)


def test_copies(path: Path) -> None:
    """A text, the attempt's id and the commands that open the child can be copied; o opens the child."""

    async def test() -> None:
        async with console(path, size=(150, 38), clock=Clock(ENDED)) as pilot:
            await press(pilot, "2", "G")
            screen = await opened(pilot, "e")
            parts = {part.name: part.text for part in screen.parts()}
            assert parts["model's answer"].startswith('{"reminders"')
            assert parts["command for Pi"].startswith("pi --session /")
            assert screen.target() == Path(parts["file"])
            await press(pilot, "y", "t")
            assert toasts(pilot)[-1].startswith("model's answer copied")
            await press(pilot, "g", "j")
            assert [part.name for part in screen.parts()] == ["words"]

    run(test)


def test_huge_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer of 8 MiB, on one line and in many, is read in a thread, and only head and tail are wrapped."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    text = "a line of the answer\n" * 400_000
    body = json.dumps({"choices": [{"message": {"content": text}}]})
    asked = Question("trajectory", "Judge.", "What was done", {}, 100)
    child = begin_child(asked, "example/glm-5.3", ORIGIN)
    child.replied(Reply({}, text, "Judge.", "What was done", Exchange(request="{}", response=body, status=200)))
    entries = [user(), begins(review()), ends(review(), child=child.session.file)]
    path = write_session(tmp_path / "s.jsonl", *entries)

    async def test() -> None:
        async with console(path, size=(150, 38)) as pilot:
            screen = await opened(pilot)
            await press(pilot, "j", "j", "j", "j", "j", "j")
            assert "8,400,000 characters" in on_screen(pilot)
            await press(pilot, "enter", "G")
            assert screen.detail.count < 600
            await press(pilot, "enter", "G", "slash", *"answer", "enter")
            assert "of 400,000" in bar(pilot, "foot")
            await press(pilot, "q", "escape", "j", "enter", "enter", "slash", *"answer", "enter")
            assert "'answer': line" in bar(pilot, "foot")

    run(test)


def test_attempt_that_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is unfolded is read again when there is a child, when that is written to, and when the attempt ends."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    entries = [user(), begins(review()), agent(call("a", command="x")), ran("a")]
    path = write_session(tmp_path / "s.jsonl", *entries)

    async def looked_again(screen: EvidenceScreen, pilot: Driven) -> str:
        screen.grew()
        await until(pilot, lambda: screen.is_settled)
        return on_screen(pilot)

    async def test() -> None:
        async with console(path, size=(150, 38), clock=Clock(BEGAN + 30)) as pilot:
            screen = await opened(pilot)
            assert "running 30 s" in listed(screen)[2]
            assert "no child session is named: that comes" in on_screen(pilot)
            child = begin_child(QUESTION, "example/glm-5.3", ORIGIN)
            told = await looked_again(screen, pilot)
            assert "duties" in told
            assert any(line.startswith("model's answer") and line.endswith("not recorded") for line in listed(screen))
            child.failed(BROKEN)
            await looked_again(screen, pilot)
            await press(pilot, "j", "j", "j", "j", "j", "j")
            assert "Nothing answers at 127.0.0.1:9931." in on_screen(pilot)
            end = ends(review(), failure=("unreachable", "Nothing answers."), child=child.session.file, at=BEGAN + 9)
            await grow(pilot, path, "".join(lines_of([*entries, end])[len(entries) :]))
            await until(pilot, lambda: screen.is_settled)
            assert "failed: unreachable" in listed(screen)[2]

    run(test)


def test_nothing_yet(tmp_path: Path) -> None:
    """An empty browser says what would be here and what makes some; no key does harm."""
    path = write_session(tmp_path / "s.jsonl", user())

    async def test() -> None:
        async with console(path) as pilot:
            screen = await opened(pilot)
            assert EMPTY_WORDS[Pane.EVIDENCE][0] in on_screen(pilot)
            await press(pilot, "z", "c", "enter", "y", "x", "o")
            assert pilot.app.screen is screen

    run(test)


def test_it_is_found_again_as_it_was(path: Path) -> None:
    """What was unfolded and marked is so when the browser is opened again."""

    async def test() -> None:
        async with console(path, size=(150, 38), clock=Clock(ENDED)) as pilot:
            screen = await opened(pilot)
            await press(pilot, "G", "z", "c")
            await until(pilot, lambda: screen.is_settled)
            before = listed(screen)
            await press(pilot, "1")
            assert listed(await opened(pilot)) == before

    run(test)
