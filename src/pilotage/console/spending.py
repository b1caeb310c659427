"""What a session's model requests come to, and which share of it reviews and preparations take."""

from collections.abc import Iterable

from msgspec import Struct

from pilotage.calls.timeline import Timeline
from pilotage.records.attempt import Attempt
from pilotage.records.entry import AgentMessage
from pilotage.sessions.tree import Tree


class Spent(Struct, frozen=True):
    """Requests and tokens."""

    requests: int = 0
    """How many model requests."""
    tokens: int = 0
    """Tokens sent and received; of the main model's those from a cache are left out."""

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(self.requests + other.requests, self.tokens + other.tokens)


class MainSpending:
    """What the main model's requests come to, abandoned branches included; each answer is counted once."""

    def __init__(self) -> None:
        self._tree: Tree | None = None
        self._counted = 0
        self._spent = Spent()

    def of(self, timeline: Timeline) -> Spent:
        """What the session has come to until now."""
        tree = timeline.session.tree
        if tree is not self._tree:
            self._tree, self._counted, self._spent = tree, 0, Spent()
        requests = tokens = 0
        for index in range(self._counted, len(tree)):
            content = tree.entries[index].content
            if isinstance(content, AgentMessage):
                requests += 1
                tokens += content.usage.input + content.usage.output
        self._counted = len(tree)
        self._spent += Spent(requests, tokens)
        return self._spent


def spent_by(attempts: Iterable[Attempt]) -> Spent:
    """What these attempts come to, as far as they say so."""
    known = list(attempts)
    return Spent(sum(one.requests or 0 for one in known), sum(sum(one.tokens or (0, 0)) for one in known))


def share(part: int, whole: int) -> str:
    """A part of a whole in per cent."""
    if not whole:
        return "0%"
    percent = 100 * part / whole
    return "under 1%" if 0 < percent < 1 else f"{percent:.0f}%"
