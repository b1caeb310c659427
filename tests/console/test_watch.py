from pathlib import Path

import pytest

from pilotage.console.panes import EMPTY_WORDS, Pane
from tests.console.driven import (
    bar,
    chosen,
    console,
    grow,
    on_screen,
    press,
    reminder,
    run,
    settle,
    shown,
    toasts,
    until,
    up,
    watched,
)
from tests.handmade import agent, call, lines_of, ran, user, write_session

ENTRIES = (
    user("Find out why"),
    agent(call("a", "bash", command="pytest -q", intent="Does it fail alone?")),
    ran("a", "the needle is here", is_error=True),
    reminder(("Reproduce it first", "AGENTS.md")),
    agent(call("b", "read", path="a.py", intent="See what it waits for")),
    ran("b", "import os"),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Give a session with a failure and a reminder."""
    return write_session(tmp_path / "s.jsonl", *ENTRIES)


def test_wide(path: Path) -> None:
    """On a wide terminal the detail of the chosen row stands beside the list, and follows the cursor."""

    async def test() -> None:
        async with console(path, size=(160, 40)) as pilot:
            screen = watched(pilot)
            assert screen.listing.region.width + screen.detail.region.width == 160
            assert "import os" in "\n".join(shown(screen.detail))
            await press(pilot, "k")
            assert "Reproduce it first" in "\n".join(shown(screen.detail))

    run(test)


def test_narrow(path: Path) -> None:
    """On a narrow one Enter opens the detail over the list, and Escape goes back to the same row."""

    async def test() -> None:
        async with console(path, size=(80, 24)) as pilot:
            screen = watched(pilot)
            assert not screen.detail.region.area
            await press(pilot, "k", "enter")
            assert not screen.listing.region.area
            assert "Reproduce it first" in on_screen(pilot)
            await press(pilot, "escape")
            assert "Reproduce it first" in chosen(pilot)
            assert screen.listing.has_focus

    run(test)


@pytest.mark.parametrize("size", [(60, 15), (40, 10), (80, 24), (109, 30), (110, 30), (200, 60), (20, 5)])
def test_any_size(path: Path, size: tuple[int, int]) -> None:
    """On any terminal from 60 by 15 up head, rows and foot are there; on smaller ones nothing fails."""

    async def test() -> None:
        async with console(path, size=size) as pilot:
            await press(pilot, "enter", "escape", "2", "3", "escape", "4", "1")
            assert "See what it waits for"[:6] in chosen(pilot) or size[0] < 40
            if size[0] >= 60:
                assert bar(pilot, "head").startswith("reeds")
                assert bar(pilot, "head").endswith("live")
                assert bar(pilot, "foot").startswith("calls")
                assert bar(pilot, "foot").endswith("? help")

    run(test)


def test_from_wide_to_narrow_and_back(path: Path) -> None:
    """A detail that is read on a wide terminal is still there when it becomes narrow, and so is the list after it."""

    async def test() -> None:
        async with console(path, size=(160, 40)) as pilot:
            await press(pilot, "enter")
            await pilot.resize_terminal(70, 20)
            await settle(pilot)
            assert "import os" in on_screen(pilot)
            await press(pilot, "escape")
            assert "Does it fail alone?" in on_screen(pilot)
            await pilot.resize_terminal(160, 40)
            await settle(pilot)
            assert "import os" in on_screen(pilot)
            assert "Does it fail alone?" in on_screen(pilot)

    run(test)


@pytest.mark.parametrize("size", [(160, 40), (80, 24), (60, 15)])
def test_empty_panes(tmp_path: Path, size: tuple[int, int]) -> None:
    """A pane with nothing to show says what would be there; after it the keys are the list's again."""
    path = write_session(
        tmp_path / "s.jsonl", user("first"), agent(call("a", command="x")), agent(call("b", command="y"))
    )

    async def test() -> None:
        async with console(path, size=size) as pilot:
            for key, pane in (
                ("2", Pane.REMINDERS),
                ("4", Pane.PREPARED),
                ("e", Pane.EVIDENCE),
            ):
                await press(pilot, key)
                assert EMPTY_WORDS[pane][0] in on_screen(pilot)
                await press(pilot, "escape")
                assert "bash   y" in chosen(pilot)
            await press(pilot, "4", "1", "k")
            assert "bash   x" in chosen(pilot)

    run(test)


def test_reminders(path: Path) -> None:
    """The pane of reminders shows them, with source and the calls since beside; back, and the rows are there."""

    async def test() -> None:
        async with console(path) as pilot:
            assert "reminders 1" in bar(pilot, "foot")
            await press(pilot, "2")
            assert " > 09:00 Reproduce it first" in on_screen(pilot)
            assert "AGENTS.md" in on_screen(pilot)
            assert "read   See what it wa" in on_screen(pilot)
            await press(pilot, "escape")
            assert "Does it fail alone?" in on_screen(pilot)

    run(test)


def test_a_first_reminder_arrives(tmp_path: Path) -> None:
    """When the first reminder comes while its pane is open it is shown there."""
    path = write_session(tmp_path / "s.jsonl", user("first"))

    async def test() -> None:
        async with console(path) as pilot:
            await press(pilot, "2")
            assert "No reminder in this session." in on_screen(pilot)
            await grow(pilot, path, "".join(lines_of([user(), reminder(("Reproduce it", "AGENTS.md"))])[1:]))
            await until(pilot, lambda: "Reproduce it" in on_screen(pilot))
            assert "No reminder" not in on_screen(pilot)

    run(test)


def test_filter_while_typing(path: Path) -> None:
    """A filter works while it is typed, stays after Enter, is said at the foot, and goes with Escape or Backspace."""

    async def test() -> None:
        async with console(path) as pilot:
            await press(pilot, "slash", *"is:fa")
            assert len([line for line in shown(watched(pilot).listing) if line]) == 4
            await press(pilot, *"iled")
            assert len([line for line in shown(watched(pilot).listing) if line]) == 1
            await press(pilot, "enter")
            assert "is:failed: 1 shown, 3 rows hidden" in bar(pilot, "foot")
            await press(pilot, "slash")
            assert watched(pilot).prompt.value == "is:failed"
            await press(pilot, "enter", "escape")
            assert len([line for line in shown(watched(pilot).listing) if line]) == 4
            await press(pilot, "slash", *"needle", "escape")
            assert "hidden" not in bar(pilot, "foot")
            await press(pilot, "slash", *"alone", "enter", "backspace")
            assert len([line for line in shown(watched(pilot).listing) if line]) == 4

    run(test)


def test_a_filter_that_is_none(path: Path) -> None:
    """A filter with a state that there is not is refused in words, and the rows stay."""

    async def test() -> None:
        async with console(path) as pilot:
            await press(pilot, "slash", *"is:[/x]", "enter")
            assert toasts(pilot)[-1].startswith("is:[/x] is not known")
            assert len([line for line in shown(watched(pilot).listing) if line]) == 4

    run(test)


def test_filter_from_the_detail(path: Path) -> None:
    """A filter that is typed over the detail shows its rows, on a narrow terminal too."""

    async def test() -> None:
        async with console(path, size=(80, 24)) as pilot:
            await press(pilot, "enter", "slash", *"is:failed", "enter")
            assert "Does it fail alone?" in on_screen(pilot)
            assert watched(pilot).listing.has_focus

    run(test)


def test_search_in_all_text(path: Path) -> None:
    """A search finds text in outputs that nobody opened, and says when there is none."""

    async def test() -> None:
        async with console(path) as pilot:
            await press(pilot, "ctrl+f", *"NEEDLE", "enter")
            await until(pilot, lambda: "'NEEDLE': 1 shown, 3 rows hidden" in bar(pilot, "foot"))
            assert "Does it fail alone?" in on_screen(pilot)
            await press(pilot, "escape", "ctrl+f", *"[/x]", "enter")
            await until(pilot, lambda: toasts(pilot)[-1:] == ["'[/x]' stands nowhere in this session"])
            await press(pilot, "backspace")
            assert "hidden" not in bar(pilot, "foot")

    run(test)


def test_following_is_said(path: Path) -> None:
    """The foot says whether the end is followed; a key, and a click there, change it."""

    async def test() -> None:
        async with console(path) as pilot:
            assert "following" in bar(pilot, "foot")
            await press(pilot, "f")
            assert "staying" in bar(pilot, "foot")
            await press(pilot, "g", "f")
            assert "following" in bar(pilot, "foot")
            assert "See what it waits for" in chosen(pilot)
            foot = watched(pilot).query_one("#foot")
            await pilot.click("#foot", offset=(bar(pilot, "foot").index("following") + 3, foot.region.height - 1))
            assert "staying" in bar(pilot, "foot")

    run(test)


def test_a_result_renews_the_detail(tmp_path: Path) -> None:
    """When the chosen call gets its result the detail shows it."""
    path = write_session(tmp_path / "s.jsonl", *ENTRIES[:2])

    async def test() -> None:
        async with console(path) as pilot:
            assert "no result yet" in on_screen(pilot)
            await grow(pilot, path, lines_of(ENTRIES)[2])
            await until(pilot, lambda: "the needle is here" in on_screen(pilot))

    run(test)


def test_a_large_output(tmp_path: Path) -> None:
    """An output of five megabytes is read in a thread, shown in part, and whole on a screen of its own."""
    entries = *ENTRIES[:2], ran("a", "x" * 5_000_000 + "\nthe end")
    path = write_session(tmp_path / "s.jsonl", *entries)

    async def test() -> None:
        async with console(path) as pilot:
            await until(pilot, lambda: "2 lines, 5,000,008 characters" in on_screen(pilot))
            await press(pilot, "enter", "enter", "G")
            assert "the end" in on_screen(pilot)
            await press(pilot, "q", "escape")
            await up(pilot, 1)
            assert "Find out why" in chosen(pilot)

    run(test)


def test_clicks_on_the_foot(path: Path) -> None:
    """The names of the panes can be clicked."""

    async def test() -> None:
        async with console(path) as pilot:
            foot = watched(pilot).query_one("#foot")
            await pilot.click("#foot", offset=(bar(pilot, "foot").index("evidence") + 2, foot.region.height - 1))
            assert EMPTY_WORDS[Pane.EVIDENCE][0] in on_screen(pilot)

    run(test)
