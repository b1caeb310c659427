"""Sessions with reviews and preparations: the recorded one with its children, and made ones."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from pilotage.calls.timeline import Timeline
from pilotage.console.reviews import Messages, Reviews, reviews_of
from pilotage.console.rows import Sight
from pilotage.evidence.diagnostics import Data, Subject, end_data, reminder_message, start_data
from pilotage.evidence.read import Attempts
from pilotage.records.attempt import ChildSession, Purpose, ReminderState, ReviewedPair
from pilotage.sessions.read import WHOLE
from tests.console.driven import timeline_of
from tests.evidence.asked import CAME
from tests.handmade import Fields

CHILDREN = "/home/dev/.pi/agent/sessions/--tmp-pilotage--"
"""The folder of children in the recording."""
ENDED = 1_796_072_700.0
"""A moment after the recording ended, while its host may still be at work."""
BEGAN = 1_767_603_600.0
"""When made attempts begin: with the handmade sessions."""
LATER = Sight(ENDED + 9000, live=False)

Told = tuple[str, ReminderState]


def reviewed(data: Path, folder: Path) -> Path:
    """Put the recorded session and its children into a folder, and give the session's file."""
    children = folder / "children"
    shutil.copytree(data / "reviewed", children)
    path = folder / "reviewed.jsonl"
    path.write_text((data / "reviewed.jsonl").read_text("utf-8").replace(CHILDREN, str(children)), "utf-8")
    return path


def opened(path: Path) -> tuple[Timeline, Attempts]:
    """Read a session with its attempts."""
    timeline = timeline_of(path)
    attempts = Attempts(timeline.session)
    attempts.take(WHOLE)
    return timeline, attempts


def told(path: Path, sight: Sight = LATER) -> Reviews:
    """Give what the reviews of a session told."""
    timeline, attempts = opened(path)
    return reviews_of(timeline, attempts, Messages().of(timeline.session.tree), sight)


def review(number: int = 1, step: int = 5) -> Subject:
    """Give a review."""
    return Subject(f"attempt-{number}", Purpose.TRAJECTORY, "input-1", None, step)


def preparation(number: int = 1) -> Subject:
    """Give a preparation."""
    return Subject(f"attempt-{number}", Purpose.PREPARATION, "input-1", None, None, f"attempt-{number}")


def diagnostic(data: Data) -> Fields:
    """Give a diagnostic entry."""
    return {"type": "custom", "customType": "capability-prefetch-diagnostic", "data": data}


def begins(subject: Subject, at: float = BEGAN) -> Fields:
    """Give the start of an attempt."""
    return diagnostic(start_data(subject, at))


def ends(
    subject: Subject,
    *pairs: ReviewedPair,
    failure: tuple[str, str] | None = None,
    child: str = "",
    at: float = BEGAN + 1,
    outcome: str = "",
) -> Fields:
    """Give the end of an attempt."""
    ended = end_data(
        subject,
        at,
        outcome=outcome or ("failed" if failure else "ok"),
        began=at - 1,
        exchange=CAME,
        child=ChildSession(child, "child-id") if child else None,
        failure=failure,
        reminders=pairs,
    )
    return diagnostic(ended)


def pair(
    deviation: str, state: ReminderState = ReminderState.WAITING, source: str = 'User: "read."', *, found: bool = True
) -> ReviewedPair:
    """Give a reminder."""
    return ReviewedPair(deviation, source, found, state)


def brings(subject: Subject, pairs: Sequence[ReviewedPair]) -> Fields:
    """Give the message that brings reminders to the agent."""
    return {"type": "custom_message", **reminder_message(subject, pairs)}
