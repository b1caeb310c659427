"""One review from its trigger to its end, the same for a served and for an observed session (spec R, M4, E1, E2).

The order is fixed: `start` is noted before the file is read, so that the file's last entry is the active branch; the
child session is there before anything is asked; what came is in it before it is judged; `end` is noted whatever
happens.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from pilotage.catalog.declared import declared_catalog
from pilotage.evidence.child import Origin
from pilotage.evidence.diagnostics import Subject, review_input_data
from pilotage.evidence.under_way import SECONDS, Ask, Fault, Note, Stopped, UnderWay
from pilotage.inference.question import Exchange, Reply
from pilotage.records.attempt import Attempt, ChildSession, ReminderState, ReviewedPair
from pilotage.records.capability import CapabilityKind
from pilotage.records.configuration import Configuration
from pilotage.review.discipline import judge
from pilotage.review.observe import Observed, Skill, observe
from pilotage.review.question import question
from pilotage.review.sources import searchable, source_found
from pilotage.review.validate import pairs
from pilotage.sessions.prompt import prompt_of
from pilotage.sessions.read import Session, UnreadableSession
from pilotage.trajectory.excerpt import ExcerptFailed, read_excerpt

_RESERVE = 1.0

Recall = Callable[[], Awaitable[Sequence[Attempt]]]
"""Gives the attempts of the session so far, in order, with the states of their reminders as known now."""


class Material(Struct, frozen=True):
    """What a review is made from."""

    path: Path
    """The session's file."""
    skills: Sequence[Skill] | None = ()
    """The skills that the agent can read; none: those that the system prompt lists."""
    sections: Mapping[str, str] | None = None
    """The sections of the system prompt, where the host tells them; else they are the file's."""
    secrets: Sequence[str] = ()
    """Values to replace in whatever is sent, beside what looks like a secret."""


class Reviewed(Struct, frozen=True):
    """How a review ended."""

    attempt: str
    """The attempt's id."""
    outcome: str
    """`ok`, `failed` or `skipped`; a review that was called off raises CancelledError instead."""
    pairs: tuple[ReviewedPair, ...] = ()
    """Its reminders, with what is to become of each."""
    failure: str = ""
    """Why it failed: a word of `Failure`, or `diagnostic`, `trajectory`, `evidence`, `broken`."""
    words: str = ""
    """The same for a person."""
    child: ChildSession | None = None
    """Where its real input and output lie."""
    exchange: Exchange = Exchange()
    """What went over the wire."""
    seconds: float = 0.0
    """How long it took in all."""
    coverage: Mapping[str, object] = {}
    """What it saw, and what was left out."""
    unnoted: tuple[str, ...] = ()
    """Diagnostic entries that could not be written, each with its reason."""


async def _nothing_yet() -> Sequence[Attempt]:
    return ()


async def run_review(
    subject: Subject,
    material: Material,
    *,
    configuration: Configuration,
    ask: Ask,
    note: Note,
    is_served: bool,
    recall: Recall = _nothing_yet,
    is_late: Callable[[], bool] = lambda: False,
    hold_unsourced: bool = False,
    clock: Callable[[], float] = time.time,
    seconds: float = SECONDS,
) -> Reviewed:
    """Review a session once and say how it ended; nothing is raised but CancelledError.

    `note` may fail in any way: of `start`, that skips the review; of anything else, it is told in `unnoted`. `recall`
    is asked once there are reminders, so that what ended meanwhile counts, and `is_late` at the end: whether they
    would come too late for the agent (spec R4). `clock` gives the time in seconds since the epoch. Cancelling ends
    the request at once and notes the review as void.
    """
    under_way = UnderWay(subject, "review", note, clock)
    review = _Review(under_way, material, configuration, is_served=is_served, hold_unsourced=hold_unsourced)
    came = await under_way.carried_out(review.run(ask, recall, seconds), seconds)
    if isinstance(came, Fault):
        return review.done((), came)
    judged = tuple(map(_late, came)) if is_late() else came
    await under_way.end("ok", reminders=judged)
    return review.done(judged)


class _Review:
    """A review under way: what it has found out so far."""

    def __init__(
        self,
        under_way: UnderWay,
        material: Material,
        configuration: Configuration,
        *,
        is_served: bool,
        hold_unsourced: bool,
    ) -> None:
        self._under_way = under_way
        self._material = material
        self._configuration = configuration
        self._is_served = is_served
        self._hold_unsourced = hold_unsourced
        self._coverage: Mapping[str, object] = {}

    async def run(self, ask: Ask, recall: Recall, seconds: float) -> tuple[ReviewedPair, ...]:
        """Do all of it; its reminders. Raises Stopped and RequestFailed."""
        under_way, configuration = self._under_way, self._configuration
        await under_way.start()
        session, observed = await read_material(self._material, configuration.trajectory_command)
        if under_way.subject.parent_leaf is None and session.tree.entries:
            under_way.subject = replace(under_way.subject, parent_leaf=session.entry(session.tree.leaf).id)
        self._coverage = observed.coverage
        now = under_way.began + under_way.elapsed
        await under_way.tell(review_input_data(under_way.subject, now, observed.coverage))
        model = f"{configuration.provider}/{configuration.model}"
        # A clock that is set back gives no more time.
        left = seconds - max(0.0, under_way.elapsed) - _RESERVE
        reply = await under_way.ask(question(observed), model, self._origin(session), ask, left)
        return await self._judged(reply, observed, recall)

    def done(self, judged: tuple[ReviewedPair, ...], fault: Fault | None = None) -> Reviewed:
        """What came of it."""
        under_way = self._under_way
        return Reviewed(
            attempt=under_way.subject.attempt,
            outcome=fault.outcome if fault else "ok",
            pairs=judged,
            failure=fault.kind if fault else "",
            words=fault.words if fault else "",
            child=under_way.child,
            exchange=under_way.exchange,
            seconds=max(0.0, under_way.elapsed),
            coverage=self._coverage,
            unnoted=tuple(under_way.unnoted),
        )

    def _origin(self, session: Session) -> Origin:
        subject = self._under_way.subject
        return Origin(
            session=session.id,
            file=str(self._material.path),
            leaf=subject.parent_leaf,
            attempt=subject.attempt,
            input_id=subject.input_id,
        )

    async def _judged(self, reply: Reply, observed: Observed, recall: Recall) -> tuple[ReviewedPair, ...]:
        """What becomes of each reminder. Raises RequestFailed for an answer of another shape."""
        given = pairs(reply.value)
        if not given:
            return ()
        principles = [searchable(text) for text in observed.principles]
        found = [source_found(source, principles) for _, source in given]
        return judge(given, found, await recall(), is_served=self._is_served, hold_unsourced=self._hold_unsourced)


async def read_material(material: Material, command: Sequence[str] | None = None) -> tuple[Session, Observed]:
    """Read what is reviewed: the session as far as it was needed, and what a review is given of it.

    `command` tells the trajectory in our place. Raises Stopped as `trajectory` where there is none to be had.
    """
    try:
        session, excerpt = await read_excerpt(material.path, command, secrets=material.secrets)
        if session is None or not excerpt.text:
            raise Stopped("trajectory", f"{material.path}: there is nothing to review yet")
        sections = material.sections
        if sections is None:
            sections = await asyncio.to_thread(_sections_of, session)
    except (ExcerptFailed, UnreadableSession) as error:
        raise Stopped("trajectory", str(error)) from error
    skills = _skills_in(sections) if material.skills is None else material.skills
    return session, observe(sections, skills, excerpt, material.secrets)


def _sections_of(session: Session) -> dict[str, str]:
    """The prompt as the file has it; text that stands before the sections is one more of them."""
    prompt = prompt_of(session)
    return ({"system": prompt.content} if prompt.content else {}) | prompt.sections


def _skills_in(sections: Mapping[str, str]) -> list[Skill]:
    """The skills that a system prompt lists."""
    listed = declared_catalog(sections, ()).entries
    return [Skill(entry.name, entry.description) for entry in listed if entry.kind is CapabilityKind.SKILL]


def _late(pair: ReviewedPair) -> ReviewedPair:
    return replace(pair, state=ReminderState.LATE) if pair.state is ReminderState.WAITING else pair
