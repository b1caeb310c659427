from collections.abc import Sequence

from textual.app import App, ComposeResult
from textual.pilot import Pilot

from pilotage.console.messages import CursorMoved
from pilotage.console.pieces import Piece
from pilotage.console.widgets.choices import Choice, ChoiceList, told
from tests.console.driven import PALETTE, press, run, settle, shown


def choice(key: str) -> Choice:
    """Give a line that says what it stands for."""
    return Choice(lambda width: [Piece(f"{key} {width}")], key)


def letters(text: str) -> list[Choice]:
    """Give a choice for each letter, a heading for a dash."""
    return [told([Piece("---")]) if letter == "-" else choice(letter) for letter in text]


class Choosing(App[None]):
    """Shows a list, and counts how often its cursor moved."""

    CSS = "Screen { background: $ground; } LineList { height: 100%; }"

    def __init__(self) -> None:
        super().__init__()
        self.moves = 0

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The roles."""
        return PALETTE.style_sheet_colours()

    def compose(self) -> ComposeResult:
        """The list."""
        yield ChoiceList(PALETTE)

    def on_cursor_moved(self, _: CursorMoved) -> None:
        """Count."""
        self.moves += 1


async def tell(pilot: Pilot[None], choices: Sequence[Choice], *, anew: bool = False) -> ChoiceList:
    """Tell the list, and let it paint."""
    listing = pilot.app.query_one(ChoiceList)
    listing.tell(choices, anew=anew)
    listing.focus()
    await settle(pilot)
    return listing


def test_cursor_rests_on_choices() -> None:
    """The cursor stands on lines that can be chosen, and passes over the others."""

    async def test() -> None:
        async with Choosing().run_test(size=(20, 8)) as pilot:
            listing = await tell(pilot, letters("-ab--c"))
            assert listing.chosen == "a"
            await press(pilot, "down", "down")
            assert listing.chosen == "c"
            await press(pilot, "down", "k")
            assert listing.chosen == "b"
            await press(pilot, "g", "up")
            assert listing.chosen == "a"
            assert shown(listing)[:3] == ["---", "a 20", "b 20"]

    run(test)


def test_nothing_to_choose() -> None:
    """Where no line can be chosen nothing is, and no line looks chosen."""

    async def test() -> None:
        async with Choosing().run_test(size=(20, 8)) as pilot:
            for choices in ([], letters("--")):
                listing = await tell(pilot, choices)
                await press(pilot, "down", "G", "g")
                assert listing.chosen is None
                cursor = PALETTE.style("text", "cursor").bgcolor
                grounds = {one.style.bgcolor for y in range(8) for one in listing.render_line(y) if one.style}
                assert cursor not in grounds

    run(test)


def test_cursor_stays_on_its_choice() -> None:
    """When lines come above the chosen one the cursor stays on it, in the same place of the window."""

    async def test() -> None:
        async with Choosing().run_test(size=(20, 4)) as pilot:
            listing = await tell(pilot, letters("abcdefghij"))
            await press(pilot, *"jjjjj")
            assert (listing.chosen, shown(listing)) == ("f", ["c 20", "d 20", "e 20", "f 20"])
            await tell(pilot, letters("xyzabcdefghij"))
            assert (listing.chosen, shown(listing)) == ("f", ["c 20", "d 20", "e 20", "f 20"])
            await tell(pilot, letters("abcdef"))
            assert (listing.chosen, shown(listing)) == ("f", ["c 20", "d 20", "e 20", "f 20"])
            await tell(pilot, letters("abc"))
            assert listing.chosen == "c"
            await tell(pilot, letters("xabc"), anew=True)
            assert (listing.chosen, shown(listing)[0]) == ("x", "x 20")
            await press(pilot, "G")
            await tell(pilot, letters("xabcdefg"))
            assert listing.chosen == "g"

    run(test)


def test_headings_come_in_sight() -> None:
    """With the first choice the lines above it are seen, and with the last those below it."""

    async def test() -> None:
        async with Choosing().run_test(size=(20, 4)) as pilot:
            listing = await tell(pilot, letters("--abcdef-"))
            await press(pilot, *"jjjjj")
            assert shown(listing) == ["d 20", "e 20", "f 20", "---"]
            await press(pilot, *"kkkkk")
            assert shown(listing) == ["---", "---", "a 20", "b 20"]

    run(test)


def test_moves_are_told_once() -> None:
    """A change of what is chosen is told, also where the cursor stays on its line; the same lines tell nothing."""

    async def test() -> None:
        app = Choosing()
        async with app.run_test(size=(20, 4)) as pilot:
            await tell(pilot, letters("abc"))
            await tell(pilot, letters("abc"))
            assert app.moves == 1
            await tell(pilot, letters("xyz"))
            assert app.moves == 2
            await press(pilot, "j")
            assert app.moves == 3

    run(test)


def test_a_choice_is_gone_to() -> None:
    """A choice can be gone to by what it stands for, where it is there."""

    async def test() -> None:
        async with Choosing().run_test(size=(20, 4)) as pilot:
            listing = await tell(pilot, letters("abcdef"))
            assert listing.choose("e")
            assert not listing.choose("x")
            await settle(pilot)
            assert listing.chosen == "e"
            assert "e 20" in shown(listing)

    run(test)
