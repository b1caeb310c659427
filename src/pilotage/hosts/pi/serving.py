"""One session of Pi while it is served: what Pi says goes to the engine, what the engine wants is done."""

import asyncio
from collections.abc import Coroutine, Mapping
from pathlib import Path

from pilotage.engine.directives import CallOff, Directive, Inject, Join, Prepare, Review, Warn, Withdraw
from pilotage.engine.engine import Engine
from pilotage.engine.events import (
    BranchSwitched,
    Cancelled,
    ContextAsked,
    Event,
    InputDelivered,
    InputGiven,
    PreparationEnded,
    ReviewEnded,
    RunSettled,
    SessionBegan,
    SessionClosed,
    StepEnded,
)
from pilotage.evidence.diagnostics import reminder_message
from pilotage.hosts.pi.channel import Channel, Params
from pilotage.hosts.pi.configuration import BLOCK, FaultyConfiguration, read_configuration
from pilotage.hosts.pi.parent import Parent
from pilotage.hosts.pi.preparing import Preparing
from pilotage.hosts.pi.reviewing import Reviewing, subject_of
from pilotage.hosts.pi.searching import Asker, Searching
from pilotage.inference.question import Failure, Question, Reply, RequestFailed
from pilotage.jsonfiles import FaultyFile, load_object
from pilotage.records.configuration import Configuration
from pilotage.records.fields import as_dict, as_list, as_text
from pilotage.review.observe import Skill
from pilotage.settings import FaultySettings, Settings, load_settings

SEARCH_SECONDS = 58.0
"""Seconds that a search's model has: with the rest of its exchange it stays below the trigger's 60 (spec M4)."""

_ENDING = 0.5
"""Seconds that whatever is at work has to end when Pi leaves the session."""


class Serving:
    """What is done for one session."""

    def __init__(self, channel: Channel, agent: Path, environ: Mapping[str, str]) -> None:
        self._parent = Parent(channel, agent, environ)
        self._preparing = Preparing(self._parent)
        self._reviewing = Reviewing(self._parent)
        self._channel = channel
        self._agent = agent
        self._session: SessionBegan | None = None
        self._configuration = Configuration()
        self._settings = Settings()
        self._engine = Engine(self._configuration)
        self._searching = Searching()
        self._has_model = False
        self._fault = ""
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._skills: tuple[Skill, ...] = ()

    async def serve(self) -> None:
        """Serve until Pi ends."""
        answers = {
            "search": self._answer_search,
            "context": self._answer_context,
            "close": self._answer_close,
        }
        await self._channel.serve(answers, self.hear)

    def hear(self, method: str, params: Params) -> None:
        """Take what Pi says; a word of a newer extension is passed over."""
        if method == "skills":
            self._skills = tuple(_skills(params))
        elif method == "reminded":
            self._reviewing.mark_delivered({as_text(attempt) for attempt in as_list(params.get("attempts"))})
        elif event := _event(method, params):
            if isinstance(event, SessionBegan):
                self._begin(event)
            self._take(event)

    def _begin(self, event: SessionBegan) -> None:
        """Read what the person set; a fault switches everything off and is told once (spec G2)."""
        self._session = event
        faults = []
        try:
            self._settings = load_settings()
        except FaultySettings as fault:
            faults.append(str(fault))
        try:
            user = load_object(self._agent / "settings.json")
            project = load_object(Path(event.cwd) / ".pi" / "settings.json") if event.trusted else {}
            self._configuration = read_configuration(user, project)
            self._has_model = BLOCK in user
        except (FaultyFile, FaultyConfiguration) as fault:
            faults.append(str(fault))
        self._fault = "; ".join(faults)
        if self._fault:
            self._configuration = Configuration()
            self._warn(f"nothing is prepared or reviewed: {self._fault}")
        self._engine = Engine(self._configuration)
        if event.file and self._configuration.trajectory_warnings:
            self._start("past", self._reviewing.remember(Path(event.file)))

    def _take(self, event: Event) -> None:
        for directive in self._engine.take(event):
            self._do(directive)

    def _do(self, directive: Directive) -> None:
        match directive:
            case Review():
                self._start(directive.attempt, self._review(directive))
            case CallOff(attempt=attempt):
                if task := self._tasks.get(attempt):
                    task.cancel()
            case Inject():
                subject = subject_of(directive)
                self._channel.tell("inject", {"message": reminder_message(subject, directive.pairs)})
            case Withdraw():
                self._reviewing.mark_late()
                self._channel.tell("withdraw", {})
            case Warn(words=words):
                self._warn(words)
            case Prepare() | Join():
                """Whoever asked for the context does it."""

    def _start(self, attempt: str, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        task = asyncio.ensure_future(work)
        self._tasks[attempt] = task
        task.add_done_callback(lambda _: self._tasks.pop(attempt, None))
        return task

    # Reviews

    async def _review(self, due: Review) -> None:
        try:
            ended = await self._reviewing.review(
                due,
                self._session,
                self._skills,
                self._configuration,
                self._settings,
                lambda: self._engine.is_late(due.attempt),
            )
        # The border: a review that breaks must not be taken for one that is still at work.
        except Exception as error:  # noqa: BLE001
            ended = ReviewEnded(due.attempt, due.step, failure="broken", words=f"{type(error).__name__}: {error}")
        self._take(ended)

    # Preparations

    async def _prepare(self, due: Prepare, asked: Params) -> None:
        failure = ""
        try:
            if self._session is not None:
                prepared = await self._preparing.prepare(due, self._session, asked, self._configuration, self._settings)
                failure = "" if prepared.failure == "nothing" else prepared.words
        finally:
            self._take(PreparationEnded(due.attempt, failure))

    # What Pi asks

    async def _answer_context(self, params: Params) -> object:
        """Prepare for the input, or wait for what is being prepared; its record is on the branch then.

        Whoever no longer waits calls it off.
        """
        task = None
        for directive in self._engine.take(ContextAsked(as_text(params.get("userEntry")))):
            if isinstance(directive, Prepare):
                task = self._start(directive.attempt, self._prepare(directive, params))
            elif isinstance(directive, Join):
                task = self._tasks.get(directive.attempt)
        if task is not None:
            try:
                await asyncio.wait([task])
            except asyncio.CancelledError:
                task.cancel()
                raise
        return {}

    async def _answer_search(self, params: Params) -> object:
        """Search what Pi has; the model is asked where the person set one up (spec D6)."""
        return await self._searching.search(params, self._search_asker())

    def _search_asker(self) -> Asker | None:
        if self._fault:
            return _failing(RequestFailed(Failure.NO_MODEL, self._fault))
        if not self._has_model:
            return None
        ask = self._parent.asker(self._configuration, self._configuration.tool_search_thinking_level)
        return lambda question: ask(question, SEARCH_SECONDS, lambda _: None)

    async def _answer_close(self, _: Params) -> object:
        """End what is at work; its last notes still reach the session."""
        self._take(SessionClosed())
        tasks = list(self._tasks.values())
        for task in tasks:
            # Whatever was called off is writing its last notes.
            if not task.cancelling():
                task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=_ENDING)
        return None

    def _warn(self, words: str) -> None:
        self._channel.tell("warn", {"words": f"pilotage: {words}"})


def _failing(failure: RequestFailed) -> Asker:
    async def fail(_: Question) -> Reply:
        raise failure

    return fail


def _event(method: str, params: Params) -> Event | None:
    """What Pi says, as an event of the engine."""
    match method:
        case "session":
            file, trusted = as_text(params.get("file")) or None, params.get("trusted") is True
            return SessionBegan(file, as_text(params.get("id")), as_text(params.get("cwd")), trusted)
        case "input":
            return InputGiven(starts_run=params.get("startsRun") is True)
        case "delivered":
            return InputDelivered()
        case "step":
            return StepEnded(counts=params.get("counts") is True)
        case "settled":
            return RunSettled()
        case "cancelled":
            return Cancelled()
        case "switched":
            return BranchSwitched()
    return None


def _skills(params: Params) -> list[Skill]:
    told = [as_dict(skill) for skill in as_list(params.get("skills"))]
    return [Skill(as_text(skill.get("name")), as_text(skill.get("description"))) for skill in told]
