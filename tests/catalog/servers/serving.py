"""What the servers here share: the SDK's own server over standard input and output."""

import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

List = Callable[[Any, types.PaginatedRequestParams | None], Awaitable[types.ListToolsResult]]


def note_process() -> None:
    """Write this process's id where the test looks for it."""
    path = os.environ.get("PROCESS_FILE")
    if path:
        Path(path).write_text(str(os.getpid()))


def tool(name: str, description: str = "", **properties: Any) -> types.Tool:
    """Give a tool whose parameters have these schemas."""
    return types.Tool(
        name=name, description=description or None, input_schema={"type": "object", "properties": properties}
    )


def serve(list_tools: List, instructions: str = "") -> None:
    """Serve a list of tools until the input ends."""
    note_process()
    server = Server("reeds", version="1", instructions=instructions or None, on_list_tools=list_tools)

    async def run() -> None:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(run)
