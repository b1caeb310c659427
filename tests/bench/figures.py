"""Measured values as lines of one table."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


def share(values: Sequence[float], part: float) -> float:
    """The value that a part of the values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def spread(values: Sequence[float]) -> str:
    """Median, 95 % and the worst of times in seconds, in milliseconds."""
    return " / ".join(f"{1000 * value:.0f}" for value in (share(values, 0.5), share(values, 0.95), max(values)))


@dataclass(frozen=True)
class Figure:
    """One figure."""

    name: str
    """What was measured, with its unit."""
    value: float
    """How much it came to."""
    goal: float | None = None
    """The most that is wanted."""
    base: float | None = None
    """The same in the same run where there is nothing to do, or little."""
    note: str = ""
    """More about it."""


def table(figures: Iterable[Figure]) -> str:
    """The figures, each with its goal and its ratio to the base."""
    lines = [f"{'':<64}{'value':>10}{'goal':>8}{'':>6}{'base':>10}{'ratio':>8}  p50 / p95 / max"]
    for figure in figures:
        goal = "" if figure.goal is None else f"{figure.goal:g}"
        verdict = "" if figure.goal is None else "ok" if figure.value <= figure.goal else "MISS"
        base = "" if figure.base is None else f"{figure.base:.1f}"
        ratio = f"{figure.value / figure.base:.2f}" if figure.base else ""
        lines.append(f"{figure.name:<64}{figure.value:>10.1f}{goal:>8}{verdict:>6}{base:>10}{ratio:>8}  {figure.note}")
    return "\n".join(lines)
