"""Values in Pi's files that stand for others: `$NAME`, `${NAME}` and a leading `!command` (`HOST.md` f)."""

import asyncio
import contextlib
import os
import re
import shlex
import signal
from collections.abc import Mapping, Sequence

from pilotage.plain import plain_line
from pilotage.redaction import redact

COMMAND_PATIENCE = 10.0
"""Seconds that a command has, as Pi gives it."""

_MOST_BYTES = 1 << 20
_LAST_WORDS = 0.5
_REFERENCE = re.compile(r"\$(?:(?P<sign>[$!])|\{(?P<braced>[^}]*)\}|(?P<bare>[A-Za-z_][A-Za-z0-9_]*))")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Unresolved(Exception):
    """A value that cannot be found out; its text says what is missing and never what is there."""


async def resolve_value(
    text: str, environ: Mapping[str, str], own: Mapping[str, str] | None = None, patience: float = COMMAND_PATIENCE
) -> str:
    """Give the value that a text stands for.

    A text that begins with `!` is a command for the shell, and its output the value; variables are looked for in
    `own` first. Raises Unresolved; cancelling ends the command.
    """
    if text.startswith("!"):
        return await _output_of_shell(text[1:], environ, patience)
    return fill_in(text, environ, own)


def fill_in(text: str, environ: Mapping[str, str], own: Mapping[str, str] | None = None) -> str:
    """Give the text with its variables filled in; one that is not set or empty raises Unresolved."""

    def filled(match: re.Match[str]) -> str:
        if match["sign"]:
            return match["sign"]
        name = match["bare"] or match["braced"]
        if not _NAME.fullmatch(name or ""):
            return match[0]
        value = (own or {}).get(name) or environ.get(name)
        if not value:
            msg = f"the variable {name} is not set"
            raise Unresolved(msg)
        return value

    return _REFERENCE.sub(filled, text)


async def output_of(command: Sequence[str], environ: Mapping[str, str], patience: float) -> str:
    """Run a program and give what it wrote, without the space around it; raises Unresolved."""
    return await _finished(plain_line(command[0], 60), command, environ, patience)


async def _output_of_shell(command: str, environ: Mapping[str, str], patience: float) -> str:
    return await _finished(_first_word(command), ["/bin/sh", "-c", command], environ, patience)


def _first_word(command: str) -> str:
    """What a command may be called: its first word, as the rest can hold a secret."""
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    return plain_line(redact(words[0] if words else "").text, 60)


async def _finished(name: str, command: Sequence[str], environ: Mapping[str, str], patience: float) -> str:
    output, status = b"", 0
    try:
        async with asyncio.timeout(patience):
            output, status = await _run(command, environ)
    except TimeoutError:
        msg = f"the command `{name}` took longer than {patience:g} s"
        raise Unresolved(msg) from None
    except OSError as error:
        msg = f"the command `{name}` cannot be run: {error.strerror or type(error).__name__}"
        raise Unresolved(msg) from None
    text = output.decode("utf-8", "replace").strip()
    if status or not text:
        msg = f"the command `{name}` ended with {status}" if status else f"the command `{name}` said nothing"
        raise Unresolved(msg)
    return text


async def _run(command: Sequence[str], environ: Mapping[str, str]) -> tuple[bytes, int]:
    """Run a program without input; what is left of it when this is cancelled is killed."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=dict(environ),
        start_new_session=True,
    )
    is_done = False
    try:
        stream = process.stdout
        output = await stream.read(_MOST_BYTES) if stream else b""
        while stream and (more := await stream.read(_MOST_BYTES)):
            output = (output + more)[:_MOST_BYTES]
        status = await process.wait()
        is_done = True
        return output, status
    finally:
        if not is_done:
            # The whole group: what a shell started in the background holds the pipe open as well.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
            with contextlib.suppress(TimeoutError):
                # To its end, so that the pipe is closed; something that left the group may hold it open.
                await asyncio.wait_for(stream.read() if stream else asyncio.sleep(0), _LAST_WORDS)
