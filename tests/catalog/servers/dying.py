"""A server that dies in the middle: between its first page of tools and the second."""

import os
import sys
from typing import Any

import mcp_types as types
from serving import serve, tool


async def list_tools(context: Any, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    """Give one page, then die."""
    if params is None or params.cursor is None:
        return types.ListToolsResult(tools=[tool("last_gasp")], next_cursor="2")
    sys.stderr.write(f"Traceback: no access with {os.environ.get('DYING_KEY')}\nKeyError: 'tides'\n")
    os._exit(3)


if __name__ == "__main__":
    serve(list_tools)
