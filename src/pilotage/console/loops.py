"""Something awaited in a thread of its own, and called off from another: the console paints on meanwhile."""

import asyncio
import threading
from collections.abc import Coroutine
from typing import Generic, TypeVar

T = TypeVar("T")


class Errand(Generic[T]):
    """One thing to await. It is run once; whoever calls it off need not know whether it has begun or is done."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[T] | None = None
        self.is_called_off = False
        """Whether somebody called it off."""

    def run(self, awaited: Coroutine[object, object, T]) -> T:
        """Await it in this thread. Raises what it raises, and asyncio.CancelledError when it was called off."""
        with asyncio.Runner() as runner:
            return runner.run(self._begin(awaited))

    def call_off(self) -> None:
        """End it, at its next step; may be called from any thread."""
        with self._lock:
            self.is_called_off = True
            if self._loop is not None and self._task is not None and not self._loop.is_closed():
                self._loop.call_soon_threadsafe(self._task.cancel)

    async def _begin(self, awaited: Coroutine[object, object, T]) -> T:
        with self._lock:
            task = asyncio.ensure_future(awaited)
            self._loop, self._task = asyncio.get_running_loop(), task
            if self.is_called_off:
                task.cancel()
        try:
            return await task
        finally:
            with self._lock:
                self._loop = None
