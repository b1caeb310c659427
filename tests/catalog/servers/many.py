"""A server with 3,000 tools in pages of 500."""

from typing import Any

import mcp_types as types
from serving import serve, tool

ALL = [tool(f"gauge_{number}", f"The water level at gauge {number}.", day={"type": "string"}) for number in range(3000)]
PAGE = 500


async def list_tools(context: Any, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    """Give a page."""
    first = int(params.cursor) if params and params.cursor else 0
    after = first + PAGE
    return types.ListToolsResult(tools=ALL[first:after], next_cursor=str(after) if after < len(ALL) else None)


if __name__ == "__main__":
    serve(list_tools)
