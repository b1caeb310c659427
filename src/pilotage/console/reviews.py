"""The reviews of a session as the reminders pane tells them: reminders, failures, and how many had nothing to say."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from pilotage.calls.timeline import Timeline
from pilotage.console.attempt_lines import anchor_of, is_incomplete, is_under_way
from pilotage.console.rows import Sight
from pilotage.evidence.read import Attempts
from pilotage.records.attempt import Attempt, Purpose, ReminderState, ReviewedPair
from pilotage.records.entry import AgentMessage, Entry, Reminder
from pilotage.sessions.tree import NO_PARENT, Tree

ReminderKey = tuple[str, int]
"""What a reminder's line stands for: its attempt, else the entry that brought it, and its place among several."""


class Reminded(Struct, frozen=True):
    """One reminder."""

    key: ReminderKey
    """What it is known by; it stays the same whatever becomes of it."""
    pair: ReviewedPair
    """Its words, and its state as known now."""
    attempt: Attempt | None = None
    """The review; none for a message that no diagnostic entry tells of."""
    step: int | None = None
    """The step that was reviewed."""
    time: float | None = None
    """When it came."""
    after: int | None = None
    """The index of the entry from which on the calls since are counted; none where only the time tells."""
    active: bool = True
    """Whether that is on the active branch."""
    turn: int | None = None
    """The turn that was reviewed; none where only the time tells."""


class Failed(Struct, frozen=True):
    """Reviews that failed one after the other, in the same way."""

    key: ReminderKey
    """What they are known by."""
    attempts: tuple[Attempt, ...]
    """The reviews, the earliest first."""
    turn: int | None = None
    """The turn that the last of them was to review."""

    @property
    def time(self) -> float | None:
        """When the last of them failed."""
        return self.attempts[-1].ended or self.attempts[-1].started


class Going(Struct, frozen=True):
    """A review without an end: it goes on, or was broken off."""

    key: ReminderKey
    """What it is known by."""
    attempt: Attempt
    """The review."""
    turn: int | None = None
    """The turn that it reviews."""

    @property
    def time(self) -> float | None:
        """When it began."""
        return self.attempt.started


Item = Reminded | Failed | Going


class Reviews(Struct, frozen=True):
    """All that reviews said, and how often they said nothing."""

    items: tuple[Item, ...] = ()
    """Reminders, failures and reviews under way, the newest first."""
    total: int = 0
    """Reviews that are over."""
    silent: int = 0
    """Those that had nothing to say."""
    called_off: int = 0
    """Those that were called off."""

    def find(self, key: object) -> Item | None:
        """The item of a key."""
        return next((item for item in self.items if item.key == key), None)


class Messages:
    """The messages with reminders in a session, found as it grows."""

    def __init__(self) -> None:
        self._tree: Tree | None = None
        self._seen = 0
        self._found: list[int] = []

    def of(self, tree: Tree) -> list[int]:
        """The indices of their entries."""
        if tree is not self._tree:
            self._tree, self._seen, self._found = tree, 0, []
        self._found += [at for at in range(self._seen, len(tree)) if isinstance(tree.entries[at].content, Reminder)]
        self._seen = len(tree)
        return self._found


def reviews_of(timeline: Timeline, attempts: Attempts, messages: Sequence[int], sight: Sight) -> Reviews:
    """What is told of a session's reviews; `messages` are the entries that brought reminders."""
    reviews = [one for one in attempts.ordered() if one.purpose is Purpose.TRAJECTORY]
    tree = timeline.session.tree
    brought = {deviation: at for at in messages for deviation, _ in _pairs(tree.entries[at])}
    is_over = not sight.live or _is_settled(timeline)
    told = {pair.deviation for one in reviews for pair in one.pairs}
    items: list[Item] = [*_strays(timeline, messages, told)]
    for one in reviews:
        if one.outcome == "failed" or (one.outcome == "skipped" and one.failure):
            items.append(Failed((one.id, -1), (one,), _turn(timeline, anchor_of(tree, one))))
        elif is_incomplete(one) and not one.pairs:
            items.append(Going((one.id, -1), one, _turn(timeline, anchor_of(tree, one))))
        items += reversed(list(_reminders(timeline, one, brought, is_over=is_over)))
    items.sort(key=lambda item: item.time or 0.0)
    over = [one for one in reviews if not is_incomplete(one) or one.pairs]
    return Reviews(
        items=tuple(reversed(_joined(items))),
        total=len(over),
        silent=sum(one.outcome == "ok" and not one.pairs for one in over),
        called_off=sum(one.outcome == "void" for one in over),
    )


def is_going(item: Item, sight: Sight) -> bool:
    """Whether a review is under way."""
    return isinstance(item, Going) and is_under_way(item.attempt, sight)


def _turn(timeline: Timeline, index: int | None) -> int | None:
    """The turn in which an entry stands."""
    moments = timeline.calls.moments
    return moments[index].turn if index is not None and index < len(moments) else None


def _reminders(timeline: Timeline, attempt: Attempt, brought: dict[str, int], *, is_over: bool) -> Iterator[Reminded]:
    tree = timeline.session.tree
    start = anchor_of(tree, attempt)
    for number, pair in enumerate(attempt.pairs):
        if pair.state is ReminderState.WAITING and is_over:
            pair = replace(pair, state=ReminderState.LATE)
        message = brought.get(pair.deviation) if pair.state is ReminderState.DELIVERED else None
        after = start if message is None else message
        yield Reminded(
            key=(attempt.id, number),
            pair=pair,
            attempt=attempt,
            step=attempt.step,
            time=attempt.ended or attempt.started,
            after=after,
            active=after is None or bool(tree.active[after]),
            turn=_turn(timeline, start),
        )


def _strays(timeline: Timeline, messages: Sequence[int], told: set[str]) -> Iterator[Reminded]:
    """Reminders of messages that no diagnostic entry tells of, the last of a message first, as all are turned round."""
    tree = timeline.session.tree
    for at in messages:
        entry = tree.entries[at]
        content = entry.content
        for number, (deviation, source) in reversed(list(enumerate(_pairs(entry)))):
            if deviation not in told and isinstance(content, Reminder):
                pair = ReviewedPair(deviation, source, True, ReminderState.DELIVERED)
                yield Reminded(
                    key=(entry.id, number),
                    pair=pair,
                    step=content.step,
                    time=entry.time,
                    after=at,
                    active=bool(tree.active[at]),
                    turn=_turn(timeline, at),
                )


def _pairs(entry: Entry) -> tuple[tuple[str, str], ...]:
    """The pairs of a message; one that holds none is one reminder without a source."""
    content = entry.content
    if not isinstance(content, Reminder):
        return ()
    return content.pairs or ((content.text, ""),)


def _joined(items: Sequence[Item]) -> list[Item]:
    """Failures of one kind that follow one another as one."""
    joined: list[Item] = []
    for item in items:
        before = joined[-1] if joined else None
        if isinstance(item, Failed) and isinstance(before, Failed) and _kind(before) == _kind(item):
            joined[-1] = replace(before, attempts=before.attempts + item.attempts, turn=item.turn)
        else:
            joined.append(item)
    return joined


def _kind(failed: Failed) -> tuple[str, str]:
    return failed.attempts[-1].failure, failed.attempts[-1].words


def _is_settled(timeline: Timeline) -> bool:
    """Whether the agent has ended its run: its last word on the active branch makes no call, nothing came after it."""
    tree = timeline.session.tree
    if tree.leaf == NO_PARENT or not timeline.calls.moments:
        return False
    moment = timeline.calls.moments[tree.leaf]
    content = tree.entries[moment.agent].content if moment.agent != NO_PARENT else None
    return moment.answered and isinstance(content, AgentMessage) and not content.calls and content.is_step
