"""The lines of the evidence browser: the tree, and each of its nodes in full (spec U5, E4)."""

from collections.abc import Iterator

from rich.cells import cell_len

from pilotage.calls.timeline import Timeline
from pilotage.console.attempt_lines import (
    PURPOSE_WORDS,
    cost_lines,
    fact,
    failure_lines,
    is_incomplete,
    is_under_way,
    outcome_piece,
    place_lines,
    short_cost,
)
from pilotage.console.coverage_lines import coverage_lines
from pilotage.console.evidence_opening import EvidencePart, Ground, OpenedAttempt
from pilotage.console.evidence_tree import AttemptNode, InputNode, Node, PartNode, SessionNode, WordsNode
from pilotage.console.excerpts import excerpt_lines
from pilotage.console.pieces import Piece, PieceLine, cut, cut_front, width_of, wrapped
from pilotage.console.rows import Sight
from pilotage.console.secrets_hidden import hidden_words, safe_line, safe_text
from pilotage.console.spending import Spent, spent_by
from pilotage.figures import clock, counted, short_number
from pilotage.plain import plain_line
from pilotage.records.attempt import Attempt, Purpose, ReminderState

ROOMY = 76
"""Cells from which on a line has room for what an attempt cost."""

LEAST = 40
"""Cells that are kept for what came of an attempt before it is said what it cost."""

GROUND_ROLES = {Ground.RECORDED: "dim", Ground.RECONSTRUCTED: "rejected", Ground.ABSENT: "dim"}

PART_WORDS = {
    "system": "duties",
    "input": "input as sent",
    "request": "request body",
    "output": "model's answer",
    "response": "response body",
    "origin": "origin",
    "told": "what the agent read",
    "record": "record",
    "given": "what the agent was given",
    "notes": "notes in the parent",
    "states": "what became of it",
}
"""For each part what it is called on the screen; actions are called by what they did."""


def part_words(part: EvidencePart) -> str:
    """What a part is called."""
    return PART_WORDS.get(part.name) or f"{part.name}: {safe_line(part.text.split(chr(10), 1)[0], 200)}"


def node_line(node: Node, sight: Sight, *, marked: str, width: int) -> PieceLine:
    """One line of the tree; `marked` is the attempt that another one is to be compared with."""
    match node:
        case SessionNode():
            return _session_line(node, width)
        case InputNode():
            return _input_line(node, width)
        case AttemptNode():
            return _attempt_line(node, sight, is_marked=node.attempt.id == marked, width=width)
        case PartNode():
            return _part_line(node, width)
        case WordsNode():
            words = f"cannot be read: {plain_line(node.words, 400)}" if node.is_fault else plain_line(node.words, 400)
            return [Piece(" " * 8), Piece(cut(words, width - 9), "failed" if node.is_fault else "dim")]


def _session_line(node: SessionNode, width: int) -> PieceLine:
    spent = spent_by(node.attempts)
    failed = sum(one.outcome == "failed" for one in node.attempts)
    words = [counted(len(node.attempts), "attempt"), counted(spent.requests, "request")]
    words += [f"{short_number(spent.tokens)} tokens"] if spent.tokens else []
    left = [Piece(" the session  ", "text", bold=True), Piece(cut(", ".join(words), width - 30), "middle")]
    right = Piece(f"{failed:,} failed" if failed else "", "failed")
    return _justified(left, [right], width)


def _input_line(node: InputNode, width: int) -> PieceLine:
    left = [Piece(f" {clock(node.time, '%H:%M')} ", "dim"), Piece("you  ", "user")]
    right = [Piece(counted(node.attempts, "attempt"), "dim")] if width >= ROOMY else []
    room = width - width_of([*left, *right]) - 3
    words = safe_line(node.words) or "an input that is not in this session"
    return _justified([*left, Piece(cut(words, room), "user")], right, width)


def _attempt_line(node: AttemptNode, sight: Sight, *, is_marked: bool, width: int) -> PieceLine:
    attempt = node.attempt
    fold = "-" if node.is_unfolded else "+"
    left = [
        Piece(f"{'c' if is_marked else ' '} {fold} ", "running" if is_marked else "middle", is_marked),
        Piece(f"{clock(attempt.started or attempt.ended, '%H:%M')} ", "dim"),
        Piece(f"{'prepare' if attempt.purpose is Purpose.PREPARATION else 'review':<7} ", "middle"),
    ]
    right = [outcome_piece(attempt, sight)]
    cost, summary = short_cost(attempt), _summary(node, sight)
    room = width - width_of(left) - width_of(right) - 3
    if cost and room - cell_len(cost) - 2 >= min(cell_len(summary), LEAST):
        right.insert(0, Piece(cost, "dim"))
    room = width - width_of(left) - sum(width_of([one]) + 2 for one in right) - 1
    return _justified([*left, Piece(cut(summary, room), "text")], right, width)


def _summary(node: AttemptNode, sight: Sight) -> str:
    """What came of an attempt, in a few words."""
    attempt = node.attempt
    step = f"step {attempt.step}: " if attempt.step is not None else ""
    if attempt.outcome in ("failed", "skipped"):
        return f"{step}{safe_line(attempt.words) or 'no reason is given'}"
    if is_incomplete(attempt) and not attempt.pairs:
        return f"{step}{'not answered yet' if is_under_way(attempt, sight) else 'it has no end'}"
    if attempt.purpose is Purpose.PREPARATION:
        return node.brought or "nothing brought"
    if not attempt.pairs:
        return f"{step}nothing to say" if attempt.outcome == "ok" else step.removesuffix(": ")
    states = list(dict.fromkeys(_state_word(pair.state) for pair in attempt.pairs))
    return f"{step}{counted(len(attempt.pairs), 'reminder')}, {', '.join(states)}"


def _state_word(state: ReminderState) -> str:
    return "held back" if state in (ReminderState.REPEATED, ReminderState.UNSOURCED) else str(state)


def _part_line(node: PartNode, width: int) -> PieceLine:
    part = node.part
    size = f"{short_number(len(part.text))} characters" if part.text else ""
    right = [Piece(size, "dim"), Piece(str(part.ground), GROUND_ROLES[part.ground])]
    if width < ROOMY:
        right = right[1:]
    name = Piece(part_words(part), "text" if part.text else "dim")
    room = width - 9 - sum(width_of([one]) + 2 for one in right) - 1
    return _justified([Piece(" " * 9), Piece(cut(name.text, room), name.role)], right, width)


def _justified(left: PieceLine, right: list[Piece], width: int) -> PieceLine:
    ends: PieceLine = []
    for piece in right:
        if piece.text:
            ends += [Piece("  "), piece]
    gap = max(0, width - width_of(left) - width_of(ends) - 1)
    return [*left, Piece(" " * gap), *ends, Piece(" ")]


def node_detail(
    node: Node, timeline: Timeline, sight: Sight, opened: OpenedAttempt | None, whole: Spent, settings: str, width: int
) -> list[PieceLine]:
    """One node in full; `opened` is its attempt's evidence where that was read."""
    match node:
        case SessionNode():
            return list(_session_detail(node, timeline, whole, width))
        case InputNode():
            return list(_input_detail(node, timeline, width))
        case AttemptNode(attempt=attempt):
            return list(_attempt_detail(attempt, sight, opened, whole, settings, width))
        case PartNode():
            return list(_part_detail(node, opened, width))
        case WordsNode():
            return list(_words_detail(node, width))


def _session_detail(node: SessionNode, timeline: Timeline, whole: Spent, width: int) -> Iterator[PieceLine]:
    session = timeline.session
    yield [Piece("session", "text", bold=True)]
    yield []
    yield from wrapped(
        safe_line(session.name or timeline.totals.first_words, 600) or "no name", width, "intent", bold=True
    )
    yield []
    yield from fact("file", plain_line(str(session.path)), "middle", width)
    yield from fact("id", plain_line(session.id), "middle", width)
    yield from cost_lines(node.attempts, whole, width)
    for purpose, name in PURPOSE_WORDS.items():
        number = sum(one.purpose is purpose for one in node.attempts)
        if number:
            yield from fact("", counted(number, name), "middle", width)
    yield []
    words = (
        "Each attempt asked a model once. What was sent and what came back lies in a child session of its own;"
        " this session's file holds notes that point to it."
    )
    yield from wrapped(words, width, "dim")


def _input_detail(node: InputNode, timeline: Timeline, width: int) -> Iterator[PieceLine]:
    yield [Piece("input", "text", bold=True), Piece(f"  {clock(node.time)}", "dim")]
    yield []
    yield from wrapped(safe_text(node.words) or "Its message is not in this session.", width, "user")
    yield []
    if node.id:
        yield from fact("input id", plain_line(node.id, 100), "middle", width)
    if node.entry is not None:
        yield from fact("entry", plain_line(timeline.session.entry(node.entry).id, 100), "middle", width)
    yield from fact("attempts", str(node.attempts), "middle", width)


def _attempt_detail(
    attempt: Attempt, sight: Sight, opened: OpenedAttempt | None, whole: Spent, settings: str, width: int
) -> Iterator[PieceLine]:
    yield _title(PURPOSE_WORDS[attempt.purpose], attempt, sight, width)
    yield []
    yield from failure_lines(attempt, settings, width)
    if is_incomplete(attempt) and not is_under_way(attempt, sight):
        words = "It began and has no end: incomplete. A missing entry proves nothing about settings or reasons."
        yield from wrapped(words, width, "rejected")
    for pair in attempt.pairs:
        yield from wrapped(f"{_state_word(pair.state)}: {safe_text(pair.deviation)}", width, "reminder")
    if attempt.failure or attempt.pairs:
        yield []
    if opened and opened.model:
        yield from fact("model", plain_line(opened.model, 100), "middle", width)
    yield from cost_lines([attempt], whole, width)
    if opened and opened.replaced:
        yield from fact("", f"{counted(opened.replaced, 'secret')} replaced before it was sent", "middle", width)
    yield from coverage_lines(attempt.coverage, width)
    if attempt.context_ready:
        words = "a context with its results was returned to the host; no proof that a provider received it"
        yield from fact("context", words, "middle", width)
    yield []
    yield from place_lines(attempt, width, opened.found if opened else None)
    if opened and opened.fault and attempt.child:
        yield from fact("", safe_text(opened.fault), "failed", width)
    yield from fact("attempt", plain_line(attempt.id, 100), "dim", width)
    yield from fact("written", f"by {plain_line(attempt.writer, 40) or 'another extension'}", "dim", width)
    recorded = "outcome, times, cost and place are as the session's entries tell them"
    yield from fact("recorded", recorded, "dim", width)
    if attempt.pairs:
        yield from fact("rebuilt", "what became of the reminders, from what stands after them", "dim", width)


def _part_detail(node: PartNode, opened: OpenedAttempt | None, width: int) -> Iterator[PieceLine]:
    part = node.part
    name = Piece(cut(part_words(part), width - 16), "text", bold=True)
    ground = Piece(str(part.ground), GROUND_ROLES[part.ground])
    yield [name, Piece(" " * max(2, width - width_of([name, ground]))), ground]
    yield from wrapped(plain_line(part.where, 400), width, "dim")
    if part.text:
        size = f"{counted(part.lines, 'line')}, {counted(len(part.text), 'character')}"
        hidden = hidden_words(part.hidden)
        yield from wrapped(f"{size}, {hidden}" if hidden else size, width, "rejected" if hidden else "dim")
    if opened and opened.failure and part.name in ("output", "response"):
        yield from wrapped(plain_line(opened.failure, 600), width, "failed")
    yield []
    if part.text:
        yield from excerpt_lines(part.text, part.lines, width)


def _words_detail(node: WordsNode, width: int) -> Iterator[PieceLine]:
    if not node.is_fault:
        yield from wrapped(plain_line(node.words), width, "dim")
        return
    yield [Piece("the child session cannot be read", "failed", bold=True)]
    yield []
    yield from wrapped(safe_text(node.words), width, "failed")
    yield []
    child = node.attempt.child
    if child and child.file:
        yield from fact("file", plain_line(child.file), "middle", width)
        yield from fact("id", plain_line(child.id, 100), "middle", width)
    words = (
        "It may have been removed or moved, or lie on another machine. What this session's own entries tell stands"
        " below."
    )
    yield from wrapped(words, width, "dim")


def _title(name: str, attempt: Attempt, sight: Sight, width: int) -> PieceLine:
    step = f"step {attempt.step}  " if attempt.step is not None else ""
    left = [Piece(name, "text", bold=True), Piece(f"  {step}{clock(attempt.started or attempt.ended)}", "dim")]
    outcome = outcome_piece(attempt, sight)
    words = Piece(cut_front(outcome.text, max(8, width - width_of(left) - 2)), outcome.role)
    return [*left, Piece(" " * max(2, width - width_of([*left, words]))), words]
