import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilotage.contract.decode import Digits
from pilotage.contract.scalars import number_of, text_of
from tests.contract.examples import unhurried


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (False, "false"),
        (0, "0"),
        (-12, "-12"),
        (2512292042121000001, "2512292042121000001"),
        (1.0, "1"),
        (-0.0, "0"),
        (0.1, "0.1"),
        (2.5, "2.5"),
        (-123456789.125, "-123456789.125"),
        (1e16, "10000000000000000"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (1.5e300, "1.5e+300"),
        (0.000001, "0.000001"),
        (0.00000123, "0.00000123"),
        (1e-7, "1e-7"),
        (-1.25e-9, "-1.25e-9"),
        (Digits("1e999"), "1e999"),
    ],
)
def test_text_of_a_scalar(value: object, text: str) -> None:
    """Numbers and truth values are written as JavaScript writes them, integers with every digit."""
    assert text_of(value) == text
    assert type(text_of(value)) is str


@pytest.mark.parametrize("value", [None, "text", [], {}, math.nan, math.inf, -math.inf])
def test_no_text_of_anything_else(value: object) -> None:
    """Null, text, lists, objects and numbers that cannot be written have no text."""
    assert text_of(value) is None


def test_no_text_of_an_integer_that_is_too_long() -> None:
    """An integer of more digits than Python writes has no text."""
    assert text_of(10**5000) is None


@unhurried
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_text_of_a_float_gives_it_back(value: float) -> None:
    """The text of a number reads back as the very same number."""
    text = text_of(value)
    assert text is not None
    assert struct.pack("d", float(text)) == struct.pack("d", value + 0.0)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("10", 10),
        ("2.5", 2.5),
        ("10.0", 10),
        ("5.", 5),
        (".5", 0.5),
        ("+5", 5),
        ("-3", -3),
        (" 7\n", 7),
        ("007", 7),
        ("1e3", 1000),
        ("25e-1", 2.5),
        ("9007199254740993", 9007199254740993),
    ],
)
def test_number_of_a_text(text: str, number: float) -> None:
    """A text of decimal digits is its number, and a whole one is an integer."""
    found = number_of(text)
    assert found == number
    assert type(found) is type(number)


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "ten", "0x10", "0b1", "1_000", "1,5", "1 2", ".", "e3", "12n", "--1", "١٢"),
        *("1e999", "9" * 400, "9" * 5000, "NaN", "Infinity", "true"),
    ],
)
def test_no_number_of_other_texts(text: str) -> None:
    """Texts that are no plain decimal number, or stand for none that is finite, stay what they are."""
    assert number_of(text) is None
