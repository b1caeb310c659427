"""Nothing is said twice unless the deviation came back; what is held back is kept for the person (spec R6, R9).

For each reminder the reviews so far are a small machine:

    not told ── a review names it and it reaches its reader ──> told
    told ── a review names it again ──> told, and held back as repeated
    told ── a review does not name it ──> not told: the deviation went away
"""

from collections.abc import Iterable, Sequence

from pilotage.records.attempt import Attempt, Purpose, ReminderState, ReviewedPair
from pilotage.review.likeness import is_same
from pilotage.review.validate import Pair

_REACHED_AGENT = frozenset({ReminderState.WAITING, ReminderState.DELIVERED})


def judge(
    pairs: Iterable[Pair],
    found: Iterable[bool],
    history: Iterable[Attempt],
    *,
    is_served: bool,
    hold_unsourced: bool,
) -> tuple[ReviewedPair, ...]:
    """What becomes of each reminder of a review, in their order.

    `found` says of each whether its source was found; `history` holds the session's attempts so far, in order, each
    reminder with its state as it is known now. A served review's reminders wait for the agent's next request, those
    of an observed session are for the person.
    """
    fate = ReminderState.WAITING if is_served else ReminderState.OBSERVED
    reviews = [attempt.pairs for attempt in history if _counts(attempt)]
    judged: list[ReviewedPair] = []
    for pair, is_found in zip(pairs, found, strict=True):
        deviation, source = pair
        state = fate
        if hold_unsourced and not is_found:
            state = ReminderState.UNSOURCED
        elif was_told(pair, reviews, is_served=is_served) or any(_names(told, pair) for told in judged):
            state = ReminderState.REPEATED
        judged.append(ReviewedPair(deviation, source, is_found, state))
    return tuple(judged)


def was_told(pair: Pair, reviews: Iterable[Sequence[ReviewedPair]], *, is_served: bool) -> bool:
    """Whether the reader knows of a deviation that every review since has found (spec R6).

    The agent knows what was sent to it; the person, to whom observed sessions are told, has seen every reminder.
    """
    told = False
    for review in reviews:
        named = [earlier for earlier in review if is_same((earlier.deviation, earlier.source), pair)]
        reached = any(not is_served or earlier.state in _REACHED_AGENT for earlier in named)
        told = bool(named) and (told or reached)
    return told


def _names(told: ReviewedPair, pair: Pair) -> bool:
    """Whether the same review said this before; what was held back for want of a source does not count."""
    return told.state is not ReminderState.UNSOURCED and is_same((told.deviation, told.source), pair)


def _counts(attempt: Attempt) -> bool:
    """Whether an attempt is a review that succeeded; one that failed neither found a deviation nor missed it."""
    return attempt.purpose is Purpose.TRAJECTORY and (attempt.outcome == "ok" or bool(attempt.pairs))
