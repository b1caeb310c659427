"""JSON lines over standard input and output: requests with ids both ways, words without one, cancellation (spec H4).

A message is `{id, method, params}` (a request), `{method, params}` (words), `{id, taken}` (a request has arrived),
`{id, result}` or `{id, error}` (its end). `cancel {id}` calls a request off; what it still brings is dropped. A
request `ping` is answered at once: by it the host knows that somebody listens.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Protocol

from pilotage.records.fields import as_dict, as_text

Params = dict[str, object]
Answer = Callable[[Params], Awaitable[object]]
"""Answers one kind of request; whatever it raises is told as the request's error."""


class Reader(Protocol):
    """Where lines come from."""

    async def readline(self) -> bytes:
        """The next line with its end; nothing at the end of all."""


class HostFailed(Exception):
    """The host could not do what was asked, or is gone; its text says why."""


class Channel:
    """One conversation with a host."""

    def __init__(self, reader: Reader, write: Callable[[bytes], None]) -> None:
        self._reader = reader
        self._write = write
        self._asked = 0
        self._waiting: dict[int, asyncio.Future[object]] = {}
        self._answering: dict[object, asyncio.Task[None]] = {}
        self._is_over = False

    async def serve(self, answers: Mapping[str, Answer], hear: Callable[[str, Params], None]) -> None:
        """Take messages until the host's end: requests by method, words by `hear`; a `ping` is answered by itself.

        At the end every request that is being answered is called off.
        """
        try:
            while line := await self._reader.readline():
                self._take(line, answers, hear)
        finally:
            self._is_over = True
            tasks = list(self._answering.values())
            for task in tasks:
                task.cancel()
            for future in self._waiting.values():
                if not future.done():
                    future.set_exception(HostFailed("the host is gone"))
            await asyncio.gather(*tasks, return_exceptions=True)

    def tell(self, method: str, params: Params) -> None:
        """Say something that needs no answer."""
        self._send({"method": method, "params": params})

    async def ask(self, method: str, params: Params, *, within: float = 5.0) -> Params:
        """Ask the host; raises HostFailed when it cannot, is gone, or takes longer than `within` seconds."""
        if self._is_over:
            msg = "the host is gone"
            raise HostFailed(msg)
        self._asked += 1
        number = self._asked
        future: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        self._send({"id": number, "method": method, "params": params})
        try:
            return as_dict(await asyncio.wait_for(future, within))
        except TimeoutError as error:
            msg = f"the host did not answer {method} within {within:g} s"
            raise HostFailed(msg) from error
        finally:
            del self._waiting[number]

    def _take(self, line: bytes, answers: Mapping[str, Answer], hear: Callable[[str, Params], None]) -> None:
        try:
            message = as_dict(json.loads(line))
        except (ValueError, RecursionError):
            return
        number, method = message.get("id"), as_text(message.get("method"))
        params = as_dict(message.get("params"))
        if not method:
            self._end(message)
        elif method == "cancel":
            task = self._answering.get(params.get("id"))
            if task is not None:
                task.cancel()
        elif number is None:
            hear(method, params)
        elif method == "ping":
            self._send({"id": number, "result": None})
        else:
            self._send({"id": number, "taken": True})
            self._start(number, self._answer(number, answers.get(method), method, params))

    def _start(self, number: object, work: Coroutine[object, object, None]) -> None:
        task = asyncio.ensure_future(work)
        self._answering[number] = task
        task.add_done_callback(lambda _: self._answering.pop(number, None))

    async def _answer(self, number: object, answer: Answer | None, method: str, params: Params) -> None:
        if answer is None:
            self._send({"id": number, "error": f"there is no {method}"})
            return
        try:
            result = await answer(params)
        # The border: whatever goes wrong in one exchange ends that exchange and no other.
        except Exception as error:  # noqa: BLE001
            self._send({"id": number, "error": str(error) or type(error).__name__})
        else:
            self._send({"id": number, "result": result})

    def _end(self, message: Params) -> None:
        number = message.get("id")
        future = self._waiting.get(number) if isinstance(number, int) else None
        if future is None or future.done():
            return
        if "error" in message:
            future.set_exception(HostFailed(as_text(message["error"]) or "no reason given"))
        else:
            future.set_result(message.get("result"))

    def _send(self, message: Params) -> None:
        self._write(json.dumps(message, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
