"""A screen that watches a session with its reviews and preparations, and has it reviewed when the person asks."""

from collections.abc import Callable, Mapping
from pathlib import Path

from textual.notifications import SeverityLevel

from pilotage.calls.timeline import Timeline
from pilotage.console.evidence_feed import EvidenceFeed
from pilotage.console.messages import ReviewDone, WatchedGrew
from pilotage.console.panes import Pane
from pilotage.console.reviewing import Reviewing
from pilotage.console.screens.seeking import SeekingScreen
from pilotage.console.themes import Palette
from pilotage.evidence.delivered import attempt_of_message
from pilotage.evidence.read import Attempts
from pilotage.plain import plain_line
from pilotage.records.attempt import Attempt
from pilotage.records.entry import Reminder
from pilotage.records.row import Row
from pilotage.search.surroundings import Surroundings
from pilotage.sessions.read import Growth, Session


class ReviewedScreen(SeekingScreen):
    """Knows the attempts of the session, whoever made them."""

    timeline: Timeline | None

    def __init__(
        self,
        palette: Palette,
        editor: str | None,
        surroundings: Callable[[Path], Surroundings],
        *,
        hold_unsourced: bool,
    ) -> None:
        super().__init__(palette, editor)
        self.surroundings = surroundings
        """Where a search by hand looks, and which model may be asked."""
        self.reviewing = Reviewing(self.post_message)
        """The review that the person asked for."""
        self.aimed = ""
        """The attempt that the evidence browser goes to when it opens; empty where none was meant."""
        self._hold_unsourced = hold_unsourced
        self._evidence: EvidenceFeed | None = None

    @property
    def cwd(self) -> Path:
        """The project that the session belongs to."""
        raise NotImplementedError

    def chosen(self) -> tuple[Timeline, Row] | None:
        """The row under the cursor."""
        raise NotImplementedError

    @property
    def attempts(self) -> Attempts | None:
        """The session's reviews and preparations; none while there is no session."""
        return self._evidence.attempts if self._evidence else None

    def counts(self) -> Mapping[Pane, str]:
        """What waits in panes."""
        return self._evidence.counts(self.timeline) if self._evidence and self.timeline else {}

    def chosen_attempt(self) -> Attempt | None:
        """The review whose reminders the row tells."""
        chosen = self.chosen()
        if chosen is None or self.attempts is None:
            return None
        content = chosen[0].session.entry(chosen[1].entry).content
        return attempt_of_message(self.attempts, content) if isinstance(content, Reminder) else None

    def watch_evidence(self, session: Session) -> None:
        """Another session: its attempts are told from now on."""
        self._evidence = EvidenceFeed(session)

    def take_evidence(self, growth: Growth, *, is_news: bool) -> None:
        """Follow the session's growth; what failed is said once, where that `is_news` and not read with the rest."""
        failures = self._evidence.take(growth) if self._evidence else []
        for words in failures if is_news else ():
            self.notify(plain_line(words, 400), severity="warning", timeout=12, markup=False)

    def look_for_notes(self) -> None:
        """Reviews by hand are told of elsewhere than in the session."""
        if self._evidence is not None:
            self._evidence.look()

    def review_now(self) -> bool:
        """Review the session as it is now, for the person alone; false where that is not possible now."""
        timeline = self.timeline
        if timeline is None:
            return False
        return self.reviewing.begin(timeline, self.surroundings, self.cwd, hold_unsourced=self._hold_unsourced)

    def on_review_done(self, message: ReviewDone) -> None:
        """Say what came of a review."""
        self.look_for_notes()
        severity: SeverityLevel = "error" if message.failed else "information"
        self.notify(plain_line(message.words), severity=severity, timeout=8, markup=False)
        self.post_message(WatchedGrew())
