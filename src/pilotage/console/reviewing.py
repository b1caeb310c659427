"""A review that the person asked for, in a thread of its own; it goes on while other panes are shown (spec R8)."""

import asyncio
import threading
import time
from collections.abc import Callable
from pathlib import Path

from textual.message import Message

from pilotage.calls.timeline import Timeline
from pilotage.console.loops import Errand
from pilotage.console.messages import ReviewDone
from pilotage.figures import counted
from pilotage.search.surroundings import Surroundings


class Reviewing:
    """Reviews one session, one time after the other."""

    def __init__(self, post: Callable[[Message], bool]) -> None:
        self._post = post
        self._lock = threading.Lock()
        self._call_off: Callable[[], None] | None = None
        self._since = 0.0

    @property
    def is_going(self) -> bool:
        """Whether a review is under way."""
        return self._call_off is not None

    @property
    def seconds(self) -> float:
        """How long it has been going."""
        return time.monotonic() - self._since

    def begin(
        self, timeline: Timeline, surroundings: Callable[[Path], Surroundings], cwd: Path, *, hold_unsourced: bool
    ) -> bool:
        """Begin a review of what the session is now; false where one is under way."""
        # Loaded when it is wanted: the console opens sooner without.
        from pilotage.review.by_hand import Observer, Position, position_of
        from pilotage.review.run import Reviewed

        with self._lock:
            if self.is_going:
                return False
            errand = Errand[Reviewed]()
            self._call_off, self._since = errand.call_off, time.monotonic()
        path, position = timeline.session.path, position_of(timeline.calls)

        def review(errand: Errand[Reviewed], position: Position) -> None:
            words, failed = "", True
            try:
                observer = Observer(path, surroundings(cwd), hold_unsourced=hold_unsourced)
                reviewed = errand.run(observer.review(position))
                words, failed = _said(reviewed.outcome, len(reviewed.pairs), reviewed.words, reviewed.unnoted)
            except asyncio.CancelledError:
                words, failed = "the review was called off", False
            except Exception as error:  # noqa: BLE001 - the border of the thread: silence would look like no reminder
                words = f"the review broke: {type(error).__name__}: {error}"
            finally:
                self._call_off = None
            self._post(ReviewDone(words, failed=failed))

        threading.Thread(target=review, args=(errand, position), daemon=True).start()
        return True

    def call_off(self) -> bool:
        """End the review that is under way; false where there is none."""
        call_off = self._call_off
        if call_off is None:
            return False
        call_off()
        return True


def _said(outcome: str, number: int, words: str, unnoted: tuple[str, ...]) -> tuple[str, bool]:
    """What came of a review, in words, and whether it failed."""
    if outcome != "ok":
        return f"review {outcome}: {words}", True
    if unnoted:
        return f"the review's notes could not be kept: {unnoted[0]}", True
    if number:
        return f"the review has {counted(number, 'reminder')}", False
    return "the review had nothing to say; that is no approval", False
