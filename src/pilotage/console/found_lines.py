"""Where a text stands in a longer one, by the lines that a whole text is shown in."""

import re
from bisect import bisect_right
from itertools import accumulate

LONGEST = 1000
"""Characters of one line that are shown as one; a longer one goes on in the next."""


def split_lines(text: str) -> list[str]:
    """The lines of a text, those that are too long for one broken into pieces."""
    lines = []
    for line in text.removesuffix("\n").split("\n"):
        lines += [line[at : at + LONGEST] for at in range(0, len(line), LONGEST)] or [""]
    return lines


def pattern_of(words: str) -> re.Pattern[str]:
    """What finds words literally, in capitals or not."""
    return re.compile(re.escape(words), re.IGNORECASE)


def lines_with(text: str, lines: list[str], words: str) -> list[int]:
    """The numbers of the lines in which the words begin, one that was broken among them.

    It takes one search for each such line, however often they stand in it.
    """
    if not words:
        return []
    starts, pattern = _starts(text, lines), pattern_of(words)
    found: list[int] = []
    at = pattern.search(text)
    while at:
        number = bisect_right(starts, at.start()) - 1
        found.append(number)
        if number + 1 == len(starts):
            break
        at = pattern.search(text, starts[number + 1])
    return found


def _starts(text: str, lines: list[str]) -> list[int]:
    """Where each line begins in the text; a line that was broken has no newline between its pieces."""
    ends = list(accumulate((len(line) for line in lines), initial=0))
    starts, newlines = [], 0
    for number, line in enumerate(lines):
        starts.append(ends[number] + newlines)
        end = starts[-1] + len(line)
        newlines += text[end : end + 1] == "\n"
    return starts
