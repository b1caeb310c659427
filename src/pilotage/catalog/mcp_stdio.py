"""An MCP server over standard input and output, as a transport for the SDK's session (spec D9).

The SDK's own transport hands a server's errors to our terminal, logs what is no message, and keeps exit codes to
itself. This one keeps all three for whoever asks, and ends the whole process group.
"""

import json
import subprocess
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TypeVar

import anyio
from anyio.abc import Process
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCMessage, jsonrpc_message_adapter

from pilotage.catalog.process_group import end_group, wait_until

LONGEST_MESSAGE = 16 << 20
"""Bytes of one message at the most, as in Pi."""

MOST_BYTES = 64 << 20
"""Bytes that are taken from one server at the most."""

MOST_NOISE = 10_000
"""Lines that are no messages at the most."""

_NOISE_KEPT = 5
_NOISE_LENGTH = 300
_ERROR_TAIL = 16 * 1024
_LAST_WORDS = 0.3
_GRACE = 0.5
_LOOK = 0.05
_TOO_LONG = b"(a line of more than 16 MB)"

Pipe = TypeVar("Pipe")
Incoming = MemoryObjectReceiveStream[SessionMessage | Exception]
Outgoing = MemoryObjectSendStream[SessionMessage]


class Transcript:
    """What a server showed of itself beside its messages."""

    def __init__(self) -> None:
        self.noise: list[str] = []
        """The first lines on its standard output that are no messages."""
        self.noise_count = 0
        """How many such lines there were."""
        self.errors = b""
        """The last bytes on its standard error."""
        self.exit_code: int | None = None
        """How it ended, if it ended without being told to."""
        self.overran = False
        """Whether it sent more than is taken, or printed more that is no message."""
        self.has_started = False
        """Whether it runs at all."""
        self.has_answered = False
        """Whether it has said all that was asked, so that it may take its time to end."""

    def add_noise(self, line: bytes) -> None:
        """Keep a line that is no message."""
        if line.strip():
            self.noise_count += 1
            if len(self.noise) < _NOISE_KEPT:
                self.noise.append(line[:_NOISE_LENGTH].decode("utf-8", "replace"))

    def add_errors(self, chunk: bytes) -> None:
        """Keep the tail of its standard error, in whole lines where it is cut: half a secret is not recognised."""
        whole = self.errors + chunk
        self.errors = whole if len(whole) <= _ERROR_TAIL else whole[-_ERROR_TAIL:].partition(b"\n")[2]


@asynccontextmanager
async def run_server(
    command: Sequence[str], env: Mapping[str, str], folder: Path, transcript: Transcript
) -> AsyncIterator[tuple[Incoming, Outgoing]]:
    """Run a server and give the two streams of a session with it; afterwards its process group is gone.

    Raises OSError and ValueError when it cannot be started.
    """
    # A cancellation in the middle of the start would leave a process that nobody knows of.
    with anyio.CancelScope(shield=True):
        process = await anyio.open_process(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(env),
            cwd=folder,
            start_new_session=True,
        )
    transcript.has_started = True
    server = _Server(process, transcript)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(server.read_messages)
        tasks.start_soon(server.read_errors)
        tasks.start_soon(server.write)
        tasks.start_soon(server.watch)
        try:
            yield server.incoming, server.outgoing
        finally:
            with anyio.CancelScope(shield=True):
                await server.end()
            tasks.cancel_scope.cancel()


class _Server:
    """A running server and the streams to and from it."""

    def __init__(self, process: Process, transcript: Transcript) -> None:
        self.process = process
        self.transcript = transcript
        self.stdin = _pipe(process.stdin)
        self.stdout = _pipe(process.stdout)
        self.stderr = _pipe(process.stderr)
        self.inbox, self.incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        self.outgoing, self.outbox = anyio.create_memory_object_stream[SessionMessage](0)
        self.is_mute = anyio.Event()
        self.has_no_errors_left = anyio.Event()
        self._taken = 0
        self._rest: list[bytes] = []
        self._rest_length = 0

    async def read_messages(self) -> None:
        """Take messages from its standard output until that ends or is too much."""
        with self.inbox, suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            async for chunk in self.stdout:
                self._taken += len(chunk)
                for line in self._lines(chunk):
                    await self._deliver(line)
                    if self.transcript.noise_count > MOST_NOISE:
                        break
                if self._taken > MOST_BYTES or self.transcript.noise_count > MOST_NOISE:
                    self.transcript.overran = True
                    return
        self.is_mute.set()

    async def read_errors(self) -> None:
        """Take what it says on standard error until that ends."""
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            async for chunk in self.stderr:
                self.transcript.add_errors(chunk)
        self.has_no_errors_left.set()

    async def write(self) -> None:
        """Hand it the session's messages, each as one whole line."""
        with self.outbox, suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            async for message in self.outbox:
                line = message.message.model_dump_json(by_alias=True, exclude_unset=True) + "\n"
                await self.stdin.send(line.encode())

    async def watch(self) -> None:
        """Close its side of the conversation once it has ended: what it set free may hold its output open."""
        while self.process.returncode is None:
            await anyio.sleep(_LOOK)
        with anyio.move_on_after(_LAST_WORDS):
            await self.is_mute.wait()
        self.is_mute.set()
        self.inbox.close()

    async def end(self) -> None:
        """End it and what it started. One that has answered may end by itself, now that its input is closed."""
        # One that is dying must not be taken for one that ended because we closed its input.
        if self.is_mute.is_set() and not self.transcript.has_answered:
            await wait_until(lambda: self.process.returncode is not None, _LAST_WORDS)
        self.incoming.close()
        self.outgoing.close()
        with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            await self.stdin.aclose()
        patience = _GRACE if self.transcript.has_answered else 0
        self.transcript.exit_code = await end_group(self.process, patience=patience)
        with anyio.move_on_after(_LAST_WORDS):
            await self.has_no_errors_left.wait()
        # What left the group may still hold the pipes: they are closed on our side whatever it does.
        with anyio.move_on_after(_LAST_WORDS):
            await self.process.aclose()

    def _lines(self, chunk: bytes) -> Iterator[bytes]:
        """The lines that a chunk completes; the rest waits, and a line that is too long is dropped."""
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            yield b"".join((*self._rest, end)) if self._rest_length + len(end) <= LONGEST_MESSAGE else _TOO_LONG
            self._rest, self._rest_length = [], 0
        self._rest_length += len(rest)
        if self._rest_length <= LONGEST_MESSAGE:
            self._rest.append(rest)

    async def _deliver(self, line: bytes) -> None:
        message = _message(line)
        if message is None:
            self.transcript.add_noise(line)
            return
        # Once the session is over it is still read: a server that cannot write cannot end.
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            await self.inbox.send(SessionMessage(message))


def _pipe(stream: Pipe | None) -> Pipe:
    assert stream is not None, "the program was started with pipes"
    return stream


def _message(line: bytes) -> JSONRPCMessage | None:
    """The message on a line; none where it holds something else."""
    if not line.lstrip().startswith(b"{"):
        return None
    with suppress(ValueError):
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    # The parser above takes no lone surrogates; Pi's does.
    with suppress(ValueError, RecursionError):
        text = json.dumps(json.loads(line.decode("utf-8", "replace")), ensure_ascii=False, allow_nan=False)
        return jsonrpc_message_adapter.validate_json(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    return None
