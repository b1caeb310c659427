"""What the reminders pane knows: it is kept while other panes are shown, and touches no widget."""

from pilotage.console.reviews import Messages, ReminderKey, Reviews, reviews_of
from pilotage.console.spending import MainSpending, Spent, spent_by
from pilotage.console.watched import Watched
from pilotage.evidence.marks import Marked, Precision, mark, precision, read_marks


class ReviewDesk:
    """One session's reviews."""

    def __init__(self) -> None:
        self.reviews = Reviews()
        """What they told, as of the last look."""
        self.whole = Spent()
        """What the whole session spent, Pilotage's own requests included."""
        self.marks: dict[Marked, bool] = {}
        """Which reminders of any session the person marked, and whether as right."""
        self._session = ""
        self._messages = Messages()
        self._main = MainSpending()

    def look(self, watched: Watched) -> None:
        """Look at the session anew."""
        timeline, attempts = watched.timeline, watched.attempts
        if timeline is None or attempts is None:
            self.reviews = Reviews()
            return
        self.reviews = reviews_of(timeline, attempts, self._messages.of(timeline.session.tree), watched.sight())
        self.whole = self._main.of(timeline) + spent_by(attempts.items)
        self._session = timeline.session.id

    def read_marks(self) -> None:
        """Read what the person marked, here and elsewhere. Raises OSError."""
        self.marks = read_marks()

    def mark_of(self, key: ReminderKey) -> bool | None:
        """Whether a reminder was marked right; none where it was not marked."""
        return self.marks.get((self._session, *key))

    def toggle_mark(self, key: ReminderKey, *, is_right: bool) -> bool | None:
        """Mark a reminder; the same mark again takes it back. What it is now. Raises OSError."""
        marked = (self._session, *key)
        said = None if self.marks.get(marked) is is_right else is_right
        mark(marked, said)
        self.read_marks()
        return said

    def precisions(self) -> tuple[Precision, Precision]:
        """How often reminders were right, of those that were marked: in this session, and in all."""
        return precision(self.marks, {self._session}), precision(self.marks)
