"""One tool-free request to a model: sent once, within its time, its answer read to the letter (spec M1, M4, M6)."""

import asyncio
import json
import os
import ssl
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress

import httpx

from pilotage import __version__
from pilotage.inference.answer import read_answer
from pilotage.inference.body import Body, make_body
from pilotage.inference.completion import Broken, Reader, failure_of_status, told_error
from pilotage.inference.failures import sentence
from pilotage.inference.question import Exchange, Failure, Question, Reply, RequestFailed, Sent
from pilotage.inference.target import Target
from pilotage.redaction import replace_values, secret_values

MOST_BYTES = 8 << 20
"""The most bytes of an answer."""

_MOST_OF_REFUSAL = 64 << 10

_NOT_THERE = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
    httpx.InvalidURL,
)
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


async def ask(
    target: Target,
    question: Question,
    *,
    level: str,
    deadline: float,
    stream: bool = True,
    environ: Mapping[str, str] = os.environ,
    client: httpx.AsyncClient | None = None,
    clock: Callable[[], float] = time.monotonic,
    sent: Sent = lambda _: None,
) -> Reply:
    """Ask a model once and give its answer, which is JSON; whether its shape is right is for the asker to say.

    `level` is a thinking level, `deadline` the seconds that are left. There is no second try, and a redirect is not
    followed. What looks like a secret, the values of secret-looking variables of `environ` and the target's own key
    leave this machine in no body. `client` is used where one is given; it is not closed. Raises RequestFailed with
    what went over the wire until then. Cancelling closes the connection at once. `sent` hears of the request when it
    goes out, before there is an answer; what it raises ends the request.
    """
    own = target.secrets()
    body = write_body(target, question, level=level, environ=environ, stream=stream)
    wire = _Wire(target, body, own, clock, sent)
    if deadline <= 0:
        raise wire.failed(Failure.TIMEOUT, "no time was left to ask")
    try:
        async with asyncio.timeout(deadline), _client(client) as used:
            await _exchange(used, target, wire)
        text = replace_values(wire.reader.completion.content, own).text
        value = read_answer(wire.reader.completion, text)
    except TimeoutError:
        raise wire.failed(Failure.TIMEOUT, f"no whole answer came within {deadline:.3g} s") from None
    except Broken as broken:
        raise wire.failed(broken.failure, str(broken)) from None
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise wire.failed(_failure_of(error), str(error) or type(error).__name__) from None
    return Reply(value=value, text=text, system=body.system, user=body.user, exchange=wire.exchange())


def write_body(
    target: Target, question: Question, *, level: str, environ: Mapping[str, str] = os.environ, stream: bool = True
) -> Body:
    """The body that `ask` sends for the same question, byte for byte."""
    return make_body(target, question, level, (*target.secrets(), *secret_values(environ)), stream=stream)


class _Wire:
    """What goes over the wire, kept as it goes."""

    def __init__(
        self, target: Target, body: Body, secrets: Sequence[str], clock: Callable[[], float], sent: Sent
    ) -> None:
        self.reader = Reader("")
        self.status: int | None = None
        self.is_sent = False
        self.received = bytearray()
        self.body = body
        self._target = target
        self._secrets = secrets
        self._clock = clock
        self._tell_sent = sent
        self._start = clock()

    async def sending(self) -> AsyncIterator[bytes]:
        """Give the body, and note that it goes: nobody asks for it before there is a connection."""
        self.is_sent = True
        self._tell_sent(self._exchange(0.0))
        yield self.body.text.encode()

    def exchange(self) -> Exchange:
        """The evidence so far."""
        return self._exchange(self._clock() - self._start)

    def _exchange(self, seconds: float) -> Exchange:
        """The evidence; the key itself is in none of it, even where the server sent it back."""
        answer = self.received.decode("utf-8", "replace")
        completion = self.reader.completion
        return Exchange(
            url=f"{self._target.url}/chat/completions",
            model=self._target.name,
            request=self.body.text if self.is_sent else "",
            response=replace_values(answer, self._secrets).text,
            status=self.status,
            seconds=seconds,
            replaced=self.body.replaced,
            input_tokens=completion.input_tokens,
            output_tokens=completion.output_tokens,
        )

    def failed(self, failure: Failure, seen: str) -> RequestFailed:
        """The failure in words for a person, with the evidence."""
        words = sentence(failure, self._target.name, self._target.url, replace_values(seen, self._secrets).text)
        return RequestFailed(failure, words, self.exchange())


@asynccontextmanager
async def _client(given: httpx.AsyncClient | None) -> AsyncIterator[httpx.AsyncClient]:
    """The client that was given, or one for this request: proxies of the environment, but none for this machine."""
    if given is not None:
        yield given
        return
    try:
        own = httpx.AsyncClient(mounts={f"all://{host}": None for host in _LOOPBACK}, timeout=None)
    except (ValueError, OSError, ImportError) as error:
        # Its own words can hold the address of a proxy, with the password.
        words = f"a proxy or a certificate file in the environment cannot be used ({type(error).__name__})"
        raise Broken(Failure.UNREACHABLE, words) from None
    async with own:
        yield own


async def _exchange(client: httpx.AsyncClient, target: Target, wire: _Wire) -> None:
    """Send the request and read its answer into `wire`. Raises Broken and httpx's own."""
    request = client.build_request(
        "POST",
        f"{target.url}/chat/completions",
        content=wire.sending(),
        headers=_headers(target) | {"content-length": str(len(wire.body.text.encode()))},
        timeout=None,
    )
    response = await client.send(request, stream=True, follow_redirects=False)
    try:
        wire.status = response.status_code
        if response.status_code == httpx.codes.OK:
            await _read(response, wire)
        else:
            await _read_refusal(response, wire)
    finally:
        await response.aclose()


def _headers(target: Target) -> dict[str, str]:
    own = {
        "user-agent": f"pilotage/{__version__}",
        "content-type": "application/json",
        "accept": "text/event-stream, application/json",
        "accept-encoding": "identity",
    }
    return own | {name: value.reveal() for name, value in target.headers.items()}


async def _read(response: httpx.Response, wire: _Wire) -> None:
    """Read a whole answer, or as far as the server says that it goes."""
    wire.reader = Reader(response.headers.get("content-type", "").lower())
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise Broken(Failure.NOT_A_COMPLETION, "the answer is compressed, which was not asked for")
    async for chunk in response.aiter_raw():
        if len(wire.received) + len(chunk) > MOST_BYTES:
            wire.received += chunk[: MOST_BYTES - len(wire.received)]
            raise Broken(Failure.TOO_LARGE, "")
        wire.received += chunk
        wire.reader.feed(chunk)
        if wire.reader.completion.is_done:
            return
    wire.reader.finish()


async def _read_refusal(response: httpx.Response, wire: _Wire) -> None:
    """Read what a server says in place of an answer, and raise Broken with it."""
    with suppress(httpx.HTTPError):
        async for chunk in response.aiter_raw():
            wire.received += chunk[: _MOST_OF_REFUSAL - len(wire.received)]
            if len(wire.received) >= _MOST_OF_REFUSAL:
                break
    status = response.status_code
    failure = Failure.NOT_A_COMPLETION if status < 300 else failure_of_status(status)
    raise Broken(failure, f"{status} {_told(wire.received)}")


def _told(body: bytearray) -> str:
    text = body.decode("utf-8", "replace")
    try:
        return told_error(json.loads(text))
    except (ValueError, RecursionError):
        return text


def _failure_of(error: Exception) -> Failure:
    """Which failure an error of the connection is."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            return Failure.TLS
        cause = cause.__cause__ or cause.__context__
    not_there = (
        httpx.ConnectError,
        httpx.ConnectTimeout,
        httpx.ProxyError,
        httpx.UnsupportedProtocol,
        httpx.InvalidURL,
    )
    if isinstance(error, not_there):
        return Failure.UNREACHABLE
    return Failure.TIMEOUT if isinstance(error, httpx.TimeoutException) else Failure.DROPPED
