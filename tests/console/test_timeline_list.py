from pathlib import Path

import pytest

from tests.console.driven import Clock, chosen, console, grow, nested, press, run, settle, shown, until, up, watched
from tests.handmade import Fields, agent, call, lines_of, ran, user, write_session

MANY = [
    entry
    for number in range(40)
    for entry in (
        *([user(f"turn {number}")] if number % 10 == 0 else []),
        agent(call(f"c{number}", command=f"run {number}")),
        ran(f"c{number}", is_error=number % 7 == 0),
    )
]
"""Four turns of ten calls each, of which some failed."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Give a session of forty calls."""
    return write_session(tmp_path / "s.jsonl", *MANY)


def more(*entries: Fields, after: int = len(MANY)) -> str:
    """Give lines that go on from a session's last entry."""
    return "".join(lines_of([*[user()] * after, *entries])[after:])


def test_opens_at_the_end(path: Path) -> None:
    """A session opens at its end, and follows it."""

    async def test() -> None:
        async with console(path) as pilot:
            assert "run 39" in chosen(pilot)
            assert watched(pilot).listing.follows
            assert "run 39" in shown(watched(pilot).listing)[-1]

    run(test)


def test_follow(path: Path) -> None:
    """Who follows sees each new row, with the cursor on it."""

    async def test() -> None:
        async with console(path) as pilot:
            await grow(pilot, path, more(agent(call("new", command="run new"))))
            assert "run new" in chosen(pilot)
            assert "run new" in shown(watched(pilot).listing)[-1]

    run(test)


def test_stay(path: Path) -> None:
    """Who stays sees the same rows, with the cursor where it was, whatever is added; G follows again."""

    async def test() -> None:
        async with console(path) as pilot:
            await up(pilot, 10)
            before = chosen(pilot), shown(watched(pilot).listing)
            await grow(pilot, path, more(agent(call("new", command="run new")), ran("new"), user("next")))
            assert (chosen(pilot), shown(watched(pilot).listing)) == before
            await press(pilot, "G")
            assert "next" in chosen(pilot)
            assert watched(pilot).listing.follows

    run(test)


def test_a_filter_that_comes_and_goes(path: Path) -> None:
    """The cursor stays on its row while a filter comes and goes; where its row is hidden it goes to the one before."""

    async def test() -> None:
        async with console(path) as pilot:
            screen = watched(pilot)
            for number in (28, 30):
                assert screen.timeline
                row = screen.timeline.row_of_call(number)
                assert row is not None
                assert screen.listing.view
                screen.listing.go_to(screen.listing.view.nearest_line(row))
                screen._filter_by("is:failed", complain=True)
                assert "run 28" in chosen(pilot)
                screen.action_clear_filter()
                assert "run 28" in chosen(pilot)

    run(test)


def test_folding(path: Path) -> None:
    """Folding goes to the row that stands for the others; it unfolds where it is."""

    async def test() -> None:
        async with console(path) as pilot:
            await up(pilot, 5)
            await press(pilot, "z")
            assert chosen(pilot).endswith("+ 10 rows")
            assert "turn 30" in chosen(pilot)
            await press(pilot, "z")
            assert "turn 30" in chosen(pilot)
            await press(pilot, "Z")
            assert "turn 30" in chosen(pilot)
            assert len([line for line in shown(watched(pilot).listing) if line]) == 4
            await press(pilot, "Z")
            assert "turn 30" in chosen(pilot)

    run(test)


def test_folding_above(path: Path) -> None:
    """When rows above the cursor fold away the cursor stays on its row."""

    async def test() -> None:
        async with console(path) as pilot:
            await press(pilot, "k", "k")
            view = watched(pilot).listing.view
            assert view is not None
            before = chosen(pilot)
            view.toggle_fold(0)
            watched(pilot).listing._show_from(0)
            await settle(pilot)
            assert chosen(pilot) == before

    run(test)


def test_a_nested_call_is_inserted(tmp_path: Path) -> None:
    """When calls that another tool made are put between, the cursor stays on its row, and the window with it."""
    entries = [*MANY, agent(call("mode", "codemode"), call("after", command="run after"))]
    path = write_session(tmp_path / "s.jsonl", *entries)

    async def test() -> None:
        async with console(path) as pilot:
            await press(pilot, "k", "j")
            watched(pilot).listing.follows = False
            before = chosen(pilot)
            assert "run after" in before
            await grow(pilot, path, more(nested("mode", ("bash", "ok"), ("bash", "ok")), after=len(entries)))
            assert chosen(pilot) == before
            assert sum("nested" in line for line in shown(watched(pilot).listing)) == 2

    run(test)


def test_a_switch_of_branch(tmp_path: Path) -> None:
    """When the conversation goes back the cursor stays on its row if that is still there, else near it."""
    path = write_session(tmp_path / "s.jsonl", *MANY)

    async def test() -> None:
        async with console(path) as pilot:
            await up(pilot, 25)
            before = chosen(pilot)
            await grow(pilot, path, more(user("another way", parentId=f"e{len(MANY) - 20}")))
            assert chosen(pilot) == before
            await press(pilot, "G")
            assert "another way" in chosen(pilot)
            await grow(
                pilot, path, more(user("and another"), after=len(MANY) + 1).replace(f'"e{len(MANY) + 1}"', '"e10"', 1)
            )
            assert "and another" in chosen(pilot)

    run(test)


def test_abandoned_branches_on_demand(data: Path) -> None:
    """Abandoned branches come and go with a key, and the cursor stays on its row."""

    async def test() -> None:
        async with console(data / "branch.jsonl") as pilot:
            await press(pilot, "k", "k", "j")
            before = chosen(pilot)
            await press(pilot, "a")
            assert any(line.startswith("~") for line in shown(watched(pilot).listing))
            assert chosen(pilot) == before
            await press(pilot, "a")
            assert not any(line.startswith("~") for line in shown(watched(pilot).listing))
            assert chosen(pilot) == before

    run(test)


def test_resize(path: Path) -> None:
    """From 200 by 60 to 40 by 10 and back, the chosen row stays chosen and in sight."""

    async def test() -> None:
        async with console(path, size=(200, 60)) as pilot:
            await up(pilot, 13)
            listing = watched(pilot).listing
            row = listing.chosen_row()
            for size in ((40, 10), (200, 60), (60, 15), (200, 60)):
                await pilot.resize_terminal(*size)
                await settle(pilot)
                assert listing.chosen_row() == row
                assert 0 <= listing.cursor - round(listing.scroll_y) < listing.size.height
                assert "run 27" in chosen(pilot)

    run(test)


def test_jumps(path: Path) -> None:
    """Keys go to the next finding, rejection, turn, and back; where there is none it is said."""

    async def test() -> None:
        async with console(path) as pilot:
            await press(pilot, "N")
            assert "run 35" in chosen(pilot)
            await press(pilot, "N", "n")
            assert "run 35" in chosen(pilot)
            await press(pilot, "left_square_bracket", "left_square_bracket")
            assert "turn 20" in chosen(pilot)
            await press(pilot, "right_square_bracket")
            assert "turn 30" in chosen(pilot)
            before = chosen(pilot)
            for key, words in (
                ("full_stop", "no rejection below"),
                ("comma", "no rejection above"),
                ("m", "no reminder below"),
                ("M", "no reminder above"),
                ("right_square_bracket", "no turn below"),
            ):
                await press(pilot, key)
                assert chosen(pilot) == before
                assert [notice.message for notice in pilot.app._notifications] == [words]

    run(test)


def test_rejections(data: Path) -> None:
    """The keys for rejections go from one rejected call to the next."""

    async def test() -> None:
        async with console(data / "rejects.jsonl") as pilot:
            await press(pilot, "g", "full_stop")
            assert "structure" in chosen(pilot)
            await press(pilot, "full_stop", "full_stop")
            assert "unknown-tool" in chosen(pilot)
            await press(pilot, "comma")
            assert "2nd try" in chosen(pilot)

    run(test)


def test_running_calls_tick(tmp_path: Path) -> None:
    """A running call in sight tells anew how long, second by second."""
    path = write_session(tmp_path / "s.jsonl", agent(call("c", command="sleep 60")))

    async def test() -> None:
        clock = Clock()
        async with console(path, clock=clock) as pilot:
            assert "running 59 s" in chosen(pilot)
            clock.now += 31
            await until(pilot, lambda: "running 90 s" in chosen(pilot) or "running 2 min" in chosen(pilot))
            clock.now -= 4000
            await until(pilot, lambda: "running 0 s" in chosen(pilot))

    run(test)
