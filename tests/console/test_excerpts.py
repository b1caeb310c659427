import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilotage.console.excerpts import HEAD, MOST_LINES, TAIL, excerpt_lines
from pilotage.console.pieces import width_of
from tests.console.driven import texts
from tests.handmade import HOSTILE


def lines(text: str, width: int = 60) -> list[str]:
    """Give the lines of an excerpt."""
    return texts(excerpt_lines(text, text.count("\n") + 1, width))


def test_a_short_text_is_shown_whole() -> None:
    """All of a short text is shown, as it stands."""
    assert lines("one\n\n  two\n") == ["one", "", "  two"]


@pytest.mark.parametrize("text", ["x" * 9_000_000, "line of text\n" * 700_000, "a" * 8000 + "\n" + "b" * 8000])
def test_a_long_text_has_head_and_tail(text: str) -> None:
    """Of a long text beginning and end are shown, and how much is not, whatever its lines are like."""
    told = lines(text)
    assert len(told) < (HEAD + TAIL) // 60 + MOST_LINES + 10
    (between,) = (line for line in told if line.startswith("… "))
    assert between.endswith("not shown; Enter opens all of it") or "not shown" in " ".join(told)
    assert told[0][0] == text[0]
    assert told[-1][-1] == text.rstrip("\n")[-1]


def test_hostile() -> None:
    """Nothing steers the terminal."""
    assert all(line.isprintable() for line in lines(HOSTILE * 300))


@given(st.text(max_size=300), st.integers(2, 80))
def test_width(text: str, width: int) -> None:
    """No line is wider than there is room."""
    assert all(width_of(line) <= width for line in excerpt_lines(text, text.count("\n") + 1, width))
