"""The attempts of a session, joined from its diagnostic entries as they come (spec E2, E3, R4).

Notes on a session that is only watched lie elsewhere, in the same shape (`observed.py`); they are joined in (spec R8).
"""

from msgspec import Struct
from msgspec.structs import replace

from pilotage.evidence.entry import Told, tell
from pilotage.evidence.fields import text_in
from pilotage.evidence.prepared import prepared_in
from pilotage.records.attempt import (
    DIAGNOSTIC_TYPE,
    PREPARATION_TYPE,
    Attempt,
    Prepared,
    Purpose,
    ReminderState,
    ReviewedPair,
)
from pilotage.records.entry import CustomMessage, Entry, Reminder, UserMessage
from pilotage.records.fields import as_dict
from pilotage.sessions.read import WHOLE, Growth, Session, read_bytes
from pilotage.sessions.tolerant import load_object

_OPEN = (ReminderState.WAITING, ReminderState.LATE)
"""States that a session's later entries can change."""


class Change(Struct, frozen=True):
    """What one growth of the session did."""

    attempts: frozenset[int]
    """The numbers of the attempts that are new or have changed."""
    prepared: frozenset[int]
    """The numbers of the preparations that are new."""


class Attempts:
    """All attempts of a session, those on abandoned branches included, in the order in which they were told of."""

    def __init__(self, session: Session) -> None:
        self.session = session
        """The session."""
        self._notes: Session | None = None
        self._reset()

    def _reset(self) -> None:
        self.items: list[Attempt] = []
        """The attempts."""
        self.prepared: list[Prepared] = []
        """What preparations brought."""
        self._numbers: dict[str, int] = {}
        self._waiting: set[int] = set()
        self._delivered: dict[int, frozenset[str]] = {}

    def take(self, growth: Growth) -> Change:
        """Follow the session's growth; only the bodies of new entries by extensions are read."""
        first = 0 if growth.rebuilt else growth.first
        if growth.rebuilt:
            self._reset()
        before = len(self.prepared)
        changed: set[int] = set()
        for index in range(first, len(self.session.tree)):
            changed |= self._add(index)
        if growth.rebuilt and self._notes is not None:
            changed |= self.observe(self._notes, WHOLE)
        return Change(frozenset(changed), frozenset(range(before, len(self.prepared))))

    def observe(self, notes: Session, growth: Growth) -> frozenset[int]:
        """Follow the notes that were taken on the session elsewhere; the numbers of the attempts that changed."""
        self._notes = notes
        changed: set[int] = set()
        for index in range(0 if growth.rebuilt else growth.first, len(notes.tree)):
            entry = notes.entry(index)
            body = _body(notes, entry)
            if body.get("customType") == DIAGNOSTIC_TYPE:
                changed.add(self._diagnose(tell(entry, as_dict(body.get("data"))), is_observed=True))
        return frozenset(changed)

    def in_order(self) -> list[int]:
        """The numbers of the attempts by the time at which they began; one that does not say keeps its place."""
        at, times = 0.0, []
        for attempt in self.items:
            at = at if attempt.started is None else attempt.started
            times.append(at)
        return sorted(range(len(times)), key=times.__getitem__)

    def ordered(self) -> list[Attempt]:
        """The attempts by the time at which they began."""
        return [self.items[number] for number in self.in_order()]

    def close(self) -> frozenset[int]:
        """The session is over: what still waits came too late. The numbers of the attempts that this changed."""
        late = frozenset(self._waiting)
        for number in late:
            attempt = self.items[number]
            self._keep(number, replace(attempt, pairs=tuple(map(_late, attempt.pairs))))
        return late

    def _add(self, index: int) -> set[int]:
        entry = self.session.entry(index)
        match entry.content:
            case UserMessage():
                # What waited until now has been overtaken by a new input (spec R4).
                return set(self.close())
            case Reminder() as reminder:
                return self._deliver(_body(self.session, entry), reminder)
            case CustomMessage(custom_type=custom_type) if custom_type == PREPARATION_TYPE:
                self._prepare(entry, _body(self.session, entry))
            case None if entry.type == "custom":
                return self._read_custom(entry)
        return set()

    def _read_custom(self, entry: Entry) -> set[int]:
        """A custom entry; those of others are told by their bytes and not decoded."""
        body = _body(self.session, entry, PREPARATION_TYPE.encode())
        if body.get("customType") == DIAGNOSTIC_TYPE:
            return {self._diagnose(tell(entry, as_dict(body.get("data"))))}
        self._prepare(entry, body)
        return set()

    def _prepare(self, entry: Entry, body: dict[str, object]) -> None:
        prepared = prepared_in(entry, body)
        if prepared:
            self.prepared.append(prepared)

    def _diagnose(self, told: Told, *, is_observed: bool = False) -> int:
        """Join a diagnostic entry to its attempt; the attempt's number."""
        number = self._numbers.setdefault(told.attempt, len(self.items))
        if number == len(self.items):
            self.items.append(Attempt(told.attempt, told.purpose, told.input_id, told.entry, is_observed=is_observed))
        self._keep(number, replace(self.items[number], **told.fields))
        if number in self._delivered:
            self._mark_delivered(number)
        return number

    def _keep(self, number: int, attempt: Attempt) -> None:
        """Put an attempt in its place, and note whether something of it still waits."""
        self.items[number] = attempt
        is_waiting = any(pair.state is ReminderState.WAITING for pair in attempt.pairs)
        (self._waiting.add if is_waiting else self._waiting.discard)(number)

    def _deliver(self, body: dict[str, object], reminder: Reminder) -> set[int]:
        """A message with reminders stands in the session: those of its attempt were delivered."""
        message = as_dict(body.get("message")) or body
        number = self._reviewed(as_dict(message.get("details")))
        if number is None:
            return set()
        attempt = self.items[number]
        if not attempt.pairs:
            pairs = tuple(ReviewedPair(*pair, True, ReminderState.DELIVERED) for pair in reminder.pairs)
            self._keep(number, replace(attempt, pairs=pairs))
        self._delivered[number] = frozenset(deviation for deviation, _ in reminder.pairs)
        self._mark_delivered(number)
        return {number}

    def _reviewed(self, details: dict[str, object]) -> int | None:
        """The review that a message names; one that names none is the latest one's of its input."""
        named = self._numbers.get(text_in(details, "attempt", "attemptId"))
        if named is not None:
            return named
        input_id = text_in(details, "inputId")
        for number in reversed(range(len(self.items))):
            attempt = self.items[number]
            if attempt.purpose is Purpose.TRAJECTORY and (not input_id or attempt.input_id == input_id):
                return number
        return None

    def _mark_delivered(self, number: int) -> None:
        attempt, told = self.items[number], self._delivered[number]
        waiting = [pair for pair in attempt.pairs if pair.state in _OPEN]
        # Where another writer changed the words, the message still is that attempt's.
        is_told = {pair.deviation for pair in waiting} & told or {pair.deviation for pair in waiting}
        pairs = tuple(
            replace(pair, state=ReminderState.DELIVERED) if pair in waiting and pair.deviation in is_told else pair
            for pair in attempt.pairs
        )
        self._keep(number, replace(attempt, pairs=pairs))


def read_attempts(session: Session, *, is_over: bool = False, notes: Session | None = None) -> Attempts:
    """All attempts of a session that was read at once; with `is_over`, no host is at work on it any more.

    `notes` are those that were taken on it elsewhere, as `observed.read_notes` gives them.
    """
    attempts = Attempts(session)
    attempts.take(WHOLE)
    if notes is not None:
        attempts.observe(notes, WHOLE)
    if is_over:
        attempts.close()
    return attempts


def _body(session: Session, entry: Entry, needle: bytes = b"") -> dict[str, object]:
    """An entry's fields; none where it does not hold the needle, or the file is about to be read anew."""
    try:
        data = read_bytes(session.path, entry.place)
        return load_object(data) if needle in data else {}
    except (OSError, ValueError):
        return {}


def _late(pair: ReviewedPair) -> ReviewedPair:
    return replace(pair, state=ReminderState.LATE) if pair.state is ReminderState.WAITING else pair
