"""What every pane says alike of a preparation or a review: how it went, what it cost, where its evidence lies."""

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from pilotage.console.parts import Part
from pilotage.console.pieces import Piece, PieceLine, wrapped
from pilotage.console.rows import Sight
from pilotage.console.secrets_hidden import safe_text
from pilotage.console.spending import Spent, share
from pilotage.evidence.under_way import SECONDS
from pilotage.figures import age, counted, duration
from pilotage.inference.question import Failure
from pilotage.plain import plain_line
from pilotage.records.attempt import Attempt, ChildSession, Purpose
from pilotage.sessions.tree import Tree

LABEL = 9
"""Cells of the word in front of a fact."""

NO_CHILD = "no child session is named: nothing was asked, or its writer kept none"
NO_CHILD_YET = "no child session is named: that comes with the attempt's end"

PURPOSE_WORDS = {Purpose.PREPARATION: "preparation", Purpose.TRAJECTORY: "review"}

_ROLES = {"ok": "ok", "failed": "failed", "skipped": "rejected"}
_WORDS = {"void": "called off"}
_WANTS_A_MODEL = frozenset({Failure.NO_MODEL, Failure.NO_KEY, Failure.UNREACHABLE, Failure.NOT_ALLOWED})


def is_under_way(attempt: Attempt, sight: Sight) -> bool:
    """Whether an attempt without an end may still come to one: its time is not over, and its host may be at work."""
    may_go_on = is_incomplete(attempt) and (sight.live or attempt.is_observed)
    return may_go_on and attempt.started is not None and sight.now - attempt.started <= 2 * SECONDS


def anchor_of(tree: Tree, attempt: Attempt) -> int | None:
    """The index of the entry at which an attempt began: its own, or the last one of a session that was only watched."""
    named = attempt.leaf if attempt.is_observed else attempt.entry
    return tree.find(named) if named else None


def is_incomplete(attempt: Attempt) -> bool:
    """Whether an attempt has no end (spec E2)."""
    return not attempt.outcome and attempt.ended is None


def outcome_piece(attempt: Attempt, sight: Sight) -> Piece:
    """How an attempt went, in a word or two."""
    if is_under_way(attempt, sight):
        return Piece(f"running {age(sight.now - (attempt.started or sight.now))}", "running")
    if is_incomplete(attempt):
        return Piece("incomplete", "rejected")
    words = _WORDS.get(attempt.outcome) or plain_line(attempt.outcome, 30) or "ended"
    kind = f": {plain_line(attempt.failure, 40)}" if attempt.outcome == "failed" and attempt.failure else ""
    return Piece(f"{words}{kind}", _ROLES.get(attempt.outcome, "middle"))


def short_cost(attempt: Attempt) -> str:
    """Time and tokens of an attempt, as far as they are known."""
    tokens = f"{sum(attempt.tokens):,} tokens" if attempt.tokens else ""
    return ", ".join(word for word in (tokens, duration(attempt.milliseconds)) if word)


def fact(name: str, text: str, role: str, width: int) -> Iterator[PieceLine]:
    """A fact below its name; its text is fit for a terminal."""
    for number, line in enumerate(wrapped(text, max(10, width - LABEL), role)):
        yield [Piece(f"{'' if number else name:<{LABEL}}", "dim"), *line]


def cost_lines(attempts: Sequence[Attempt], whole: Spent, width: int) -> Iterator[PieceLine]:
    """What attempts cost, and which share of all requests and tokens of the session that is."""
    requests = sum(one.requests or 0 for one in attempts)
    sent = sum(one.tokens[0] for one in attempts if one.tokens)
    received = sum(one.tokens[1] for one in attempts if one.tokens)
    if all(one.requests is None and one.tokens is None and one.milliseconds is None for one in attempts):
        yield from fact("cost", "not told", "middle", width)
        return
    parts = [counted(requests, "request")]
    if sent or received:
        parts.append(f"{sent:,} tokens sent, {received:,} received")
    parts.append(duration(sum(one.milliseconds or 0 for one in attempts)))
    yield from fact("cost", ", ".join(parts), "middle", width)
    shares = f"{share(requests, whole.requests)} of the session's requests"
    if sent or received:
        shares += f", {share(sent + received, whole.tokens)} of its tokens"
    yield from fact("", shares, "dim", width)


def failure_lines(attempt: Attempt, settings: str, width: int) -> Iterator[PieceLine]:
    """Why an attempt came to nothing, and where a model is named if that was the reason; `settings` is the file."""
    if attempt.words:
        yield from wrapped(safe_text(attempt.words), width, "failed")
    if attempt.failure in _WANTS_A_MODEL:
        words = f"Which model is asked: provider and model of capabilityDiscovery in {plain_line(settings)}"
        yield from wrapped(words, width, "middle")


def place_lines(attempt: Attempt, width: int, found: ChildSession | None = None) -> Iterator[PieceLine]:
    """Where the evidence lies, and how it is opened; `found` is a child that the session's entries do not name."""
    child = attempt.child or found
    if child is None:
        words = NO_CHILD_YET if is_incomplete(attempt) else NO_CHILD
        yield from fact("evidence", words, "middle", width)
        return
    if not child.file:
        words = f"session {plain_line(child.id, 80)}, its file is not named"
        yield from fact("evidence", words, "middle", width)
        return
    if attempt.child is None:
        yield from fact(
            "evidence", "found by the attempt that it names; no entry of the session names it", "rejected", width
        )
    else:
        yield from fact("evidence", "e opens it here", "middle", width)
    yield from fact("in Pi", plain_line(pi_command(child.file)), "middle", width)
    yield from fact("as text", plain_line(snap_command(child.file)), "middle", width)


def child_parts(child: ChildSession | None) -> list[Part]:
    """What can be copied of a child session: its file, and how it is opened."""
    if child is None or not child.file:
        return []
    return [
        Part("f", "file", child.file),
        Part("p", "command for Pi", pi_command(child.file)),
        Part("n", "command for snap", snap_command(child.file)),
    ]


def child_path(attempt: Attempt | None) -> Path | None:
    """The child session's file."""
    return Path(attempt.child.file) if attempt and attempt.child and attempt.child.file else None


def pi_command(file: str) -> str:
    """How the real host opens a child session (spec E1)."""
    return f"pi --session {shlex.quote(file)}"


def snap_command(file: str) -> str:
    """How a child session is told as text."""
    return f"pilotage snap {shlex.quote(file)}"
