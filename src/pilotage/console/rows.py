"""Rows of the line of time as lines of pieces: sign, time, tool, intent, target, badge (`console.md`)."""

from msgspec import Struct

from pilotage.calls.detail import as_seen
from pilotage.calls.timeline import Timeline
from pilotage.console.pieces import Piece, PieceLine, cut, width_of
from pilotage.figures import age, clock, duration, ordinal
from pilotage.plain import plain_line
from pilotage.records.call import FINDINGS, Call, Outcome
from pilotage.records.row import Row, RowKind

TOOL_WIDTH = 6

_SIGNS = {
    Outcome.RUNNING: ("*", "running"),
    Outcome.OK: (" ", "dim"),
    Outcome.FAILED: ("!", "failed"),
    Outcome.REJECTED: ("x", "rejected"),
    Outcome.BLOCKED: ("#", "rejected"),
    Outcome.ABORTED: ("/", "middle"),
    Outcome.UNANSWERED: ("?", "middle"),
}

_TOLD = {
    RowKind.INPUT: (" ", "you", "user"),
    RowKind.REMINDER: (">", "remind", "reminder"),
    RowKind.SHELL: ("$", "you ran", "user"),
    RowKind.COMPACTION: ("=", "summary", "middle"),
    RowKind.BRANCH: ("<", "branch", "middle"),
    RowKind.ERROR: ("!", "model", "failed"),
    RowKind.INTERRUPTION: ("/", "stop", "middle"),
}


class Sight(Struct, frozen=True):
    """How a session is looked at."""

    now: float
    """The time, in seconds since the epoch."""
    live: bool
    """Whether its host may still be at work."""


def row_line(timeline: Timeline, row: Row, width: int, sight: Sight) -> PieceLine:
    """One row, at most `width` cells wide."""
    moment = timeline.session.entry(row.entry).time
    if row.kind is RowKind.CALL:
        return _call_line(as_seen(timeline.calls.items[row.call], live=sight.live), width, sight.now)
    sign, name, role = _TOLD[row.kind]
    left = [Piece(f" {sign}  ", role), Piece(f"{clock(moment, '%H:%M')} ", "dim")]
    head = Piece(f"{name:<{TOOL_WIDTH}} ", role)
    room = width - width_of([*left, head]) - 1
    return [*left, head, Piece(cut(plain_line(row.text), room), role)]


def is_reminder(row: Row) -> bool:
    """Whether a row is a reminder."""
    return row.kind is RowKind.REMINDER


def is_input(row: Row) -> bool:
    """Whether a row holds the user's words."""
    return row.kind is RowKind.INPUT


def is_rejection(timeline: Timeline, row: Row) -> bool:
    """Whether a row is a call that was rejected."""
    return row.kind is RowKind.CALL and timeline.calls.items[row.call].outcome is Outcome.REJECTED


def is_finding(timeline: Timeline, row: Row) -> bool:
    """Whether a row tells of something that went wrong."""
    if row.kind is RowKind.CALL:
        return timeline.calls.items[row.call].outcome in FINDINGS
    return row.kind is RowKind.ERROR


def _call_line(call: Call, width: int, now: float) -> PieceLine:
    sign, role = _SIGNS[call.outcome]
    away = "" if call.active else "~"
    left = [
        Piece(f"{away or ' '}{sign}", role),
        Piece(f"{_bracket(call)} ", "rejected" if _is_later_try(call) else "faint"),
        Piece(f"{clock(call.time, '%H:%M')} ", "dim"),
        Piece(f"{cut(plain_line(call.tool), _tool_width(width)):<{TOOL_WIDTH}} ", "middle"),
    ]
    badge = _badge(call, now)
    room = width - width_of(left) - width_of(badge) - 3
    body = _body(call, room)
    gap = max(1, width - width_of(left) - width_of(body) - width_of(badge) - 1)
    return [*left, *body, Piece(" " * gap), *badge, Piece(" ")]


def _tool_width(width: int) -> int:
    return 22 if width >= 100 else TOOL_WIDTH + 6


def _is_later_try(call: Call) -> bool:
    return call.chain is not None and call.chain.attempt > 1


def _bracket(call: Call) -> str:
    """What ties the row to its neighbours: a nested call, a later try, a batch of parallel calls."""
    if call.parent_id is not None or _is_later_try(call):
        return "└"
    if call.batch < 2:
        return " "
    if call.position == 0:
        return "┌"
    return "└" if call.position == call.batch - 1 else "│"


def _body(call: Call, room: int) -> PieceLine:
    """The intent with the target behind it; without an intent what was done, in the tone of a target."""
    target = plain_line(call.target or call.brief, 400)
    if not call.intent:
        return [Piece(cut(target or "no arguments", room), "dim")]
    intent = cut(plain_line(call.intent, 400), room)
    left = room - width_of([Piece(intent)]) - 2
    shown = cut(target, left) if left >= 12 and target else ""
    return [Piece(intent, "intent"), *([Piece("  "), Piece(shown, "dim")] if shown else [])]


def _badge(call: Call, now: float) -> PieceLine:
    """The right-hand words: what became of the call, which try it was, how long it took."""
    _, role = _SIGNS[call.outcome]
    words = outcome_words(call, now)
    tried = f"{ordinal(call.chain.attempt)} try" if call.chain and call.chain.attempt > 1 else ""
    same = "same again" if call.chain and call.chain.identical else ""
    taken = duration(call.duration_ms)
    parts = (Piece(same, "rejected"), Piece(words, role), Piece(tried, "middle"), Piece(taken, "dim"))
    line: PieceLine = []
    for part in parts:
        if part.text:
            line += [Piece("  "), part] if line else [part]
    return line


def outcome_words(call: Call, now: float) -> str:
    """What became of a call, in a word or two; nothing where it went well."""
    match call.outcome:
        case Outcome.OK:
            return ""
        case Outcome.FAILED if call.exit_code is not None:
            return f"exit {call.exit_code}"
        case Outcome.REJECTED if call.rejection:
            return str(call.rejection.kind)
        case Outcome.RUNNING:
            return f"running {age(now - call.time)}" if call.time is not None else "running"
    return str(call.outcome)
