"""What a person types to see fewer rows: `tool:bash is:failed late ack`."""

import threading
from collections.abc import Sequence

from msgspec import Struct

from pilotage.calls.timeline import Timeline
from pilotage.records.call import FINDINGS, Call, Outcome
from pilotage.records.row import RowKind

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

    def beyond(self, former: "Filter") -> "Filter | None":
        """What rows that `former` lets pass are still to be asked; none when others may pass as well.

        Whoever types on asks for more, so that few rows are looked at again.
        """
        same = (self.tools, self.states, self.entries) == (former.tools, former.states, former.entries)
        if former.is_empty or not same or not all(any(old in new for new in self.words) for old in former.words):
            return None
        return Filter(words=tuple(word for word in self.words if word not in former.words))

    def passing(self, timeline: Timeline, texts: "CallTexts", numbers: Sequence[int]) -> Sequence[int]:
        """Those of the rows that are shown; all rows of a long session take less than a frame."""
        rows, calls = timeline.rows, timeline.calls.items
        entries = self.entries
        if entries is not None:
            numbers = [
                at
                for at in numbers
                if (row := rows[at]).entry in entries or (row.call >= 0 and calls[row.call].result in entries)
            ]
        if self.tools:
            names = tuple(self.tools)
            numbers = [
                at for at in numbers if rows[at].call >= 0 and calls[rows[at].call].tool.lower().startswith(names)
            ]
        if self.states:
            numbers = self._in_state(timeline, numbers)
        if self.words:
            said = texts.all_of(calls)
            for word in self.words:
                numbers = [
                    at
                    for at in numbers
                    if word in (said[call] if (call := rows[at].call) >= 0 else rows[at].text.lower())
                ]
        return numbers

    def _in_state(self, timeline: Timeline, numbers: Sequence[int]) -> Sequence[int]:
        """Those of the rows that have one of the states."""
        rows, calls = timeline.rows, timeline.calls.items
        has_findings = FINDING in self.states
        # Tuples, as a member of an enumeration is found by identity there, and hashed by slow code in a set.
        outcomes = tuple(o for o in Outcome if str(o) in self.states or (has_findings and o in FINDINGS))
        kinds = tuple(k for k in RowKind if str(k) in self.states or (has_findings and k is RowKind.ERROR))
        return [
            at
            for at in numbers
            if (row := rows[at]).kind in kinds or (row.call >= 0 and calls[row.call].outcome in outcomes)
        ]


class CallTexts:
    """What each call's row says, in lower case: the text that words are looked for in.

    It is made once and kept, as making it takes ten times as long as looking for a word in it. A thread may make it.
    """

    def __init__(self) -> None:
        self._calls: list[Call] = []
        self._texts: list[str] = []
        self._lock = threading.Lock()

    def all_of(self, calls: list[Call]) -> list[str]:
        """The text of each call, by its number."""
        with self._lock:
            if calls is not self._calls:
                self._calls, self._texts = calls, []
            self._texts += [
                f"{call.tool} {call.intent or ''} {call.target or call.brief}".lower()
                for call in calls[len(self._texts) :]
            ]
            return self._texts


def parse_filter(text: str) -> Filter:
    """The filter that a line of words stands for.

    Raises ValueError with a sentence when `is:` is followed by a word that no row can be.
    """
    tools, states, words = set(), set(), []
    for word in text.lower().split():
        name, _, value = word.partition(":")
        if word in ("tool:", "is:"):
            continue  # it is being typed
        if name == "tool" and value:
            tools.add(value)
        elif name == "is" and value:
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
