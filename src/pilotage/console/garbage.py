"""Python's garbage is collected while nobody waits: a whole collection takes longer than a frame.

Left to itself it comes in the middle of a scroll (40 to 240 ms, measured in a terminal).
"""

import gc

YOUNG = 100_000
"""New objects from which on Python collects the young ones by itself."""
WORTH = 5_000
"""New objects from which on a quiet moment is used."""


class Sweeper:
    """Collects in quiet moments; whatever lives long is left out of it."""

    def __init__(self) -> None:
        self._touched = False
        self._kept: object = None
        gc.freeze()
        gc.set_threshold(YOUNG, 50, 1000)

    def touched(self) -> None:
        """The person is at work."""
        self._touched = True

    def tick(self, loaded: object) -> None:
        """Use a second without input; `loaded` is what was read to its end, or None.

        What is loaded is frozen once. When it is not the first, everything is collected before, so that the session
        before it is given back; that alone takes longer than a frame.
        """
        touched, self._touched = self._touched, False
        if touched:
            return
        if loaded is not None and loaded is not self._kept:
            if self._kept is not None:
                gc.unfreeze()
            self._kept = loaded
            gc.collect()
            gc.freeze()
        elif gc.get_count()[0] > WORTH:
            gc.collect()
