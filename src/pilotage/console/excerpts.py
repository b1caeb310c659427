"""The beginning and the end of a long text as lines: never more work than what is shown."""

from collections.abc import Iterator

from pilotage.console.pieces import PieceLine, wrapped
from pilotage.figures import counted
from pilotage.plain import plain

HEAD = 6000
"""Characters that are shown of the beginning of a long text."""
TAIL = 3000
"""Characters that are shown of its end."""
MOST_LINES = 240
"""Lines of a text that is shown as a whole."""


def excerpt_lines(text: str, lines: int, width: int, role: str = "text") -> Iterator[PieceLine]:
    """A text of so many lines, wrapped: all of it, or head and tail with what lies between in words.

    The text may be hostile, and of any length.
    """
    text = text.removesuffix("\n")
    if len(text) <= HEAD + TAIL and lines <= MOST_LINES:
        yield from wrapped(plain(text), width, role)
        return
    head, tail = _first_lines(text), _last_lines(text)
    between = len(text) - len(head) - len(tail)
    yield from wrapped(plain(head), width, role)
    yield []
    words = f"… {counted(between, 'character')} of {len(text):,} not shown; Enter opens all of it"
    yield from wrapped(words, width, "dim")
    yield []
    yield from wrapped(plain(tail), width, role)


def _first_lines(text: str) -> str:
    """The beginning, up to the end of a line where there is one."""
    head = text[:HEAD]
    most = head.split("\n", MOST_LINES // 2)[: MOST_LINES // 2]
    short = "\n".join(most)
    return short if len(short) < len(head) else head


def _last_lines(text: str) -> str:
    """The end, from the beginning of a line where there is one."""
    tail = text[-TAIL:]
    most = tail.rsplit("\n", MOST_LINES // 2)[-(MOST_LINES // 2) :]
    short = "\n".join(most)
    return short if len(short) < len(tail) else tail
