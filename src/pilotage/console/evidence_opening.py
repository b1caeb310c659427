"""An attempt's evidence opened: each part as a text without secrets, with whether it is recorded (spec E1 to E4).

It reads whole files, and is meant for a thread of its own.
"""

import json
import os
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path

from msgspec import Struct

from pilotage.console.attempt_lines import NO_CHILD, NO_CHILD_YET, is_incomplete
from pilotage.evidence.contents import Evidence, ForeignSession, read_child
from pilotage.evidence.lost import find_child
from pilotage.evidence.prepared import open_prepared
from pilotage.figures import clock, counted, duration
from pilotage.records.attempt import Action, Attempt, ChildSession, Prepared, Purpose, ReminderState
from pilotage.records.entry import Reminder
from pilotage.records.fields import as_text
from pilotage.redaction import redact
from pilotage.sessions.read import Session, UnreadableSession, read_bytes

MOST_NOTES = 60
"""Entries of the parent that are looked up for one attempt."""


class Ground(StrEnum):
    """What a text rests on (spec E4)."""

    RECORDED = "recorded"
    """It stands so in a file."""
    RECONSTRUCTED = "reconstructed"
    """It was made from what stands in files."""
    ABSENT = "not recorded"
    """Nobody wrote it down."""


class EvidencePart(Struct, frozen=True):
    """One text of an attempt's evidence."""

    name: str
    """What it is, in a word or two."""
    text: str
    """The text without secrets."""
    ground: Ground
    """What it rests on."""
    where: str
    """Where it stands, or how it was made."""
    hidden: int = 0
    """How many secrets are not shown."""
    lines: int = 0
    """How many lines it has."""


class OpenedAttempt(Struct, frozen=True):
    """An attempt with all that is known of it."""

    attempt: Attempt
    """The attempt, as it was when it was opened."""
    parts: tuple[EvidencePart, ...]
    """Its texts."""
    fault: str = ""
    """Why its child cannot be read; empty where it can."""
    stamp: tuple[int, int] | None = None
    """Size and time of the child's file."""
    model: str = ""
    """The model that was asked."""
    failure: str = ""
    """Why there is no answer, in the child's words."""
    replaced: int | None = None
    """How many secrets were replaced before it was sent."""
    found: ChildSession | None = None
    """The child, where the session's entries name none and it was found by the attempt that it names."""

    def part(self, name: str) -> EvidencePart | None:
        """The part of a name."""
        return next((part for part in self.parts if part.name == name), None)


def stamp_of(child: ChildSession | None) -> tuple[int, int] | None:
    """Size and time of a child; none where there is no such file."""
    if child is None or not child.file:
        return None
    try:
        status = os.stat(child.file)  # noqa: PTH116 - a name with a NUL is no file, and Path would raise
    except (OSError, ValueError):
        return None
    return status.st_size, status.st_mtime_ns


def open_attempt(
    session: Session, attempt: Attempt, prepared: Prepared | None, folders: Sequence[Path] = ()
) -> OpenedAttempt:
    """Read an attempt's child and the parent's entries on it; what cannot be read is told in `fault`.

    Where the attempt has no end, and so names no child, it is looked for in `folders`.
    """
    found = find_child(attempt, folders) if attempt.child is None and is_incomplete(attempt) else None
    stamp = stamp_of(attempt.child or found)
    evidence, fault = _read(attempt, found)
    parts: list[EvidencePart] = []
    if evidence is not None:
        parts += _of_child(evidence)
    parts += _of_parent(session, attempt, prepared)
    return OpenedAttempt(
        attempt=attempt,
        parts=tuple(parts),
        fault=fault,
        stamp=stamp,
        model=evidence.model if evidence else "",
        failure=redact(evidence.words).text if evidence else "",
        replaced=evidence.replaced if evidence else None,
        found=found if evidence else None,
    )


def _read(attempt: Attempt, found: ChildSession | None) -> tuple[Evidence | None, str]:
    """The child's content, or why there is none."""
    child = attempt.child or found
    if child is None:
        return None, NO_CHILD_YET if is_incomplete(attempt) else NO_CHILD
    if not child.file:
        return None, f"the child's file is not named, only its id: {child.id}"
    try:
        return read_child(Path(child.file)), ""
    except (UnreadableSession, ForeignSession, OSError, ValueError) as error:
        return None, str(error)


def _of_child(evidence: Evidence) -> Iterator[EvidencePart]:
    in_child = "in the child session"
    yield _part("system", evidence.system, Ground.RECORDED, f"{in_child}: fixed duties and format")
    yield _part("input", evidence.input, Ground.RECORDED, f"{in_child}: what was asked, as a user's message")
    address = f" to {evidence.url}" if evidence.url else ""
    yield _part("request", evidence.request, Ground.RECORDED, f"{in_child}: the body as it went out{address}")
    yield _output(evidence)
    status = f", status {evidence.status}" if evidence.status is not None else ""
    yield _part("response", evidence.response, Ground.RECORDED, f"{in_child}: the body as it came{status}")
    for number, action in enumerate(evidence.actions, 1):
        yield _part(f"action {number}", _action_text(action), Ground.RECORDED, f"{in_child}: {_action_words(action)}")
    yield _part("origin", _origin_text(evidence), Ground.RECORDED, f"{in_child}: what it stems from")


def _output(evidence: Evidence) -> EvidencePart:
    """What the model wrote; of an answer that could not be used it was taken out of the response's body."""
    if evidence.output and evidence.failure and evidence.response:
        where = "taken out of the response's body, as the answer could not be used"
        return _part("output", evidence.output, Ground.RECONSTRUCTED, where)
    if not evidence.is_answered:
        return _part("output", "", Ground.ABSENT, "no answer was written: the attempt goes on, or was broken off")
    return _part("output", evidence.output, Ground.RECORDED, "in the child session: what the model wrote")


def _of_parent(session: Session, attempt: Attempt, prepared: Prepared | None) -> Iterator[EvidencePart]:
    told = _message_of(session, attempt)
    if told:
        yield _part("told", told[0], Ground.RECORDED, f"in the parent, entry {told[1]}: what the agent read")
    if prepared is not None:
        yield from _given(session, prepared)
    notes = list(_notes(session, attempt))
    if notes:
        where = f"in the parent: {counted(len(notes), 'entry', 'entries')} on this attempt"
        yield _part("notes", "\n\n".join(notes), Ground.RECORDED, where)
    if attempt.pairs:
        states = "\n".join(f"{pair.state}: {pair.deviation}" for pair in attempt.pairs)
        where = "from the attempt's end, and from the messages and inputs after it in the parent"
        yield _part("states", states, Ground.RECONSTRUCTED, where)


def _given(session: Session, prepared: Prepared) -> Iterator[EvidencePart]:
    """What a preparation brought: the record, and what the agent was given of it."""
    index = session.tree.find(prepared.entry)
    if index is None:
        return
    try:
        body, whole = session.body(session.entry(index)), open_prepared(session, prepared)
    except UnreadableSession:
        return
    record = json.dumps(body, ensure_ascii=False, indent=1)
    yield _part("record", record, Ground.RECORDED, f"in the parent, entry {prepared.entry}: what was brought, set out")
    texts = [f"suggested {one.id}: {one.why}" for one in whole.suggestions] + [*map(_action_text, whole.actions)]
    where = "from the record, which is put behind the input in each request; no proof that a provider received it"
    yield _part("given", "\n\n".join(texts), Ground.RECONSTRUCTED, where)


def _message_of(session: Session, attempt: Attempt) -> tuple[str, str] | None:
    """The text of the message that brought an attempt's reminders, and its entry."""
    delivered = {pair.deviation for pair in attempt.pairs if pair.state is ReminderState.DELIVERED}
    if attempt.purpose is not Purpose.TRAJECTORY or not delivered:
        return None
    for entry in reversed(session.tree.entries):
        if isinstance(entry.content, Reminder) and any(first in delivered for first, _ in entry.content.pairs):
            return entry.content.text, entry.id
    return None


def _notes(session: Session, attempt: Attempt) -> Iterator[str]:
    """The parent's entries that name the attempt, as they stand in its file but set out in lines."""
    start = session.tree.find(attempt.entry) if attempt.entry else None
    if start is None:
        return
    needle, found = attempt.id.encode("utf-8", "replace"), 0
    for entry in session.tree.entries[start:]:
        if entry.type != "custom" or found >= MOST_NOTES:
            continue
        try:
            data = read_bytes(session.path, entry.place)
            if needle in data and b'"capability-prefetch-diagnostic"' in data:
                found += 1
                yield json.dumps(session.body(entry), ensure_ascii=False, indent=1)
        except (OSError, UnreadableSession):
            return


def _action_text(action: Action) -> str:
    target = as_text(action.arguments.get("path")) or as_text(action.arguments.get("command"))
    intent = as_text(action.arguments.get("intent"))
    head = f"{action.tool} {target}" + (f"\nwhy: {intent}" if intent else "")
    return f"{head}\n\n{action.text}"


def _action_words(action: Action) -> str:
    """When an action ran, who ran it, and whether confined."""
    words = [f"at {clock(action.began)}", duration(round(1000 * action.seconds))]
    words += [f"by {action.executor}"] if action.executor else []
    if action.confined is not None:
        words.append("confined" if action.confined else "not confined")
    return ", ".join(word for word in words if word)


def _origin_text(evidence: Evidence) -> str:
    origin = evidence.origin
    if origin is None:
        return ""
    told = {
        "parent session": origin.session,
        "parent file": origin.file,
        "parent's last entry": origin.leaf,
        "attempt": origin.attempt,
        "input": origin.input_id,
        "child": evidence.id,
        "child file": str(evidence.path),
        "name": evidence.name,
    }
    return "\n".join(f"{name}: {value}" for name, value in told.items() if value)


def _part(name: str, text: str, ground: Ground, where: str) -> EvidencePart:
    if not text:
        if ground is Ground.RECORDED:
            where = "its writer kept none, or it never came to it"
        return EvidencePart(name, "", Ground.ABSENT, where)
    clean = redact(text)
    return EvidencePart(name, clean.text, ground, where, clean.count, clean.text.rstrip("\n").count("\n") + 1)
