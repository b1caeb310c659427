"""The end of a program that was started as the head of its own process group: nothing of the group is left behind."""

import os
import signal
from collections.abc import Callable
from contextlib import suppress

import anyio
from anyio.abc import Process

_PATIENCE_AFTER_TERM = 0.5
_PATIENCE_AFTER_KILL = 0.5
_STEP = 0.01

Condition = Callable[[], bool]


async def end_group(process: Process, *, patience: float) -> int | None:
    """End a program and whatever it started; gives the exit code if the program ended before it was told to.

    It has `patience` seconds to end by itself, then half a second after SIGTERM; then comes SIGKILL. Cancelling the
    caller does not interrupt this. A process that left the group on purpose escapes.
    """
    with anyio.CancelScope(shield=True):
        await wait_until(lambda: process.returncode is not None, patience)
        by_itself = process.returncode
        if _send(process.pid, signal.SIGTERM):
            await wait_until(lambda: _is_gone(process), _PATIENCE_AFTER_TERM)
            if not _is_gone(process) and _send(process.pid, signal.SIGKILL):
                await wait_until(lambda: _is_gone(process), _PATIENCE_AFTER_KILL)
        await wait_until(lambda: process.returncode is not None, _PATIENCE_AFTER_TERM)
    return by_itself


async def wait_until(is_so: Condition, patience: float) -> None:
    """Wait until something is so, at the most `patience` seconds."""
    # Not `process.wait()`: it also waits for the end of pipes, which a grandchild may hold open.
    with anyio.move_on_after(patience):
        while not is_so():
            await anyio.sleep(_STEP)


def _is_gone(process: Process) -> bool:
    return process.returncode is not None and not _send(process.pid, 0)


def _send(group: int, signal_number: int) -> bool:
    """Send a signal to a group; says whether there is such a group."""
    # The head's pid is the group's id, also when the head itself is long gone.
    with suppress(PermissionError):
        try:
            os.killpg(group, signal_number)
        except ProcessLookupError:
            return False
    return True
