"""An attempt under way: its notes, its child, and an end whatever happens (spec E1, E2, M4, M8).

`start` is noted before anything is read; the child is there before anything is asked; what came is in it before it is
judged; and the main task goes on, whatever breaks.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from msgspec import Struct

from pilotage.evidence.child import Child, Origin, begin_child
from pilotage.evidence.diagnostics import Data, Subject, end_data, start_data
from pilotage.inference.question import Exchange, Failure, Question, Reply, RequestFailed, Sent
from pilotage.records.attempt import Action, ChildSession, ReviewedPair
from pilotage.sessions.write import UnwritableSession

SECONDS = 60.0
"""How long an attempt may take in all, the trajectory included (spec M4)."""

NOTE_SECONDS = 5.0
"""How long the note of its end may take."""

Ask = Callable[[Question, float, Sent], Awaitable[Reply]]
"""Asks the model, within so many seconds, and tells when the request goes out. Raises RequestFailed."""

Note = Callable[[Data], Awaitable[None]]
"""Writes the data of a diagnostic entry where it belongs: into the parent, or elsewhere for an observed session."""

Done = TypeVar("Done")


class Stopped(Exception):
    """An attempt cannot go on; why, as a kind and for a person."""

    def __init__(self, kind: str, words: str, *, outcome: str = "failed") -> None:
        super().__init__(words)
        self.kind = kind
        """A word for it."""
        self.outcome = outcome
        """How the attempt ends: `failed`, or `skipped` where there was nothing to do."""


class Fault(Struct, frozen=True):
    """Why an attempt came to nothing."""

    outcome: str
    """`failed` or `skipped`."""
    kind: str
    """A word of `Failure`, or the kind of what stopped it."""
    words: str
    """The same for a person."""


class UnderWay:
    """An attempt under way: what is known of it so far."""

    def __init__(self, subject: Subject, what: str, note: Note, clock: Callable[[], float]) -> None:
        self.subject = subject
        """What its entries are about."""
        self.began = clock()
        """When it began, in seconds since the epoch."""
        self.exchange = Exchange()
        """What went over the wire."""
        self.unnoted: list[str] = []
        """Entries that could not be written, each with its reason."""
        self._what = what
        self._note = note
        self._clock = clock
        self._child: Child | None = None
        self._is_answered = False
        self._is_begun = False

    @property
    def child(self) -> ChildSession | None:
        """Where its real input and output lie, once it asks."""
        return self._child.session if self._child else None

    @property
    def elapsed(self) -> float:
        """How many seconds it has taken so far."""
        return self._clock() - self.began

    async def carried_out(self, work: Awaitable[Done], seconds: float) -> Done | Fault:
        """Do its work within its time: what came of it, or why nothing did, which is noted then.

        Nothing is raised but CancelledError: being called off ends the work at once and is noted as void.
        """
        try:
            async with asyncio.timeout(seconds):
                return await work
        except asyncio.CancelledError:
            await self._call_off()
            raise
        except Stopped as stop:
            fault = Fault(stop.outcome, stop.kind, str(stop))
        except RequestFailed as failure:
            fault = Fault("failed", str(failure.failure), str(failure))
        except TimeoutError:
            fault = Fault("failed", str(Failure.TIMEOUT), f"the {self._what} was not done within {seconds:g} s")
        except Exception as error:  # noqa: BLE001 - the main task goes on, whatever breaks here (spec M8)
            fault = Fault("failed", "broken", f"the {self._what} broke: {type(error).__name__}: {error}")
        kind = Failure.TIMEOUT if fault.kind == Failure.TIMEOUT else Failure.DROPPED
        self._keep_failure(RequestFailed(kind, fault.words, self.exchange))
        await self.end(fault.outcome, failure=(fault.kind, fault.words))
        return fault

    async def start(self) -> None:
        """Note that it begins. Raises Stopped when that cannot be written: the file may then tell another branch."""
        try:
            await self._note(start_data(self.subject, self.began))
        except Exception as error:
            words = f"the {self._what} was skipped: its start could not be written into the session ({_reason(error)})"
            raise Stopped("diagnostic", words, outcome="skipped") from error
        self._is_begun = True

    async def tell(self, data: Data) -> None:
        """Write a diagnostic entry; one that cannot be written is told in `unnoted`."""
        try:
            async with asyncio.timeout(NOTE_SECONDS):
                await self._note(data)
        except Exception as error:  # noqa: BLE001 - what a host's channel raises is the host's own
            self.unnoted.append(f"{data['event']}: {_reason(error)}")

    async def ask(self, asked: Question, model: str, origin: Origin, ask: Ask, seconds: float) -> Reply:
        """Ask within so many seconds, and keep what was asked and what came. Raises RequestFailed and Stopped."""
        with _evidence():
            self._child = begin_child(asked, model, origin)
        try:
            reply = await ask(asked, seconds, self._keep_request)
        except RequestFailed as failure:
            self.exchange = failure.exchange
            self._keep_failure(failure)
            raise
        self.exchange, self._is_answered = reply.exchange, True
        with _evidence():
            self._child.replied(reply)
        return reply

    def keep(self, actions: Sequence[Action]) -> None:
        """Keep in the child what was done. Raises Stopped."""
        if self._child is not None:
            with _evidence():
                self._child.executed(actions)

    async def end(
        self, outcome: str, *, failure: tuple[str, str] | None = None, reminders: Sequence[ReviewedPair] = ()
    ) -> None:
        """Note how it ended; one that never began has no end."""
        if not self._is_begun:
            return
        ended = end_data(
            self.subject,
            self._clock(),
            outcome=outcome,
            began=self.began,
            exchange=self.exchange,
            child=self.child,
            failure=failure,
            reminders=reminders,
        )
        await self.tell(ended)

    async def _call_off(self) -> None:
        """Note that whatever it would have brought is void."""
        failure = RequestFailed(Failure.CANCELLED, f"the {self._what} was called off", self.exchange)
        self._keep_failure(failure)
        await self.end("void", failure=(str(failure.failure), str(failure)))

    def _keep_request(self, exchange: Exchange) -> None:
        """Keep the request as it goes out, whatever becomes of it. Raises Stopped."""
        self.exchange = exchange
        if self._child is not None:
            with _evidence():
                self._child.sent(exchange)

    def _keep_failure(self, failure: RequestFailed) -> None:
        """Say in the child why there is no answer; once, and not where there is one."""
        if self._child is None or self._is_answered:
            return
        self._is_answered = True
        try:
            self._child.failed(failure)
        except UnwritableSession as error:
            self.unnoted.append(f"child: {error}")


@contextmanager
def _evidence() -> Iterator[None]:
    """Write evidence. Raises Stopped: nothing is asked or believed that nobody can look up."""
    try:
        yield
    except UnwritableSession as error:
        raise Stopped("evidence", str(error)) from error


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__
