"""An attempt under way: its notes, its child, and its end."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from pilotage.evidence.contents import read_child
from pilotage.evidence.diagnostics import Data
from pilotage.evidence.under_way import Fault, Stopped, UnderWay
from pilotage.inference.question import Exchange, Failure, Question, Reply, RequestFailed, Sent
from tests.evidence.asked import ACTIONS, BROKEN, CAME, ORIGIN, QUESTION, REPLY, SENT, SUBJECT

NOW = 1_767_600_000.0
Work = Callable[[UnderWay], Awaitable[str]]


class Parent:
    """A parent session that takes notes, but for one kind."""

    def __init__(self, broken: str = "") -> None:
        self.notes: list[Data] = []
        self._broken = broken

    async def note(self, data: Data) -> None:
        """Take a note."""
        if data["event"] == self._broken:
            raise OSError("the disk is full")
        self.notes.append(data)

    @property
    def told(self) -> list[tuple[object, object]]:
        """Each note's event and outcome."""
        return [(note["event"], note.get("outcome")) for note in self.notes]


def carried_out(parent: Parent, work: Work, seconds: float = 5.0) -> tuple[UnderWay, str | Fault]:
    """Carry an attempt out."""
    under_way = UnderWay(SUBJECT, "review", parent.note, lambda: NOW)
    return under_way, asyncio.run(under_way.carried_out(work(under_way), seconds))


async def answer(question: Question, seconds: float, sent: Sent) -> Reply:
    """Answer a question."""
    sent(SENT)
    return REPLY


async def asks(under_way: UnderWay) -> str:
    """Begin, ask and keep what was done."""
    await under_way.start()
    reply = await under_way.ask(QUESTION, "example/glm-5.3", ORIGIN, answer, 5.0)
    under_way.keep(ACTIONS)
    return reply.text


def test_what_came_is_kept() -> None:
    """What came of the work is given back, and its child holds question, answer and actions (spec E1)."""
    parent = Parent()
    under_way, came = carried_out(parent, asks)
    assert came == REPLY.text
    assert (under_way.exchange, parent.told) == (CAME, [("start", None)])
    assert under_way.child is not None
    child = read_child(Path(under_way.child.file))
    assert (child.output, child.request, child.actions) == (REPLY.text, CAME.request, ACTIONS)


def test_without_a_start_there_is_no_end() -> None:
    """Where the start cannot be written the attempt is skipped, and nothing else is noted (spec E2)."""
    parent = Parent("start")
    _, came = carried_out(parent, asks)
    assert isinstance(came, Fault)
    assert (came.outcome, came.kind, parent.notes) == ("skipped", "diagnostic", [])
    assert "the disk is full" in came.words


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (Stopped("trajectory", "It is empty."), ("failed", "trajectory", "It is empty.")),
        (Stopped("nothing", "Nothing to do.", outcome="skipped"), ("skipped", "nothing", "Nothing to do.")),
        (BROKEN, ("failed", "unreachable", str(BROKEN))),
        (ZeroDivisionError("by zero"), ("failed", "broken", "the review broke: ZeroDivisionError: by zero")),
    ],
)
def test_faults(fault: Exception, expected: tuple[str, str, str]) -> None:
    """Whatever goes wrong ends the attempt by name and raises nothing (spec M8)."""

    async def work(under_way: UnderWay) -> str:
        await under_way.start()
        raise fault

    parent = Parent()
    _, came = carried_out(parent, work)
    assert came == Fault(*expected)
    assert parent.told == [("start", None), ("end", expected[0])]
    assert parent.notes[-1]["failure"] == {"kind": expected[1], "message": expected[2]}


def test_a_failed_request_is_in_the_child() -> None:
    """What was sent stays in the child also where no answer came (spec E1)."""

    async def fail(question: Question, seconds: float, sent: Sent) -> Reply:
        sent(SENT)
        raise BROKEN

    async def work(under_way: UnderWay) -> str:
        await under_way.start()
        return (await under_way.ask(QUESTION, "example/glm-5.3", ORIGIN, fail, 5.0)).text

    under_way, came = carried_out(Parent(), work)
    assert isinstance(came, Fault)
    assert under_way.child is not None
    child = read_child(Path(under_way.child.file))
    assert (child.request, child.failure, child.words) == (SENT.request, "unreachable", str(BROKEN))


@pytest.mark.parametrize("cancelled", [True, False])
def test_an_end_in_the_middle(cancelled: bool) -> None:
    """Called off, it is void at once; out of time, it failed. The request that went out is told either way (M4, E1)."""
    under_ways = []

    async def hang(question: Question, seconds: float, sent: Sent) -> Reply:
        sent(SENT)
        await asyncio.sleep(60)
        return REPLY

    async def run(parent: Parent) -> None:
        under_way = UnderWay(SUBJECT, "review", parent.note, lambda: NOW)
        under_ways.append(under_way)

        async def work() -> Reply:
            await under_way.start()
            return await under_way.ask(QUESTION, "example/glm-5.3", ORIGIN, hang, 60.0)

        task = asyncio.create_task(under_way.carried_out(work(), 60.0 if cancelled else 0.1))
        await asyncio.sleep(0.05)
        if cancelled:
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        else:
            assert (await task).kind == Failure.TIMEOUT  # type: ignore[union-attr]

    parent = Parent()
    asyncio.run(run(parent))
    assert parent.told == [("start", None), ("end", "void" if cancelled else "failed")]
    assert parent.notes[-1]["requests"] == 1
    child = under_ways[0].child
    assert child is not None
    told = read_child(Path(child.file))
    assert (told.request, told.failure) == (SENT.request, "cancelled" if cancelled else "timeout")


def test_a_lost_note_is_told() -> None:
    """A note that cannot be written changes nothing but is told (spec M8)."""

    async def work(under_way: UnderWay) -> str:
        await under_way.start()
        await under_way.end("ok")
        return "done"

    under_way, came = carried_out(Parent("end"), work)
    assert (came, under_way.unnoted) == ("done", ["end: the disk is full"])


def test_nothing_is_asked_without_evidence(tmp_path: Path) -> None:
    """Where no child can be made nothing is asked (spec E1)."""
    (tmp_path / "pilotage").write_text("in the way")
    parent = Parent()
    under_way, came = carried_out(parent, asks)
    assert isinstance(came, Fault)
    assert (came.kind, under_way.child, under_way.exchange) == ("evidence", None, Exchange())


def test_what_asking_raises_is_what_it_failed_with() -> None:
    """A failure without an exchange of its own counts no request."""

    async def fail(question: Question, seconds: float, sent: Sent) -> Reply:
        raise RequestFailed(Failure.NO_KEY, "no key")

    async def work(under_way: UnderWay) -> str:
        await under_way.start()
        return (await under_way.ask(QUESTION, "example/glm-5.3", ORIGIN, fail, 5.0)).text

    parent = Parent()
    carried_out(parent, work)
    assert (parent.notes[-1]["requests"], parent.notes[-1]["outcome"]) == (0, "failed")
