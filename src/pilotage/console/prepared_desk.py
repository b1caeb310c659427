"""What the prepared pane knows: it is kept while other panes are shown, and touches no widget."""

from collections.abc import Hashable

from msgspec import Struct

from pilotage.calls.timeline import Timeline
from pilotage.console.evidence_opening import stamp_of
from pilotage.console.preparations import Fated, Preparation, part_key, preparations_of
from pilotage.console.spending import MainSpending, Spent, spent_by
from pilotage.console.watched import Watched
from pilotage.records.attempt import Action, Suggestion
from pilotage.sessions.tree import NO_PARENT


class Chosen(Struct, frozen=True):
    """What a line of the pane stands for."""

    preparation: Preparation
    """The preparation."""
    fated: Fated | None
    """What became of its parts, where that is known."""
    number: int = -1
    """For a part its place among those of its kind."""
    part: Suggestion | Action | None = None
    """The part; none for the preparation itself."""


class PreparedDesk:
    """One session's preparations, and what became of them."""

    def __init__(self) -> None:
        self.items: list[Preparation] = []
        """The preparations as of the last look, the newest first."""
        self.whole = Spent()
        """What the whole session spent, Pilotage's own requests included."""
        self._fated: dict[str, tuple[object, Fated]] = {}
        self._wanted: dict[str, object] = {}
        self._main = MainSpending()

    def look(self, watched: Watched) -> None:
        """Look at the session anew."""
        timeline, attempts = watched.timeline, watched.attempts
        if timeline is None or attempts is None:
            self.items = []
            return
        self.items = preparations_of(timeline, attempts)
        self.whole = self._main.of(timeline) + spent_by(attempts.items)

    def fated(self, preparation: Preparation) -> Fated | None:
        """What became of a preparation, as far as it was looked at."""
        known = self._fated.get(preparation.id)
        return known[1] if known else None

    def actions(self, preparation: Preparation) -> tuple[Action, ...]:
        """What was read and run; as the child tells it where that was read."""
        fated = self.fated(preparation)
        if fated and fated.done:
            return tuple(one.action for one in fated.done)
        return preparation.prepared.actions if preparation.prepared else ()

    def due(self, timeline: Timeline) -> list[tuple[Preparation, object]]:
        """Preparations of which more may have become than is known, each with what it is to be known by."""
        found = []
        for item in self.items:
            stamp = _stamp(timeline, item)
            known = self._fated.get(item.id)
            if (known is None or known[0] != stamp) and self._wanted.get(item.id) != stamp:
                self._wanted[item.id] = stamp
                found.append((item, stamp))
        return found

    def take(self, preparation: str, stamp: object, fated: Fated) -> None:
        """It is known what became of a preparation."""
        self._fated[preparation] = (stamp, fated)
        if self._wanted.get(preparation) == stamp:
            del self._wanted[preparation]

    def forget(self) -> None:
        """Nobody waits for what is being looked at any more."""
        self._wanted.clear()

    @property
    def is_looking(self) -> bool:
        """Whether something is being looked at."""
        return bool(self._wanted)

    def find(self, key: Hashable) -> Chosen | None:
        """What the line of a key stands for."""
        for item in self.items:
            fated = self.fated(item)
            if key == ("preparation", item.id):
                return Chosen(item, fated)
            for number, suggestion in enumerate(item.prepared.suggestions if item.prepared else ()):
                if key == part_key(item.id, "suggestion", number):
                    return Chosen(item, fated, number, suggestion)
            for number, action in enumerate(self.actions(item)):
                if key == part_key(item.id, "action", number):
                    return Chosen(item, fated, number, action)
        return None


def _stamp(timeline: Timeline, preparation: Preparation) -> object:
    """What the fate of a preparation depends on: itself, its child, and while its turn goes on the session's length."""
    tree = timeline.session.tree
    root = timeline.calls.moments[tree.leaf].root if tree.leaf != NO_PARENT and timeline.calls.moments else None
    length = len(tree) if preparation.root == root else -1
    attempt = preparation.attempt
    return attempt, preparation.prepared, length, stamp_of(attempt.child) if attempt else None
