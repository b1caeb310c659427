"""Session files of any size in Pi's form, and a second process that appends to them."""

import json
import time
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from random import Random

Json = dict[str, object]

TURN = 40
"""Calls of one turn."""
FILE_BEGINS = 1_767_600_000
"""The time of the first line, in seconds since the epoch."""

_AIMS = (
    "See how the retry loop decides that it is done",
    "Does it fail without the network? One failure would rule the server out",
    "Stop retrying once the server has acknowledged the upload",
    "Do all twenty runs pass now? One that fails would show the race is still there",
    "Who else reads the limit before it is checked",
)
_REFUSAL = 'Validation failed for tool "bash":\n  - timeout: must be a number'


class Author:
    """Writes lines, each a child of the one before."""

    def __init__(self, entries: int = 0) -> None:
        self.entries = entries
        """How many entries there are so far."""

    def call(self, call_id: str, intent: str) -> str:
        """The line of an answer with one call."""
        number = self.entries
        tool, arguments = _CALLS[number % len(_CALLS)]
        block = {"type": "toolCall", "id": call_id, "name": tool, "arguments": {**arguments, "intent": intent}}
        return self._message(
            role="assistant",
            content=[{"type": "text", "text": "The next thing to look at. " * (number % 7)}, block],
            provider="example",
            model="glm-5.3",
            usage={"input": 1707, "output": 19, "cacheRead": 1664, "cost": {"total": 0.0011}},
            stopReason="toolUse",
            durationMs=27,
        )

    def result(self, call_id: str, *, text: str, failed: bool = False, ran: bool = True) -> str:
        """The line of a result."""
        timed: Json = {"durationMs": 10} if ran else {}
        content = [{"type": "text", "text": text}]
        return self._message(role="toolResult", toolCallId=call_id, content=content, isError=failed, **timed)

    def user(self, text: str) -> str:
        """The line of what the user said."""
        return self._message(role="user", content=[{"type": "text", "text": text}])

    def _message(self, **message: object) -> str:
        above = f"e{self.entries}" if self.entries else None
        self.entries += 1
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(FILE_BEGINS + self.entries))
        entry = {"type": "message", "id": f"e{self.entries}", "parentId": above, "timestamp": stamp}
        return json.dumps({**entry, "message": message}, separators=(",", ":")) + "\n"


_CALLS: tuple[tuple[str, Json], ...] = (
    ("bash", {"command": "pytest -q tests/test_upload.py -k late_ack"}),
    ("read", {"path": "src/upload/retry.py"}),
    (
        "edit",
        {"path": "src/upload/retry.py", "edits": [{"oldText": "if not ack:", "newText": "if not (ack or done):"}]},
    ),
)


def write_session(path: Path, calls: int) -> Author:
    """Write a session of so many calls; its author, to go on with.

    Each intent begins with its marker (`marker`). Every 25th call failed, every 50th was rejected.
    """
    author = Author()
    header = {"type": "session", "version": 3, "id": path.stem, "timestamp": "2026-01-05T08:00:00.000Z", "cwd": "/home"}
    with path.open("w", encoding="utf-8") as file:
        file.write(json.dumps(header) + "\n")
        for number in range(calls):
            if number % TURN == 0:
                file.write(author.user(f"Part {number // TURN}: the upload test fails once in ten runs, find out why"))
            file.writelines(_call_and_result(author, number))
    return author


def marker(number: int) -> str:
    """The word by which a call is known on the screen."""
    return f"c{number:06}"


def _call_and_result(author: Author, number: int) -> Iterator[str]:
    intent = f"{marker(number)} {_AIMS[number % len(_AIMS)]}"
    rejected, failed = number % 50 == 10, number % 25 == 20
    yield author.call(f"call_{number}", intent)
    text = _REFUSAL if rejected else "tests/test_upload.py::test_late_ack PASSED\n" * (1 + number % 12)
    yield author.result(f"call_{number}", text=text, failed=rejected or failed, ran=not rejected)


class Appended:
    """What a second process appends: calls one after the other, each answered a little later."""

    def __init__(self, path: Path, author: Author, first: int, count: int, gap: tuple[float, float]) -> None:
        self.numbers = range(first, first + count)
        """The numbers of the calls, for `marker`."""
        self._pool = get_context("spawn").Pool(1)
        self._stamps = self._pool.apply_async(_append, (str(path), author.entries, first, count, gap))
        author.entries += 2 * count

    def stamps(self) -> list[float]:
        """When each call's line was about to be written (monotonic seconds), once all of them are."""
        stamps: list[float] = self._stamps.get()
        self._pool.close()
        return stamps


def _append(path: str, entries: int, first: int, count: int, gap: tuple[float, float]) -> list[float]:
    """Write the lines, one to a write, `gap` seconds apart."""
    author, random, stamps = Author(entries), Random(7), []
    with Path(path).open("ab", buffering=0) as file:
        for number in range(first, first + count):
            call, result = _call_and_result(author, number)
            time.sleep(random.uniform(*gap))
            stamps.append(time.monotonic())
            file.write(call.encode())
            time.sleep(0.025)
            file.write(result.encode())
    return stamps
