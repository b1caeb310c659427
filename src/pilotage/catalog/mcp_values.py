"""Values of a server's configuration, resolved as Pi resolves them (`HOST.md` f), and what of them must not be told."""

import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from urllib.parse import parse_qsl, urlsplit

import anyio
from anyio.abc import Process
from msgspec import Struct

from pilotage.catalog.mcp_server import McpServer
from pilotage.catalog.process_group import end_group
from pilotage.redaction import is_secret_value, redact, replace_values, secret_values

_SHORTEST_HIDDEN = 3
_MOST_OUTPUT = 64 * 1024
_PIECE = re.compile(r"\$(?:([$!])|\{([^}]*)\}|([A-Za-z_][A-Za-z0-9_]*))")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Unresolved(Exception):
    """A value that cannot be had; its text says why, and names no value."""

    def __init__(self, what: str, mend: str) -> None:
        super().__init__(what)
        self.mend = mend
        """What a person can do about it."""


class Values(Struct, frozen=True):
    """The resolved values of one server; never to be written or shown."""

    env: Mapping[str, str]
    """The program's variables."""
    headers: Mapping[str, str]
    """The headers of each request."""
    told: tuple[str, ...]
    """All that was resolved, and the pieces of it: to be hidden in what the server says of a failure."""
    secret: tuple[str, ...]
    """Those of them that are secrets by their looks or their place: to be hidden in descriptions too."""

    def __repr__(self) -> str:
        """Show nothing."""
        return "Values(…)"

    def without(self, text: str) -> str:
        """A server's words about a failure, without values and without what looks like a secret."""
        return redact(text, self.told).text

    def without_secrets(self, text: str) -> str:
        """A server's description, without secrets that it was given."""
        return replace_values(text, self.secret).text


async def resolve_values(server: McpServer, environment: Mapping[str, str], *, run_commands: bool) -> Values:
    """Resolve a server's variables and headers: `$NAME`, `${NAME}`, `$$`, `$!`, and `!command` where it is wanted.

    Raises Unresolved, which names the variable or header and what it lacks.
    """
    env = {name: await _resolve(f"env {name}", value, environment, run_commands) for name, value in server.env.items()}
    headers = {
        name: await _resolve(f"header {name}", value, environment, run_commands)
        for name, value in server.headers.items()
    }
    texts = (*server.env.values(), *server.headers.values())
    taken = {environment.get(name, "") for text in texts for name in _names(text)}
    of_headers = {piece for value in headers.values() for piece in (value, *value.split())}
    every = {*env.values(), *of_headers, *taken, *_in_address(server)}
    secret = of_headers | {value for value in every if is_secret_value(value)}
    secret |= {*secret_values(environment), *secret_values(_flags(server.args))}
    return Values(env, headers, _long(every | secret), _long(secret))


def _in_address(server: McpServer) -> Iterator[str]:
    """What stands in a server's address beside the place that it names."""
    parts = urlsplit(server.url or "")
    yield from (part for part in (parts.username, parts.password) if part)
    yield from (value for _, value in parse_qsl(parts.query))


def _flags(args: Sequence[str]) -> dict[str, str]:
    """The arguments as names and values, in both ways of writing them: `--name value` and `--name=value`."""
    found = dict(arg.split("=", 1) for arg in args if "=" in arg) | dict(pairwise(args))
    return {name.strip("-").replace("-", "_"): value for name, value in found.items() if name.startswith("-")}


def _long(values: set[str]) -> tuple[str, ...]:
    """Those that are no mere sign, the longest first."""
    return tuple(
        sorted((value for value in values if len(value) >= _SHORTEST_HIDDEN), key=lambda one: (-len(one), one))
    )


def _names(text: str) -> Iterator[str]:
    """The variables that a value names."""
    if not text.startswith("!"):
        yield from (match[2] or match[3] for match in _PIECE.finditer(text) if match[2] or match[3])


async def _resolve(where: str, text: str, environment: Mapping[str, str], run_commands: bool) -> str:
    if text.startswith("!"):
        if not run_commands:
            raise Unresolved(f"{where} is a command, and nobody asked to run it", "ask for commands to be run")
        output = await _output(text[1:], environment)
        if not output:
            raise Unresolved(f"the command of {where} gave nothing", "run it by hand")
        return output
    lacking = [name for name in _names(text) if _VARIABLE.fullmatch(name) and not environment.get(name)]
    if lacking:
        names = ", ".join(dict.fromkeys(lacking))
        raise Unresolved(f"{where} needs {names}, which is not set", f"set {names} where Pilotage runs")
    return _PIECE.sub(lambda match: _piece(match, environment), text)


def _piece(match: re.Match[str], environment: Mapping[str, str]) -> str:
    name = match[2] or match[3]
    if match[1] or name is None:
        return match[1] or match[0]
    return environment[name] if _VARIABLE.fullmatch(name) else match[0]


async def _output(command: str, environment: Mapping[str, str]) -> str:
    """What a command prints, trimmed; empty where it fails. Its process group does not outlive it."""
    process = await anyio.open_process(
        ["/bin/sh", "-c", command],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=dict(environment),
        start_new_session=True,
    )
    try:
        output = await _read(process)
        return output.decode("utf-8", "replace").strip() if await process.wait() == 0 else ""
    finally:
        await end_group(process, patience=0)


async def _read(process: Process) -> bytes:
    output = b""
    if process.stdout is not None:
        with suppress(anyio.EndOfStream, anyio.BrokenResourceError):
            while len(output) < _MOST_OUTPUT:
                output += await process.stdout.receive()
    return output
