"""One preparation from its trigger to its end, the same for a served and for an observed session (spec P, M4, E).

The order is fixed: `start` is noted before the session is read; what is predicted is done in its order, and what the
agent's context still holds is not read again; the record is in the session before the agent's request goes out.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from pilotage.evidence.child import EXECUTOR, Origin
from pilotage.evidence.diagnostics import Data, Subject, context_ready_data
from pilotage.evidence.under_way import SECONDS, Ask, Fault, Note, Stopped, UnderWay
from pilotage.inference.question import Exchange
from pilotage.prepare.candidates import Candidates, candidates
from pilotage.prepare.command import SECONDS as COMMAND_SECONDS
from pilotage.prepare.confine import Confinement
from pilotage.prepare.execute import run_actions
from pilotage.prepare.freshness import held_texts
from pilotage.prepare.index import NOTHING, Index, build_index
from pilotage.prepare.messages import Message, Speaker, prefetch, text_message, tool_messages
from pilotage.prepare.predict import Halves, question, validate
from pilotage.records.attempt import Action, ChildSession
from pilotage.records.capability import Catalog
from pilotage.records.configuration import Configuration
from pilotage.records.preparation import ActionResult, Bash, Prediction, Read
from pilotage.redaction import redact
from pilotage.sessions.prompt import prompt_of
from pilotage.sessions.read import Session, UnreadableSession, read_session
from pilotage.trajectory.excerpt import ExcerptFailed, read_excerpt, request_of

VERSION = 1
"""The version of the record's shape."""

_RESERVE = 1.0
_UNTRIED = Confinement(False, "nothing was to be confined")

Append = Callable[[Data], Awaitable[object]]
"""Writes the record into the session. May fail in any way."""


class Material(Struct, frozen=True):
    """What a preparation is made from."""

    path: Path | None
    """The session's file; none where there is no session to look back at."""
    folder: Path
    """The folder that the main task works in."""
    catalog: Catalog = Catalog(())
    """What the agent could use."""
    user_entry: str = ""
    """The id of the entry of the input's last user message."""
    speaker: Speaker = Speaker("", "", "")
    """The main model."""
    request: str | None = None
    """The user's request; none: the session's current one."""
    secrets: Sequence[str] = ()
    """Values to replace in whatever is sent, beside what looks like a secret."""


class Preparation(Struct, frozen=True):
    """How a preparation ended, and what it brought."""

    attempt: str
    """The attempt's id."""
    outcome: str
    """`ok`, `failed` or `skipped`; one that was called off raises CancelledError instead."""
    prediction: Prediction | None = None
    """What was predicted."""
    results: tuple[ActionResult, ...] = ()
    """What came of each action, in order; nothing where none was to be done."""
    record: Data | None = None
    """What was written into the session; none where there was nothing to give to the agent."""
    failure: str = ""
    """Why it failed: a word of `Failure`, or `diagnostic`, `trajectory`, `evidence`, `record`, `nothing`, `broken`."""
    words: str = ""
    """The same for a person."""
    child: ChildSession | None = None
    """Where its real input and output lie."""
    exchange: Exchange = Exchange()
    """What went over the wire."""
    index: Index = NOTHING
    """What was listed of the folder."""
    unnoted: tuple[str, ...] = ()
    """Diagnostic entries that could not be written, each with its reason."""


class Doing(Struct, frozen=True):
    """How the predicted actions are done."""

    confine: Callable[[], Confinement]
    """Says whether commands can be confined; it may take some seconds, and is asked only where there is one."""
    confined_only: bool = False
    """Whether a command that cannot be confined is refused (spec P5)."""


def wanted(configuration: Configuration) -> Halves:
    """The halves that a person has switched on."""
    budget = configuration.max_suggested_actions if configuration.action_prediction else 0
    return Halves(configuration.capability_prediction, budget)


async def run_preparation(
    subject: Subject,
    material: Material,
    halves: Halves,
    *,
    configuration: Configuration,
    ask: Ask,
    note: Note,
    append: Append | None = None,
    doing: Doing | None,
    clock: Callable[[], float] = time.time,
    seconds: float = SECONDS,
) -> Preparation:
    """Prepare once and say how it ended; nothing is raised but CancelledError.

    With neither half nothing is read, scanned, asked or written. Without `doing` no action is done, and without
    `append` nothing is written into the session. `clock` gives the time in seconds since the epoch. Cancelling ends
    the request or the running command at once and notes the preparation as void.
    """
    if not halves.capabilities and not halves.actions:
        return Preparation(subject.attempt, "skipped", failure="nothing", words="both halves are off")
    under_way = UnderWay(subject, "preparation", note, clock)
    preparing = _Preparing(under_way, material, halves, configuration, seconds)
    came = await under_way.carried_out(preparing.run(ask, doing, append), seconds)
    if not isinstance(came, Fault):
        await under_way.end("ok")
    done = preparing.done(came)
    return replace(done, unnoted=tuple(under_way.unnoted))


class _Preparing:
    """A preparation under way: what it has found out so far."""

    def __init__(
        self, under_way: UnderWay, material: Material, halves: Halves, configuration: Configuration, seconds: float
    ) -> None:
        self._under_way = under_way
        self._material = material
        self._halves = halves
        self._configuration = configuration
        self._seconds = seconds
        self._session_id = ""
        self._index = NOTHING
        self._prediction: Prediction | None = None
        self._results: tuple[ActionResult, ...] = ()

    async def run(self, ask: Ask, doing: Doing | None, append: Append | None) -> Data | None:
        """Do all of it; the record, where there is something to give. Raises Stopped and RequestFailed."""
        await self._under_way.start()
        prompt, trajectory, request = await self._history()
        places = await self._candidates()
        asked = question(
            self._halves,
            catalog=self._material.catalog,
            candidates=places,
            index=self._index,
            system_prompt=prompt,
            trajectory=trajectory,
            request=request,
        )
        reply = await self._under_way.ask(asked, self._model, self._origin(), ask, self._time_to_ask())
        answered = round(1000 * (self._under_way.began + self._under_way.elapsed))
        self._prediction = validate(reply.value, self._halves, catalog=self._material.catalog, candidates=places)
        if doing is not None:
            await self._do(self._prediction, places, doing)
        record = self._record(self._prediction, answered)
        if record is None or append is None:
            return record
        await self._write(record, append)
        return record

    def done(self, came: Data | Fault | None) -> Preparation:
        """What came of it."""
        fault = came if isinstance(came, Fault) else None
        return Preparation(
            attempt=self._under_way.subject.attempt,
            outcome=fault.outcome if fault else "ok",
            prediction=self._prediction,
            results=self._results,
            record=None if isinstance(came, Fault) else came,
            failure=fault.kind if fault else "",
            words=fault.words if fault else "",
            child=self._under_way.child,
            exchange=self._under_way.exchange,
            index=self._index,
        )

    @property
    def _model(self) -> str:
        return f"{self._configuration.provider}/{self._configuration.model}"

    def _origin(self) -> Origin:
        subject, path = self._under_way.subject, self._material.path
        return Origin(
            session=self._session_id,
            file=str(path) if path else None,
            leaf=subject.parent_leaf,
            attempt=subject.attempt,
            input_id=subject.input_id,
        )

    def _time_to_ask(self) -> float:
        """The seconds that the answer may take: what it asks for is done within the same sixty."""
        return self._seconds - self._under_way.elapsed - _RESERVE - COMMAND_SECONDS * self._halves.budget

    async def _history(self) -> tuple[str, str, str]:
        """The main model's prompt, the trajectory and the request. Raises Stopped."""
        material = self._material
        try:
            session, excerpt = await read_excerpt(
                material.path, self._configuration.trajectory_command, secrets=material.secrets
            )
            prompt, request = await asyncio.to_thread(_told, session, material)
        except (ExcerptFailed, UnreadableSession) as error:
            raise Stopped("trajectory", str(error)) from error
        if session is not None:
            self._session_id = session.id
        return prompt, excerpt.text, request

    async def _candidates(self) -> Candidates:
        """What may be read; without actions nothing is scanned. Raises Stopped where there is nothing to choose."""
        material = self._material
        if self._halves.actions:
            self._index = await asyncio.to_thread(build_index, material.folder)
            return candidates(material.folder, self._index, material.catalog.entries)
        if not material.catalog.entries:
            raise Stopped("nothing", "there is no capability that could be suggested", outcome="skipped")
        return Candidates({})

    async def _do(self, prediction: Prediction, places: Candidates, doing: Doing) -> None:
        """Do the actions in order, and keep in the child what came of each, whatever it was. Raises Stopped."""
        has_command = any(isinstance(action, Bash) for action in prediction.actions)
        self._results = await run_actions(
            prediction.actions,
            places,
            self._material.folder,
            budget=self._halves.budget,
            confinement=await asyncio.to_thread(doing.confine) if has_command else _UNTRIED,
            require_confinement=doing.confined_only,
            held=await asyncio.to_thread(self._held, prediction, places),
        )
        self._under_way.keep([_evidence(result) for result in self._results])

    def _held(self, prediction: Prediction, places: Candidates) -> Mapping[str, str]:
        """What the agent's context holds of the files that are to be read. Raises Stopped."""
        reads = {read.path: places.places[read.path].path for read in prediction.actions if isinstance(read, Read)}
        path = self._material.path
        if not reads or path is None or not path.exists():
            return {}
        try:
            return held_texts(read_session(path), str(self._material.folder), reads)
        except (OSError, UnreadableSession) as error:
            raise Stopped("trajectory", str(error)) from error

    def _record(self, prediction: Prediction, answered: int) -> Data | None:
        """The record for the session (spec P6); none where there is nothing to tell the agent."""
        subject, material = self._under_way.subject, self._material
        given = (prediction.capabilities, self._results)
        batch = tool_messages(subject.input_id, *given, catalog=material.catalog, speaker=material.speaker, at=answered)
        if not batch:
            return None
        exchange = self._under_way.exchange
        as_text: tuple[Message, ...] = text_message(*given, catalog=material.catalog, at=answered)
        return {
            "version": VERSION,
            "inputId": subject.input_id,
            "attempt": subject.attempt,
            "preparationId": subject.preparation_id,
            "userEntry": material.user_entry,
            "prefetch": prefetch([batch]),
            "asText": as_text[0],
            "suggestions": [{"id": one.id, "why": one.why} for one in prediction.capabilities],
            "tokens": {"input": exchange.input_tokens, "output": exchange.output_tokens},
            "elapsedMs": round(1000 * self._under_way.elapsed),
        }

    async def _write(self, record: Data, append: Append) -> None:
        """Write the record, and note that the context is ready. Raises Stopped."""
        try:
            await append(record)
        except Exception as error:
            words = f"what was prepared could not be written into the session: {error or type(error).__name__}"
            raise Stopped("record", words) from error
        at = self._under_way.began + self._under_way.elapsed
        await self._under_way.tell(context_ready_data(self._under_way.subject, at))


def _told(session: Session | None, material: Material) -> tuple[str, str]:
    """The main model's prompt and the request, secrets replaced before anything of it is cut off."""
    prompt = prompt_of(session).text if session else ""
    request = material.request if material.request is not None else request_of(session) if session else ""
    return prompt, redact(request, material.secrets).text


def _evidence(result: ActionResult) -> Action:
    """What came of an action, for the child; what was not done says why."""
    action = result.action
    is_command = isinstance(action, Bash)
    target = {"command": action.command} if isinstance(action, Bash) else {"path": result.path or action.path}
    return Action(
        tool="bash" if is_command else "read",
        arguments=target | {"intent": action.why},
        text=f"Not done: {result.refusal}." if result.refusal else result.text,
        is_error=result.is_error,
        began=result.started / 1000,
        seconds=(result.ended - result.started) / 1000,
        confined=result.confined if is_command and not result.refusal else None,
        executor=EXECUTOR,
    )
