"""JSON lines with a host: requests both ways, words, cancellation, and what is not fit to be read."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from pilotage.hosts.pi.channel import Channel, HostFailed, Params

Json = dict[str, Any]


class Talk:
    """A channel whose host is the test."""

    def __init__(self) -> None:
        self.reader = asyncio.StreamReader(limit=1 << 20)
        self.said: list[Json] = []
        self.heard: list[tuple[str, Params]] = []
        self.channel = Channel(self.reader, lambda line: self.said.append(json.loads(line)))

    def say(self, message: object) -> None:
        """Say something as the host."""
        self.reader.feed_data(json.dumps(message).encode() + b"\n")

    async def serve(self, **answers: Callable[[Params], Awaitable[object]]) -> None:
        """Serve until the host's end."""
        await self.channel.serve(answers, lambda method, params: self.heard.append((method, params)))


def play(act: Callable[[Talk], Awaitable[None]], **answers: Callable[[Params], Awaitable[object]]) -> Talk:
    """Serve while `act` plays the host, then end."""

    async def both() -> Talk:
        talk = Talk()
        serving = asyncio.ensure_future(talk.serve(**answers))
        await act(talk)
        await asyncio.sleep(0)
        talk.reader.feed_eof()
        await serving
        return talk

    return asyncio.run(both())


async def echo(params: Params) -> object:
    """Answer with what was asked."""
    return params


async def hang(_: Params) -> object:
    """Never answer."""
    await asyncio.Event().wait()
    return None


async def fail(_: Params) -> object:
    """Fail."""
    msg = "no such thing"
    raise ValueError(msg)


async def settle() -> None:
    """Let everything that can go on go on."""
    for _ in range(10):
        await asyncio.sleep(0)


def test_a_request_is_taken_and_answered() -> None:
    """A request is acknowledged when it arrives and answered under its id."""

    async def act(talk: Talk) -> None:
        talk.say({"id": 7, "method": "echo", "params": {"a": "é"}})
        await settle()

    assert play(act, echo=echo).said == [{"id": 7, "taken": True}, {"id": 7, "result": {"a": "é"}}]


@pytest.mark.parametrize(("method", "words"), [("fail", "no such thing"), ("other", "there is no other")])
def test_a_failure_ends_its_exchange_only(method: str, words: str) -> None:
    """What goes wrong in one exchange is told as its error, and the next is answered."""

    async def act(talk: Talk) -> None:
        talk.say({"id": 1, "method": method})
        await settle()
        talk.say({"id": 2, "method": "echo"})
        await settle()

    said = play(act, echo=echo, fail=fail).said
    assert {"id": 1, "error": words} in said
    assert {"id": 2, "result": {}} in said


def test_a_request_is_called_off() -> None:
    """A request that is called off, and one that is at work when the host ends, gets no answer."""

    async def act(talk: Talk) -> None:
        talk.say({"id": 1, "method": "hang"})
        talk.say({"id": 2, "method": "hang"})
        await settle()
        talk.say({"method": "cancel", "params": {"id": 1}})
        await settle()

    assert play(act, hang=hang).said == [{"id": 1, "taken": True}, {"id": 2, "taken": True}]


def test_rubbish_is_passed_over() -> None:
    """What is no JSON object, and answers that nobody waits for, are passed over."""

    async def act(talk: Talk) -> None:
        for line in (b"nonsense\n", b"[1]\n", b"[" * 100_000 + b"\n", b"\xff\xfe\n", b"\n"):
            talk.reader.feed_data(line)
        talk.say({"id": 99, "result": 1})
        talk.say({"method": "input", "params": {"startsRun": True}})
        await settle()

    talk = play(act)
    assert talk.said == []
    assert talk.heard == [("input", {"startsRun": True})]


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ({"result": {"entry": "e1"}}, {"entry": "e1"}),
        ({"result": None}, {}),
        ({"error": "the session is gone"}, "the session is gone"),
        (None, "the host did not answer append within 0.05 s"),
    ],
)
def test_the_host_is_asked(answer: Json | None, found: object) -> None:
    """The host's result is given back; its error and its silence are named failures."""
    results: list[object] = []

    async def act(talk: Talk) -> None:
        async def ask() -> None:
            try:
                results.append(await talk.channel.ask("append", {"data": 1}, within=0.05))
            except HostFailed as error:
                results.append(str(error))

        asking = asyncio.ensure_future(ask())
        await settle()
        if answer is not None:
            talk.say({"id": talk.said[0]["id"], **answer})
        await asking

    talk = play(act)
    assert talk.said == [{"id": 1, "method": "append", "params": {"data": 1}}]
    assert results == [found]


def test_whoever_waits_hears_of_the_end() -> None:
    """What was asked of a host that ends fails at once."""

    async def both() -> str:
        talk = Talk()
        serving = asyncio.ensure_future(talk.serve())
        asking = asyncio.ensure_future(talk.channel.ask("append", {}, within=60))
        await settle()
        talk.reader.feed_eof()
        await serving
        with pytest.raises(HostFailed) as failure:
            await asking
        return str(failure.value)

    assert asyncio.run(both()) == "the host is gone"


def test_nobody_waits_for_a_host_that_is_gone() -> None:
    """What is asked after the host's end fails at once too: the process ends with its host (spec H4)."""

    async def both() -> str:
        talk = Talk()
        talk.reader.feed_eof()
        await talk.serve()
        with pytest.raises(HostFailed) as failure:
            await asyncio.wait_for(talk.channel.ask("append", {}, within=60), 5)
        return str(failure.value)

    assert asyncio.run(both()) == "the host is gone"


def test_a_ping_is_answered() -> None:
    """By a ping the host knows that somebody listens; nobody has to answer it."""

    async def act(talk: Talk) -> None:
        talk.say({"id": 3, "method": "ping", "params": {}})
        await settle()

    assert play(act).said == [{"id": 3, "result": None}]
