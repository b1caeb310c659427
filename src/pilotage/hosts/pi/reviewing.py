"""The reviews of a served session: beside the agent's work, which never waits for them (spec R1, R4, R6)."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from msgspec.structs import replace

from pilotage.engine.directives import Inject, Review
from pilotage.engine.events import ReviewEnded, SessionBegan
from pilotage.evidence.diagnostics import Subject
from pilotage.evidence.read import read_attempts
from pilotage.hosts.pi.parent import Parent
from pilotage.records.attempt import Attempt, Purpose, ReminderState
from pilotage.records.configuration import Configuration
from pilotage.review.observe import Skill
from pilotage.review.run import Material, Reviewed, run_review
from pilotage.sessions.read import UnreadableSession, read_session
from pilotage.settings import Settings


class Reviewing:
    """What one session's reviews have in common: above all what was said before."""

    def __init__(self, parent: Parent) -> None:
        self._parent = parent
        self._past: list[Attempt] = []
        self._attempts: list[Attempt] = []
        self._is_remembered = asyncio.Event()
        self._is_remembered.set()

    async def remember(self, path: Path) -> None:
        """Read the attempts of a session that is gone on with, so that no reminder is sent twice (spec R6).

        A review that ends meanwhile waits for it; a session that cannot be read has no past.
        """
        self._is_remembered.clear()
        try:
            self._past = await asyncio.to_thread(_past_of, path)
        finally:
            self._is_remembered.set()

    async def review(
        self,
        due: Review,
        session: SessionBegan | None,
        skills: Sequence[Skill],
        configuration: Configuration,
        settings: Settings,
        is_late: Callable[[], bool],
    ) -> ReviewEnded:
        """Review what the session's file tells; `is_late` says at the end whether it came too late for the agent."""
        if session is None or not session.file:
            return ReviewEnded(due.attempt, due.step, failure="trajectory", words="this session is kept in no file")
        parent = self._parent
        reviewed = await run_review(
            subject_of(due, await parent.leaf()),
            Material(Path(session.file), skills, secrets=parent.secrets),
            configuration=configuration,
            ask=parent.asker(configuration, configuration.auto_recommend_thinking_level),
            note=parent.note,
            is_served=True,
            recall=self._recall,
            is_late=is_late,
            hold_unsourced=settings.hold_unsourced,
        )
        self._attempts.append(_attempt(due, reviewed))
        return ReviewEnded(due.attempt, due.step, reviewed.pairs, reviewed.failure, reviewed.words)

    def mark_delivered(self, attempts: Collection[str]) -> None:
        """Note that the agent reads the reminders of these reviews."""
        self._mark(ReminderState.DELIVERED, lambda attempt: attempt.id in attempts)

    def mark_late(self) -> None:
        """Note that whatever waits has come too late."""
        self._mark(ReminderState.LATE, lambda _: True)

    def _mark(self, state: ReminderState, is_meant: Callable[[Attempt], bool]) -> None:
        for number, attempt in enumerate(self._attempts):
            if is_meant(attempt):
                pairs = (
                    replace(pair, state=state) if pair.state is ReminderState.WAITING else pair
                    for pair in attempt.pairs
                )
                self._attempts[number] = replace(attempt, pairs=tuple(pairs))

    async def _recall(self) -> Sequence[Attempt]:
        await self._is_remembered.wait()
        return (*self._past, *self._attempts)


def subject_of(directive: Review | Inject, leaf: str | None = None) -> Subject:
    """What the entries of a review are about; `leaf` is the session's last entry when it began."""
    return Subject(directive.attempt, Purpose.TRAJECTORY, directive.input_id, leaf, directive.step)


def _past_of(path: Path) -> list[Attempt]:
    try:
        return read_attempts(read_session(path), is_over=True).items
    except (OSError, UnreadableSession):
        return []


def _attempt(due: Review, reviewed: Reviewed) -> Attempt:
    """A review as the discipline over repeats looks back at it."""
    return Attempt(
        due.attempt,
        Purpose.TRAJECTORY,
        due.input_id,
        "",
        step=due.step,
        outcome=reviewed.outcome,
        failure=reviewed.failure,
        pairs=reviewed.pairs,
    )
