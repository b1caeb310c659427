"""The lines of the reminders pane: reminders and failed reviews in a list, and each in full (spec R3 to R9)."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from pilotage.calls.timeline import Timeline
from pilotage.console.attempt_lines import cost_lines, fact, failure_lines, is_under_way, outcome_piece, place_lines
from pilotage.console.coverage_lines import coverage_lines
from pilotage.console.pieces import Piece, PieceLine, cut, width_of, wrapped
from pilotage.console.reviews import Failed, Going, Item, Reminded, Reviews
from pilotage.console.rows import Sight, row_line
from pilotage.console.secrets_hidden import hidden_words, hide, safe_line, safe_text
from pilotage.console.spending import Spent
from pilotage.evidence.diagnostics import UNSOURCED
from pilotage.evidence.marks import Precision
from pilotage.figures import clock, counted
from pilotage.records.attempt import ReminderState
from pilotage.records.row import Row, RowKind

CALLS_SINCE = 8
"""Calls after a reminder that are shown."""
ROOMY = 76
"""Cells from which on a line has room for the step, and for all of a state's words."""

STATE_WORDS = {
    ReminderState.DELIVERED: ("delivered", "delivered", "ok"),
    ReminderState.WAITING: ("waiting", "waiting", "running"),
    ReminderState.LATE: ("late", "late", "rejected"),
    ReminderState.REPEATED: ("held back: repeated", "repeated", "middle"),
    ReminderState.UNSOURCED: ("held back: unsourced", "unsourced", "middle"),
    ReminderState.OBSERVED: ("observed", "observed", "reminder"),
}
"""For each state its words where there is room, where there is little, and their role."""

_REACHED = frozenset({ReminderState.DELIVERED, ReminderState.WAITING, ReminderState.OBSERVED})

_WHY = {
    ReminderState.DELIVERED: "it stands in the session, for the agent to read",
    ReminderState.WAITING: "it goes along with the agent's next request",
    ReminderState.LATE: "it came when the run was over or another input was given; the agent never read it",
    ReminderState.REPEATED: "held back: the agent was told so before, and every review since has found it again",
    ReminderState.UNSOURCED: (
        "held back: its source stands in nothing that the review was given, and hold-unsourced is set"
    ),
    ReminderState.OBSERVED: "the session was only watched: it is for you, the agent never read it",
}


def summary_line(reviews: Reviews, going: int, precisions: tuple[Precision, Precision], width: int) -> PieceLine:
    """How many reviews there were, how many said nothing; how many marked reminders were right, here and in all."""
    told = [counted(reviews.total, "review")] if reviews.total else []
    if reviews.silent:
        told.append(f"{reviews.silent:,} with nothing to say")
    if reviews.called_off:
        told.append(f"{reviews.called_off:,} called off")
    if going:
        told.append(f"{going:,} under way")
    words, left = precision_words(*precisions), ", ".join(told)
    if len(words) + len(left) + 4 > width:
        words = precision_words(precisions[0], Precision())
    left = cut(left, width - len(words) - 4)
    gap = max(1, width - 2 - width_of([Piece(left)]) - len(words))
    return [Piece(f" {left}", "dim"), Piece(" " * gap), Piece(words, "middle"), Piece(" ")]


def precision_words(here: Precision, everywhere: Precision) -> str:
    """How many of the reminders that were marked were right; nothing where none was marked."""
    marked, all_marked = here.right + here.wrong, everywhere.right + everywhere.wrong
    words = [f"{here.right:,} of {marked:,} marked right"] if marked else []
    if all_marked > marked:
        words.append(f"in all sessions {everywhere.right:,} of {all_marked:,}")
    return ", ".join(words)


def item_line(item: Item, mark: bool | None, sight: Sight, longest: int, width: int) -> PieceLine:
    """One line of the list; `longest` is the widest last word of all lines, so that steps stand below one another."""
    match item:
        case Reminded():
            return _reminded_line(item, mark, longest, width)
        case Failed():
            return _failed_line(item, longest, width)
        case Going():
            return _going_line(item, sight, longest, width)


def longest_word(items: Sequence[Item], sight: Sight) -> int:
    """Cells of the widest last word of these lines, where there is room."""
    return max((width_of([_last_word(item, sight, ROOMY)]) for item in items), default=0)


def _last_word(item: Item, sight: Sight, width: int) -> Piece:
    """What a line ends with: a reminder's state, how a review failed, how long it has been going."""
    match item:
        case Reminded(pair=pair):
            wide, narrow, role = STATE_WORDS[pair.state]
            return Piece(wide if width >= ROOMY else narrow, role)
        case Failed(attempts=attempts):
            return Piece(safe_line(attempts[-1].failure, 40) or "failed", "failed")
        case Going(attempt=attempt):
            return outcome_piece(attempt, sight)


def _reminded_line(item: Reminded, mark: bool | None, longest: int, width: int) -> PieceLine:
    state = item.pair.state
    has_reached = state in _REACHED
    badges = [_last_word(item, Sight(0.0, live=False), width)]
    if width >= ROOMY and item.step is not None:
        badges.insert(0, Piece(f"step {item.step}", "dim"))
    if not item.pair.source_found and state is not ReminderState.UNSOURCED:
        badges.insert(0, Piece(UNSOURCED if width >= ROOMY else "no source", "rejected"))
    if mark is not None:
        badges.insert(0, Piece("right" if mark else "wrong", "ok" if mark else "failed"))
    sign = Piece(("" if item.active else "~") + (">" if has_reached else "."), "reminder" if has_reached else "middle")
    told = safe_line(item.pair.deviation, 600)
    return _line(sign, item.time, Piece(told, "reminder" if has_reached else "middle"), badges, longest, width)


def _failed_line(item: Failed, longest: int, width: int) -> PieceLine:
    last = item.attempts[-1]
    number = len(item.attempts)
    words = f"{counted(number, 'review')} failed: " if number > 1 else "review failed: "
    badges = [_last_word(item, Sight(0.0, live=False), width)]
    if width >= ROOMY and last.step is not None:
        badges.insert(0, Piece(f"step {last.step}", "dim"))
    return _line(
        Piece("!", "failed"), item.time, Piece(words + safe_line(last.words), "failed"), badges, longest, width
    )


def _going_line(item: Going, sight: Sight, longest: int, width: int) -> PieceLine:
    step = item.attempt.step
    of_step = f" of step {step}" if step is not None else ""
    if is_under_way(item.attempt, sight):
        text, sign = f"review{of_step}: not answered yet", Piece("*", "running")
    else:
        text, sign = f"review{of_step} was broken off: it has no end", Piece("?", "middle")
    return _line(sign, item.time, Piece(text, "middle"), [_last_word(item, sight, width)], longest, width)


def _line(sign: Piece, time: float | None, text: Piece, badges: list[Piece], longest: int, width: int) -> PieceLine:
    """Sign, time, words, and badges at the right edge."""
    left = [Piece(f"{sign.text:>2} ", sign.role), Piece(f"{clock(time, '%H:%M')} ", "dim")]
    right: PieceLine = []
    for badge in badges:
        right += [Piece("  "), badge]
    if width >= ROOMY:
        right[-2:] = [Piece(" " * max(2, 2 + longest - width_of(right[-1:]))), right[-1]]
    room = width - width_of(left) - width_of(right) - 1
    words = Piece(cut(text.text, room), text.role)
    gap = max(0, room - width_of([words]))
    return [*left, words, Piece(" " * gap), *right, Piece(" ")]


def item_detail(
    item: Item, timeline: Timeline, sight: Sight, *, mark: bool | None, whole: Spent, settings: str, width: int
) -> list[PieceLine]:
    """One item in full; `whole` is what the session spent, `settings` the file that names the model."""
    match item:
        case Reminded():
            return list(_reminded_detail(item, timeline, sight, mark, whole, width))
        case Failed():
            return list(_failed_detail(item, whole, settings, width))
        case Going():
            return list(_going_detail(item, sight, width))


def _reminded_detail(
    item: Reminded, timeline: Timeline, sight: Sight, mark: bool | None, whole: Spent, width: int
) -> Iterator[PieceLine]:
    pair, attempt = item.pair, item.attempt
    wide, _, role = STATE_WORDS[pair.state]
    yield _title("reminder", item, item.step, Piece(wide, role), width)
    yield []
    yield from wrapped(safe_text(pair.deviation), width, "reminder", bold=True)
    yield []
    if pair.source:
        yield from fact("source", safe_text(pair.source), "text", width)
    else:
        yield from fact("source", "none is given", "rejected", width)
    if not pair.source_found:
        yield from fact("", f"{UNSOURCED} in what the review was given", "rejected", width)
    yield from fact("state", _WHY[pair.state], "middle", width)
    if mark is not None:
        yield from fact("you", f"marked {'right' if mark else 'wrong'}", "ok" if mark else "failed", width)
    hidden = hidden_words(hide(pair.deviation).count + hide(pair.source).count)
    if hidden:
        yield from fact("", hidden, "rejected", width)
    yield []
    yield from _calls_since(item, timeline, sight, width)
    if attempt is None:
        yield []
        yield from fact("evidence", "no diagnostic entry tells of its review", "middle", width)
        return
    yield []
    yield from cost_lines([attempt], whole, width)
    yield from coverage_lines(attempt.coverage, width)
    yield from place_lines(attempt, width)


def _failed_detail(item: Failed, whole: Spent, settings: str, width: int) -> Iterator[PieceLine]:
    last = item.attempts[-1]
    yield _title("review", item, last.step, Piece(f"failed: {safe_line(last.failure, 30)}", "failed"), width)
    yield []
    yield from failure_lines(last, settings, width)
    yield []
    yield from wrapped("It says nothing about the steps that it was to judge.", width, "dim")
    yield []
    if len(item.attempts) > 1:
        first = item.attempts[0]
        span = f"{counted(len(item.attempts), 'time')} in a row, first at {clock(first.started, '%H:%M')}"
        yield from fact("failed", f"{span}, after steps {_steps(item)}", "middle", width)
    yield from cost_lines(item.attempts, whole, width)
    yield from coverage_lines(last.coverage, width)
    yield from place_lines(last, width)


def _steps(item: Failed) -> str:
    steps = [str(one.step) for one in item.attempts if one.step is not None]
    return ", ".join(steps[-12:]) or "unknown"


def _going_detail(item: Going, sight: Sight, width: int) -> Iterator[PieceLine]:
    yield _title("review", item, item.attempt.step, outcome_piece(item.attempt, sight), width)
    yield []
    if is_under_way(item.attempt, sight):
        yield from wrapped("The model has not answered yet.", width, "middle")
    else:
        words = (
            "It began and has no end: whatever ran it was broken off. That proves nothing about settings or reasons."
        )
        yield from wrapped(words, width, "middle")
    yield []
    yield from coverage_lines(item.attempt.coverage, width)
    yield from place_lines(item.attempt, width)


def _title(name: str, item: Item, step: int | None, state: Piece, width: int) -> PieceLine:
    """What it is, where it stands in the session, when, and how it went."""
    places = [f"turn {item.turn}" if item.turn else "", f"step {step}" if step is not None else ""]
    place = " ".join(word for word in places if word)
    left = [
        Piece(name, "text", bold=True),
        Piece(f"  {place}  {clock(item.time)}" if place else f"  {clock(item.time)}", "dim"),
    ]
    room = width - width_of(left) - 2
    words = Piece(cut(state.text, room), state.role)
    return [*left, Piece(" " * max(2, width - width_of([*left, words]))), words]


def _calls_since(item: Reminded, timeline: Timeline, sight: Sight, width: int) -> Iterator[PieceLine]:
    """What the agent did next; whether it followed is for the person to see (spec R7)."""
    unread = "" if item.pair.state is ReminderState.DELIVERED else ", which the agent made without it"
    yield from wrapped(f"the calls since{unread}", width, "dim")
    numbers = calls_after(item, timeline)
    for number in numbers[:CALLS_SINCE]:
        row = Row(RowKind.CALL, timeline.calls.items[number].entry, number)
        yield row_line(timeline, row, width, sight)
    if not numbers:
        yield [Piece("    none", "dim")]
    elif len(numbers) > CALLS_SINCE:
        yield [Piece(f"    … {counted(len(numbers) - CALLS_SINCE, 'more call')}", "dim")]


def calls_after(item: Reminded, timeline: Timeline) -> Sequence[int]:
    """The numbers of the calls of the branch after a reminder."""
    calls = timeline.calls.items
    if item.after is not None:
        first = bisect_right(calls, item.after, key=lambda call: call.entry)
        return [number for number in range(first, len(calls)) if calls[number].active]
    if item.time is None:
        return ()
    since = item.time
    return [number for number, call in enumerate(calls) if call.active and call.time is not None and call.time >= since]


def item_text(item: Item) -> str:
    """All that an item says, as a text to keep; without secrets."""
    match item:
        case Reminded(pair=pair):
            state = STATE_WORDS[pair.state][0]
            return f"{hide(pair.deviation).text}\nSource: {hide(pair.source).text}\nState: {state}\n"
        case Failed(attempts=attempts):
            return f"review failed: {attempts[-1].failure}: {hide(attempts[-1].words).text}\n"
        case Going(attempt=attempt):
            return f"review of step {attempt.step}: it has no end\n"
