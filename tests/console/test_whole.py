from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from textual.app import App
from textual.pilot import Pilot

from pilotage.console.found_lines import LONGEST, split_lines
from pilotage.console.screens.whole import TextLines, WholeText
from pilotage.console.widgets.bar import Bar
from tests.console.driven import PALETTE, press, run, settle, shown
from tests.handmade import HOSTILE


class Reading(App[None]):
    """Shows one text, and keeps what is asked for."""

    def __init__(self, text: str, title: str = "bash ls", *, takes: bool = True) -> None:
        super().__init__()
        self._made = text, title, self._take if takes else None
        self.taken: list[tuple[str, str]] = []

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The roles."""
        return PALETTE.style_sheet_colours()

    def on_mount(self) -> None:
        """Open it."""
        text, title, take = self._made
        self.push_screen(WholeText(PALETTE, title, text, take))

    def _take(self, how: str, text: str) -> None:
        self.taken.append((how, text))


def reading(app: Reading, test: Callable[[Pilot[None]], Coroutine[Any, Any, None]], height: int = 12) -> None:
    """Run a test on a text that is shown."""

    async def body() -> None:
        async with app.run_test(size=(40, height)) as pilot:
            await settle(pilot)
            await test(pilot)

    run(body)


def lines(app: Reading) -> list[str]:
    """Give the lines of the text in sight."""
    return shown(app.screen.query_one(TextLines))


def bars(app: Reading) -> str:
    """Give head and foot."""
    return "\n".join(shown(app.screen.query_one(f"#{name}", Bar))[0] for name in ("head", "foot"))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", [""]),
        ("one\ntwo\n", ["one", "two"]),
        ("one\n\n", ["one", ""]),
        ("x" * (2 * LONGEST + 1), ["x" * LONGEST, "x" * LONGEST, "x"]),
    ],
)
def test_lines(text: str, parts: list[str]) -> None:
    """A text has its lines; one that is too long for one goes on in the next, and nothing is lost."""
    assert split_lines(text) == parts
    assert "".join(split_lines(text)) == text.replace("\n", "")


def test_title_and_size() -> None:
    """The head says what it is, how many lines and characters; the foot what can be done."""
    app = Reading("one\ntwo\n", "bash [/] " + HOSTILE)

    async def test(_: Pilot[None]) -> None:
        assert "2 lines, 8 characters" in bars(app)
        assert "bash [/]" in bars(app)
        assert all(line.isprintable() for line in bars(app).split("\n"))
        assert "q back" in bars(app)

    reading(app, test)


def test_hostile_text() -> None:
    """A text is shown literally, what could steer a terminal as signs."""
    app = Reading("list[int] [/bold] [@click=app.quit]x[/]\n" + HOSTILE + "\nend\r\n")

    async def test(pilot: Pilot[None]) -> None:
        assert (
            lines(app)[0] == " list[int] [/bold] [@click=app.quit]x[/]"[:40].rstrip()
            or "list[int] [/bold]" in lines(app)[0]
        )
        assert all(line.isprintable() for line in lines(app))
        assert "␛[31mred␛]52" in lines(app)[1]
        assert lines(app)[2] == " end"
        await pilot.click(TextLines, offset=(30, 0))
        assert isinstance(app.screen, WholeText)

    reading(app, test)


def test_huge_text() -> None:
    """Twenty megabytes on one line are shown at once, and their end with one key."""
    app = Reading("x" * 20_000_000 + "end")

    async def test(pilot: Pilot[None]) -> None:
        assert lines(app)[0].startswith(" xxx")
        await press(pilot, "G")
        assert lines(app)[-1] == " end"

    reading(app, test)


def test_sideways() -> None:
    """Keys show other columns, as far as there are some, wide signs among them."""
    app = Reading("0123456789" * 10 + "\n" + "漢" * 100)

    async def test(pilot: Pilot[None]) -> None:
        before = lines(app)
        await press(pilot, "h")
        assert lines(app) == before
        await press(pilot, "l")
        assert lines(app)[0].startswith(" 0123456789")
        await press(pilot, *["right"] * 20)
        assert any("漢" in line for line in lines(app)) or lines(app)[0] == ""
        await press(pilot, *["left"] * 13)
        assert lines(app) == before

    reading(app, test)


def test_taking() -> None:
    """Keys and words of the foot ask for the text to be saved or opened; Escape and q go back."""
    app = Reading("one\n")

    async def test(pilot: Pilot[None]) -> None:
        await press(pilot, "x", "o", "O")
        assert app.taken == [("save", "one\n"), ("edit", "one\n"), ("edit", "one\n")]
        foot = shown(app.screen.query_one("#foot", Bar))[0]
        await pilot.click("#foot", offset=(foot.index("q back"), 0))
        assert not isinstance(app.screen, WholeText)

    reading(app, test)


def test_a_text_of_ours_cannot_be_taken() -> None:
    """The help is only to be read."""
    app = Reading("help", takes=False)

    async def test(pilot: Pilot[None]) -> None:
        assert "save" not in bars(app)
        await press(pilot, "x", "o")
        assert app.taken == []
        await press(pilot, "escape")
        assert not isinstance(app.screen, WholeText)

    reading(app, test)


def test_finding() -> None:
    """Words are found in capitals or not, one line after the other and round again; each place is marked."""
    app = Reading("".join(f"line {number}\n" for number in range(30)) + "A Limit, a limit\nend\n")

    async def test(pilot: Pilot[None]) -> None:
        await press(pilot, "n")
        await press(pilot, *"limit", "enter")
        assert ">A Limit, a limit" in lines(app)
        assert "'limit': line 1 of 1" in bars(app)
        row = lines(app).index(">A Limit, a limit")
        strip = app.screen.query_one(TextLines).render_line(row)
        assert [segment.text for segment in strip if segment.style and segment.style.bold] == [">", "Limit", "limit"]
        top = int(lines(app)[0].split()[-1])
        await press(pilot, "slash", *["backspace"] * 5, *"line 2", "enter")
        assert f">line {top}" in lines(app), "what stands in the window comes first"
        await press(pilot, "g", "slash", "enter", "N")
        assert ">line 29" in lines(app)
        await press(pilot, "n")
        assert lines(app)[2] == ">line 2"
        await press(pilot, "slash", *["backspace"] * 6, "enter")
        assert "/ find" in bars(app)
        await press(pilot, "slash", *"nowhere", "enter", "n", "N")
        assert "'nowhere' stands no" in bars(app)

    reading(app, test)


def test_finding_far_to_the_right() -> None:
    """Words that stand beyond the edge are brought in sight."""
    app = Reading("x" * 300 + " needle\nneedle\n")

    async def test(pilot: Pilot[None]) -> None:
        await press(pilot, "slash", *"needle", "enter")
        assert "needle" in lines(app)[0]
        await press(pilot, "n")
        assert lines(app)[1] == ">needle"

    reading(app, test)


def test_finding_signs() -> None:
    """Words that are typed are no pattern, and what is marked is what is shown."""
    app = Reading("a.*b\naxxb\n\x1b[31mred\n")

    async def test(pilot: Pilot[None]) -> None:
        await press(pilot, "slash", *".*", "enter")
        assert "line 1 of 1" in bars(app)
        await press(pilot, "slash", "backspace", "backspace", *"[31m", "enter")
        assert lines(app)[2] == ">␛[31mred"

    reading(app, test)
