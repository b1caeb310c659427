"""A tiny MCP server over standard input and output: two tools about tides, one of which can fail."""

import json
import sys
from collections.abc import Callable
from typing import Any

Json = dict[str, Any]

TOOLS: list[Json] = [
    {
        "name": "high_water",
        "description": "The next high water at a harbour.",
        "inputSchema": {
            "type": "object",
            "properties": {"harbour": {"type": "string", "description": "The harbour's name"}},
            "required": ["harbour"],
        },
    },
    {
        "name": "list_harbours",
        "description": "The harbours that the tables cover.",
        "inputSchema": {"type": "object", "properties": {}},
    },
]
ABOUT: Json = {"serverInfo": {"name": "tides", "version": "1"}, "instructions": "Tide tables of two harbours."}
HARBOURS = {"Husum": "06:12", "Büsum": "05:47"}


def answer(method: str, given: Json, about: Json, tools: list[Json], call: Callable[[str, Json], Json]) -> Json | None:
    """Return the result of a request, or None for a method that there is not."""
    if method == "initialize":
        version = given.get("protocolVersion", "2025-06-18")
        return {"protocolVersion": version, "capabilities": {"tools": {}}, **about}
    if method == "tools/list":
        return {"tools": tools}
    if method == "tools/call":
        return call(given["name"], given.get("arguments", {}))
    return {} if method == "ping" else None


def called(name: str, given: Json) -> Json:
    """Return a tool's result; an unknown harbour is an error of the tool."""
    if name == "list_harbours":
        return {"content": [{"type": "text", "text": ", ".join(HARBOURS)}], "isError": False}
    time = HARBOURS.get(given.get("harbour", ""))
    text = f"{given['harbour']}: {time}" if time else f"no table for {given.get('harbour')}"
    return {"content": [{"type": "text", "text": text}], "isError": time is None}


def serve(about: Json, tools: list[Json], call: Callable[[str, Json], Json]) -> None:
    """Answer one JSON-RPC message a line until the input ends."""
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        result = answer(message["method"], message.get("params") or {}, about, tools, call)
        outcome = {"error": {"code": -32601, "message": "no such method"}} if result is None else {"result": result}
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], **outcome}, ensure_ascii=False) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve(ABOUT, TOOLS, called)
