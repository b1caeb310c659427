"""A server whose list has no end; with `same` it gives one cursor for ever."""

import sys
from typing import Any

import mcp_types as types
from serving import serve, tool


async def list_tools(context: Any, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    """Give a page of one tool, and say that there are more."""
    page = int(params.cursor) + 1 if params and params.cursor else 1
    cursor = "7" if "same" in sys.argv else str(page)
    return types.ListToolsResult(tools=[tool(f"page_{page}")], next_cursor=cursor)


if __name__ == "__main__":
    serve(list_tools)
