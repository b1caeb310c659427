"""Which review a message with reminders came from."""

from pilotage.evidence.read import Attempts
from pilotage.records.attempt import Attempt, ReminderState
from pilotage.records.entry import Reminder


def attempt_of_message(attempts: Attempts, reminder: Reminder) -> Attempt | None:
    """The review whose reminders a message brought, by their words; none where no diagnostic entry tells of it."""
    told = {deviation for deviation, _ in reminder.pairs}
    for one in reversed(attempts.items):
        if any(pair.deviation in told and pair.state is ReminderState.DELIVERED for pair in one.pairs):
            return one
    return None
