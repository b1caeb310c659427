import asyncio
import threading

import pytest

from pilotage.console.loops import Errand


async def give(value: int) -> int:
    """Give a value."""
    await asyncio.sleep(0)
    return value


async def hang(begun: threading.Event, ended: list[str]) -> int:
    """Wait for ever, and say when that ended."""
    begun.set()
    try:
        await asyncio.Event().wait()
    finally:
        ended.append("tidied up")
    return 0


def test_runs() -> None:
    """What is awaited gives its value, or raises what it raises."""

    async def fail() -> int:
        msg = "no"
        raise ValueError(msg)

    assert Errand[int]().run(give(3)) == 3
    with pytest.raises(ValueError, match="no"):
        Errand[int]().run(fail())


def test_called_off() -> None:
    """Called off from another thread it ends at once, and tidies up."""
    errand, begun, ended = Errand[int](), threading.Event(), list[str]()
    outcomes: list[str] = []

    def work() -> None:
        try:
            errand.run(hang(begun, ended))
        except asyncio.CancelledError:
            outcomes.append("called off")

    thread = threading.Thread(target=work)
    thread.start()
    assert begun.wait(20)
    errand.call_off()
    thread.join(20)
    assert not thread.is_alive()
    assert (outcomes, ended, errand.is_called_off) == (["called off"], ["tidied up"], True)


def test_called_off_before_and_after() -> None:
    """Called off before it begins it never comes to its end; called off afterwards nothing happens."""
    early = Errand[int]()
    early.call_off()
    with pytest.raises(asyncio.CancelledError):
        early.run(give(1))
    late = Errand[int]()
    assert late.run(give(2)) == 2
    late.call_off()
