"""What a person types to see fewer rows: `tool:bash is:failed late ack`."""

from msgspec import Struct

from pilotage.calls.timeline import Timeline
from pilotage.records.call import FINDINGS, Outcome
from pilotage.records.row import Row, RowKind

FINDING = "finding"
"""What `is:` takes beside the outcomes and the kinds of rows."""


class Filter(Struct, frozen=True):
    """Which rows are shown; an empty part lets all pass."""

    tools: frozenset[str] = frozenset()
    """Names of tools, or the beginning of one."""
    states: frozenset[str] = frozenset()
    """Outcomes, kinds of rows, or `finding`."""
    words: tuple[str, ...] = ()
    """Words that must all stand in the row, in lower case."""
    entries: frozenset[int] | None = None
    """Entries in whose text something was found; none where nothing was searched."""

    @property
    def is_empty(self) -> bool:
        """Whether every row passes."""
        return not (self.tools or self.states or self.words) and self.entries is None

    def passes(self, timeline: Timeline, row: Row) -> bool:
        """Whether a row is shown."""
        if self.entries is not None and not self._is_found(timeline, row):
            return False
        if self.tools and not self._has_tool(timeline, row):
            return False
        if self.states and not self._has_state(timeline, row):
            return False
        if not self.words:
            return True
        text = row_text(timeline, row)
        return all(word in text for word in self.words)

    def _is_found(self, timeline: Timeline, row: Row) -> bool:
        assert self.entries is not None
        if row.entry in self.entries:
            return True
        return row.call >= 0 and timeline.calls.items[row.call].result in self.entries

    def _has_tool(self, timeline: Timeline, row: Row) -> bool:
        if row.call < 0:
            return False
        tool = timeline.calls.items[row.call].tool.lower()
        return any(tool.startswith(name) for name in self.tools)

    def _has_state(self, timeline: Timeline, row: Row) -> bool:
        if str(row.kind) in self.states:
            return True
        if row.call < 0:
            return FINDING in self.states and row.kind is RowKind.ERROR
        outcome = timeline.calls.items[row.call].outcome
        return str(outcome) in self.states or (FINDING in self.states and outcome in FINDINGS)


def row_text(timeline: Timeline, row: Row) -> str:
    """What a row says, in lower case: the text that words are looked for in."""
    if row.call < 0:
        return row.text.lower()
    call = timeline.calls.items[row.call]
    parts = (call.tool, call.intent or "", call.target or call.brief)
    return " ".join(parts).lower()


def parse_filter(text: str) -> Filter:
    """The filter that a line of words stands for.

    Raises ValueError with a sentence when `is:` is followed by a word that no row can be.
    """
    tools, states, words = set(), set(), []
    for word in text.lower().split():
        name, colon, value = word.partition(":")
        if colon and name == "tool" and value:
            tools.add(value)
        elif colon and name == "is" and value:
            states.add(_state(value))
        else:
            words.append(word)
    return Filter(frozenset(tools), frozenset(states), tuple(words))


def state_words() -> list[str]:
    """Everything that `is:` takes."""
    return [FINDING, *map(str, Outcome), *(str(kind) for kind in RowKind if kind is not RowKind.CALL)]


def _state(value: str) -> str:
    for word in state_words():
        if word == value:
            return word
    msg = f"is:{value} is not known; it takes {', '.join(state_words())}"
    raise ValueError(msg)
