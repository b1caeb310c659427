"""The process that serves one session of Pi over its standard input and output (spec H4)."""

import asyncio
import os
import sys
from typing import BinaryIO

from pilotage.hosts.pi.channel import Channel
from pilotage.hosts.pi.serving import Serving
from pilotage.paths import agent_dir


class _Lines:
    """Lines of a stream, waited for in a thread: what kind of file it is makes no difference."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    async def readline(self) -> bytes:
        return await asyncio.to_thread(self._stream.readline)


def run_bridge() -> int:
    """Serve until Pi ends; the exit status."""
    # What a library prints must not come between the messages.
    out = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    with os.fdopen(out, "wb") as stream:

        def write(line: bytes) -> None:
            stream.write(line)
            stream.flush()

        channel = Channel(_Lines(sys.stdin.buffer), write)
        asyncio.run(Serving(channel, agent_dir(), os.environ).serve())
    return 0
