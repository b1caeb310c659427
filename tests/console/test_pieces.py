import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from pilotage.console.pieces import Piece, cut, strip_of, width_of, wrapped
from pilotage.plain import plain
from tests.console.driven import PALETTE, text_of, texts
from tests.contract.examples import unhurried

WIDE = "✅ ❤️ 👨‍👩‍👧 🇩🇪 1️⃣ 👍🏽 e\u0301 한 漢字 ａｂｃ"
"""Signs of two cells, of none, and of several code points."""


@pytest.mark.parametrize(("text", "width", "short"), [("late ack", 8, "late ack"), ("late ack", 7, "late a…")])
def test_cut(text: str, width: int, short: str) -> None:
    """What fits stays; of what does not, the cut is shown."""
    assert cut(text, width) == short


def test_cut_leaves_no_blank_before_the_sign() -> None:
    """The sign of a cut stands at the last word."""
    assert cut("late ack", 6) == "late…"


@pytest.mark.parametrize("width", range(-1, 21))
def test_cut_of_wide_signs(width: int) -> None:
    """Signs of two cells and of none are cut to the width, whatever it is."""
    assert cell_len(cut(plain(WIDE), width)) <= max(0, width)


def test_cut_of_a_huge_text() -> None:
    """The beginning of a text is enough to cut it."""
    assert cut("x" * 5_000_000, 10) == "xxxxxxxxx…"
    assert cell_len(cut("e\u0301" * 2_000_000, 10)) <= 10


@pytest.mark.parametrize("width", range(1, 21))
def test_strips_are_as_wide_as_they_should_be(width: int) -> None:
    """A painted line fills its width exactly, shorter and longer text alike, and never half a sign."""
    for text in ("", "x", plain(WIDE), "漢" * 30):
        strip = strip_of([Piece(" "), Piece(text, "intent")], width, PALETTE)
        assert strip.cell_length == width
        assert cell_len(strip.text) == width


def test_ground_reaches_the_edge() -> None:
    """The ground of the last words, or of the line, goes on to the right edge."""
    added = strip_of([Piece("+ x", "ok", ground="added-ground")], 10, PALETTE)
    assert {str(segment.style).rpartition(" on ")[2] for segment in added} == {PALETTE.colours["added-ground"]}
    chosen = strip_of([Piece("x")], 10, PALETTE, "cursor")
    assert {str(segment.style).rpartition(" on ")[2] for segment in chosen} == {PALETTE.colours["cursor"]}


def test_plain_signs() -> None:
    """With plain signs, brackets, rules and the sign of a cut are ASCII."""
    poor = PALETTE.__class__(PALETTE.name, PALETTE.dark, PALETTE.colours, plain_signs=True)
    strip = strip_of([Piece("┌│└─…·")], 6, poor)
    assert strip.text.isascii()
    assert strip.cell_length == 6


def test_width_of_a_line() -> None:
    """A line's width is that of its pieces, in cells."""
    assert width_of([Piece("ab"), Piece("漢"), Piece("")]) == 4


def test_wrapped_at_blanks() -> None:
    """Text is broken at blanks, and blank lines stay."""
    assert texts(wrapped("stop retrying once\n\nthe server has", 10)) == [
        "stop",
        "retrying",
        "once",
        "",
        "the server",
        "has",
    ]


def test_wrapped_without_blanks() -> None:
    """A word that is longer than a line is broken where the line ends, and nothing of it is lost."""
    lines = texts(wrapped("x" * 25 + " end", 10))
    assert lines == ["x" * 10, "x" * 10, "xxxxx end"]


@unhurried
@given(st.text(st.characters(), max_size=80), st.integers(2, 30))
def test_wrapped_loses_nothing(text: str, width: int) -> None:
    """Whatever the text, its lines are at most so wide, and hold all of it but the blanks that they are broken at."""
    clean = plain(text)
    lines = [text_of(line) for line in wrapped(clean, width)]
    assert all(cell_len(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == clean.replace("\n", "").replace(" ", "")


def test_wrapping_a_huge_text_is_linear() -> None:
    """A single line of five million characters is wrapped like any other."""
    assert sum(1 for _ in wrapped("x" * 5_000_000, 50)) == 100_000


def test_roles_and_weight_are_kept() -> None:
    """Every line of a wrapped text has its role and its weight."""
    pieces = [line[0] for line in wrapped("a b c", 2, "intent", bold=True)]
    assert {(piece.role, piece.bold) for piece in pieces} == {("intent", True)}
