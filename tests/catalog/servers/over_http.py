"""A server over streamable HTTP on a port of its choice, which it prints; it lets nobody in without its key."""

import os
import socket
import sys
from typing import Any

import mcp_types as types
import uvicorn
from mcp.server.lowlevel import Server
from serving import tool
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

KEY = os.environ["HTTP_KEY"]


async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
    """Give one tool."""
    return types.ListToolsResult(tools=[tool("wind", "The wind at a buoy.", buoy={"type": "integer"})])


async def guard(request: Request, go_on: Any) -> Response:
    """Refuse whoever has not the key, and repeat what was given instead."""
    given = request.headers.get("authorization", "")
    if request.url.path == "/broken":
        return PlainTextResponse(f"no: {given}", status_code=500)
    if given != f"Bearer {KEY}":
        return PlainTextResponse(f"wrong key: {given}", status_code=401)
    return await go_on(request)


if __name__ == "__main__":
    app = Server("wind", version="1", instructions="Buoys.", on_list_tools=list_tools).streamable_http_app()
    app.add_middleware(BaseHTTPMiddleware, dispatch=guard)
    listener = socket.create_server(("127.0.0.1", 0))
    sys.stdout.write(f"{listener.getsockname()[1]}\n")
    sys.stdout.flush()
    uvicorn.Server(uvicorn.Config(app, log_level="critical")).run(sockets=[listener])
