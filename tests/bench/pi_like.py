"""Many session files with the proportions of real ones, for measuring what reads whole files.

Lines are of the sizes that Pi's own recordings have: half of them below 900 bytes, one in twenty above 7,000,
a few above 100,000; results are 60 % of all bytes, thinking and its signatures most of the rest.
"""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

Json = dict[str, object]

FILE_BEGINS = 1_767_600_000
"""The time of the first line, in seconds since the epoch."""

_TEXT = (
    "the upload retry limit server acknowledges before deadline test fails once in ten runs because of a race "
    'between timer and socket; see `retry.py` line 42: "late ack" is not read\n\tif (ack.seen || done) { return; }\n'
)
_SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_TOOLS = ("bash", "bash", "bash", "read", "read", "edit", "write", "mcp__tides__high_water")
_REFUSAL = 'Validation failed for tool "{}":\n  - intent: missing\n\nReceived arguments:\n{}'


class Writer:
    """Writes one session, each line a child of the one before."""

    def __init__(self, number: int) -> None:
        self._random = Random(number)
        self._number = number
        self._entries = 0
        words = _TEXT.split(" ")
        self._text = " ".join(self._random.choice(words) for _ in range(40_000))
        self._signature = "".join(self._random.choice(_SIGNS) for _ in range(8000))

    def lines(self) -> Iterator[str]:
        """The lines of a session without an end."""
        stamp = _stamp(self._number * 100_000)
        session_id = f"01a22d8b-0000-7000-8000-{self._number:012}"
        yield _line({"type": "session", "version": 3, "id": session_id, "timestamp": stamp, "cwd": "/home/dev/reeds"})
        yield self._message(role="system", content="", sections={"preamble": self._words(12_000)}, toolsAdded=[])
        while True:
            yield self._message(role="user", content=[{"type": "text", "text": self._words(300)}])
            for _ in range(self._random.randint(5, 60)):
                yield from self._step()
            yield self._answer([{"type": "text", "text": self._words(900)}], "stop")

    def _step(self) -> Iterator[str]:
        """An answer with calls, and their results."""
        calls = [self._call(number) for number in range(self._random.choice((1, 1, 1, 1, 2, 3)))]
        thinking = self._words(self._random.choice((0, 0, 300, 900)))
        said: list[Json] = [{"type": "text", "text": self._words(120)}]
        if thinking:
            signature = self._signature[: 200 + len(thinking)]
            said.insert(0, {"type": "thinking", "thinking": thinking, "thinkingSignature": signature})
        yield self._answer([*said, *calls], "toolUse")
        for call in calls:
            yield self._result(call)

    def _call(self, number: int) -> Json:
        tool = self._random.choice(_TOOLS)
        call_id = f"toolu_{self._number:04}{self._entries:08}{number}"
        arguments: Json = {"intent": self._words(90)} if self._random.random() > 0.06 else {}
        if tool == "bash":
            arguments["command"] = self._words(self._random.choice((60, 60, 200, 900)))
        else:
            arguments["path"] = f"src/upload/retry_{self._random.randint(0, 40)}.py"
        if tool == "write":
            arguments["content"] = self._words(self._random.choice((1000, 4000, 9000)))
        if tool == "edit":
            arguments["edits"] = [{"oldText": self._words(300), "newText": self._words(400)}]
        return {"type": "toolCall", "id": call_id, "name": tool, "arguments": arguments}

    def _result(self, call: Json) -> str:
        arguments = call["arguments"]
        assert isinstance(arguments, dict)
        if "intent" not in arguments and call["name"] in ("bash", "read", "edit", "write"):
            text = _REFUSAL.format(call["name"], json.dumps(arguments, indent=2))
            return self._answered(call, text, failed=True)
        size = int(min(100_000, self._random.lognormvariate(6.9, 1.5)))
        return self._answered(call, self._words(size), failed=self._random.random() < 0.04, durationMs=31)

    def _answered(self, call: Json, text: str, *, failed: bool, **fields: object) -> str:
        content = [{"type": "text", "text": text}]
        return self._message(
            role="toolResult", toolCallId=call["id"], toolName=call["name"], content=content, isError=failed, **fields
        )

    def _answer(self, content: list[Json], stop: str) -> str:
        cost = {"input": 0.001, "output": 0.0004, "cacheRead": 0.002, "cacheWrite": 0, "total": 0.0034}
        usage = {"input": 1707, "output": 190, "cacheRead": 16_640, "cacheWrite": 0, "totalTokens": 18_537}
        return self._message(
            role="assistant",
            content=content,
            provider="example",
            model="glm-5.3",
            usage=usage | {"cost": cost},
            stopReason=stop,
            durationMs=2700,
        )

    def _words(self, size: int) -> str:
        at = self._random.randrange(len(self._text) - size) if size < len(self._text) else 0
        return self._text[at : at + size]

    def _message(self, **message: object) -> str:
        above = self._id(self._entries) if self._entries else None
        self._entries += 1
        stamp = _stamp(self._number * 100_000 + self._entries)
        entry = {"type": "message", "id": self._id(self._entries), "parentId": above, "timestamp": stamp}
        return _line({**entry, "message": message})

    def _id(self, entry: int) -> str:
        return f"{(self._number << 20) + entry:08x}"


def write_sessions(folder: Path, files: int, size: int) -> list[Path]:
    """Write so many sessions of about `size` bytes each; their paths."""
    return [_write(folder / f"{_stamp(number * 100_000)}_{number}.jsonl", number, size) for number in range(files)]


def _write(path: Path, number: int, size: int) -> Path:
    with path.open("w", encoding="utf-8") as file:
        written = 0
        for line in Writer(number).lines():
            file.write(line)
            written += len(line)
            if written >= size:
                return path
    return path


def _line(value: Json) -> str:
    return json.dumps(value, separators=(",", ":")) + "\n"


def _stamp(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(FILE_BEGINS + seconds))
