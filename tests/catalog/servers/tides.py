"""A server that does all as it should, and starts a program of its own."""

import os
import subprocess
from typing import Any

import mcp_types as types
from serving import serve, tool

HARBOUR = {"type": "string", "description": "The harbour's name"}


async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
    """Give two tools."""
    return types.ListToolsResult(
        tools=[
            tool("high_water", "The next high water at a harbour.", harbour=HARBOUR),
            tool("list-harbours", "The harbours that the tables cover."),
        ]
    )


if __name__ == "__main__":
    subprocess.Popen(["sleep", "60"], stdin=subprocess.DEVNULL)
    serve(list_tools, f"Tide tables of two harbours.\nKey: {os.environ.get('TIDES_KEY', 'none')}")
