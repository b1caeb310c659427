from hypothesis import given
from hypothesis import strategies as st

from pilotage.console.found_lines import LONGEST, lines_with, split_lines


def found(text: str, words: str) -> list[int]:
    """Give the lines in which words are found."""
    return lines_with(text, split_lines(text), words)


def test_lines() -> None:
    """Each line in which the words begin is found once, in capitals or not, and read literally."""
    text = "One limit\nnone\nLIMIT limit\n.*\n"
    assert found(text, "limit") == [0, 2]
    assert found(text, ".*") == [3]
    assert found(text, "absent") == []
    assert found(text, "") == []


def test_across_a_line_that_was_broken() -> None:
    """Words are found where a long line was broken into pieces, and in each piece."""
    text = "x" * (LONGEST - 2) + "limit" + "y" * LONGEST + "limit\nlimit"
    assert found(text, "limit") == [0, 2, 3]


def test_across_lines() -> None:
    """Words that hold a newline are found where they begin."""
    assert found("a\nb\na\nc", "a\nc") == [2]


@given(st.text("abA\n", max_size=60), st.text("abA", min_size=1, max_size=3))
def test_against_each_line(text: str, words: str) -> None:
    """What is found in lines is what stands in them."""
    lines = split_lines(text)
    assert found(text, words) == [at for at, line in enumerate(lines) if words.lower() in line.lower()]


@given(st.text("ab\r\n", max_size=4000), st.text("ab", min_size=1, max_size=2))
def test_places_hold(text: str, words: str) -> None:
    """No line is found in which the words do not begin."""
    lines = split_lines(text)
    for number in found(text, words):
        assert words in (lines[number] + "".join(lines[number + 1 : number + 2])).lower()
