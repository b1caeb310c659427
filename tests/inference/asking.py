"""Questions and targets for the tests of a request."""

import asyncio

import httpx
import pytest

from pilotage.inference.question import Failure, Question, Reply, RequestFailed
from pilotage.inference.request import ask
from pilotage.inference.target import Target, make_target
from tests.inference.server import Server

KEY = "canary-Key-0123456789"
"""A key that must appear nowhere but in the header."""

QUESTION = Question(
    purpose="trajectory",
    system="Judge.",
    user="It went: é漢 \u2028 ok",
    schema={"type": "object", "properties": {"reminders": {"type": "array"}}, "required": ["reminders"]},
    max_tokens=500,
)

ANSWER = '{"reminders": []}'


def target_at(url: str, **entry: object) -> Target:
    """Make a target at an address, with this model entry."""
    return make_target("own", "m-1", "own", url, entry, {"Authorization": f"Bearer {KEY}", "X-Team": "blue"})


def asked(
    server: Server | str,
    *,
    question: Question = QUESTION,
    level: str = "medium",
    deadline: float = 10,
    stream: bool = True,
    environ: dict[str, str] | None = None,
    client: httpx.AsyncClient | None = None,
    **entry: object,
) -> Reply:
    """Ask a server, and check that its key stands in nothing that is kept."""
    target = target_at(server if isinstance(server, str) else server.url, **entry)

    asking = ask(target, question, level=level, deadline=deadline, stream=stream, environ=environ or {}, client=client)
    reply = asyncio.run(asking)
    assert KEY not in f"{reply} {target!r} {target}"
    return reply


def failed(server: Server | str, failure: Failure, **options: object) -> RequestFailed:
    """Ask a server, and give the failure, which must be this one."""
    with pytest.raises(RequestFailed) as raised:
        asked(server, **options)  # type: ignore[arg-type]
    assert raised.value.failure is failure, raised.value
    words = str(raised.value)
    assert "own/m-1" in words
    assert KEY not in f"{words} {raised.value!r} {raised.value.exchange}"
    assert words.isprintable()
    assert len(words) < 800
    return raised.value
