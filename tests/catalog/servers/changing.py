"""A server whose tools are the words in a file; while they are first read it adds one, and says so."""

import sys
from pathlib import Path
from typing import Any

import mcp_types as types
from serving import serve, tool

FILE = Path(sys.argv[1])


async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
    """Give what the file says, and change it if it has not been changed yet."""
    words = FILE.read_text().split()
    if "late" not in words:
        FILE.write_text(" ".join([*words, "late"]))
        await context.session.send_tool_list_changed()
    return types.ListToolsResult(tools=[tool(word) for word in words])


if __name__ == "__main__":
    serve(list_tools)
