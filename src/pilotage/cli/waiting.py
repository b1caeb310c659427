"""Words while something takes long that cannot say how far it has come (spec L4)."""

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from pilotage.figures import age

_QUIET = 1.0
_SELDOM = 5.0


@asynccontextmanager
async def waiting(doing: str, told: Callable[[], str] = lambda: "") -> AsyncIterator[None]:
    """Say after a second what is being done and for how long; in place where there is a terminal, else seldom.

    `told` says how far it has come, where that is known.
    """
    saying = asyncio.create_task(_say_on(doing, told))
    try:
        yield
    finally:
        saying.cancel()
        if sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


async def _say_on(doing: str, told: Callable[[], str]) -> None:
    in_place, since = sys.stderr.isatty(), time.monotonic()
    await asyncio.sleep(_QUIET)
    while True:
        words = f"{doing}: {told()}{age(time.monotonic() - since)}"
        print(f"\r{words}" if in_place else words, end="" if in_place else "\n", file=sys.stderr, flush=True)
        await asyncio.sleep(_QUIET if in_place else _SELDOM)
