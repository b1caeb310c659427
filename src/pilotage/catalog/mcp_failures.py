"""A server's failure in words: what it did, when, and with which last words; none of the values that it was given."""

import signal
from contextlib import suppress

import httpx2
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED
from msgspec import Struct

from pilotage.catalog.mcp_http import HttpTranscript
from pilotage.catalog.mcp_stdio import MOST_BYTES, MOST_NOISE, Transcript
from pilotage.catalog.mcp_values import Unresolved, Values
from pilotage.plain import plain_line

_MOST_LINES = 5
_LINE_LENGTH = 300
_NO_VALUES = Values({}, {}, (), ())
_SIGN_IN = (401, 403)


class Failure(Struct, frozen=True):
    """Why a server gave no list, or not the whole of it."""

    what: str
    """What it did."""
    mend: str
    """What a person can do about it."""


def failure_of(
    error: Exception, stage: str, transcript: Transcript | HttpTranscript, values: Values = _NO_VALUES
) -> Failure:
    """The failure that an exception stands for; `stage` is the request that was open."""
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, Unresolved):
        return Failure(str(error), error.mend)
    if transcript.overran:
        return _of_flood(transcript)
    if isinstance(transcript, HttpTranscript):
        return _of_http(error, stage, transcript, values)
    if isinstance(error, FileNotFoundError) and not transcript.has_started:
        return Failure("its program is not there", "install it, or mend its command in mcp.json")
    what = _of_program(error, stage, transcript, values)
    return Failure(what + last_words(transcript, values), "run its command by hand to see more")


def last_words(transcript: Transcript | HttpTranscript, values: Values) -> str:
    """The end of what a program said on standard error, as the end of a sentence."""
    if isinstance(transcript, HttpTranscript):
        return ""
    said = values.without(transcript.errors.decode("utf-8", "replace"))
    lines = [plain_line(line, _LINE_LENGTH) for line in said.splitlines() if line.strip()]
    return f"; its last words: {' | '.join(lines[-_MOST_LINES:])}" if lines else ""


def _of_flood(transcript: Transcript | HttpTranscript) -> Failure:
    if isinstance(transcript, Transcript) and transcript.noise_count > MOST_NOISE:
        return Failure("prints to standard output without end", "have it write to standard error")
    packed = isinstance(transcript, HttpTranscript) and transcript.is_packed
    what = "compresses its answers unasked" if packed else f"sent more than {MOST_BYTES >> 20} MB"
    return Failure(what, "have it answer without" if packed else "have it list fewer tools")


def _of_program(error: Exception, stage: str, transcript: Transcript, values: Values) -> str:
    if not transcript.has_started and isinstance(error, OSError | ValueError):
        return f"could not be started: {getattr(error, 'strerror', None) or 'its command cannot be run'}"
    if isinstance(error, MCPError) and error.code == CONNECTION_CLOSED:
        return f"{_ending(transcript.exit_code)} before it answered {stage}"
    return _of_answer(error, stage, values)


def _ending(exit_code: int | None) -> str:
    if exit_code is None:
        return "closed its output"
    if exit_code >= 0:
        return f"ended with exit code {exit_code}"
    name = str(-exit_code)
    with suppress(ValueError):
        name = signal.Signals(-exit_code).name
    return f"was ended by {name}"


def _of_http(error: Exception, stage: str, transcript: HttpTranscript, values: Values) -> Failure:
    status = transcript.status
    if status in _SIGN_IN:
        return Failure(f"asks for a sign-in (HTTP {status})", "Pilotage does not sign in; give it a header in mcp.json")
    if status is not None and status >= 400:
        return Failure(f"answered {stage} with HTTP {status}", "look at the server, and at its url in mcp.json")
    if isinstance(error, httpx2.TransportError):
        return Failure(f"cannot be reached ({type(error).__name__})", "start it, or mend its url in mcp.json")
    if isinstance(error, MCPError) and error.code == CONNECTION_CLOSED:
        return Failure(f"closed the connection before it answered {stage}", "look at the server")
    return Failure(_of_answer(error, stage, values), "look at the server")


def _of_answer(error: Exception, stage: str, values: Values) -> str:
    if isinstance(error, MCPError):
        return f"answered {stage} with an error: {plain_line(values.without(error.message), _LINE_LENGTH)}"
    if isinstance(error, ValueError):
        return f"gave an answer to {stage} that is none"
    if isinstance(error, RuntimeError):
        return "speaks a version of the protocol that Pi does not"
    return f"failed at {stage} ({type(error).__name__})"
