import gc
import weakref
from collections.abc import Iterator

import pytest

from pilotage.console.garbage import QUIET, YOUNG, Sweeper


class Node:
    """Something that can refer to itself."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    """Leave the collector as it was."""
    thresholds = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*thresholds)


def lost() -> "weakref.ref[Node]":
    """Make a cycle that nothing refers to."""
    return weakref.ref(Node())


def test_quiet_seconds_collect() -> None:
    """What nobody refers to any more is given back while nobody types."""
    sweeper = Sweeper()
    assert gc.get_threshold()[0] == YOUNG
    node = lost()
    for _ in range(QUIET):
        sweeper.tick(None)
    assert node() is None


def test_nothing_is_collected_while_somebody_types() -> None:
    """The second in which a key was pressed is no quiet one."""
    sweeper = Sweeper()
    gc.disable()
    node = lost()
    sweeper.touched()
    sweeper.tick(None)
    assert node() is not None
    gc.enable()


def test_what_is_loaded_is_left_out() -> None:
    """A session that was read to its end is looked at by no later collection."""
    sweeper = Sweeper()
    before = gc.get_freeze_count()
    kept = [Node() for _ in range(100)]
    sweeper.tick(kept)
    assert gc.get_freeze_count() > before + 100
