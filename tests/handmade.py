"""Sessions written by hand, for what the real Pi cannot be made to show."""

import json
from collections.abc import Sequence
from pathlib import Path

Fields = dict[str, object]

HOSTILE = (
    "\x1b[31mred\x1b]52;c;ZXZpbA==\x07 \x9b31m \u202eevil\u2066 [bold]x[/bold] [link=http://x]y[/] "
    "\ud800 \u2028 \x85 \r \x00 \u200b\ufeff :smile: \x7f \t \U000e0041 \udcff"
)
"""Text that would steer a terminal: escapes, OSC 52, C1, bidi, lone surrogates, markup, hidden characters."""


def user(text: str = "Go on.", **fields: object) -> Fields:
    """Give what the user said."""
    return _message({"role": "user", "content": text}, fields)


def agent(*blocks: Fields, text: str = "", stop: str = "toolUse", timed: bool = True, **fields: object) -> Fields:
    """Give an answer of the main model; `timed` is whether it says how long it took."""
    said = [{"type": "text", "text": text}] if text else []
    message: Fields = {"role": "assistant", "content": [*said, *blocks], "stopReason": stop}
    return _message(message | ({"durationMs": 5} if timed else {}), fields)


def call(call_id: str, tool: str = "bash", /, **arguments: object) -> Fields:
    """Give a call as a block of the main model's answer."""
    return {"type": "toolCall", "id": call_id, "name": tool, "arguments": arguments}


def ran(call_id: str, text: str = "", *, is_error: bool = False, ms: int | None = 7, **message: object) -> Fields:
    """Give the result of a call that ran; with `ms` None, of one that never did."""
    return result(call_id, text, isError=is_error, **({} if ms is None else {"durationMs": ms}), **message)


def refused(call_id: str, tool: str, fault: str = "x: bad") -> Fields:
    """Give what Pi 1.6 answers to a call that does not fit the schema."""
    return result(call_id, f'Validation failed for tool "{tool}":\n  - {fault}', isError=True)


def result(call_id: str, text: str, **message: object) -> Fields:
    """Give the result of a call."""
    content = [{"type": "text", "text": text}]
    return _message({"role": "toolResult", "toolCallId": call_id, "content": content, **message}, {})


def _message(message: Fields, fields: Fields) -> Fields:
    return {"type": "message", "message": message, **fields}


def lines_of(entries: Sequence[Fields], first: int = 1) -> list[str]:
    """Write entries as lines: each a second after and a child of the one before, where it says nothing else."""
    lines = []
    for number, entry in enumerate(entries, first):
        above = f"e{number - 1}" if number > 1 else None
        stamp = f"2026-01-05T09:{number // 60 % 60:02}:{number % 60:02}.000Z"
        given = {"type": "custom", "id": f"e{number}", "parentId": above, "timestamp": stamp}
        lines.append(json.dumps(given | entry) + "\n")
    return lines


def header(**fields: object) -> str:
    """Write the first line of a session."""
    given = {
        "type": "session",
        "version": 3,
        "id": "01a22d8b-0000-7000-8000-000000000001",
        "timestamp": "2026-01-05T09:00:00.000Z",
        "cwd": "/home/dev/reeds",
    }
    return json.dumps(given | fields) + "\n"


def write_session(path: Path, *entries: Fields, **fields: object) -> Path:
    """Write a whole session with these entries; `fields` go into its header."""
    path.write_text(header(**fields) + "".join(lines_of(entries)))
    return path
