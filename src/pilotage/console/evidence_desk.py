"""What the evidence browser knows: it is kept while other panes are shown, and touches no widget."""

from pilotage.console.attempt_lines import is_under_way
from pilotage.console.evidence_opening import OpenedAttempt, stamp_of
from pilotage.console.evidence_tree import AttemptNode, Node, PartNode, WordsNode, evidence_tree
from pilotage.console.panes import Pane
from pilotage.console.spending import MainSpending, Spent, spent_by
from pilotage.console.watched import Watched
from pilotage.records.attempt import Attempt, Prepared

MOST_OPENED = 6
"""Attempts whose texts are held at once; each may have many megabytes."""


class EvidenceDesk:
    """One session's evidence: what of it is unfolded, and what was read."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        """The tree as of the last look."""
        self.whole = Spent()
        """What the whole session spent, Pilotage's own requests included."""
        self.opened: dict[str, OpenedAttempt] = {}
        """What was read of attempts, the latest last."""
        self.marked = ""
        """The attempt with which another one is to be compared."""
        self._unfolded: dict[str, None] = {}
        self._reading: set[str] = set()
        self._main = MainSpending()

    def look(self, watched: Watched) -> None:
        """Look at the session anew."""
        timeline, attempts = watched.timeline, watched.attempts
        if timeline is None or attempts is None:
            self.nodes = []
            return
        self.nodes = evidence_tree(timeline, attempts, self._unfolded, self.opened)
        self.whole = self._main.of(timeline) + spent_by(attempts.items)

    def find(self, key: object) -> Node | None:
        """The node of a line."""
        return next((node for node in self.nodes if node.key == key), None) if key is not None else None

    def unfold(self, attempt: str) -> None:
        """Show an attempt's parts; of many the earliest unfolded are folded again."""
        self._unfolded.pop(attempt, None)
        self._unfolded[attempt] = None
        while len(self._unfolded) > MOST_OPENED:
            self.fold(next(iter(self._unfolded)))

    def fold(self, attempt: str) -> None:
        """Hide an attempt's parts."""
        self._unfolded.pop(attempt, None)

    def is_unfolded(self, attempt: str) -> bool:
        """Whether an attempt's parts are shown."""
        return attempt in self._unfolded

    def to_open(self, watched: Watched) -> list[Attempt]:
        """Attempts that are unfolded and not read as they are now; each is given once until it was read."""
        attempts = watched.attempts.items if watched.attempts else []
        wanted = [one for one in attempts if one.id in self._unfolded and one.id not in self._reading]
        sight = watched.sight()
        due = [one for one in wanted if self._is_stale(one, is_going=is_under_way(one, sight))]
        self._reading |= {one.id for one in due}
        return due

    def take(self, opened: OpenedAttempt) -> None:
        """An attempt was read."""
        attempt = opened.attempt.id
        self._reading.discard(attempt)
        self.opened.pop(attempt, None)
        self.opened[attempt] = opened
        while len(self.opened) > MOST_OPENED + 1:
            self.opened.pop(next(iter(self.opened)))

    def forget(self) -> None:
        """Nobody waits for what is being read any more."""
        self._reading.clear()

    @property
    def is_reading(self) -> bool:
        """Whether an attempt is being read."""
        return bool(self._reading)

    def _is_stale(self, attempt: Attempt, *, is_going: bool) -> bool:
        known = self.opened.get(attempt.id)
        if known is None or known.attempt != attempt:
            return True
        child = attempt.child or known.found
        # An attempt begins before there is a child.
        return known.stamp != stamp_of(child) if child else is_going


def evidence_desk(kept: dict[Pane, object]) -> EvidenceDesk:
    """The desk that is kept for a session; a new one where there is none."""
    desk = kept.get(Pane.EVIDENCE)
    if not isinstance(desk, EvidenceDesk):
        desk = kept[Pane.EVIDENCE] = EvidenceDesk()
    return desk


def attempt_at(node: Node | None) -> Attempt | None:
    """The attempt that a line belongs to."""
    match node:
        case AttemptNode(attempt=attempt) | PartNode(attempt=attempt) | WordsNode(attempt=attempt):
            return attempt
    return None


def prepared_by(watched: Watched, attempt: Attempt) -> Prepared | None:
    """What an attempt's preparation brought, where the session has it."""
    known = watched.attempts.prepared if watched.attempts else []
    return next((one for one in known if one.attempt == attempt.id), None)
