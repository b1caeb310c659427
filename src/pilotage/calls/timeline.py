"""The line of time: calls between the user's words, reminders, compactions and changes of branch.

It holds the active branch only. It grows at its end; a change of branch and a nested call rewrite a part of it.
"""

from collections.abc import Iterator

from msgspec import Struct

from pilotage.calls.build import Calls
from pilotage.records.call import FINDINGS
from pilotage.records.entry import (
    AgentMessage,
    BranchSummary,
    Compaction,
    Content,
    Reminder,
    ShellCommand,
    ToolResult,
    UserMessage,
)
from pilotage.records.row import Row, RowKind
from pilotage.sessions.read import Growth, Session

FORK_TEXT = "went back and took another way"


class TimelineChange(Struct, frozen=True):
    """What one growth of the session did to the rows."""

    moved_from: int
    """Rows from here on are new or stand elsewhere than before."""
    changed: tuple[int, ...]
    """Rows before that whose call is another now."""


class Totals(Struct):
    """What the active branch comes to."""

    calls: int = 0
    """Calls, nested ones included."""
    reminders: int = 0
    """Reminders."""
    errors: int = 0
    """Requests of the main model that failed."""
    tokens: int = 0
    """Tokens that the main model's requests took, cached ones left out."""
    cost: float = 0.0
    """What they cost, in the host's currency."""
    model: str = ""
    """The model that answered last."""
    first_words: str = ""
    """The user's first words."""


class Timeline:
    """The rows of a session's active branch."""

    def __init__(self, session: Session) -> None:
        self.session = session
        """The session."""
        self.calls = Calls(session)
        """Its calls."""
        self.rows: list[Row] = []
        """The rows, in order."""
        self.all_branches = False
        """Whether abandoned branches have rows as well."""
        self.totals = Totals()
        """What the active branch comes to."""
        self._row_of_call: dict[int, int] = {}
        self._findings: set[int] = set()

    def count_findings(self) -> int:
        """How many rows tell of something that went wrong."""
        return len(self._findings) + self.totals.errors

    def take(self, growth: Growth) -> TimelineChange:
        """Follow the session's growth."""
        changed = self.calls.take(growth)
        self._note_findings(changed)
        if growth.rebuilt or growth.switched:
            return self._rebuild()
        first = len(self.rows)
        moved_from = first
        for index in range(growth.first, len(self.session.tree)):
            if self.all_branches or self.session.tree.active[index]:
                self._extend(index)
        for number in sorted(changed):
            moved_from = min(moved_from, self._insert_nested(number))
        rows = sorted(self._row_of_call[number] for number in changed if number in self._row_of_call)
        return TimelineChange(moved_from, tuple(row for row in rows if row < moved_from))

    def show_branches(self, *, all_branches: bool) -> TimelineChange:
        """Give abandoned branches rows, or take them away."""
        self.all_branches = all_branches
        return self._rebuild()

    def row_of_call(self, number: int) -> int | None:
        """The row that shows a call; none on an abandoned branch."""
        return self._row_of_call.get(number)

    def _note_findings(self, changed: set[int]) -> None:
        for number in changed:
            call = self.calls.items[number] if number < len(self.calls.items) else None
            if call and call.active and call.outcome in FINDINGS:
                self._findings.add(number)
            else:
                self._findings.discard(number)

    def _rebuild(self) -> TimelineChange:
        """All rows anew; those that are as before stay where they were."""
        before = self.rows
        self.rows = []
        self._row_of_call.clear()
        self.totals = Totals()
        for index in range(len(self.session.tree)) if self.all_branches else self.session.tree.path():
            self._extend(index)
        pairs = zip(before, self.rows, strict=False)
        same = next((at for at, (old, new) in enumerate(pairs) if old != new), min(len(before), len(self.rows)))
        return TimelineChange(same, tuple(range(same)))

    def _extend(self, index: int) -> None:
        """Add the rows of an entry that the active branch goes on with."""
        for row in self._rows_of(index):
            if row.call >= 0:
                self._row_of_call[row.call] = len(self.rows)
            self.rows.append(row)
        if self.session.tree.active[index]:
            self._sum(index)

    def _sum(self, index: int) -> None:
        """Add an entry of the active branch to the totals."""
        totals = self.totals
        totals.calls += len(self.calls.of_entry(index))
        match self.session.entry(index).content:
            case AgentMessage() as message:
                totals.tokens += message.usage.input + message.usage.output
                totals.cost += message.usage.cost
                totals.model = message.model or totals.model
                totals.errors += message.stop_reason == "error"
            case Reminder():
                totals.reminders += 1
            case ToolResult(nested=nested):
                totals.calls += len(nested)
            case UserMessage(text=text) if not totals.first_words:
                totals.first_words = text[:200]

    def _insert_nested(self, number: int) -> int:
        """Put nested calls that are not shown yet behind their parent; the row from which others moved."""
        at = self._row_of_call.get(number)
        nested = self.calls.nested_in(number)
        if at is None or not nested or nested[0] in self._row_of_call:
            return len(self.rows)
        self.rows[at + 1 : at + 1] = [self._call_row(child) for child in nested]
        for later in range(at + 1, len(self.rows)):
            if self.rows[later].call >= 0:
                self._row_of_call[self.rows[later].call] = later
        return at + 1

    def _call_row(self, number: int) -> Row:
        call = self.calls.items[number]
        return Row(RowKind.CALL, call.entry, number, turn=self.calls.moments[call.entry].root)

    def _rows_of(self, index: int) -> Iterator[Row]:
        """The rows that an entry of the active branch makes."""
        turn = self.calls.moments[index].root
        switch = self.session.switches.get(index)
        if switch:
            yield Row(RowKind.BRANCH, index, text=FORK_TEXT, turn=turn)
        content = self.session.entry(index).content
        told = _told(content)
        if told and not (switch and isinstance(content, BranchSummary)):
            yield Row(told[0], index, text=told[1], turn=turn)
        for number in self.calls.of_entry(index):
            yield self._call_row(number)
            for child in self.calls.nested_in(number):
                yield self._call_row(child)

    def left_at(self, entry: int) -> tuple[int, int]:
        """How many entries and calls were left behind where the conversation took another way."""
        switch = self.session.switches.get(entry)
        left = [index for index in switch.left if not self.session.tree.active[index]] if switch else []
        return len(left), sum(len(self.calls.of_entry(index)) for index in left)


def _told(content: Content | None) -> tuple[RowKind, str] | None:
    """The kind and the words of the row that an entry itself makes; none where only its calls show."""
    match content:
        case UserMessage():
            images = f" [{content.images} image{'s' if content.images > 1 else ''}]" if content.images else ""
            return RowKind.INPUT, content.text + images
        case Reminder():
            return RowKind.REMINDER, "; ".join(first for first, _ in content.pairs) or content.text
        case ShellCommand():
            return RowKind.SHELL, content.command
        case Compaction():
            before = f" of {content.tokens_before:,} tokens" if content.tokens_before else ""
            return RowKind.COMPACTION, f"conversation{before} put into a summary"
        case BranchSummary():
            return RowKind.BRANCH, "summary kept of the way that was left"
        case AgentMessage(stop_reason="error"):
            return RowKind.ERROR, content.error or "the model's request failed"
        case AgentMessage(stop_reason="aborted"):
            return RowKind.INTERRUPTION, "stopped by the person"
    return None
