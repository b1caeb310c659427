"""The reviews and preparations of the watched session, followed as it grows; those asked for by hand among them."""

from collections.abc import Mapping

from pilotage.calls.timeline import Timeline
from pilotage.console.panes import Pane
from pilotage.evidence.observed import Notes
from pilotage.evidence.read import Attempts
from pilotage.records.attempt import Purpose, ReminderState
from pilotage.sessions.read import Growth, Session

_REACHED = frozenset({ReminderState.DELIVERED, ReminderState.WAITING, ReminderState.OBSERVED})


class EvidenceFeed:
    """Joins a session's own entries, and the notes on it in Pilotage's folder, to attempts."""

    def __init__(self, session: Session) -> None:
        self.attempts = Attempts(session)
        """The attempts."""
        self._notes: Notes | None = None
        self._said: set[tuple[Purpose, str]] = set()

    def take(self, growth: Growth) -> list[str]:
        """Follow the session's growth; in words what failed now, each kind of failure once in a session."""
        changed = self.attempts.take(growth).attempts
        words = []
        for attempt in (self.attempts.items[number] for number in sorted(changed)):
            kind = attempt.purpose, attempt.failure
            if attempt.outcome == "failed" and kind not in self._said:
                self._said.add(kind)
                is_review = attempt.purpose is Purpose.TRAJECTORY
                where = "a review failed" if is_review else "nothing was prepared"
                words.append(f"{where}: {attempt.words or attempt.failure}; {'2' if is_review else '4'} tells more")
        return words

    def look(self) -> None:
        """Look for notes on the session; they go by its id, which its header tells."""
        session = self.attempts.session
        if self._notes is None and session.header is not None:
            self._notes = Notes(session.id)
        if self._notes is not None:
            self._notes.take(self.attempts)

    def counts(self, timeline: Timeline) -> Mapping[Pane, str]:
        """What waits in panes: reminders, with a sign where the latest review failed; preparations."""
        items = self.attempts.items
        reached = sum(pair.state in _REACHED for one in items for pair in one.pairs)
        joined = sum(any(pair.state is ReminderState.DELIVERED for pair in one.pairs) for one in items)
        reminders = reached + max(0, timeline.totals.reminders - joined)
        outcomes = [one.outcome for one in items if one.purpose is Purpose.TRAJECTORY and one.outcome]
        has_failed = bool(outcomes) and outcomes[-1] == "failed"
        words = [str(reminders) if reminders else "", "!" if has_failed else ""]
        prepared = len(self.attempts.prepared)
        return {
            Pane.REMINDERS: " ".join(word for word in words if word),
            Pane.PREPARED: str(prepared) if prepared else "",
        }
