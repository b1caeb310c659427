from collections.abc import Callable, Coroutine
from typing import Any

from textual.app import App, ComposeResult
from textual.pilot import Pilot

from pilotage.console.messages import CursorMoved, RowOpened
from pilotage.console.pieces import Piece, PieceLine
from pilotage.console.themes import Palette
from pilotage.console.widgets.detail import DetailPane
from pilotage.console.widgets.lines import LineList
from tests.console.driven import PALETTE, palettes, press, run, settle, shown


class Numbers(LineList):
    """Numbered lines; those that end with 5 are no resting place."""

    def __init__(self, palette: Palette) -> None:
        super().__init__(palette, id="numbers")
        self.made: list[int] = []

    def line_at(self, number: int, width: int) -> PieceLine:
        """One number, if there is room for it."""
        self.made.append(number)
        return [Piece(str(number))] if width else []

    def is_resting_place(self, number: int) -> bool:
        """Whether it does not end with 5."""
        return super().is_resting_place(number) and number % 10 != 5


class Listing(App[None]):
    """A list alone, which keeps what the list tells."""

    CSS = "Screen { layout: vertical; } LineList { height: 1fr; }"

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []

    def compose(self) -> ComposeResult:
        """The list."""
        yield Numbers(PALETTE)

    @property
    def numbers(self) -> Numbers:
        """The list."""
        return self.query_one(Numbers)

    def on_cursor_moved(self, _: CursorMoved) -> None:
        """Keep it."""
        self.told.append("moved")

    def on_row_opened(self, _: RowOpened) -> None:
        """Keep it."""
        self.told.append("opened")


def listed(test: Callable[[Pilot[None], Numbers], Coroutine[Any, Any, None]], count: int = 100) -> None:
    """Run a test on a list of so many lines in a window of ten."""

    async def body() -> None:
        app = Listing()
        async with app.run_test(size=(20, 10)) as pilot:
            app.numbers.focus()
            app.numbers.show(count, 0)
            await settle(pilot)
            await test(pilot, app.numbers)

    run(body)


def top(numbers: LineList) -> int:
    """Give the first line in sight."""
    return round(numbers.scroll_y)


def test_keys() -> None:
    """Keys move the cursor by a line, by a window, to the first and to the last line, and no further."""

    async def test(pilot: Pilot[None], numbers: Numbers) -> None:
        moves = {
            "j": 1,
            "down": 2,
            "k": 1,
            "up": 0,
            "pagedown": 9,
            "space": 18,
            "pageup": 9,
            "G": 99,
            "g": 0,
            "end": 99,
            "home": 0,
        }
        for key, line in moves.items():
            await press(pilot, key)
            assert numbers.cursor == line
        await press(pilot, "k")
        assert numbers.cursor == 0

    listed(test)


def test_the_cursor_stays_in_sight() -> None:
    """The window follows the cursor, and no further than it must."""

    async def test(pilot: Pilot[None], numbers: Numbers) -> None:
        for line, first in ((9, 0), (10, 1), (99, 90), (91, 90), (89, 89), (0, 0)):
            numbers.go_to(line)
            assert (numbers.cursor, top(numbers)) == (line, first)

    listed(test)


def test_lines_without_a_resting_place() -> None:
    """The cursor passes over lines where it may not stand, in the direction in which it goes."""

    async def test(pilot: Pilot[None], numbers: Numbers) -> None:
        numbers.go_to(4)
        await press(pilot, "j")
        assert numbers.cursor == 6
        await press(pilot, "k")
        assert numbers.cursor == 4
        numbers.go_to(15)
        assert numbers.cursor == 14

    listed(test)


def test_following_and_staying() -> None:
    """Who follows is taken along when lines are added; who stays sees the same lines as before, cursor and all."""

    async def test(pilot: Pilot[None], numbers: Numbers) -> None:
        numbers.go_to(50)
        before = (numbers.cursor, top(numbers), shown(numbers))
        numbers.show(200, 100)
        await settle(pilot)
        assert (numbers.cursor, top(numbers), shown(numbers)) == before
        await press(pilot, "G")
        assert numbers.follows
        numbers.show(205, 200)
        await settle(pilot)
        assert (numbers.cursor, top(numbers)) == (204, 195)
        await press(pilot, "k")
        assert not numbers.follows

    listed(test)


def test_growth_below_paints_nothing() -> None:
    """Lines that are added below the window are not made."""

    async def test(pilot: Pilot[None], numbers: Numbers) -> None:
        await settle(pilot)
        numbers.made.clear()
        numbers.show(1_000_000, 100)
        await settle(pilot)
        assert numbers.made == []
        numbers.forget([3, 500_000])
        await settle(pilot)
        assert set(numbers.made) == {3}

    listed(test)


def test_fewer_lines() -> None:
    """When lines go the cursor stands on the last that is left; when all go, the notice is shown instead."""

    async def test(pilot: Pilot[None], numbers: Numbers) -> None:
        numbers.go_to(80)
        numbers.show(40, 0)
        assert numbers.cursor == 39
        numbers.set_notice([[Piece("nothing here")]])
        numbers.show(0, 0)
        await settle(pilot)
        assert shown(numbers)[:2] == ["nothing here", ""]
        await press(pilot, "j", "k", "G", "g", "pagedown")
        assert numbers.cursor == 0
        numbers.show(3, 0)
        await settle(pilot)
        assert shown(numbers)[:4] == ["0", "1", "2", ""]

    listed(test)


def test_clicks() -> None:
    """A click chooses a line, a second one opens it; a click on air or below the lines does nothing."""

    async def test(pilot: Pilot[None], numbers: Numbers) -> None:
        app = pilot.app
        assert isinstance(app, Listing)
        numbers.follows = True
        app.told.clear()
        await pilot.click(Numbers, offset=(2, 3))
        assert (numbers.cursor, numbers.follows, app.told) == (3, False, ["moved"])
        await pilot.click(Numbers, offset=(2, 5))
        assert numbers.cursor == 3
        await pilot.click(Numbers, offset=(9, 3))
        assert app.told == ["moved", "opened"]
        numbers.show(4, 0)
        await pilot.click(Numbers, offset=(2, 8))
        assert numbers.cursor == 3
        assert app.told == ["moved", "opened"]

    listed(test)


def test_the_wheel() -> None:
    """The wheel moves the window; the cursor comes along when it would leave it."""

    async def test(pilot: Pilot[None], numbers: Numbers) -> None:
        numbers._wheel(3)
        assert (top(numbers), numbers.cursor) == (3, 3)
        numbers._wheel(1000)
        assert top(numbers) == 90
        numbers.action_go_last()
        numbers._wheel(-3)
        assert not numbers.follows
        assert (top(numbers), numbers.cursor) == (87, 96)

    listed(test)


def test_resize() -> None:
    """Whatever the new size, the chosen line is in sight."""

    async def test(pilot: Pilot[None], numbers: Numbers) -> None:
        for line in (0, 42, 99):
            numbers.go_to(line)
            for size in ((20, 3), (200, 60), (5, 1), (40, 10), (20, 10)):
                await pilot.resize_terminal(*size)
                await settle(pilot)
                assert numbers.cursor == line
                assert top(numbers) <= line < top(numbers) + size[1]
                assert all(numbers.render_line(y).cell_length == size[0] for y in range(size[1]))

    listed(test)


def test_other_colours() -> None:
    """Lines are painted anew in other colours, the chosen one on the ground of the cursor."""

    async def test(pilot: Pilot[None], numbers: Numbers) -> None:
        for palette in palettes():
            numbers.set_palette(palette)
            styles = [next(iter(numbers.render_line(y))).style for y in (0, 1)]
            assert styles == [palette.style("text", "cursor"), palette.style("text")]

    listed(test)


class Details(App[None]):
    """A pane of details alone."""

    def __init__(self) -> None:
        super().__init__()
        self.text = "first"

    def compose(self) -> ComposeResult:
        """The pane."""
        yield DetailPane(PALETTE, self._make)

    def _make(self, width: int) -> list[PieceLine]:
        return [[Piece(f"{self.text} {width} {number}")] for number in range(50)]


def test_detail_pane() -> None:
    """The detail has no cursor; it starts at its top, is wrapped anew on another width, and scrolls with the keys."""

    async def test() -> None:
        app = Details()
        async with app.run_test(size=(30, 10)) as pilot:
            pane = app.query_one(DetailPane)
            pane.focus()
            await press(pilot, "j", "pagedown")
            assert shown(pane)[0] == "first 29 10"
            await press(pilot, "G")
            assert shown(pane)[-1] == "first 29 49"
            app.text = "second"
            pane.update(from_top=True)
            pane.update(from_top=False)
            assert shown(pane)[0] == "second 29 0"
            await pilot.resize_terminal(20, 10)
            await settle(pilot)
            assert shown(pane)[0] == "second 19 0"
            await pilot.click(DetailPane, offset=(2, 2))
            assert shown(pane)[0] == "second 19 0"

    run(test)
