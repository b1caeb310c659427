"""The study over many sessions: session after session added up, each copied entry once (spec S1, S2)."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeVar

from msgspec import Struct, to_builtins

from pilotage.calls.detail import iso_time
from pilotage.calls.study_facts import ChainFacts, Fact, SessionFacts
from pilotage.records.call import Kind, Mark, Outcome

T = TypeVar("T")

_PLACE = re.compile(r"\.\d+(?=\.|$)")


class SessionRate(Struct, frozen=True):
    """One session's calls, those aside that stand in an earlier session already."""

    id: str
    """The session's id."""
    path: str
    """Its file."""
    time: float | None
    """When it began, in seconds since the epoch."""
    calls: int
    """Its calls; at least one."""
    rejected: int
    """How many of them were rejected."""

    @property
    def rate(self) -> float:
        """The part of the calls that was rejected, from 0 to 1."""
        return self.rejected / self.calls


class Spread(Struct, frozen=True):
    """A handful of values in three numbers."""

    median: float
    """The middle one."""
    most: int
    """The greatest."""
    total: int
    """All together."""


class ChainCounts(Struct, frozen=True):
    """What rejections cost until they were mended (spec K4)."""

    count: int
    """How many chains there are: rejected calls that are no later try of another."""
    accepted: int
    """How many came to a call that was accepted."""
    never: int
    """How many did not: nothing followed, or the last try was rejected too or never answered."""
    tries: Spread | None
    """Calls of a chain that was accepted, the first and the last one included; none where no chain was."""
    duration_ms: Spread | None
    """Milliseconds from the first rejected call to the accepted one, where the file tells."""
    tokens: Spread | None
    """Tokens of the answers that carried the tries after the first, for a chain that was accepted."""
    tokens_of_all: int
    """Tokens of all answers that carried such a try, in chains that never were accepted too; each answer once."""


class Replay(Struct, frozen=True):
    """What the present contract would have said (spec S2)."""

    judged: int
    """Calls that were judged: those of the contract's four tools that the main model made itself."""
    spared: int
    """Calls that were rejected and that it would accept."""
    added: int
    """Calls that were accepted and that it would reject."""
    spared_by_kind: dict[Kind, int]
    """The former, by the kind of their rejection."""
    added_by_kind: dict[Kind, int]
    """The latter, by the kind that it would give."""


class Study(Struct, frozen=True):
    """The whole study."""

    sessions: int
    """Files that were counted."""
    children: int
    """Sessions of evidence that were left out."""
    copied: int
    """Answers left out, as another file of the study has the same entry."""
    calls: int
    """Calls, those of abandoned branches and those that other tools made included."""
    outcomes: dict[Outcome, int]
    """How many calls had each outcome."""
    by_kind: dict[Kind, int]
    """Rejected calls by the kind that stands for the call (spec C7)."""
    by_tool: dict[str, int]
    """Rejected calls by tool."""
    calls_by_tool: dict[str, int]
    """All calls by tool."""
    by_field: dict[str, int]
    """Rejected calls by each field that the refusal names as missing, empty or wrong; `*` stands for any edit."""
    rates: tuple[SessionRate, ...]
    """The sessions with at least one call, in the order in which they began."""
    identical_retries: int
    """Later tries that sent the rejected arguments again unchanged."""
    chains: ChainCounts
    """What became of rejected calls."""
    tokens: int
    """Tokens of all answers: input that was not cached, and output."""
    marks: dict[Mark, int]
    """Calls with each mark on the quality of their intent (spec C8)."""
    replay: Replay | None
    """The present contract's judgement, where it was asked for."""

    @property
    def lowest_rate(self) -> float | None:
        """The lowest rate of a session; none where no session has a call."""
        return min((session.rate for session in self.rates), default=None)

    @property
    def median_rate(self) -> float | None:
        """The middle rate."""
        return median([session.rate for session in self.rates]) if self.rates else None

    @property
    def worst(self) -> SessionRate | None:
        """The session with the highest rate; of several the one with the most calls, and of those the earliest."""
        return max(self.rates, key=lambda session: (session.rate, session.calls), default=None)


class Counting:
    """Adds sessions up. Give those that began earlier first: an entry counts for the first session that holds it."""

    def __init__(self, *, with_children: bool = False) -> None:
        self._with_children = with_children
        self._seen: set[int] = set()
        self._facts: Counter[Fact] = Counter()
        self._rates: list[SessionRate] = []
        self._chains: list[ChainFacts] = []
        self._sessions = self._children = self._copied = self._tokens = self._retry_tokens = 0

    def add(self, session: SessionFacts) -> None:
        """Count one more session."""
        if session.is_child and not self._with_children:
            self._children += 1
            return
        self._sessions += 1
        fresh = self._fresh(session)
        numbers: Counter[int] = Counter()
        if all(fresh):
            numbers.update(session.fact_of)
        else:
            pairs = zip(session.made_by, session.fact_of, strict=True)
            numbers.update(fact for answer, fact in pairs if fresh[answer])
        self._chains += [chain for chain in session.chains if fresh[chain.answer]]
        self._tokens += sum(tokens for tokens, new in zip(session.tokens, fresh, strict=True) if new)
        retries = zip(session.tokens, session.retries, fresh, strict=True)
        self._retry_tokens += sum(tokens for tokens, is_retry, new in retries if is_retry and new)
        facts = Counter({session.facts[number]: times for number, times in numbers.items()})
        self._facts.update(facts)
        if facts:
            rejected = sum(times for fact, times in facts.items() if fact.outcome is Outcome.REJECTED)
            self._rates.append(SessionRate(session.id, session.path, session.time, facts.total(), rejected))

    def _fresh(self, session: SessionFacts) -> bytearray:
        """For each answer 1 if no session before has it."""
        if self._seen.isdisjoint(session.keys):
            fresh = bytearray(b"\x01") * len(session.keys)
        else:
            fresh = bytearray(key not in self._seen for key in session.keys)
        self._copied += len(fresh) - sum(fresh)
        self._seen.update(key for key in session.keys if key)
        return fresh

    def study(self, *, with_replay: bool = False) -> Study:
        """The study as far as sessions were added."""
        facts = self._facts
        rejected = {fact: times for fact, times in facts.items() if fact.outcome is Outcome.REJECTED}
        return Study(
            sessions=self._sessions,
            children=self._children,
            copied=self._copied,
            calls=facts.total(),
            outcomes=_counted_all(Outcome, ((fact.outcome, times) for fact, times in facts.items())),
            by_kind=_counted((fact.kind, times) for fact, times in rejected.items() if fact.kind),
            by_tool=_counted((fact.tool, times) for fact, times in rejected.items()),
            calls_by_tool=_counted((fact.tool, times) for fact, times in facts.items()),
            by_field=_counted((field, times) for fact, times in rejected.items() for field in _fields(fact)),
            rates=tuple(self._rates),
            identical_retries=sum(times for fact, times in facts.items() if fact.identical),
            chains=_chain_counts(self._chains, self._retry_tokens),
            tokens=self._tokens,
            marks=_counted_all(Mark, ((mark, times) for fact, times in facts.items() for mark in fact.marks)),
            replay=_replay(facts) if with_replay else None,
        )


def _fields(fact: Fact) -> set[str]:
    """The fields that a refusal names, whichever edit they are in."""
    return {_PLACE.sub(".*", field) for field in fact.fields}


def _counted(pairs: Iterable[tuple[T, int]]) -> dict[T, int]:
    """The sum of each key's numbers, the greatest first and equal ones by name."""
    sums: Counter[T] = Counter()
    for key, times in pairs:
        sums[key] += times
    return dict(sorted(sums.items(), key=lambda item: (-item[1], str(item[0]))))


def _counted_all(keys: Iterable[T], pairs: Iterable[tuple[T, int]]) -> dict[T, int]:
    """The sum of each key's numbers in the order of `keys`, zero or not."""
    sums = _counted(pairs)
    return {key: sums.get(key, 0) for key in keys}


def _chain_counts(chains: list[ChainFacts], retry_tokens: int) -> ChainCounts:
    accepted = [chain for chain in chains if chain.accepted]
    return ChainCounts(
        count=len(chains),
        accepted=len(accepted),
        never=len(chains) - len(accepted),
        tries=_spread([chain.tries for chain in accepted]),
        duration_ms=_spread([chain.duration_ms for chain in accepted if chain.duration_ms is not None]),
        tokens=_spread([chain.tokens for chain in accepted]),
        tokens_of_all=retry_tokens,
    )


def median(values: Sequence[float]) -> float:
    """The middle one of some values, or the mean of the two in the middle; `statistics` takes too long to load."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def _spread(values: list[int]) -> Spread | None:
    return Spread(median(values), max(values), sum(values)) if values else None


def _replay(facts: Counter[Fact]) -> Replay:
    judged = {fact: times for fact, times in facts.items() if fact.judged}
    spared = _counted(
        (fact.kind, times)
        for fact, times in judged.items()
        if fact.outcome is Outcome.REJECTED and fact.kind and fact.refused is None
    )
    unknown = (Outcome.REJECTED, Outcome.UNANSWERED)
    added = _counted(
        (fact.refused, times) for fact, times in judged.items() if fact.refused and fact.outcome not in unknown
    )
    return Replay(sum(judged.values()), sum(spared.values()), sum(added.values()), spared, added)


def as_object(study: Study) -> dict[str, object]:
    """The study as one JSON object."""
    worst = study.worst
    counts: dict[str, object] = {
        "sessions": study.sessions,
        "sessions_with_calls": len(study.rates),
        "children_left_out": study.children,
        "copied_answers": study.copied,
        "calls": study.calls,
        "rejected": study.outcomes[Outcome.REJECTED],
        "blocked": study.outcomes[Outcome.BLOCKED],
        "failed": study.outcomes[Outcome.FAILED],
        "outcomes": {str(key): times for key, times in study.outcomes.items() if key is not Outcome.RUNNING},
        "by_kind": {str(kind): times for kind, times in study.by_kind.items()},
        "by_tool": study.by_tool,
        "by_field": study.by_field,
        "calls_by_tool": study.calls_by_tool,
        "rate": {
            "lowest": study.lowest_rate,
            "median": study.median_rate,
            "worst": worst and worst.rate,
        },
        "worst_session": worst and {**to_builtins(worst), "time": iso_time(worst.time), "rate": worst.rate},
        "identical_retries": study.identical_retries,
        "chains": to_builtins(study.chains),
        "tokens": study.tokens,
        "marks": {str(mark): times for mark, times in study.marks.items()},
    }
    return counts | ({"replay": to_builtins(study.replay)} if study.replay else {})
