"""A conversation with Pi in its rpc mode: JSON lines both ways."""

import json
import queue
import threading
import time
from collections.abc import Callable
from subprocess import Popen
from typing import Any

Json = dict[str, Any]


class Rpc:
    """Sends commands to a running Pi and waits for what it says."""

    def __init__(self, process: "Popen[bytes]") -> None:
        self.seen: list[Json] = []
        """Everything that Pi has said."""
        self._process = process
        self._said: queue.Queue[Json | None] = queue.Queue()
        self._sent = 0
        threading.Thread(target=self._listen, daemon=True).start()

    def send(self, command: Json) -> str:
        """Send a command without waiting; return its id."""
        self._sent += 1
        named = {"id": f"r{self._sent}", **command}
        if self._process.stdin is None:
            raise EOFError("Pi has no standard input")
        self._process.stdin.write(json.dumps(named).encode() + b"\n")
        self._process.stdin.flush()
        return str(named["id"])

    def call(self, command: Json, timeout: float = 60) -> Json:
        """Send a command and return Pi's response to it."""
        sent = self.send(command)
        return self.wait(lambda said: said.get("type") == "response" and said.get("id") == sent, timeout)

    def prompt(self, text: str, timeout: float = 120) -> None:
        """Give the user's message and wait until the agent has settled."""
        answer = self.call({"type": "prompt", "message": text})
        if answer.get("data", {}).get("disposition") != "handled":
            self.wait_for("agent_settled", timeout)

    def wait_for(self, kind: str, timeout: float = 120) -> Json:
        """Return the next event of that type."""
        return self.wait(lambda said: said.get("type") == kind, timeout)

    def wait(self, wanted: Callable[[Json], bool], timeout: float = 60) -> Json:
        """Return the next thing said that is wanted; what comes before it is passed over.

        `EOFError` is raised when Pi ends first, `TimeoutError` after `timeout` seconds.
        """
        end = time.monotonic() + timeout
        while (left := end - time.monotonic()) > 0:
            try:
                said = self._said.get(timeout=left)
            except queue.Empty:
                break
            if said is None:
                raise EOFError("Pi ended")
            if wanted(said):
                return said
        raise TimeoutError(f"Pi did not say what was waited for within {timeout} s")

    def _listen(self) -> None:
        """Take Pi's lines until there are no more."""
        for line in self._process.stdout or ():
            try:
                said = json.loads(line)
            except ValueError:
                continue
            self.seen.append(said)
            self._said.put(said)
        self._said.put(None)
