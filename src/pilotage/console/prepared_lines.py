"""The lines of the prepared pane: each preparation with what it suggested and did, and each of them in full."""

from collections.abc import Iterator, Mapping

from pilotage.console.attempt_lines import (
    cost_lines,
    fact,
    failure_lines,
    is_incomplete,
    is_under_way,
    outcome_piece,
    place_lines,
    short_cost,
)
from pilotage.console.excerpts import excerpt_lines
from pilotage.console.pieces import Piece, PieceLine, cut, width_of, wrapped
from pilotage.console.preparations import Done, Fated, Preparation
from pilotage.console.rows import Sight
from pilotage.console.secrets_hidden import hidden_words, safe_line, safe_text
from pilotage.console.spending import Spent
from pilotage.figures import clock, counted, duration
from pilotage.plain import plain_line
from pilotage.records.attempt import Action, Prepared, Suggestion, SuggestionState
from pilotage.records.fields import as_text

ROOMY = 76
"""Cells from which on a line has room for costs, and for why something was suggested."""
NAME_WIDTH = 30
"""Cells of a name or target before the reason, where there is room for both."""
NOT_DONE = "Not done: "
"""How the child tells of an action that was refused (`prepare/run.py`)."""

FATE_ROLES = {
    SuggestionState.USED: "ok",
    SuggestionState.UNUSED: "middle",
    SuggestionState.STALE: "rejected",
    SuggestionState.LATE: "rejected",
}

_FATE_WORDS = {
    SuggestionState.USED: "the agent called, read or loaded it within the turn",
    SuggestionState.UNUSED: "the agent did neither call, read nor load it within the turn",
    SuggestionState.STALE: "the file changed before the agent used it",
    SuggestionState.LATE: "it was void when it came",
}
_READ_WORDS = _FATE_WORDS | {
    SuggestionState.USED: "the agent read, changed or named the file within the turn",
    SuggestionState.UNUSED: "the agent did neither read, change nor name the file within the turn",
    SuggestionState.STALE: "the file had changed when the agent read it",
}
_RUN_WORDS = _FATE_WORDS | {SuggestionState.USED: "the agent ran the same command within the turn"}


def preparation_line(preparation: Preparation, fated: Fated | None, sight: Sight, width: int) -> PieceLine:
    """The line of one preparation: when, what for, what of it was used, what it cost, how it went."""
    attempt = preparation.attempt
    right: list[Piece] = []
    used, known = fated.used if fated else (0, 0)
    if known:
        right.append(Piece(f"{used:,} of {known:,} used", "middle"))
    cost = short_cost(attempt) if attempt else ""
    if cost and width >= ROOMY:
        right.append(Piece(cost, "dim"))
    if attempt is None:
        right.append(Piece("no notes", "dim"))
    elif attempt.outcome != "ok":
        right.append(outcome_piece(attempt, sight))
    away = " " if preparation.active else "~"
    left = [Piece(f"{away}{clock(preparation.time, '%H:%M')} ", "dim")]
    room = width - width_of(left) - sum(width_of([one]) + 2 for one in right) - 1
    words = safe_line(preparation.words) or "an input that is not in this session"
    return _justified([*left, Piece(cut(words, room), "user")], right, width)


def failure_line(preparation: Preparation, width: int) -> PieceLine:
    """Why a preparation brought nothing."""
    attempt = preparation.attempt
    words = safe_line(attempt.words, 600) if attempt else ""
    return [Piece("     !  ", "failed"), Piece(cut(words or "no reason is given", width - 9), "failed")]


def suggestion_line(suggestion: Suggestion, fate: SuggestionState | None, width: int) -> PieceLine:
    """A capability that was suggested, why, and what became of it."""
    kind, _, name = suggestion.id.rpartition(":")
    return _part_line(kind or "tool", name, suggestion.why, [_fate_piece(fate)], width)


def action_line(action: Action, done: Done | None, width: int) -> PieceLine:
    """A read or a command, why, how it ran, and what became of what it brought."""
    badges = [_fate_piece(done.fate if done else None)]
    run = _run_piece(action, done)
    if run.text and (width >= ROOMY or run.role == "failed"):
        badges.insert(0, run)
    return _part_line(
        plain_line(action.tool, 12), target_of(action), as_text(action.arguments.get("intent")), badges, width
    )


def target_of(action: Action) -> str:
    """The path or the command of an action."""
    return as_text(action.arguments.get("path")) or as_text(action.arguments.get("command"))


def is_refused(done: Done) -> bool:
    """Whether an action was not done."""
    return done.action.is_error and done.text.startswith(NOT_DONE)


def _run_piece(action: Action, done: Done | None) -> Piece:
    """How an action ran, in a word or two."""
    if done and is_refused(done):
        return Piece("not done", "failed")
    if action.is_error:
        return Piece("failed", "failed")
    confined = done.action.confined if done else action.confined
    words = "" if action.tool != "bash" or confined is None else "confined" if confined else "not confined"
    return Piece(words, "rejected" if confined is False else "dim")


def _fate_piece(fate: SuggestionState | None) -> Piece:
    return Piece(f"{fate or '':>6}", FATE_ROLES[fate] if fate else "dim")


def _part_line(kind: str, name: str, why: str, badges: list[Piece], width: int) -> PieceLine:
    left = [Piece(f"       {safe_line(kind, 12):<5} ", "middle")]
    room = width - width_of(left) - sum(width_of([one]) + 2 for one in badges) - 1
    wide = NAME_WIDTH if width >= ROOMY and why else room
    text = cut(safe_line(name) or "no name", min(room, wide))
    left.append(Piece(text, "text"))
    reason = room - max(wide, width_of([Piece(text)])) - 2
    if why and reason >= 12:
        left += [Piece(" " * (2 + wide - width_of([Piece(text)]))), Piece(cut(safe_line(why), reason), "dim")]
    return _justified(left, badges, width)


def _justified(left: PieceLine, right: list[Piece], width: int) -> PieceLine:
    ends: PieceLine = []
    for piece in right:
        if piece.text:
            ends += [Piece("  "), piece]
    gap = max(0, width - width_of(left) - width_of(ends) - 1)
    return [*left, Piece(" " * gap), *ends, Piece(" ")]


def preparation_detail(
    preparation: Preparation, fated: Fated | None, sight: Sight, whole: Spent, settings: str, width: int
) -> Iterator[PieceLine]:
    """One preparation in full."""
    attempt, prepared = preparation.attempt, preparation.prepared
    outcome = outcome_piece(attempt, sight) if attempt else Piece("no notes", "dim")
    left = [Piece("preparation", "text", bold=True), Piece(f"  {clock(preparation.time)}", "dim")]
    yield [*left, Piece(" " * max(2, width - width_of([*left, outcome]))), outcome]
    yield []
    yield from wrapped(safe_text(preparation.words)[:600] or "Its input is not in this session.", width, "user")
    yield []
    if attempt:
        yield from failure_lines(attempt, settings, width)
        if is_incomplete(attempt) and not is_under_way(attempt, sight):
            yield from wrapped("It began and has no end: whatever ran it was broken off.", width, "rejected")
    if prepared:
        yield from _brought(prepared, fated, width)
    if attempt is None:
        yield []
        words = "no diagnostic entry tells of it; the record itself is read"
        yield from fact("evidence", words, "middle", width)
        return
    yield []
    yield from cost_lines([attempt], whole, width)
    if attempt.context_ready:
        words = "a context with its results was returned to the host; no proof that a provider received it"
        yield from fact("context", words, "middle", width)
    yield from place_lines(attempt, width)
    if fated and fated.fault:
        yield from fact("", safe_text(fated.fault), "failed", width)


def _brought(prepared: Prepared, fated: Fated | None, width: int) -> Iterator[PieceLine]:
    suggested, done = len(prepared.suggestions), len(prepared.actions)
    yield from fact("brought", f"{counted(suggested, 'suggestion')}, {done:,} read or run", "middle", width)
    used, known = fated.used if fated else (0, 0)
    if known:
        words = f"{used:,} of {known:,}; reconstructed from the calls of the turn"
        yield from fact("used", words, "middle", width)
    if prepared.in_context:
        yield from fact("record", "a message to the model, by another extension", "middle", width)


def suggestion_detail(suggestion: Suggestion, fate: SuggestionState | None, width: int) -> Iterator[PieceLine]:
    """A suggestion in full."""
    yield [Piece("suggested", "text", bold=True)]
    yield []
    yield from wrapped(safe_text(suggestion.id), width, "intent", bold=True)
    yield []
    if suggestion.why:
        yield from fact("why", safe_text(suggestion.why), "text", width)
    if suggestion.confidence is not None:
        yield from fact("sure", f"{suggestion.confidence:g} by the model's own word", "middle", width)
    yield from _fate_lines(fate, _FATE_WORDS, is_recorded=suggestion.state is not None, width=width)
    yield from fact("loaded", "nothing: that stays with the agent", "dim", width)


def action_detail(action: Action, done: Done | None, width: int) -> Iterator[PieceLine]:
    """A read or a command in full, with what it brought."""
    run = _run_piece(action, done)
    left = [Piece(plain_line(action.tool, 20), "text", bold=True), Piece(f"  {clock(action.began)}", "dim")]
    right = Piece(run.text or "ok", run.role if run.text else "ok")
    yield [*left, Piece(" " * max(2, width - width_of([*left, right]))), right]
    yield []
    yield from wrapped(safe_text(target_of(action)), width, "intent", bold=True)
    yield []
    why = as_text(action.arguments.get("intent"))
    if why:
        yield from fact("why", safe_text(why), "text", width)
    yield from _how_lines(action, done, width)
    words = _READ_WORDS if action.tool == "read" else _RUN_WORDS
    yield from _fate_lines(done.fate if done else None, words, is_recorded=False, width=width)
    yield []
    if done is None:
        yield from wrapped("reading what it brought", width, "dim")
        return
    if done.hidden:
        yield from wrapped(hidden_words(done.hidden), width, "rejected")
    yield from excerpt_lines(done.text or "nothing", done.lines, width, "failed" if action.is_error else "text")


def _how_lines(action: Action, done: Done | None, width: int) -> Iterator[PieceLine]:
    known = done.action if done else action
    words = [duration(round(1000 * known.seconds))]
    words += [f"by {plain_line(known.executor, 40)}" if known.executor else ""]
    yield from fact("ran", ", ".join(word for word in words if word) or "unknown", "middle", width)
    if known.tool != "bash":
        return
    if known.confined is None:
        yield from fact("confined", "not told", "middle", width)
    elif known.confined:
        yield from fact("confined", "yes: file system read-only, no network, a private /tmp", "middle", width)
    else:
        yield from fact("confined", "no: it ran as you would have run it", "rejected", width)


def _fate_lines(
    fate: SuggestionState | None, words: Mapping[SuggestionState, str], *, is_recorded: bool, width: int
) -> Iterator[PieceLine]:
    if fate is None:
        yield from fact("became", "nothing tells whether it was of use", "middle", width)
        return
    yield from fact("became", f"{fate}: {words[fate]}", FATE_ROLES[fate], width)
    yield from fact("", "recorded" if is_recorded else "reconstructed from the calls of the turn", "dim", width)
