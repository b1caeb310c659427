import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult

from pilotage.console.messages import CommandGiven
from pilotage.console.pieces import Piece, width_of
from pilotage.console.widgets.bar import Bar, fitted
from tests.console.driven import PALETTE, palettes, run, settle, text_of
from tests.contract.examples import unhurried

LEFT = [Piece("kestrel-api", bold=True), Piece("fix the flaky upload test")]
RIGHT = [
    Piece("glm-5.3"),
    Piece("41.2k tokens"),
    Piece("$0.38"),
    Piece("3 findings", command="next-finding"),
    Piece("live"),
]


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (100, " kestrel-api   fix the flaky upload test         glm-5.3   41.2k tokens   $0.38   3 findings   live"),
        (80, " kestrel-api   fix the flaky upload test              $0.38   3 findings   live"),
        (60, " kestrel-api   fix the flaky upload test  3 findings   live"),
        (45, " kestrel-api fix the flak… 3 findings   live"),
    ],
)
def test_what_does_not_fit_is_left_out(width: int, line: str) -> None:
    """Words on the right go first, the last two of them never; then what stands on the left is cut."""
    assert text_of(fitted(LEFT, RIGHT, width)) == line
    assert len(line) <= width


@unhurried
@given(
    st.lists(st.text("a漢 ", max_size=40), max_size=6),
    st.lists(st.text("b字", max_size=30), max_size=6),
    st.integers(1, 160),
)
def test_both_edges(left: list[str], right: list[str], width: int) -> None:
    """Whatever the words, the last on the right stand at the edge where there is room, and nothing is doubled."""
    line = fitted([Piece(text) for text in left], [Piece(text) for text in right], width)
    words = [text for text in right if text]
    if words and width > 80 and sum(map(len, left)) < 10:
        assert text_of(line).endswith(words[-1])
        assert width_of(line) <= width


def test_empty_words_take_no_room() -> None:
    """Words that are empty leave no gap."""
    assert text_of(fitted([Piece("a"), Piece("")], [Piece(""), Piece("b")], 10)) == " a      b"


class Bars(App[None]):
    """A bar alone, which keeps the commands that it gives."""

    def __init__(self) -> None:
        super().__init__()
        self.given: list[str] = []

    def compose(self) -> ComposeResult:
        """The bar."""
        yield Bar(PALETTE, "head", id="head")

    def on_command_given(self, message: CommandGiven) -> None:
        """Keep it."""
        self.given.append(message.command)


def test_clicks() -> None:
    """A click on a word with a command gives it; one beside it, or on any other word, gives nothing."""

    async def test() -> None:
        app = Bars()
        async with app.run_test(size=(60, 3)) as pilot:
            app.query_one(Bar).tell(
                [Piece("漢字"), Piece("x", command="first")], [Piece("y", command="second"), Piece("z")]
            )
            await settle(pilot)
            text = app.query_one(Bar).render_line(0).text
            assert text.index("x") == 6
            for at in (0, 1, 4, 6, 8, 30, 59):
                await pilot.click(Bar, offset=(at, 0))
            assert app.given == ["first"]
            await pilot.click(Bar, offset=(54, 0))
            assert app.given == ["first", "second"]

    run(test)


def test_other_colours() -> None:
    """A bar is painted in the colours that it is given."""

    async def test() -> None:
        app = Bars()
        async with app.run_test(size=(20, 3)) as pilot:
            bar = app.query_one(Bar)
            for palette in palettes():
                bar.set_palette(palette)
                bar.tell([Piece("x", "failed")], [])
                await settle(pilot)
                strip = bar.render_line(0)
                assert strip.cell_length == 20
                assert palette.style("failed", "head") in [segment.style for segment in strip]

    run(test)
