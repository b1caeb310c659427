"""A server on the loopback that says what it is told, byte for byte, and keeps every byte that it is told."""

import contextlib
import json
import socket
import ssl
import threading
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

_TLS_HELLO = b"\x16\x03"
HOLD = object()
"""A piece that sends nothing and waits until the other side hangs up."""


class Server:
    """Answers each connection with the same pieces: bytes are sent, seconds are waited for."""

    def __init__(self, *pieces: object, tls: ssl.SSLContext | None = None) -> None:
        self.pieces = pieces
        self.requests: list[bytes] = []
        """Each request as it came, head and body."""
        self.hung_up: float | None = None
        """When the other side hung up while nothing was sent, on the monotonic clock."""
        self.holding = threading.Event()
        """Whether a request is there and nothing more is sent."""
        self.left = threading.Event()
        """Whether the other side hung up."""
        self._tls = tls
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        """The port that it listens at."""
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._is_over = False

    @property
    def url(self) -> str:
        """The base URL."""
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}/v1"

    @property
    def body(self) -> bytes:
        """The body of the only request."""
        (request,) = self.requests
        return request.split(b"\r\n\r\n", 1)[1]

    @property
    def head(self) -> str:
        """The head of the only request, in lower case."""
        (request,) = self.requests
        return request.split(b"\r\n\r\n", 1)[0].decode().lower()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._is_over = True
        # One last visitor, so that nobody waits at a door that is gone: its number is soon another's.
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", self.port), timeout=5).close()
        self._thread.join(10)
        self._listener.close()

    def _serve(self) -> None:
        while True:
            connection, _ = self._listener.accept()
            if self._is_over:
                connection.close()
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        try:
            with self._tls.wrap_socket(connection, server_side=True) if self._tls else connection as peer:
                request = _received(peer)
                if request:
                    self.requests.append(request)
                    for piece in self.pieces:
                        self._take(peer, piece)
        except OSError:
            # The other side may hang up whenever it likes.
            self._leave()

    def _leave(self) -> None:
        self.hung_up = time.monotonic()
        self.left.set()

    def _take(self, peer: socket.socket, piece: object) -> None:
        if isinstance(piece, bytes):
            peer.sendall(piece)
        elif isinstance(piece, int | float):
            time.sleep(piece)
        else:
            self.holding.set()
            peer.settimeout(10)
            if not peer.recv(1):
                self._leave()


def _received(peer: socket.socket) -> bytes:
    """Read one request: its head, and the body that the head announces."""
    data = b""
    while b"\r\n\r\n" not in data:
        chunk = peer.recv(65536)
        if not chunk:
            return data
        data += chunk
        if data.startswith(_TLS_HELLO):
            peer.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            return b""
    head, body = data.split(b"\r\n\r\n", 1)
    sizes = [line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    while sizes and len(body) < int(sizes[0]):
        body += peer.recv(65536)
    return head + b"\r\n\r\n" + body


def said(body: bytes | str | dict[str, Any], status: str = "200 OK", more: str = "") -> bytes:
    """Write a whole HTTP answer."""
    data = json.dumps(body).encode() if isinstance(body, dict) else body.encode() if isinstance(body, str) else body
    head = f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {len(data)}\r\n{more}\r\n"
    return head.encode() + data


def streamed(*events: bytes | str | dict[str, Any], end: bytes = b"data: [DONE]\n\n") -> bytes:
    """Write an HTTP answer that is a stream of events and ends with the connection."""
    return STREAM + b"".join(event(one) for one in events) + end


STREAM = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
"""The head of a stream that ends with the connection."""


def event(data: bytes | str | dict[str, Any]) -> bytes:
    """Write one event of a stream; bytes stay as they are."""
    if isinstance(data, bytes):
        return data
    return f"data: {data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)}\n\n".encode()


def delta(content: str | None = None, **more: object) -> dict[str, Any]:
    """Make a piece of a streamed answer; a `finish_reason` belongs to the choice."""
    reason = more.pop("finish_reason", None)
    fields = more if content is None else {"content": content, **more}
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": reason}]}


def message(content: str | None, finish_reason: str | None = "stop", **more: object) -> dict[str, Any]:
    """Make a whole answer."""
    fields = {"role": "assistant", "content": content, **more}
    return {"choices": [{"index": 0, "message": fields, "finish_reason": finish_reason}], "usage": USAGE}


USAGE = {"prompt_tokens": 120, "completion_tokens": 7}
"""What a server counts."""


def pieces_of(answer: bytes, size: int) -> Sequence[bytes]:
    """Cut an answer into pieces of so many bytes."""
    return [answer[at : at + size] for at in range(0, len(answer), size)]
