"""A scripted model: an OpenAI-compatible server on the loopback that answers as it is told.

An answer ("turn") is a dict with any of: `text`, `thinking`, `tool_calls` (each `name` with `arguments`, or
with `arguments_raw` as it is sent; `id`), `finish_reason`, `usage`, `delay_ms` (before the first byte),
`chunk_delay_ms`, `chunk_size` (characters), `error` (`status`, `body`), `drop` (break off after so many
chunks), `hold` (a name: the answer waits until `let_go` is called with it).
A rule is `match` (a pattern), `where` (`first`, `last` or `any` message) and `turn`, or `turns`, which are given in
order, the last one again and again.
"""

import json
import re
import select
import socket
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from typing import Any, Self

from tests.pi.scenario import Scenario

Json = dict[str, Any]


@dataclass(frozen=True)
class Request:
    """One model request as it came."""

    number: int
    """Counted from 1."""
    path: str
    """The path of the URL."""
    headers: dict[str, str]
    """By lower-case name."""
    body: Json
    """The decoded body."""
    raw: bytes
    """The body as it came."""
    time: float
    """When it came, in seconds since the epoch."""

    @property
    def is_structured(self) -> bool:
        """Whether it wants an answer of a given shape, as Pilotage's own questions do and Pi's never."""
        return "response_format" in self.body


class Script:
    """Picks the answer to each request, and remembers the requests."""

    def __init__(self, scenario: Scenario) -> None:
        self.requests: list[Request] = []
        self.called_off: dict[int, float] = {}
        """For a request whose asker went away before the answer, when."""
        self._scenario = scenario
        self._turns = iter(scenario.turns)
        self._random = Random(7)
        self._lock = threading.Lock()
        self._used: Counter[int] = Counter()
        self.let_go: defaultdict[str, threading.Event] = defaultdict(threading.Event)
        """For each name under which answers are held back whether they may go."""

    def take(self, path: str, headers: dict[str, str], raw: bytes) -> tuple[Request, Json]:
        """Note a request; give it back with its answer."""
        body: Json = json.loads(raw)
        with self._lock:
            request = Request(len(self.requests) + 1, path, headers, body, raw, time.time())
            turn = dict(self._answer(body.get("messages", [])))
            turn.setdefault("delay_ms", self._random.randint(*self._scenario.pace_ms))
            turn.setdefault("usage", self._usage(body, turn))
            self.requests.append(request)
        return request, turn

    def _answer(self, messages: list[Json]) -> Json:
        for number, rule in enumerate(self._scenario.rules):
            places = {"first": messages[:1], "last": messages[-1:], "any": messages}
            text = json.dumps(places[rule.get("where", "last")], ensure_ascii=False)
            if re.search(rule["match"], text):
                turns: list[Json] = rule.get("turns") or [rule["turn"]]
                self._used[number] += 1
                return turns[min(self._used[number], len(turns)) - 1]
        return next(self._turns, self._scenario.fallback)

    def _usage(self, body: Json, turn: Json) -> Json:
        """Reckon four characters a token; what an earlier request began with alike counts as cached."""
        sent = _prompt(body)
        shared = max((_shared(sent, _prompt(request.body)) for request in self.requests), default=0)
        thought = len(turn.get("thinking", "")) // 4
        said = len(turn.get("text", "")) // 4 + sum(len(_arguments(call)) // 4 + 12 for call in _calls(turn))
        return {
            "prompt_tokens": len(sent) // 4,
            "completion_tokens": thought + said + 1,
            "total_tokens": len(sent) // 4 + thought + said + 1,
            "prompt_tokens_details": {"cached_tokens": shared // 4 // 64 * 64},
            "completion_tokens_details": {"reasoning_tokens": thought},
        }


class ModelServer:
    """The server of one scenario; a context manager, listening from `__enter__` on."""

    def __init__(self, scenario: Scenario) -> None:
        self.script = Script(scenario)
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"script": self.script}))
        self._http.daemon_threads = True

    @property
    def requests(self) -> list[Request]:
        """Every model request until now."""
        return list(self.script.requests)

    def let_go(self, name: str) -> None:
        """Let every answer go that is held back under this name, now or later."""
        self.script.let_go[name].set()

    @property
    def url(self) -> str:
        """The base URL for an OpenAI-compatible client."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()


class _Handler(BaseHTTPRequestHandler):
    """Answers the requests of one server; a subclass knows the script."""

    protocol_version = "HTTP/1.1"
    script: Script

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 the base class names it so
        """Say nothing."""

    def do_GET(self) -> None:
        """List no models."""
        self._send_json(200, {"object": "list", "data": []})

    def do_POST(self) -> None:
        """Answer with the script's next turn."""
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request, turn = self.script.take(self.path, headers, raw)
        if self._asker_leaves(turn["delay_ms"] / 1000) or self._asker_leaves_held(turn.get("hold")):
            self.script.called_off[request.number] = time.time()
            self.close_connection = True
            return
        try:
            self._answer(request, turn)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _asker_leaves(self, seconds: float) -> bool:
        """Wait before the answer; whether the asker closes the connection meanwhile."""
        readable, _, _ = select.select([self.connection], [], [], seconds)
        return bool(readable) and not self.connection.recv(1, socket.MSG_PEEK)

    def _asker_leaves_held(self, name: str | None) -> bool:
        """Hold the answer back until it may go; whether the asker closes the connection meanwhile."""
        while name is not None and not self.script.let_go[name].is_set():
            if self._asker_leaves(0.02):
                return True
        return False

    def _answer(self, request: Request, turn: Json) -> None:
        model = request.body.get("model")
        base = {"id": f"chatcmpl-{request.number}", "created": int(time.time()), "model": model}
        if "error" in turn:
            body = turn["error"].get("body", {"error": {"message": "scripted error"}})
            self._send_json(turn["error"].get("status", 500), body)
        elif request.body.get("stream"):
            self._stream({**base, "object": "chat.completion.chunk"}, request, turn)
        else:
            choice = {"index": 0, "message": _message(request, turn), "finish_reason": _finish(turn)}
            whole = {"object": "chat.completion", "choices": [choice], "usage": turn["usage"]}
            self._send_json(200, {**base, **whole})

    def _send_json(self, status: int, value: Json) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, base: Json, request: Request, turn: Json) -> None:
        self.close_connection = True
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for place, delta in enumerate(_deltas(request, turn)):
            if turn.get("drop") == place:
                return
            self._send_event({**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
            time.sleep(turn.get("chunk_delay_ms", 0) / 1000)
        self._send_event({**base, "choices": [{"index": 0, "delta": {}, "finish_reason": _finish(turn)}]})
        self._send_event({**base, "choices": [], "usage": turn["usage"]})
        self.wfile.write(b"data: [DONE]\n\n")

    def _send_event(self, value: Json) -> None:
        self.wfile.write(b"data: " + json.dumps(value, ensure_ascii=False).encode() + b"\n\n")
        self.wfile.flush()


def _deltas(request: Request, turn: Json) -> Iterator[Json]:
    """Yield the answer in the pieces in which it is streamed."""
    yield {"role": "assistant", "content": ""}
    if turn.get("thinking"):
        yield {"reasoning_content": turn["thinking"]}
    text, size = turn.get("text", ""), turn.get("chunk_size", 80)
    for start in range(0, len(text), size):
        yield {"content": text[start : start + size]}
    for index, call in enumerate(_wire_calls(request, turn)):
        arguments = call["function"]["arguments"]
        yield {"tool_calls": [{**call, "index": index, "function": {**call["function"], "arguments": ""}}]}
        for start in range(0, len(arguments), 200):
            yield {"tool_calls": [{"index": index, "function": {"arguments": arguments[start : start + 200]}}]}


def _message(request: Request, turn: Json) -> Json:
    """Return the answer in one piece."""
    message: Json = {"role": "assistant", "content": turn.get("text")}
    calls = _wire_calls(request, turn)
    return {**message, "tool_calls": calls} if calls else message


def _wire_calls(request: Request, turn: Json) -> list[Json]:
    """Return the tool calls as the protocol has them."""
    return [
        {
            "id": call.get("id", f"call_{request.number}_{index}"),
            "type": "function",
            "function": {"name": call["name"], "arguments": _arguments(call)},
        }
        for index, call in enumerate(_calls(turn))
    ]


def _calls(turn: Json) -> list[Json]:
    calls: list[Json] = turn.get("tool_calls", [])
    return calls


def _arguments(call: Json) -> str:
    """Return a call's arguments as text: as sent, or encoded here."""
    raw = call.get("arguments_raw")
    return raw if isinstance(raw, str) else json.dumps(call.get("arguments", {}), ensure_ascii=False)


def _finish(turn: Json) -> str:
    reason = turn.get("finish_reason") or ("tool_calls" if _calls(turn) else "stop")
    return str(reason)


def _prompt(body: Json) -> str:
    """Return what a provider's cache compares: the tools, then the messages."""
    return json.dumps([body.get("tools"), body.get("messages")], ensure_ascii=False)


def _shared(one: str, other: str) -> int:
    """Count the characters with which both begin."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one.startswith(other[:middle]) else (low, middle - 1)
    return low
