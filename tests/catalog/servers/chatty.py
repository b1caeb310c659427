"""A server that prints to standard output before it speaks the protocol."""

import os
import sys
from typing import Any

import mcp_types as types
from serving import serve, tool


async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
    """Give one tool."""
    return types.ListToolsResult(tools=[tool("chat", "Says something.")])


if __name__ == "__main__":
    sys.stdout.write(f"Starting with {os.environ.get('CHATTY_KEY')} …\n")
    sys.stdout.write('{"level": "info", "message": "ready"}\n')
    sys.stdout.flush()
    serve(list_tools)
