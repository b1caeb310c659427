"""A trajectory as another command tells it, in place of the built-in renderer (spec J6)."""

import asyncio
import os
import signal
from collections.abc import Sequence
from pathlib import Path

from pilotage.plain import plain_line
from pilotage.redaction import redact

MOST_BYTES = 8 << 20
"""Bytes that a trajectory may have before it is cut."""

_COMPLAINT = 2_000
_MEND = "try the command of trajectoryCommand by hand"


class CommandFailed(Exception):
    """The command told no trajectory; its text says why and what to do."""


async def told_by(command: Sequence[str], path: Path) -> str:
    """What a command writes when the session's path follows its arguments; no shell has a part in it.

    Whoever cancels this ends the command and all that it started. Raises CommandFailed when the command cannot be
    started, ends with another exit code than 0, or writes nothing or more than 8 MiB.
    """
    named = plain_line(command[0], 200)
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            str(path),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        msg = f"{named}: cannot be started ({error}); correct trajectoryCommand in the settings"
        raise CommandFailed(msg) from error
    try:
        output, complaint = await _listen(process, named)
    finally:
        _kill(process)
        code = await process.wait()
    if code:
        msg = f"{named}: ended with exit code {code}{_quoted(complaint)}; {_MEND}"
        raise CommandFailed(msg)
    text = output.decode("utf-8", "replace")
    if not text.strip():
        msg = f"{named}: wrote nothing{_quoted(complaint)}; {_MEND}"
        raise CommandFailed(msg)
    return text


async def _listen(process: asyncio.subprocess.Process, named: str) -> tuple[bytes, bytes]:
    """All that a command writes, and the beginning of what it complains of, until it has ended."""
    assert process.stdout is not None
    assert process.stderr is not None
    complaints = asyncio.create_task(_beginning_of(process.stderr))
    try:
        output = await _all_of(process.stdout, named)
        await process.wait()
        return output, await complaints
    finally:
        complaints.cancel()


async def _all_of(stream: asyncio.StreamReader, named: str) -> bytes:
    parts, size = [], 0
    while part := await stream.read(1 << 16):
        size += len(part)
        if size > MOST_BYTES:
            msg = f"{named}: wrote more than {MOST_BYTES >> 20} MiB; give trajectoryCommand an argument that bounds it"
            raise CommandFailed(msg)
        parts.append(part)
    return b"".join(parts)


async def _beginning_of(stream: asyncio.StreamReader) -> bytes:
    """The first bytes of a stream; the rest is read so that the command can go on, and dropped."""
    kept = b""
    while part := await stream.read(1 << 16):
        kept += part[: _COMPLAINT - len(kept)]
    return kept


def _quoted(complaint: bytes) -> str:
    words = plain_line(redact(complaint.decode("utf-8", "replace")).text, 300)
    return f" ({words})" if words else ""


def _kill(process: asyncio.subprocess.Process) -> None:
    """End a command and all that it started; what has ended already needs nothing."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return
