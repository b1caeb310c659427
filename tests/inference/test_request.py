import asyncio
import json
import logging
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from pilotage.inference.question import Exchange, Failure, Question
from pilotage.inference.request import MOST_BYTES, ask
from tests.inference.asking import ANSWER, KEY, QUESTION, asked, failed, target_at
from tests.inference.server import HOLD, STREAM, USAGE, Server, delta, event, message, pieces_of, said, streamed

GOOD = streamed(delta(ANSWER[:5]), delta(ANSWER[5:]), delta(finish_reason="stop"), {"choices": [], "usage": USAGE})


def test_streamed_answer() -> None:
    """A streamed answer is put together, and its usage counted."""
    with Server(GOOD) as server:
        reply = asked(server)
    assert (reply.value, reply.text) == ({"reminders": []}, ANSWER)
    exchange = reply.exchange
    assert (exchange.status, exchange.input_tokens, exchange.output_tokens, exchange.requests) == (200, 120, 7, 1)
    assert exchange.model == "own/m-1"
    assert exchange.url == f"{server.url}/chat/completions"
    assert exchange.seconds > 0


def test_answer_in_one_piece() -> None:
    """A server that does not stream is understood, asked to stream or not."""
    with Server(said(message(ANSWER))) as server:
        assert asked(server).value == {"reminders": []}
        assert asked(server, stream=False).exchange.output_tokens == 7
    assert [json.loads(request.split(b"\r\n\r\n", 1)[1])["stream"] for request in server.requests] == [True, False]


def test_the_evidence_is_what_went_over_the_wire() -> None:
    """Request and response are kept byte for byte (spec E1)."""
    with Server(GOOD) as server:
        exchange = asked(server).exchange
    assert exchange.request.encode() == server.body
    assert exchange.response.encode() == GOOD.removeprefix(STREAM)


def test_what_is_sent() -> None:
    """One tool-free request, with the schema as strict as can be and no sampling (spec M1)."""
    with Server(GOOD) as server:
        asked(server)
    body = json.loads(server.body)
    assert body == {
        "model": "m-1",
        "messages": [{"role": "system", "content": "Judge."}, {"role": "user", "content": QUESTION.user}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "store": False,
        "max_completion_tokens": 500,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "trajectory", "strict": True, "schema": QUESTION.schema},
        },
    }
    lines = server.head.split("\r\n")
    assert lines[0] == "post /v1/chat/completions http/1.1"
    assert f"authorization: bearer {KEY.lower()}" in lines
    assert "x-team: blue" in lines
    assert "transfer-encoding: chunked" not in lines
    assert "cookie" not in server.head


def test_halves_of_characters_can_be_sent() -> None:
    """Half a character in a trajectory keeps nobody from asking (cases A12)."""
    question = Question(purpose="search it", system="s", user="a\ud83db", schema={}, max_tokens=5)
    with Server(GOOD) as server:
        assert asked(server, question=question).user == "a\ufffdb"
    assert json.loads(server.body)["response_format"]["json_schema"]["name"] == "search_it"


def test_secrets_are_not_sent() -> None:
    """Known shapes, values of secret-looking variables and the target's own key are replaced and counted (spec M9)."""
    shape = "ghp_" + "a1" * 18
    question = Question(
        purpose="trajectory",
        system=f"Never say {shape}.",
        user=f'{{"a": "\\n{shape}", "b": "my-s3cret-value", "c": "{KEY}"}}',
        schema={},
        max_tokens=5,
    )
    with Server(GOOD) as server:
        reply = asked(server, question=question, environ={"MY_TOKEN": "my-s3cret-value", "HOME": "/home/me/1234"})
    for secret in (shape, "my-s3cret-value", KEY):
        assert secret.encode() not in server.body
        assert secret not in reply.system + reply.user
    assert reply.exchange.replaced == 4
    assert reply.system == "Never say [secret: github token]."


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64])
def test_pieces_end_anywhere(size: int) -> None:
    """A stream may be cut in the middle of a line and of a character."""
    text = '{"reminders": ["é漢👍"]}'
    stream = streamed(delta(text[:17]), delta(text[17:], finish_reason="stop"))
    with Server(*pieces_of(stream, size)) as server:
        assert asked(server).value == {"reminders": ["é漢👍"]}


@pytest.mark.parametrize(
    "answer",
    [
        streamed(b": hello\r\n\r\n", event(delta(ANSWER)).replace(b"\n", b"\r\n"), b"data: [DONE]\r\n\r\n", end=b""),
        streamed(b"event: message\nid: 1\nretry: 5\n", delta(ANSWER, finish_reason="stop")),
        streamed(delta(ANSWER), delta(finish_reason="stop"), end=b""),
        streamed(delta(ANSWER), end=b"data: [DONE]"),
        streamed(delta(ANSWER), end=b"data:[DONE]\n"),
        streamed(delta(role="assistant", content=None), b"data: \n\n", delta(ANSWER, finish_reason="stop")),
        streamed({"choices": [], "prompt_filter_results": []}, delta(ANSWER, finish_reason="stop")),
        streamed(b'data: {"choices": [{"delta":\ndata:  {"content": "{}"}, "finish_reason": "stop"}]}\n\n'),
        streamed(delta(ANSWER, finish_reason="stop")).replace(b"text/event-stream", b"text/plain"),
        streamed({"choices": [{"index": 1, "delta": {"content": "x"}}]}, delta(ANSWER, finish_reason="stop")),
        streamed(delta(reasoning_content="hm"), delta(ANSWER, finish_reason="stop")),
        streamed(delta(f" \r\n\t{ANSWER}\n", finish_reason="stop")),
        STREAM + b"".join([event(delta(ANSWER, finish_reason="stop")), b"data: [DONE]\n\n"]) + b"data: nonsense\n\n",
    ],
)
def test_streams_of_all_kinds(answer: bytes) -> None:
    """Comments, CRLF, several data lines, a wrong type and a missing end are all understood."""
    with Server(answer) as server:
        assert isinstance(asked(server).value, dict)


def test_a_stream_is_over_when_the_server_says_so() -> None:
    """After its end mark nothing more is waited for, though the connection stays open."""
    with Server(GOOD, HOLD) as server:
        assert asked(server, deadline=5).value == {"reminders": []}


@pytest.mark.parametrize(
    ("content", "failure"),
    [
        ("Here it is: {}", Failure.NOT_JSON),
        ("```json\n{}\n```", Failure.NOT_JSON),
        ("{} {}", Failure.NOT_JSON),
        ("<think>hm</think>{}", Failure.NOT_JSON),
        ("{'a': 1}", Failure.NOT_JSON),
        ('{"a": 1,}', Failure.NOT_JSON),
        ('{"a": NaN}', Failure.NOT_JSON),
        ('{"a": "x\ny"}', Failure.NOT_JSON),
        ('\ufeff{"a": 1}', Failure.NOT_JSON),
        ('\u00a0{"a": 1}', Failure.NOT_JSON),
        ('{"a": 1', Failure.NOT_JSON),
        ("[" * 100_000, Failure.NOT_JSON),
        ('{"a": 1, "a": 2}', Failure.MALFORMED),
        ('{"a": {"b": 1, "b": 1}}', Failure.MALFORMED),
        ('{"a": 1e999}', Failure.MALFORMED),
        ('{"a": ' + "9" * 5000 + "}", Failure.MALFORMED),
        ('{"a": "\\ud83d"}', Failure.MALFORMED),
        ("", Failure.EMPTY),
        (" \n", Failure.EMPTY),
        (None, Failure.EMPTY),
    ],
)
def test_nothing_is_repaired(content: str | None, failure: Failure) -> None:
    """An answer is one JSON value and nothing else, or a named failure (spec M6)."""
    with Server(said(message(content))) as server:
        raised = failed(server, failure)
    assert raised.exchange.status == 200
    assert raised.exchange.request.encode() == server.body


@pytest.mark.parametrize(
    ("answer", "failure", "words"),
    [
        (message(ANSWER, "length"), Failure.CUT_OFF, "cut off"),
        (message(ANSWER, "content_filter"), Failure.REFUSED, "withheld"),
        (message(None, refusal="I will not."), Failure.REFUSED, "I will not."),
        (message(ANSWER, "insufficient_system_resource"), Failure.SERVER_ERROR, "insufficient"),
        (message(None, reasoning_content=ANSWER), Failure.EMPTY, "only thought"),
        (message(None, tool_calls=[{"function": {"name": "x"}}]), Failure.EMPTY, "nothing"),
        ({"choices": []}, Failure.EMPTY, "nothing"),
        ({"error": {"message": "no luck", "code": 502}}, Failure.SERVER_ERROR, "no luck"),
        ({"error": {"message": "slow down", "code": 429}}, Failure.RATE_LIMITED, "slow down"),
        ({"error": "no luck"}, Failure.SERVER_ERROR, "no luck"),
        ({"ok": True}, Failure.NOT_A_COMPLETION, "does not speak"),
        ("<html>\x1b[2J</html>", Failure.NOT_A_COMPLETION, "html"),
        ("[1]", Failure.NOT_A_COMPLETION, "does not speak"),
        ("", Failure.NOT_A_COMPLETION, "does not speak"),
        ("[" * 100_000, Failure.NOT_A_COMPLETION, "does not speak"),
    ],
)
def test_answers_that_are_none(answer: dict[str, object] | str, failure: Failure, words: str) -> None:
    """A cut, refused, empty or foreign answer is told by its name, even where its content would parse."""
    with Server(said(answer)) as server:
        assert words in str(failed(server, failure))


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        (streamed(delta(ANSWER, finish_reason="length")), Failure.CUT_OFF),
        (streamed(delta(refusal="No"), delta(refusal=".", finish_reason="stop")), Failure.REFUSED),
        (streamed(delta("{"), {"error": {"message": "worker died"}}), Failure.SERVER_ERROR),
        (streamed(delta("{"), b'event: error\ndata: {"error": {"message": "x"}}\n\n'), Failure.SERVER_ERROR),
        (streamed(delta("{"), end=b""), Failure.DROPPED),
        (streamed(delta(ANSWER), end=b""), Failure.DROPPED),
        (streamed(delta("{"), end=b'data: {"choices": [{"del'), Failure.DROPPED),
        (streamed(delta(reasoning="hm", finish_reason="stop")), Failure.EMPTY),
        (streamed(), Failure.EMPTY),
        (streamed("nonsense"), Failure.NOT_A_COMPLETION),
        (streamed("[1]"), Failure.NOT_A_COMPLETION),
        (said(message(ANSWER)).replace(b"content-length: ", b"content-length: 9"), Failure.DROPPED),
        (b"", Failure.DROPPED),
        (b"nonsense\r\n\r\n", Failure.DROPPED),
        (said(message(ANSWER), more="content-encoding: gzip\r\n"), Failure.NOT_A_COMPLETION),
        (said("", "204 No Content"), Failure.NOT_A_COMPLETION),
    ],
)
def test_streams_that_break(answer: bytes, failure: Failure) -> None:
    """A stream that ends early, holds an error or is none is a named failure; what came is kept."""
    with Server(answer) as server:
        raised = failed(server, failure)
    assert raised.exchange.requests == 1
    assert raised.exchange.response.encode() in answer


@pytest.mark.parametrize(
    ("status", "failure"),
    [
        ("400 Bad Request", Failure.BAD_REQUEST),
        ("401 Unauthorized", Failure.NOT_ALLOWED),
        ("403 Forbidden", Failure.NOT_ALLOWED),
        ("404 Not Found", Failure.BAD_REQUEST),
        ("422 Unprocessable", Failure.BAD_REQUEST),
        ("429 Too Many Requests", Failure.RATE_LIMITED),
        ("500 Internal Server Error", Failure.SERVER_ERROR),
        ("503 Service Unavailable", Failure.SERVER_ERROR),
    ],
)
def test_refusals_of_the_server(status: str, failure: Failure) -> None:
    """A status that is no success is told by its name, asked once and no more, and the server's words are shown."""
    with Server(said({"error": {"message": f"bad key {KEY} \x1b[31m\u202e{'x' * 5000}"}}, status)) as server:
        raised = failed(server, failure)
    assert len(server.requests) == 1
    assert f"{status[:3]} bad key [secret: known value]" in str(raised)
    assert raised.exchange.status == int(status[:3])
    assert "[secret: known value]" in raised.exchange.response


def test_refusal_that_breaks_off() -> None:
    """The status counts, though its words were cut."""
    with Server(said("oh no", "500 x").replace(b"content-length: ", b"content-length: 9")) as server:
        assert "500 oh no" in str(failed(server, Failure.SERVER_ERROR))


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"])
def test_redirects_are_not_followed(status: str) -> None:
    """A key is not carried elsewhere."""
    with Server(GOOD) as other, Server(said("", status, more=f"location: {other.url}\r\n")) as server:
        failed(server, Failure.REDIRECTED)
        failed(server, Failure.REDIRECTED, client=httpx.AsyncClient(follow_redirects=True))
    assert other.requests == []


def test_too_large() -> None:
    """An answer of more than 8 MiB is given up, and what came until then is kept."""
    piece = event(delta("x" * 100_000))
    with Server(STREAM, *[piece] * 100) as server:
        raised = failed(server, Failure.TOO_LARGE)
    assert len(raised.exchange.response) == MOST_BYTES


def test_silence() -> None:
    """A server that takes the request and says nothing costs the time that is left and no more (spec M4)."""
    with Server(HOLD) as server:
        started = time.monotonic()
        raised = failed(server, Failure.TIMEOUT, deadline=0.2)
        assert server.left.wait(5)
    assert server.hung_up is not None
    assert server.hung_up - started < 5
    assert raised.exchange.request.encode() == server.body


def test_dripping() -> None:
    """The time is the whole's: a server that sends a little now and then gets no more of it."""
    with Server(STREAM, *[b": wait\n\n", 0.05] * 100) as server:
        raised = failed(server, Failure.TIMEOUT, deadline=0.3)
    assert raised.exchange.response.startswith(": wait")


def test_no_time_left() -> None:
    """Without time nothing is sent."""
    with Server(GOOD) as server:
        assert failed(server, Failure.TIMEOUT, deadline=0).exchange.requests == 0
    assert server.requests == []


def test_nobody_there() -> None:
    """Where nothing listens, nothing was sent."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    raised = failed(f"http://127.0.0.1:{port}/v1", Failure.UNREACHABLE)
    assert raised.exchange == Exchange(
        url=f"http://127.0.0.1:{port}/v1/chat/completions", model="own/m-1", seconds=raised.exchange.seconds
    )
    failed("http://no-such-host.invalid/v1", Failure.UNREACHABLE)


def test_plain_server_asked_for_safety() -> None:
    """A server without TLS behind an https address is a failure of TLS, and nothing was sent."""
    with Server(GOOD) as server:
        raised = failed(server.url.replace("http:", "https:"), Failure.TLS)
    assert raised.exchange.requests == 0


@pytest.mark.parametrize("pieces", [(), (STREAM, event(delta("{")))], ids=["before the answer", "within it"])
def test_cancelling(pieces: tuple[bytes, ...]) -> None:
    """Cancelling closes the connection at once."""

    async def cancel(server: Server) -> float:
        task = asyncio.create_task(ask(target_at(server.url), QUESTION, level="off", deadline=60, environ={}))
        while not server.holding.is_set():
            await asyncio.sleep(0.005)
        started = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return started

    with Server(*pieces, HOLD) as server:
        started = asyncio.run(cancel(server))
        assert server.left.wait(5)
    assert server.hung_up is not None
    assert server.hung_up - started < 5


def test_the_request_is_told_when_it_goes_out() -> None:
    """Whoever keeps evidence has the request before there is an answer, whatever comes then (spec E1)."""
    heard: list[Exchange] = []

    async def call_off(url: str) -> None:
        asking = asyncio.create_task(
            ask(target_at(url), QUESTION, level="medium", deadline=10, environ={}, sent=heard.append)
        )
        await asyncio.to_thread(server.holding.wait, 10)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)

    with Server(HOLD) as server:
        asyncio.run(call_off(server.url))
        (exchange,) = heard
        assert (exchange.request.encode(), exchange.response, exchange.status) == (server.body, "", None)


def test_clock() -> None:
    """How long it took is told by the clock that was given."""
    times = iter([10.0, 12.5])
    with Server(GOOD) as server:
        reply = asyncio.run(
            ask(target_at(server.url), QUESTION, level="off", deadline=9, environ={}, clock=lambda: next(times))
        )
    assert reply.exchange.seconds == 2.5


def test_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy of the environment is used, but never for a server on this machine."""
    with Server(GOOD) as proxy, Server(GOOD) as local:
        monkeypatch.setenv("HTTP_PROXY", f"http://me:pr0xy-pass@127.0.0.1:{proxy.port}")
        monkeypatch.setenv("ALL_PROXY", f"http://127.0.0.1:{proxy.port}")
        assert asked(local).value == asked("http://model.example/v1").value == {"reminders": []}
        assert asked(local.url.replace("127.0.0.1", "localhost")).value == {"reminders": []}
    assert proxy.head.startswith("post http://model.example/v1/chat/completions http/1.1")
    assert len(local.requests) == 2


def test_proxy_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy that cannot be used is a failure that shows no password."""
    for proxy in ("nonsense://me:pr0xy-pass@x", "http://me:pr0xy-pass@127.0.0.1:1"):
        monkeypatch.setenv("HTTP_PROXY", proxy)
        assert "pr0xy-pass" not in str(failed("http://model.example/v1", Failure.UNREACHABLE))


def test_the_key_is_in_no_log(caplog: pytest.LogCaptureFixture) -> None:
    """The key is in no log, however much is logged (spec M2)."""
    caplog.set_level(logging.DEBUG)
    with Server(said({"error": KEY}, "401 No")) as server:
        failed(server, Failure.NOT_ALLOWED)
    assert caplog.records
    assert KEY not in caplog.text


def test_echoed_key() -> None:
    """A key that a server sends back is in nothing that is kept."""
    with Server(said(message(json.dumps({"reminders": [f"use {KEY}"]})))) as server:
        assert asked(server).value == {"reminders": ["use [secret: known value]"]}


def test_what_a_room_costs() -> None:
    """Finding a model and its levels loads neither httpx nor pydantic (spec L2)."""
    names = "question target locate resolve levels failures"
    code = f"import sys\n{''.join(f'import pilotage.inference.{name}{chr(10)}' for name in names.split())}"
    code += "assert not {'httpx', 'pydantic', 'rich'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ}, cwd=Path(__file__).parent)
