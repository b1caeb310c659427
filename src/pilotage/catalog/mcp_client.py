"""One MCP server asked for its tools by the SDK's session, with a limit on time and on everything else (spec D9).

Only the handshake that Pi knows is spoken: a server that needs another one is none that its agent can use. Pages are
asked for below the SDK's own `list_tools`, which gives up a whole page for one tool with an odd schema.
"""

import json
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import mcp_types as types
from anyio.lowlevel import checkpoint
from mcp.client.session import ClientRequestContext, ClientSession, IncomingMessage
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.dispatcher import CallOptions
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp.shared.transport_context import TransportContext
from msgspec import Struct, convert, to_builtins

from pilotage.catalog.mcp_failures import Failure, failure_of, last_words
from pilotage.catalog.mcp_http import HttpTranscript, open_client
from pilotage.catalog.mcp_server import McpServer
from pilotage.catalog.mcp_stdio import LONGEST_MESSAGE, Transcript, run_server
from pilotage.catalog.mcp_tools import Listing, McpTool
from pilotage.catalog.mcp_values import Unresolved, Values, resolve_values
from pilotage.plain import plain_line
from pilotage.records.fields import as_dict, as_list, as_text

MOST_PAGES = 1000
"""Pages of a list at the most, as in Pi."""

MOST_TOOLS = 20_000
"""Tools of a server at the most."""

_MOST_LISTS = 3
_DEEPEST = 100
_ENDING = 0.5
"""Seconds of the limit that are kept for ending a program."""

# Without a handler Python prints a library's warnings to the terminal, and server text with them.
for _library in ("mcp", "client"):
    logging.getLogger(_library).addHandler(logging.NullHandler())


class Answer(Struct, frozen=True):
    """What came of asking one server."""

    listing: Listing | None
    """What it said, as far as it came; none if it did not even get to its tools."""
    is_complete: bool
    """Whether that is all of it."""
    failures: tuple[Failure, ...] = ()
    """What it did that it should not."""


async def ask_server(
    server: McpServer, cwd: Path, environment: Mapping[str, str], *, limit: float, run_commands: bool
) -> Answer:
    """Ask one server for all its tools, within `limit` seconds; whatever it does, this gives an answer.

    A program is run in its folder below `cwd`, with `environment` and its own variables, as Pi runs it; when this
    is done, it and its process group are gone.
    """
    talk = _Talk(server, cwd)
    failures = []
    try:
        with anyio.move_on_after(limit - min(_ENDING, limit / 10)) as scope:
            talk.values = await resolve_values(server, environment, run_commands=run_commands)
            async with _connected(talk, environment, limit) as dispatcher:
                await talk.hold(dispatcher)
    except Exception as error:  # noqa: BLE001 - whatever a server brings about costs that server only
        failures.append(failure_of(error, talk.stage, talk.transcript, talk.values))
    if scope.cancelled_caught and not talk.is_complete:
        failures.append(talk.late(limit))
    return Answer(talk.listing(), talk.is_complete and not failures and not talk.endless, (*failures, *talk.oddities()))


@asynccontextmanager
async def _connected(
    talk: "_Talk", environment: Mapping[str, str], limit: float
) -> AsyncIterator[JSONRPCDispatcher[TransportContext]]:
    server, values = talk.server, talk.values
    if server.provider is not None:
        raise Unresolved(
            f"takes Pi's sign-in with {server.provider}", "Pilotage does not use it: search from within Pi"
        )
    if isinstance(talk.transcript, Transcript):
        command = [_expanded(word) for word in (server.command or "", *server.args)]
        folder = talk.cwd / _expanded(server.folder)
        if not folder.is_dir():
            raise Unresolved("its folder is not there", f"mend cwd in {server.source}")
        async with run_server(command, {**environment, **values.env}, folder, talk.transcript) as streams:
            yield JSONRPCDispatcher(*streams)
        return
    async with open_client(values.headers, limit, talk.transcript) as client:
        transport = streamable_http_client(server.url or "", http_client=client, max_sse_event_size=LONGEST_MESSAGE)
        async with transport as streams:
            yield JSONRPCDispatcher(*streams)


def _expanded(word: str) -> str:
    """A word with the home folder for its leading `~`, as Pi has it."""
    return str(Path.home() / word[2:]) if word == "~" or word.startswith("~/") else word


class _Talk:
    """A conversation with one server, and what it has brought so far."""

    def __init__(self, server: McpServer, cwd: Path) -> None:
        self.server = server
        self.cwd = cwd
        self.values = Values({}, {}, (), ())
        self.transcript = Transcript() if server.url is None else HttpTranscript()
        self.stage = "initialize"
        self.is_complete = False
        self.instructions = ""
        self.tools: dict[str, McpTool] = {}
        self.pages = 0
        self.has_changed = False
        self.untaken = 0
        self.endless: Failure | None = None

    async def hold(self, dispatcher: JSONRPCDispatcher[TransportContext]) -> None:
        """Shake hands and list all tools, again where the server says meanwhile that the list is another."""
        session = ClientSession(
            dispatcher=dispatcher,
            client_info=types.Implementation(name="pilotage", version="1"),
            message_handler=self._hear,
            list_roots_callback=self._roots,
        )
        async with session:
            about = await session.initialize()
            self.instructions = (about.instructions or "").strip()
            self.stage = "tools/list"
            if about.capabilities.tools is not None:
                options: CallOptions = {"headers": {"mcp-protocol-version": about.protocol_version}}
                for _ in range(_MOST_LISTS):
                    self.has_changed = False
                    await self._list(dispatcher, options)
                    await checkpoint()
                    if not self.has_changed:
                        break
            self.is_complete = True
            if isinstance(self.transcript, Transcript):
                self.transcript.has_answered = True

    async def _list(self, dispatcher: JSONRPCDispatcher[TransportContext], options: CallOptions) -> None:
        """All pages of the list, up to a cursor that comes again and to the bounds."""
        self.tools, self.pages, self.untaken, self.endless = {}, 0, 0, None
        seen: set[str] = set()
        cursor: str | None = None
        while True:
            page = await dispatcher.send_raw_request("tools/list", {"cursor": cursor} if seen else None, options)
            self.pages += 1
            self._take(as_list(page.get("tools")))
            cursor = page.get("nextCursor")
            if not isinstance(cursor, str):
                return
            if cursor in seen or self.pages >= MOST_PAGES or len(self.tools) >= MOST_TOOLS:
                # An empty cursor may be a page's name, and is some servers' word for the end.
                self.endless = self._endless(is_repeated=cursor in seen) if cursor else None
                return
            seen.add(cursor)

    def _take(self, tools: list[object]) -> None:
        for raw in tools:
            tool = _tool(as_dict(raw))
            if tool is None:
                self.untaken += 1
            else:
                self.tools.setdefault(tool.name, tool)

    def listing(self) -> Listing | None:
        """What came, without secrets; none where it did not get to the tools."""
        if self.stage == "initialize":
            return None
        listing = Listing(tuple(self.tools.values()), self.instructions)
        if not self.values.secret:
            return listing
        return convert(json.loads(self.values.without_secrets(json.dumps(to_builtins(listing)))), Listing)

    def late(self, limit: float) -> Failure:
        """What to say when its time is up."""
        words = last_words(self.transcript, self.values)
        if self.stage == "initialize":
            return Failure(
                f"did not answer initialize within {limit:g} s{words}", "run its command by hand to see more"
            )
        got = f"{len(self.tools)} tools in {self.pages} pages"
        return Failure(f"was not done with listing after {limit:g} s: {got}{words}", "have it list its tools faster")

    def oddities(self) -> list[Failure]:
        """What it did wrong without failing."""
        found = [self.endless] if self.endless else []
        if self.untaken:
            what = f"lists {self.untaken} tools without a name or an input schema, or with one that has no end"
            found.append(Failure(what, "mend them: Pi gives up the whole list"))
        if isinstance(self.transcript, Transcript) and self.transcript.noise and not self.transcript.overran:
            first = plain_line(self.values.without(self.transcript.noise[0]), 200)
            what = f"wrote {self.transcript.noise_count} lines to standard output that are no messages: {first}"
            found.append(Failure(what, "have it write them to standard error"))
        return found

    def _endless(self, *, is_repeated: bool) -> Failure:
        how = "gives the same cursor again" if is_repeated else "goes on listing"
        what = f"{how} after {self.pages} pages and {len(self.tools)} tools"
        return Failure(what, "mend its paging: Pi gives up the whole list")

    async def _hear(self, message: IncomingMessage) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            self.has_changed = True

    async def _roots(self, context: ClientRequestContext) -> types.ListRootsResult:  # noqa: ARG002 - the SDK calls it so
        return types.ListRootsResult.model_validate(
            {"roots": [{"uri": self.cwd.absolute().as_uri(), "name": self.cwd.name}]}
        )


def _tool(raw: dict[str, object]) -> McpTool | None:
    """A tool as Pi takes it; none where Pi would not, or where the schema is too deep for anybody."""
    name, schema = raw.get("name"), raw.get("inputSchema")
    if not isinstance(name, str) or not isinstance(schema, dict) or not _is_shallow(schema):
        return None
    titles = (as_text(raw.get("title")), as_text(as_dict(raw.get("annotations")).get("title")))
    description = as_text(raw.get("description")).strip() or titles[0] or titles[1]
    # As Pi completes a schema, for providers that want these two.
    lacking: dict[str, object] = {} if "properties" in schema else {"properties": {}}
    return McpTool(name, description, {**schema, "type": schema.get("type") or "object", **lacking})


def _is_shallow(schema: dict[str, object]) -> bool:
    """Whether nothing in a schema lies deeper than anybody would read."""
    level: list[object] = [schema]
    for _ in range(_DEEPEST):
        below: list[object] = []
        for value in level:
            if isinstance(value, dict):
                below += value.values()
            elif isinstance(value, list):
                below += value
        if not below:
            return True
        level = below
    return False
