"""The inputs of two attempts compared line by line (spec U5).

It is meant for a thread of its own: inputs can be long, and only their unlike middle is compared.
"""

from collections.abc import Iterator
from difflib import unified_diff

from pilotage.console.evidence_opening import OpenedAttempt
from pilotage.figures import clock, counted
from pilotage.records.attempt import Attempt, Purpose

MOST_LINES = 3000
"""Lines of each side that are compared between what both begin and end with."""
LONGEST = 4000
"""Characters of a line that are compared."""
AROUND = 3
"""Lines around a difference that are shown."""


def compared(first: OpenedAttempt, second: OpenedAttempt) -> str:
    """What is another in the second input: lines that begin with - stand in the first, with + in the second."""
    named = [(name, _text(first, name), _text(second, name)) for name in ("system", "input")]
    told = [f"- {title(first.attempt)}", f"+ {title(second.attempt)}", ""]
    for name, one, other in named:
        told.append(f"{name}: {_sizes(one, other)}")
        told += _differences(one, other)
        told.append("")
    return "\n".join(told)


def title(attempt: Attempt) -> str:
    """What an attempt is called beside another one."""
    name = "preparation" if attempt.purpose is Purpose.PREPARATION else "review"
    step = f" of step {attempt.step}" if attempt.step is not None else ""
    return f"{name}{step} at {clock(attempt.started or attempt.ended)}"


def role_of(line: str) -> str:
    """The role of a line of a comparison."""
    for sign, role in (("@@", "running"), ("+", "ok"), ("-", "failed")):
        if line.startswith(sign):
            return role
    return "text" if line.startswith(" ") else "middle"


def _text(opened: OpenedAttempt, name: str) -> str:
    part = opened.part(name)
    return part.text if part else ""


def _sizes(one: str, other: str) -> str:
    if one == other:
        return f"the same, {counted(len(one), 'character')}"
    return f"{counted(len(one), 'character')}, then {len(other):,}"


def _differences(one: str, other: str) -> Iterator[str]:
    """The unlike lines with some around them."""
    if one == other:
        return
    before, after = _cut_lines(one), _cut_lines(other)
    head = next((at for at, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), None)
    start = max(0, (min(len(before), len(after)) if head is None else head) - AROUND)
    tail = _same_at_end(before[start:], after[start:])
    end_before, end_after = len(before) - max(0, tail - AROUND), len(after) - max(0, tail - AROUND)
    unlike = before[start:end_before], after[start:end_after]
    cut = max(map(len, unlike)) > MOST_LINES
    lines = list(unified_diff(unlike[0][:MOST_LINES], unlike[1][:MOST_LINES], n=AROUND, lineterm=""))[2:]
    yield from (_moved(line, start) if line.startswith("@@ ") else line for line in lines)
    if cut:
        yield f"@@ only the first {MOST_LINES:,} lines from the first difference on were compared @@"


def _cut_lines(text: str) -> list[str]:
    return [line[:LONGEST] for line in text.split("\n")]


def _same_at_end(one: list[str], other: list[str]) -> int:
    """How many lines both end with."""
    pairs = zip(reversed(one), reversed(other), strict=False)
    return next((number for number, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _moved(line: str, start: int) -> str:
    """A line of places with the lines counted that both begin with."""
    places = line.strip("@ ").split(" ")
    moved = []
    for place in places:
        sign, _, numbers = place.partition("-") if place.startswith("-") else place.partition("+")
        first, comma, count = numbers.partition(",")
        moved.append(f"{'-' if place.startswith('-') else '+'}{sign}{int(first) + start}{comma}{count}")
    return f"@@ {' '.join(moved)} @@"
