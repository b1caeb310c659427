"""The detail of one row as lines: what for, because of what, what exactly, what came out, the chain of tries."""

import json
import threading
from collections.abc import Callable, Iterator

from rich.cells import cell_len
from textual.message import Message

from pilotage.calls.detail import Detail, as_seen, read_detail
from pilotage.calls.timeline import Timeline
from pilotage.console.diffs import diff_lines
from pilotage.console.messages import DetailMade
from pilotage.console.pieces import ELLIPSIS, Piece, PieceLine, cut, wrapped
from pilotage.console.rows import Sight, outcome_words
from pilotage.figures import clock, counted, duration, ordinal
from pilotage.plain import plain, plain_line
from pilotage.records.call import Call, Mark, Outcome
from pilotage.records.entry import BranchSummary, Compaction, Reminder, ShellCommand, UserMessage
from pilotage.records.fields import as_dict, as_text, content_blocks, text_of_blocks
from pilotage.records.row import Row, RowKind
from pilotage.sessions.read import UnreadableSession

OUTPUT_HEAD = 40
"""Lines of an output that are shown from its beginning."""
OUTPUT_TAIL = 40
"""Lines of an output that are shown from its end."""
LINE_LIMIT = 2000
"""Characters of one line that are shown here; the whole output has all of them."""
ARGUMENT_LINES = 30
CALLS_SINCE = 8

MARK_WORDS = {
    Mark.HOLLOW: "says nothing",
    Mark.REPEATS_TARGET: "repeats the command or path",
    Mark.REPEATS_PREVIOUS: "is the intent before, word for word",
    Mark.COPIES_REQUEST: "copies the user's sentence",
}


HEAVY = 1 << 20
"""Bytes of a row's records from which on its detail is made in a thread."""


class DetailMaker:
    """Makes details, and keeps the one that is shown; a large one is made in a thread."""

    def __init__(self, post: Callable[[Message], bool]) -> None:
        self._post = post
        self._wanted: object = None
        self._made: tuple[object, list[PieceLine]] = (None, [])

    def forget(self) -> None:
        """What was made is void."""
        self._wanted, self._made = None, (None, [])

    def is_stale(self, timeline: Timeline, row: Row | None) -> bool:
        """Whether a row is another one than that whose detail was asked for last."""
        return self._wanted is None or row is None or _identity(timeline, row) != self._wanted

    def is_running(self, timeline: Timeline, row: Row) -> bool:
        """Whether a row is a call without a result, so that its detail tells how long."""
        return row.call >= 0 and timeline.calls.items[row.call].outcome is Outcome.RUNNING

    def lines(self, timeline: Timeline, row: Row, width: int, sight: Sight) -> list[PieceLine]:
        """The detail of a row, or words that it is being read."""
        self._wanted = _identity(timeline, row)
        key = (self._wanted, width)
        if self._made[0] == key:
            return self._made[1]
        size = _size_of(timeline, row)
        if size < HEAVY:
            return _safe_lines(timeline, row, width, sight)
        thread = threading.Thread(target=self._make, args=(key, timeline, row, width, sight), daemon=True)
        thread.start()
        return [[Piece(f"reading {size / 1e6:,.0f} MB", "dim")]]

    def _make(self, key: object, timeline: Timeline, row: Row, width: int, sight: Sight) -> None:
        lines = _safe_lines(timeline, row, width, sight)
        self._made = (key, lines)
        self._post(DetailMade())


def _identity(timeline: Timeline, row: Row) -> object:
    """What a detail depends on: the row, and its call as it is now."""
    return row, timeline.calls.items[row.call] if row.call >= 0 else None


def _size_of(timeline: Timeline, row: Row) -> int:
    """How many bytes of the file must be read for a row."""
    entries = [row.entry]
    if row.call >= 0 and (result := timeline.calls.items[row.call].result) is not None:
        entries.append(result)
    return sum(timeline.session.entry(entry).place.length for entry in entries)


def _safe_lines(timeline: Timeline, row: Row, width: int, sight: Sight) -> list[PieceLine]:
    try:
        return detail_lines(timeline, row, width, sight)
    except UnreadableSession as error:
        return list(wrapped(plain_line(str(error)), width, "failed"))


def detail_lines(timeline: Timeline, row: Row, width: int, sight: Sight) -> list[PieceLine]:
    """The detail of a row, wrapped to `width` cells. Raises UnreadableSession when the file changed meanwhile."""
    if row.kind is RowKind.CALL:
        return list(_call(timeline, row.call, width, sight))
    return list(_told(timeline, row, width))


def output_of(timeline: Timeline, row: Row) -> str:
    """The whole output of a call, or the whole text of another row, not yet cleaned. Raises UnreadableSession."""
    if row.kind is RowKind.CALL:
        return _output(timeline, timeline.calls.items[row.call])
    return _words(timeline, row)


def _call(timeline: Timeline, number: int, width: int, sight: Sight) -> Iterator[PieceLine]:
    call = as_seen(timeline.calls.items[number], live=sight.live)
    detail = read_detail(timeline.calls, number)
    yield _title(call, width, sight)
    yield []
    yield from _purpose(call, width)
    yield from _arguments(timeline, call, detail, width)
    yield from _outcome(timeline, call, width)
    yield from _chain(timeline, call, width, sight)
    yield from _quiet_notes(call, detail, width)


def _title(call: Call, width: int, sight: Sight) -> PieceLine:
    """Tool and target on the left, outcome and duration on the right."""
    roles = {Outcome.OK: "ok", Outcome.FAILED: "failed", Outcome.RUNNING: "running"}
    role = roles.get(call.outcome, "rejected" if call.rejection else "middle")
    words = outcome_words(call, sight.now) or str(call.outcome)
    right = " ".join(part for part in (words, duration(call.duration_ms)) if part)
    place = f"turn {call.turn}" + (f" step {call.step}" if call.step is not None else "")
    tool = cut(plain_line(call.tool), max(4, width - len(place) - len(right) - 4))
    gap = max(2, width - cell_len(tool) - len(place) - len(right) - 2)
    return [
        Piece(tool, "text", bold=True),
        Piece("  "),
        Piece(place, "dim"),
        Piece(" " * gap),
        Piece(right, role),
    ]


def _purpose(call: Call, width: int) -> Iterator[PieceLine]:
    """The intent and the rationale."""
    if call.intent:
        yield from wrapped(plain(call.intent).strip(), width, "intent", bold=True)
    else:
        yield [Piece("no intent given", "dim")]
    yield []
    if call.rationale:
        lines = list(wrapped(plain(call.rationale).strip(), width - 9))
        for number, line in enumerate(lines):
            yield [Piece("because  " if number == 0 else " " * 9, "dim"), *line]
        yield []


def _arguments(timeline: Timeline, call: Call, detail: Detail, width: int) -> Iterator[PieceLine]:
    """What exactly: a diff for an edit, else each argument."""
    arguments = as_dict(detail.arguments)
    diff = list(diff_lines(_result(timeline, call), arguments, width)) if call.tool == "edit" else []
    if diff:
        yield from wrapped(plain(as_text(arguments.get("path"))), width, "middle")
        yield from diff
        yield []
        return
    for name, value in arguments.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
        yield from _argument(plain_line(name, 60), text, width)
    if not isinstance(detail.arguments, dict) and detail.arguments is not None:
        yield from _argument("arguments", json.dumps(detail.arguments, ensure_ascii=False), width)
    yield []


def _argument(name: str, text: str, width: int) -> Iterator[PieceLine]:
    """One argument: on the line of its name when it is short, below it when it is not."""
    lines = text.split("\n")
    shown = [_clipped(line) for line in lines[:ARGUMENT_LINES]]
    label = f"{cut(name, width - 2)}  "
    indent = " " * len(label) if len(lines) == 1 and len(label) < 14 else "  "
    if len(lines) > 1 or len(label) >= 14:
        yield [Piece(label, "dim")]
        label = ""
    for number, line in enumerate(shown):
        for part, piece_line in enumerate(wrapped(line, width - len(indent), "middle")):
            lead = label if number == part == 0 and label else indent
            yield [Piece(lead, "dim"), *piece_line]
    if len(lines) > ARGUMENT_LINES:
        yield [Piece(f"  … {counted(len(lines) - ARGUMENT_LINES, 'more line')}", "dim")]


def _result(timeline: Timeline, call: Call) -> dict[str, object]:
    """The message that answered a call; an empty one while there is none."""
    if call.result is None:
        return {}
    return as_dict(timeline.session.body(timeline.session.entry(call.result)).get("message"))


def _output(timeline: Timeline, call: Call) -> str:
    """The whole text that came back from a call."""
    if call.parent_id is not None:
        return call.rejection.message if call.rejection else ""
    return text_of_blocks(content_blocks(_result(timeline, call)))


def _outcome(timeline: Timeline, call: Call, width: int) -> Iterator[PieceLine]:
    """What came out: the end first where it failed, head and tail where it is long."""
    if call.outcome is Outcome.RUNNING:
        yield [Piece("no result yet", "running")]
        return
    if call.outcome is Outcome.UNANSWERED:
        yield [Piece("no result, and none will come", "middle")]
        return
    output = _output(timeline, call)
    if call.tool == "edit" and call.outcome is Outcome.OK:
        return
    role = {Outcome.OK: "text", Outcome.FAILED: "failed"}.get(call.outcome, "rejected")
    yield from _excerpt(output, width, role, end_first=call.outcome is Outcome.FAILED)


def _excerpt(output: str, width: int, role: str, *, end_first: bool) -> Iterator[PieceLine]:
    lines = output.rstrip("\n").split("\n")
    hidden = len(lines) - OUTPUT_HEAD - OUTPUT_TAIL
    cut_short = hidden > 0 or any(len(line) > LINE_LIMIT for line in lines[:OUTPUT_HEAD] + lines[-OUTPUT_TAIL:])
    if cut_short:
        words = f"{counted(len(lines), 'line')}, {len(output):,} characters: Enter opens all of it"
        yield from wrapped(words, width, "dim")
        yield []
    if hidden <= 0:
        yield from _output_lines(lines, width, role)
        return
    head, tail = lines[:OUTPUT_HEAD], lines[-OUTPUT_TAIL:]
    between: list[PieceLine] = [[], [Piece(f"… {counted(hidden, 'line')} not shown", "dim")], []]
    yield from _output_lines(tail if end_first else head, width, role)
    yield from between
    yield from _output_lines(head if end_first else tail, width, role)


def _output_lines(lines: list[str], width: int, role: str) -> Iterator[PieceLine]:
    for line in lines:
        yield from wrapped(_clipped(line), width, role)


def _clipped(line: str) -> str:
    """One line of session text, fit for a terminal; what was cut of a long one is shown."""
    return plain(line[:LINE_LIMIT].removesuffix("\r")) + (ELLIPSIS if len(line) > LINE_LIMIT else "")


def _chain(timeline: Timeline, call: Call, width: int, sight: Sight) -> Iterator[PieceLine]:
    """All tries of the chain that this call is part of."""
    if call.chain is None:
        return
    tries = [c for c in timeline.calls.items if c.chain and c.chain.id == call.chain.id and c.turn == call.turn]
    yield []
    for tried in tries:
        link = tried.chain
        assert link is not None
        words = outcome_words(as_seen(tried, live=sight.live), sight.now) or "accepted"
        same = ", the same arguments again" if link.identical else ""
        text = f"{ordinal(link.attempt)} try  {clock(tried.time)}  {words}{same}"
        yield from wrapped(text, width, "rejected" if tried.outcome is Outcome.REJECTED else "dim")
    last = tries[-1]
    if last.outcome is Outcome.REJECTED:
        yield [Piece("never corrected", "rejected")]
    elif last.time is not None and tries[0].time is not None and len(tries) > 1:
        yield [Piece(f"corrected after {duration(round((last.time - tries[0].time) * 1000))}", "dim")]


def _quiet_notes(call: Call, detail: Detail, width: int) -> Iterator[PieceLine]:
    """What the contract would note, and marks of quality, in a quiet tone."""
    notes = [*detail.notes, *(f"the intent {MARK_WORDS[mark]}" for mark in detail.marks)]
    if call.parent_id is not None:
        notes.append(f"called by {call.parent_id} while it ran")
    if notes:
        yield []
    for note in notes:
        yield from wrapped(plain_line(note), width, "dim")


def _told(timeline: Timeline, row: Row, width: int) -> Iterator[PieceLine]:
    """The detail of a row that is no call."""
    entry = timeline.session.entry(row.entry)
    yield [Piece(f"{row.kind}  ", "text", bold=True), Piece(clock(entry.time), "dim")]
    yield []
    if isinstance(entry.content, Reminder) and entry.content.pairs:
        for deviation, source in entry.content.pairs:
            yield from wrapped(plain(deviation), width, "reminder", bold=True)
            yield from wrapped(plain(source), width, "middle")
            yield []
        yield from _calls_since(timeline, row, width)
        return
    if row.kind is RowKind.BRANCH:
        entries, calls = timeline.left_at(row.entry)
        left = f"left {counted(entries, 'entry', 'entries')} with {counted(calls, 'call')}; a shows them"
        yield from wrapped(left, width, "dim")
        yield []
    role = {RowKind.INPUT: "user", RowKind.ERROR: "failed", RowKind.REMINDER: "reminder"}.get(row.kind, "text")
    yield from _excerpt(_words(timeline, row), width, role, end_first=False)


def _calls_since(timeline: Timeline, row: Row, width: int) -> Iterator[PieceLine]:
    """What the agent did after a reminder; whether it followed is for the person to see (spec R7)."""
    yield [Piece("the calls since", "dim")]
    after = [call for call in timeline.calls.items if call.active and call.entry > row.entry][:CALLS_SINCE]
    for call in after:
        words = call.intent or call.target or call.brief or "no arguments"
        yield [
            Piece(cut(f"  {clock(call.time, '%H:%M')} {plain_line(call.tool, 20)}  {plain_line(words, 300)}", width))
        ]
    if not after:
        yield [Piece("  none", "dim")]


def _words(timeline: Timeline, row: Row) -> str:
    """The whole text of a row that is no call."""
    entry = timeline.session.entry(row.entry)
    match entry.content:
        case UserMessage():
            return text_of_blocks(content_blocks(as_dict(timeline.session.body(entry).get("message"))))
        case Compaction() | BranchSummary():
            return as_text(timeline.session.body(entry).get("summary"))
        case ShellCommand():
            message = as_dict(timeline.session.body(entry).get("message"))
            return f"$ {as_text(message.get('command'))}\n{as_text(message.get('output'))}"
        case Reminder(text=text):
            return text
    return row.text
