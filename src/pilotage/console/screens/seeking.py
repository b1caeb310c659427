"""The commands of a screen that go to the next row of a kind, and to the one before."""

from collections.abc import Callable

from pilotage.calls.timeline import Timeline
from pilotage.console.rows import is_finding, is_input, is_rejection, is_reminder
from pilotage.console.screens.split import SplitScreen
from pilotage.console.widgets.timeline import TimelineList
from pilotage.records.row import Row


class SeekingScreen(SplitScreen):
    """A screen with a line of time, in which findings, rejections, turns and reminders are gone to."""

    timeline: Timeline | None
    """The session that is watched; none while there is none."""

    @property
    def listing(self) -> TimelineList:
        """The line of time."""
        return self.query_one(TimelineList)

    def action_next_finding(self) -> None:
        """To the next failure, rejection or block."""
        self._seek_finding(1)

    def action_previous_finding(self) -> None:
        """To the one before."""
        self._seek_finding(-1)

    def action_next_rejection(self) -> None:
        """To the next rejected call."""
        self._seek_rejection(1)

    def action_previous_rejection(self) -> None:
        """To the one before."""
        self._seek_rejection(-1)

    def action_next_turn(self) -> None:
        """To the next words of the user."""
        self._seek(1, is_input, "turn")

    def action_previous_turn(self) -> None:
        """To those before."""
        self._seek(-1, is_input, "turn")

    def action_next_reminder(self) -> None:
        """To the next reminder."""
        self._seek(1, is_reminder, "reminder")

    def action_previous_reminder(self) -> None:
        """To the one before."""
        self._seek(-1, is_reminder, "reminder")

    def _seek(self, step: int, wanted: Callable[[Row], bool], name: str) -> None:
        if not self.listing.seek(step, wanted):
            self.app.clear_notifications()
            self.notify(f"no {name} {'below' if step > 0 else 'above'}", timeout=2, markup=False)

    def _seek_finding(self, step: int) -> None:
        timeline = self.timeline
        self._seek(step, lambda row: timeline is not None and is_finding(timeline, row), "finding")

    def _seek_rejection(self, step: int) -> None:
        timeline = self.timeline
        self._seek(step, lambda row: timeline is not None and is_rejection(timeline, row), "rejection")
