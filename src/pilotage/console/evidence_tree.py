"""A session's evidence as one flattened tree: session, inputs, attempts, and the parts of those that are unfolded."""

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence

from msgspec import Struct

from pilotage.calls.timeline import Timeline
from pilotage.console.attempt_lines import anchor_of
from pilotage.console.evidence_opening import EvidencePart, OpenedAttempt
from pilotage.evidence.read import Attempts
from pilotage.records.attempt import Attempt, Prepared
from pilotage.records.entry import UserMessage
from pilotage.sessions.tree import NO_PARENT


class SessionNode(Struct, frozen=True):
    """The parent session."""

    attempts: tuple[Attempt, ...]
    """Its attempts."""

    @property
    def key(self) -> Hashable:
        """What its line stands for."""
        return ("session",)


class InputNode(Struct, frozen=True):
    """One input by the user, with the attempts that belong to it."""

    id: str
    """The input's id."""
    entry: int | None
    """The index of the user's message; none where it is not in the session."""
    words: str
    """The user's first words."""
    time: float | None
    """When they were said."""
    attempts: int
    """How many attempts belong to it."""

    @property
    def key(self) -> Hashable:
        """What its line stands for."""
        return ("input", self.id, self.entry)


class AttemptNode(Struct, frozen=True):
    """One attempt."""

    attempt: Attempt
    """The attempt."""
    is_unfolded: bool
    """Whether its parts are shown."""
    brought: str = ""
    """What a preparation brought, in a few words; empty where it brought nothing."""

    @property
    def key(self) -> Hashable:
        """What its line stands for."""
        return ("attempt", self.attempt.id)


class PartNode(Struct, frozen=True):
    """One text of an attempt."""

    attempt: Attempt
    """The attempt."""
    part: EvidencePart
    """The text."""

    @property
    def key(self) -> Hashable:
        """What its line stands for."""
        return part_key(self.attempt.id, self.part.name)


class WordsNode(Struct, frozen=True):
    """What there is to say in place of an attempt's parts."""

    attempt: Attempt
    """The attempt."""
    words: str
    """The words: a fault, or that it is being read."""
    is_fault: bool
    """Whether they tell of a fault."""

    @property
    def key(self) -> Hashable:
        """What its line stands for."""
        return ("words", self.attempt.id)


Node = SessionNode | InputNode | AttemptNode | PartNode | WordsNode


def part_key(attempt: str, name: str) -> Hashable:
    """What the line of a part stands for."""
    return ("part", attempt, name)


def evidence_tree(
    timeline: Timeline, attempts: Attempts, unfolded: Collection[str], opened: Mapping[str, OpenedAttempt]
) -> list[Node]:
    """The lines from the top, the newest input and the newest attempt first; nothing where there is no attempt."""
    if not attempts.items:
        return []
    nodes: list[Node] = [SessionNode(tuple(attempts.items))]
    brought = {one.attempt: _brought(one) for one in attempts.prepared}
    for node, belonging in _inputs(timeline, attempts.ordered()):
        nodes.append(node)
        for attempt in belonging:
            is_unfolded = attempt.id in unfolded
            nodes.append(AttemptNode(attempt, is_unfolded, brought.get(attempt.id, "")))
            if is_unfolded:
                nodes += _parts(attempt, opened.get(attempt.id))
    return nodes


def _brought(prepared: Prepared) -> str:
    suggested, done = len(prepared.suggestions), len(prepared.actions)
    words = [f"{suggested:,} suggested" if suggested else "", f"{done:,} read or run" if done else ""]
    return ", ".join(word for word in words if word)


def _parts(attempt: Attempt, opened: OpenedAttempt | None) -> Iterator[Node]:
    if opened is None:
        yield WordsNode(attempt, "reading", is_fault=False)
        return
    if opened.fault:
        yield WordsNode(attempt, opened.fault, is_fault=attempt.child is not None)
    for part in opened.parts:
        yield PartNode(attempt, part)


def _inputs(timeline: Timeline, attempts: Sequence[Attempt]) -> list[tuple[InputNode, list[Attempt]]]:
    """Each input with its attempts, the newest first: by the turn they began in, else by the input that they name."""
    groups: dict[Hashable, list[Attempt]] = {}
    for attempt in attempts:
        root = _root(timeline, attempt)
        groups.setdefault(attempt.input_id if root is None else root, []).append(attempt)
    newest = sorted(groups.values(), key=lambda group: group[-1].started or 0.0, reverse=True)
    return [(_input(timeline, group), group[::-1]) for group in newest]


def _input(timeline: Timeline, group: Sequence[Attempt]) -> InputNode:
    roots = (_root(timeline, attempt) for attempt in group)
    root = next((root for root in roots if root is not None), None)
    entry = timeline.session.entry(root) if root is not None else None
    words = entry.content.text if entry and isinstance(entry.content, UserMessage) else ""
    time = entry.time if entry else group[0].started
    return InputNode(group[0].input_id, root, words, time, len(group))


def _root(timeline: Timeline, attempt: Attempt) -> int | None:
    """The index of the user's message in whose turn an attempt began."""
    index = anchor_of(timeline.session.tree, attempt)
    if index is None or index >= len(timeline.calls.moments):
        return None
    root = timeline.calls.moments[index].root
    return root if root != NO_PARENT else None
