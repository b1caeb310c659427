"""Reviews that a person asks for of a session that is only watched: once, or every N steps (spec R8).

The same review as in a served session; nothing is written into the session, and its reminders are for the person. The
console and the command line share it.
"""

import asyncio
import os
import uuid
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path

from msgspec import Struct

from pilotage.calls.build import Calls
from pilotage.evidence.diagnostics import Subject
from pilotage.evidence.observed import NoteTaker, read_notes
from pilotage.evidence.read import read_attempts
from pilotage.inference.resolve import resolve
from pilotage.records.attempt import Attempt, Purpose
from pilotage.records.call import Outcome
from pilotage.records.configuration import Configuration
from pilotage.records.entry import AgentMessage, UserMessage
from pilotage.redaction import secret_values
from pilotage.review.question import question
from pilotage.review.run import Material, Recall, Reviewed, read_material, run_review
from pilotage.search.surroundings import Surroundings
from pilotage.sessions.read import Session, UnreadableSession, id_from_name, read_session
from pilotage.sessions.summary import read_header
from pilotage.sessions.tail import read_tail
from pilotage.sessions.tree import NO_PARENT


class Position(Struct, frozen=True):
    """How far a session has come."""

    input_id: str
    """The id of the entry of the current turn's first input; empty before the first."""
    step: int | None = None
    """How many steps of the turn are finished; none where nobody counted."""
    is_cancelled: bool = False
    """Whether the last of them was cancelled: it triggers no review (spec R1)."""


class Unsent(Struct, frozen=True):
    """The request that a review would make."""

    url: str
    """Where it would go."""
    model: str
    """The model, as in `openrouter/glm-5.3`."""
    body: str
    """The JSON as it would be sent, secrets replaced."""
    replaced: int
    """How many secrets were replaced in it and in what it is made from."""
    coverage: Mapping[str, object]
    """What it would see, and what is left out."""


def position_of(calls: Calls) -> Position:
    """How far the active branch has come; a step counts once all its calls have their results (spec W)."""
    leaf = calls.session.tree.leaf
    if leaf == NO_PARENT or calls.moments[leaf].root == NO_PARENT:
        return Position("", 0)
    moment = calls.moments[leaf]
    last = [calls.items[number] for number in calls.of_entry(moment.agent)] if moment.agent > moment.root else []
    is_open = any(call.result is None for call in last) and last[0].step is not None
    return Position(
        calls.session.entry(moment.root).id,
        moment.step - is_open,
        any(call.outcome is Outcome.ABORTED for call in last),
    )


class Rhythm:
    """Says when a review of a session that is followed is due: every N steps, each input counting anew (spec R1)."""

    def __init__(self, every: int) -> None:
        self._every = every
        self._last: Position | None = None

    def is_due(self, now: Position) -> bool:
        """Whether a review is due at this position; what had happened when the following began triggers none."""
        last, self._last = self._last, now
        if last is None or not self._every or now.is_cancelled:
            return False
        before = last.step or 0 if last.input_id == now.input_id else 0
        return (now.step or 0) // self._every > before // self._every


class Observer:
    """Reviews one session that is only watched."""

    def __init__(
        self,
        path: Path,
        surroundings: Surroundings,
        *,
        hold_unsourced: bool = False,
        folder: Path | None = None,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        """Look after the session at `path`; notes go below `folder`, or Pilotage's own."""
        self.path = path
        """The session's file."""
        self._surroundings = surroundings
        self._hold_unsourced = hold_unsourced
        self._folder = folder
        self._environ = environ

    async def review(self, position: Position | None = None, recall: Recall | None = None) -> Reviewed:
        """Review it once and say how it ended; it can be cancelled, and is noted as void then.

        `position` is where it stands, as far as whoever follows it knows; `recall` gives its attempts so far, which
        are read from the file otherwise.
        """
        if position is None:
            position = await asyncio.to_thread(_position_in, self.path)
        session_id = await asyncio.to_thread(_id_of, self.path)
        return await run_review(
            Subject(uuid.uuid4().hex, Purpose.TRAJECTORY, position.input_id, None, position.step),
            self._material(),
            configuration=self._surroundings.configuration or Configuration(),
            ask=self._surroundings.asker(self._environ, lambda chosen: chosen.auto_recommend_thinking_level),
            note=NoteTaker(session_id, self.path, self._folder).note,
            is_served=False,
            recall=recall or self._recall,
            hold_unsourced=self._hold_unsourced,
        )

    async def request(self) -> Unsent:
        """The request that a review would make now; nothing is sent, and nothing noted.

        Raises Stopped where there is nothing to review, and RequestFailed where the model is not to be found.
        """
        configuration = self._surroundings.known_configuration
        _, observed = await read_material(self._material(), configuration.trajectory_command)
        target = await resolve(configuration, self._surroundings.agent, self._environ)
        await asyncio.to_thread(import_module, "pilotage.inference.request")
        from pilotage.inference.request import write_body

        level = configuration.auto_recommend_thinking_level
        body = write_body(target, question(observed), level=level, environ=self._environ)
        earlier = observed.coverage.get("secretsReplaced")
        replaced = body.replaced + (earlier if isinstance(earlier, int) else 0)
        return Unsent(f"{target.url}/chat/completions", target.name, body.text, replaced, observed.coverage)

    def _material(self) -> Material:
        return Material(self.path, skills=None, secrets=secret_values(self._environ))

    async def _recall(self) -> Sequence[Attempt]:
        return await asyncio.to_thread(_attempts_in, self.path, self._folder)


def _id_of(path: Path) -> str:
    header = read_header(path)
    return header.id if header and header.id else id_from_name(path)


def _position_in(path: Path) -> Position:
    """Where a session stands as far as its end tells; a file that cannot be read is for the review to tell of."""
    try:
        return Position(_input_in(read_tail(path, 1, prompt=False)))
    except (OSError, UnreadableSession):
        return Position("")


def _input_in(session: Session) -> str:
    """The id of the entry of the current turn's first input."""
    found = ""
    for index in reversed(session.tree.path()):
        entry = session.entry(index)
        if isinstance(entry.content, UserMessage):
            found = entry.id
        elif found and isinstance(entry.content, AgentMessage):
            break
    return found


def _attempts_in(path: Path, folder: Path | None) -> list[Attempt]:
    try:
        session = read_session(path)
    except UnreadableSession:
        return []
    return read_attempts(session, notes=read_notes(session.id, folder)).ordered()
