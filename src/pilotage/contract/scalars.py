"""What a number, a truth value or a text becomes where the host wants another of the three (spec C5)."""

import math
import re
from decimal import Decimal

from pilotage.contract.decode import Digits

_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_MOST_DIGITS = 1000


def text_of(value: object) -> str | None:
    """Write a number or truth value as JavaScript does, but integers exactly; None for anything else."""
    if isinstance(value, Digits):
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _float_text(value) if math.isfinite(value) else None
    try:
        return str(value) if isinstance(value, int) else None
    except ValueError:
        # An integer of more digits than Python is willing to write.
        return None


def number_of(text: str) -> int | float | None:
    """Read a decimal number as JavaScript does, whole ones as integers; None for any other text."""
    digits = text.strip().strip("\ufeff")
    if len(digits) > _MOST_DIGITS or not _DECIMAL.fullmatch(digits):
        return None
    value = float(digits)
    if not math.isfinite(value):
        return None
    if digits.lstrip("+-").isdigit():
        return int(Decimal(digits))
    return int(value) if value.is_integer() else value


def _float_text(value: float) -> str:
    """Write the shortest digits that give the number back, with an exponent only outside of 1e-6 to 1e21."""
    if value == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    figures = "".join(map(str, digits))
    point = len(figures) + int(exponent)
    return ("-" if sign else "") + _placed(figures, point)


def _placed(figures: str, point: int) -> str:
    """Decimal figures with the point after the first `point` of them."""
    if len(figures) <= point <= 21:
        return figures.ljust(point, "0")
    if 0 < point <= 21:
        return f"{figures[:point]}.{figures[point:]}"
    if -6 < point <= 0:
        return f"0.{'0' * -point}{figures}"
    mantissa = figures[0] + (f".{figures[1:]}" if figures[1:] else "")
    return f"{mantissa}e{point - 1:+d}"
