"""Python's garbage is collected a little at a time, and the whole of it while nobody waits.

Left to itself, a collection of everything comes in the middle of a scroll (40 to 240 ms, measured in a terminal).
One of many young objects is no better: it is the number of objects that counts.
"""

import gc

YOUNG = 2_000
"""New objects from which on Python collects the young ones by itself: 2 to 4 ms."""
OLDER = 8
"""Such collections from which on those objects are looked at again that outlived one."""
NEVER = 1_000_000
QUIET = 30
"""Seconds without input from which on everything is collected, again and again."""


class Sweeper:
    """Collects in quiet moments; whatever lives long is left out of it."""

    def __init__(self) -> None:
        self._quiet = 0
        self._kept: object = None
        gc.freeze()
        gc.set_threshold(YOUNG, OLDER, NEVER)

    def touched(self) -> None:
        """The person is at work."""
        self._quiet = -1

    def tick(self, loaded: object) -> None:
        """Use a second without input; `loaded` is what was read to its end, or None.

        What is loaded is frozen once. For the first that costs nothing. For a later one everything is collected
        before, so that what it replaces is given back; that alone takes longer than a frame.
        """
        self._quiet += 1
        if loaded is not None and self._kept is None:
            self._kept = loaded
            gc.freeze()
        if not self._quiet:
            return
        if loaded is not None and loaded is not self._kept:
            self._kept = loaded
            gc.unfreeze()
            gc.collect()
            gc.freeze()
        elif self._quiet == 1:
            gc.collect(1)
        elif self._quiet % QUIET == 0 and any(gc.get_count()[1:]):
            gc.collect()
