"""Numbers, times and durations in words that a person reads."""

from datetime import datetime

_SUFFIX = {1: "st", 2: "nd", 3: "rd"}


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def duration(milliseconds: int | None) -> str:
    """A duration with its unit."""
    if milliseconds is None:
        return ""
    if milliseconds < 1000:
        return f"{milliseconds} ms"
    seconds = milliseconds / 1000
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min"


def clock(seconds: float | None, form: str = "%H:%M:%S") -> str:
    """A time of day, in the person's own zone; dashes for none, and for one that no calendar has."""
    try:
        return datetime.fromtimestamp(seconds).astimezone().strftime(form) if seconds is not None else "--:--:--"
    except (ValueError, OverflowError, OSError):
        return "--:--:--"


def age(seconds: float) -> str:
    """How long ago, in words."""
    for limit, unit, name in ((90, 1, "s"), (5400, 60, "min"), (129_600, 3600, "h")):
        if seconds < limit:
            return f"{max(0, round(seconds / unit))} {name}"
    return f"{round(seconds / 86_400)} d"


def ordinal(number: int) -> str:
    """A place in a row: 1st, 2nd, 3rd, 4th."""
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{_SUFFIX.get(number % 10, 'th')}"


def short_number(number: int) -> str:
    """A number in few characters: 950, 41.2k, 3.1M."""
    if number < 1000:
        return str(number)
    if number < 999_950:
        return f"{number / 1000:.1f}k"
    return f"{number / 1_000_000:.1f}M"


def money(amount: float) -> str:
    """A price; nothing where there is none."""
    return f"${amount:.2f}" if amount >= 0.005 else ""
