import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilotage.figures import age, clock, counted, duration, money, ordinal, short_number


@pytest.mark.parametrize(
    ("number", "noun", "plural", "words"),
    [
        (0, "call", "", "0 calls"),
        (1, "call", "", "1 call"),
        (2, "call", "", "2 calls"),
        (12_345, "call", "", "12,345 calls"),
        (1, "retry", "retries", "1 retry"),
        (3, "retry", "retries", "3 retries"),
    ],
)
def test_counted(number: int, noun: str, plural: str, words: str) -> None:
    """A number agrees with its noun, and a large one is grouped."""
    assert counted(number, noun, plural) == words


@pytest.mark.parametrize(
    ("milliseconds", "words"),
    [
        (None, ""),
        (0, "0 ms"),
        (999, "999 ms"),
        (1000, "1.0 s"),
        (2345, "2.3 s"),
        (10_000, "10 s"),
        (119_000, "119 s"),
        (120_000, "2 min"),
        (3_600_000, "60 min"),
    ],
)
def test_duration(milliseconds: int | None, words: str) -> None:
    """A duration has its unit, and no more digits than a person reads."""
    assert duration(milliseconds) == words


def test_clock() -> None:
    """A time of day is told to the second, or in the form that is asked for."""
    assert clock(3_661.9) == "01:01:01"
    assert clock(3_661, "%H:%M") == "01:01"
    assert clock(None) == "--:--:--"


def test_clock_in_another_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A time of day is the person's own."""
    monkeypatch.setenv("TZ", "Etc/GMT-5")
    time.tzset()
    assert clock(3_661) == "06:01:01"


@pytest.mark.parametrize(
    "seconds", [-62_135_596_800.0, 253_402_300_799.0, 1e12, -1e12, 1e300, float("inf"), float("nan")]
)
@pytest.mark.parametrize("zone", ["Etc/GMT+12", "Etc/GMT-14", "UTC"])
def test_clock_beyond_the_calendar(monkeypatch: pytest.MonkeyPatch, seconds: float, zone: str) -> None:
    """A time at or beyond the ends of the calendar is told or shown as none, and never an error."""
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    assert len(clock(seconds)) == len("--:--:--")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5, "0 s"),
        (0, "0 s"),
        (59.6, "60 s"),
        (90, "2 min"),
        (600, "10 min"),
        (5400, "2 h"),
        (86_400, "24 h"),
        (129_600, "2 d"),
        (8_640_000, "100 d"),
    ],
)
def test_age(seconds: float, words: str) -> None:
    """An age is told in the unit that suits it."""
    assert age(seconds) == words


@pytest.mark.parametrize(
    ("number", "words"),
    [
        *((1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (0, "0th"), (11, "11th"), (12, "12th"), (13, "13th")),
        *((21, "21st"), (101, "101st"), (111, "111th"), (112, "112th"), (122, "122nd")),
    ],
)
def test_ordinal(number: int, words: str) -> None:
    """A place in a row has the ending that it has in English."""
    assert ordinal(number) == words


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "0"),
        (950, "950"),
        (999, "999"),
        (1000, "1.0k"),
        (41_234, "41.2k"),
        (999_949, "999.9k"),
        (999_950, "1.0M"),
        (3_141_592, "3.1M"),
        (12_345_678_901, "12345.7M"),
    ],
)
def test_short_number(number: int, words: str) -> None:
    """A great number is told in thousands or millions, and never in a thousand thousands."""
    assert short_number(number) == words


@given(st.integers(0, 999_999_999))
def test_short_numbers_are_short(number: int) -> None:
    """Up to a thousand million no number takes more than six characters."""
    assert len(short_number(number)) <= 6 or number >= 999_950_000


@pytest.mark.parametrize(
    ("amount", "words"), [(0, ""), (0.004, ""), (0.005, "$0.01"), (1.5, "$1.50"), (1234.567, "$1234.57")]
)
def test_money(amount: float, words: str) -> None:
    """A price has two digits after the point; less than half a cent is nothing."""
    assert money(amount) == words
