"""The detail of one row as lines: what for, because of what, what exactly, what came out, the chain of tries."""

import json
from collections.abc import Iterator

from pilotage.calls.detail import Detail, as_seen, read_detail
from pilotage.calls.timeline import Timeline
from pilotage.console.diffs import diff_lines
from pilotage.console.pieces import Piece, PieceLine, wrapped
from pilotage.console.rows import Sight, outcome_words
from pilotage.figures import clock, counted, duration, ordinal
from pilotage.plain import plain, plain_line
from pilotage.records.call import Call, Mark, Outcome
from pilotage.records.entry import BranchSummary, Compaction, Reminder, ShellCommand, UserMessage
from pilotage.records.fields import as_dict, as_text, content_blocks, text_of_blocks
from pilotage.records.row import Row, RowKind

OUTPUT_HEAD = 40
"""Lines of an output that are shown from its beginning."""
OUTPUT_TAIL = 40
"""Lines of an output that are shown from its end."""
LINE_LIMIT = 2000
"""Characters of one line that are shown here; the whole output has all of them."""
ARGUMENT_LINES = 30

MARK_WORDS = {
    Mark.HOLLOW: "says nothing",
    Mark.REPEATS_TARGET: "repeats the command or path",
    Mark.REPEATS_PREVIOUS: "is the intent before, word for word",
    Mark.COPIES_REQUEST: "copies the user's sentence",
}


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
    tool = plain_line(call.tool, 60)
    place = f"turn {call.turn}" + (f" step {call.step}" if call.step is not None else "")
    gap = max(2, width - len(tool) - len(place) - len(right) - 2)
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
    if call.tool == "edit":
        yield from wrapped(plain(as_text(arguments.get("path"))), width, "middle")
        yield from diff_lines(_result(timeline, call), arguments, width)
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
    shown = [plain(line[:LINE_LIMIT]) for line in lines[:ARGUMENT_LINES]]
    label = f"{name}  "
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
        words = f"{counted(len(lines), 'line')}, {len(output):,} characters: o opens all of it"
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
        shown = plain(line[:LINE_LIMIT])
        yield from wrapped(shown + ("…" if len(line) > LINE_LIMIT else ""), width, role)


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
        return
    role = {RowKind.INPUT: "user", RowKind.ERROR: "failed", RowKind.REMINDER: "reminder"}.get(row.kind, "text")
    yield from _excerpt(_words(timeline, row), width, role, end_first=False)


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
