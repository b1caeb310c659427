"""The preparations of a session as the prepared pane tells them, and what became of each part (spec P9)."""

from collections.abc import Hashable
from pathlib import Path

from msgspec import Struct

from pilotage.calls.timeline import Timeline
from pilotage.console.attempt_lines import anchor_of
from pilotage.evidence.contents import ForeignSession, read_child
from pilotage.evidence.prepared import action_fates, fates, open_prepared
from pilotage.evidence.read import Attempts
from pilotage.records.attempt import Action, Attempt, Prepared, Purpose, SuggestionState
from pilotage.records.entry import UserMessage
from pilotage.redaction import redact
from pilotage.sessions.read import UnreadableSession
from pilotage.sessions.tree import NO_PARENT


class Preparation(Struct, frozen=True):
    """One preparation: its attempt, what it brought, or both."""

    attempt: Attempt | None
    """The attempt; none where no diagnostic entry tells of it."""
    prepared: Prepared | None
    """What it brought; none where it brought nothing."""
    words: str
    """The user's words that it was made for."""
    time: float | None
    """When it began, else when its record was written."""
    active: bool
    """Whether it is on the active branch."""
    root: int | None
    """The index of the user's message in whose turn it stands."""

    @property
    def id(self) -> str:
        """What it is known by."""
        return self.attempt.id if self.attempt else self.prepared.entry if self.prepared else ""


class Done(Struct, frozen=True):
    """One read or command, and what it brought, without secrets."""

    action: Action
    """The action; its text is in `text`."""
    text: str
    """What it brought."""
    hidden: int
    """How many secrets are not shown."""
    lines: int
    """How many lines it has."""
    fate: SuggestionState | None
    """What became of it, where anything tells."""


class Fated(Struct, frozen=True):
    """What became of a preparation's parts."""

    suggestions: tuple[SuggestionState, ...] = ()
    """For each suggestion what became of it."""
    done: tuple[Done, ...] = ()
    """What was read and run."""
    fault: str = ""
    """Why the child could not be read: whether commands were confined is not known then."""

    @property
    def used(self) -> tuple[int, int]:
        """How many of those parts were used of which anything tells, and how many these are."""
        known = [*self.suggestions, *(one.fate for one in self.done if one.fate is not None)]
        return known.count(SuggestionState.USED), len(known)


def preparations_of(timeline: Timeline, attempts: Attempts) -> list[Preparation]:
    """All preparations, the newest first."""
    brought = {one.attempt: one for one in attempts.prepared if one.attempt}
    made = [one for one in attempts.ordered() if one.purpose is Purpose.PREPARATION]
    known = {one.id for one in made}
    found = [_preparation(timeline, one, brought.get(one.id)) for one in made]
    found += [_preparation(timeline, None, one) for one in attempts.prepared if one.attempt not in known]
    return sorted(found, key=lambda one: one.time or 0.0, reverse=True)


def part_key(preparation: str, kind: str, number: int) -> Hashable:
    """What the line of a suggestion or an action stands for."""
    return (kind, preparation, number)


def fate_of(timeline: Timeline, preparation: Preparation) -> Fated:
    """What became of a preparation's parts; it reads files, and is meant for a thread of its own."""
    attempt, prepared = preparation.attempt, preparation.prepared
    in_child, fault = _child_actions(attempt)
    if prepared is None:
        return Fated((), tuple(_done(action, None) for action in in_child), fault)
    try:
        suggestions = fates(timeline.calls, prepared, attempt)
        of_actions = action_fates(timeline.calls, prepared, attempt)
        brought = open_prepared(timeline.session, prepared).actions
    except UnreadableSession as error:
        return Fated((), (), str(error))
    told = dict(zip(map(_name, brought), of_actions, strict=False))
    # The child tells more: what was not done, and whether commands were confined.
    whole = in_child if len(in_child) >= len(brought) else brought
    return Fated(suggestions, tuple(_done(action, told.get(_name(action))) for action in whole), fault)


def _preparation(timeline: Timeline, attempt: Attempt | None, prepared: Prepared | None) -> Preparation:
    tree = timeline.session.tree
    carrier = tree.find(prepared.entry) if prepared else None
    start = anchor_of(tree, attempt) if attempt else None
    index = start if start is not None else carrier
    moments = timeline.calls.moments
    root = moments[index].root if index is not None and index < len(moments) else NO_PARENT
    content = tree.entries[root].content if root != NO_PARENT else None
    time = attempt.started or attempt.ended if attempt else None
    return Preparation(
        attempt=attempt,
        prepared=prepared,
        words=content.text if isinstance(content, UserMessage) else "",
        time=time if time is not None or carrier is None else tree.entries[carrier].time,
        active=index is None or bool(tree.active[index]),
        root=root if root != NO_PARENT else None,
    )


def _child_actions(attempt: Attempt | None) -> tuple[tuple[Action, ...], str]:
    """What the child says was done, or why it cannot be read."""
    if attempt is None or attempt.child is None or not attempt.child.file:
        return (), ""
    try:
        return read_child(Path(attempt.child.file)).actions, ""
    except (UnreadableSession, ForeignSession, OSError, ValueError) as error:
        return (), str(error)


def _name(action: Action) -> tuple[str, str]:
    """What one action is told from another by."""
    return action.tool, str(action.arguments.get("path") or action.arguments.get("command") or "")


def _done(action: Action, fate: SuggestionState | None) -> Done:
    clean = redact(action.text)
    return Done(action, clean.text, clean.count, clean.text.rstrip("\n").count("\n") + 1, fate)
