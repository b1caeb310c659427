"""One MCP server as an `mcp.json` describes it, judged as Pi judges it (`HOST.md` e)."""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import TypedDict, TypeVar
from urllib.parse import urlsplit

from msgspec import Struct

from pilotage.catalog.names import namespace_of

_NAME = re.compile(r"[A-Za-z0-9_-]+")
T = TypeVar("T")

_OLD_WORDS = {"codemode-deferred": "codemode"}


class Exposure(StrEnum):
    """How an agent reaches a server's tools."""

    CODEMODE = "codemode"
    """From scripts; a search loads them too."""
    DEFERRED = "deferred"
    """After a search has loaded them."""
    DIRECT = "direct"
    """They are declared from the start."""
    HIDDEN = "hidden"
    """Not at all."""


class InvalidEntry(Exception):
    """An entry that Pi does not take; its text is the reason and holds none of its values."""


class McpServer(Struct, frozen=True):
    """One server as it is configured; values are as they are written, with nothing resolved."""

    name: str
    """The key in the file."""
    source: str
    """The file."""
    command: str | None = None
    """The program of a server that speaks over standard input and output."""
    args: tuple[str, ...] = ()
    """The program's arguments."""
    env: Mapping[str, str] = {}
    """Variables for the program, beside those that are set anyway."""
    folder: str = "."
    """Where the program runs, seen from the project."""
    url: str | None = None
    """The address of a server that speaks over HTTP."""
    headers: Mapping[str, str] = {}
    """Headers for every request to it."""
    provider: str | None = None
    """The provider whose credential Pi sends it."""
    description: str = ""
    """What the person says of it."""
    exposure: Exposure = Exposure.CODEMODE
    """How its tools are reached."""
    tool_exposure: Mapping[str, Exposure] = {}
    """The exceptions, by name or pattern of a tool; a name counts before a pattern, the first pattern that fits."""

    def __repr__(self) -> str:
        """Name the server and nothing that may be secret."""
        return f"McpServer({self.name!r})"

    @property
    def namespace(self) -> str:
        """Pi's name for the server: `mcp__SERVER`, with `_` for each `-`."""
        return namespace_of(self.name)

    @property
    def is_hidden(self) -> bool:
        """Whether none of its tools can be reached."""
        return {self.exposure, *self.tool_exposure.values()} == {Exposure.HIDDEN}

    def exposure_of(self, tool: str) -> Exposure:
        """How one tool is reached, by the name that the server gives it."""
        exact = self.tool_exposure.get(tool)
        if exact is not None:
            return exact
        patterns = ((key, value) for key, value in self.tool_exposure.items() if "*" in key)
        return next((value for key, value in patterns if _fits(key, tool)), self.exposure)


class _Shared(TypedDict):
    """What an entry says whichever way its server is reached."""

    name: str
    source: str
    description: str
    exposure: Exposure
    tool_exposure: dict[str, Exposure]


def server_of(name: str, raw: object, source: str) -> McpServer:
    """The server that one entry of the file `source` describes. Raises InvalidEntry."""
    if not _NAME.fullmatch(name):
        raise InvalidEntry("a server's name has letters, digits, _ and - only")
    if not isinstance(raw, dict):
        raise InvalidEntry("is no object")
    shared = _shared(name, raw, source)
    kind, url, command = raw.get("type"), raw.get("url"), raw.get("command")
    if isinstance(url, str) and kind in (None, "http", "streamable-http"):
        return McpServer(**shared, url=_web(url), headers=_texts(raw, "headers"), provider=_provider(raw.get("auth")))
    if isinstance(command, str) and kind in (None, "stdio"):
        folder = _checked(raw.get("cwd", "."), str, "cwd must be text")
        return McpServer(**shared, command=command, args=_arguments(raw), env=_texts(raw, "env"), folder=folder)
    raise InvalidEntry("Pi does not know the old SSE transport" if kind == "sse" else "needs a command or a url")


def _shared(name: str, raw: Mapping[str, object], source: str) -> _Shared:
    _checked(raw.get("enabled", True), bool, "enabled must be true or false")
    timeout = raw.get("timeout", 1)
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not timeout > 0:
        raise InvalidEntry("timeout must be a number of seconds above 0")
    exceptions = _checked(raw.get("toolExposure", {}), dict, "toolExposure must name tools and exposures")
    return _Shared(
        name=name,
        source=source,
        description=_checked(raw.get("description", ""), str, "description must be text").strip(),
        exposure=_exposure(raw.get("exposure", Exposure.CODEMODE), "exposure"),
        tool_exposure={tool: _exposure(value, "each toolExposure") for tool, value in exceptions.items()},
    )


def _checked(value: object, kind: type[T], lack: str) -> T:
    if isinstance(value, kind):
        return value
    raise InvalidEntry(lack)


def _exposure(value: object, field: str) -> Exposure:
    word = _OLD_WORDS.get(value, value) if isinstance(value, str) else value
    if word in tuple(Exposure):
        return Exposure(str(word))
    raise InvalidEntry(f"{field} must be one of {', '.join(Exposure)}")


def _texts(raw: Mapping[str, object], field: str) -> dict[str, str]:
    lack = f"{field} must hold names and texts"
    given = _checked(raw.get(field, {}), dict, lack)
    return {name: _checked(value, str, lack) for name, value in given.items()}


def _arguments(raw: Mapping[str, object]) -> tuple[str, ...]:
    lack = "args must be a list of texts"
    return tuple(_checked(value, str, lack) for value in _checked(raw.get("args", []), list, lack))


def _web(url: str) -> str:
    try:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https") and parts.hostname:
            return url
    except ValueError:
        pass
    raise InvalidEntry("url must be an http or https address")


def _provider(auth: object) -> str | None:
    name = auth.get("provider") if isinstance(auth, dict) else None
    if auth is None or (isinstance(name, str) and name):
        return name
    raise InvalidEntry("auth.provider must be a provider's name")


def _fits(pattern: str, tool: str) -> bool:
    """Whether a pattern of Pi's, in which only `*` is special, fits a name."""
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), tool) is not None
