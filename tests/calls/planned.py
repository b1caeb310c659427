"""Sessions written from a plan, whose true counts are known while they are written and not read back."""

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from pilotage.records.fields import as_dict
from tests.handmade import Fields, agent, call, header, ran, refused, result, user

EDIT = {"oldText": "a", "newText": "b"}

CALLS: dict[str, Fields] = {
    "bash": {"command": "{}"},
    "read": {"path": "{}"},
    "write": {"path": "{}", "content": "x"},
    "edit": {"path": "{}", "edits": [EDIT]},
}
"""A good call of each tool, but for its intent."""


@dataclass(frozen=True)
class Fault:
    """A way in which a call was refused."""

    kind: str
    """The kind of the refusal."""
    names: str
    """The field that the refusal names, whichever edit it is in."""
    words: str
    """The validator's line."""
    changes: Fields
    """What the call has instead; a field that is None is left out."""
    is_valid: bool = False
    """Whether today's contract accepts such a call."""
    tools: tuple[str, ...] = tuple(CALLS)
    """The tools that it befalls."""


FAULTS = (
    Fault("missing-intent", "intent", "intent: missing", {"intent": None}),
    Fault("empty-intent", "intent", "intent: expected at least 1 characters", {"intent": " \u3000\t\u200b"}),
    Fault("empty-rationale", "rationale", "rationale: missing", {}, is_valid=True),
    Fault(
        *("per-edit-provenance", "edits.*.intent", "edits.1.intent: missing"),
        {"edits": [EDIT | {"intent": "so", "rationale": "so"}, EDIT]},
        is_valid=True,
        tools=("edit",),
    ),
    Fault(
        *("structure", "edits.*.newText", "edits.0.newText: missing"),
        {"edits": [{"oldText": "a", "newText_dummy": "b"}]},
        tools=("edit",),
    ),
    Fault("structure", "timeout", "timeout: expected number, got string", {"timeout": "soon"}, tools=("bash",)),
)


@dataclass
class Truth:
    """What a study must say."""

    calls: Counter[str] = field(default_factory=Counter)
    """Calls by tool."""
    outcomes: Counter[str] = field(default_factory=Counter)
    """Calls by outcome."""
    kinds: Counter[str] = field(default_factory=Counter)
    """Rejections by kind."""
    fields: Counter[str] = field(default_factory=Counter)
    """Rejections by field."""
    spared: Counter[str] = field(default_factory=Counter)
    """Rejections that today's contract spares, by kind."""
    added: int = 0
    """Accepted calls that it refuses."""
    identical: int = 0
    """Identical retries."""
    accepted: list[tuple[int, int, int]] = field(default_factory=list)
    """Tries, milliseconds and tokens of each chain that was accepted."""
    never: int = 0
    """Chains that never were."""
    retry_tokens: int = 0
    """Tokens of answers that carried a later try."""


@dataclass
class Chain:
    """A chain that is open."""

    tool: str
    """The tool."""
    target: str
    """What it is aimed at; no other chain has it."""
    arguments: Fields = field(default_factory=dict)
    """The arguments of the last try."""
    fault: Fault | None = None
    """What is wrong with them."""
    has_intent: bool = True
    """Whether they have an intent where nothing is wrong with it."""
    began: int = 0
    """The second in which its first call was made."""
    tries: int = 1
    """How many there were."""
    tokens: int = 0
    """What the later ones cost."""


class Plan:
    """Writes one session, turn by turn, and a fork of it."""

    def __init__(self, random: Random, prefix: str = "e") -> None:
        self.random = random
        self.truth = Truth()
        """What is true of all that was written."""
        self.lines: list[str] = []
        """The entries."""
        self._prefix = prefix
        self._leaf: str | None = None
        self._ends: list[str | None] = [None]
        self._numbers = 0
        self._open: list[Chain] = []

    def turn(self) -> None:
        """The user says something, and a few answers with calls follow; sometimes on another branch."""
        if self.random.random() < 0.25:
            self._leaf = self.random.choice(self._ends)
        self._write(user(f"Part {self._numbers}."))
        for _ in range(self.random.randint(0, 6)):
            self._step()
        self._write(agent(text="Done.", stop="stop"))
        self._ends.append(self._leaf)
        self.truth.never += len(self._open)
        self._open.clear()

    def _step(self) -> None:
        """One answer with parallel calls, and their results in any order."""
        is_cut_off = self.random.random() < 0.1
        again = self.random.sample(self._open, min(len(self._open), self.random.randint(0, 2)))
        self._open = [chain for chain in self._open if chain not in again]
        fresh = [self._fresh() for _ in range(self.random.randint(0, 2))]
        tokens = self.random.randint(1, 999)
        second = len(self.lines) + 1
        made = {self._id(): chain for chain in (*again, *fresh)}
        for chain in again:
            self._try_again(chain)
            chain.tokens += tokens
        for chain in fresh:
            self._change(chain)
            chain.began = second
        self.truth.retry_tokens += tokens if again else 0
        message = agent(
            *(call(call_id, chain.tool, **chain.arguments) for call_id, chain in made.items()),
            stop="length" if is_cut_off else "toolUse",
        )
        usage = {"input": tokens - 1, "output": 1, "cacheRead": 5000}
        self._write({**message, "message": {**as_dict(message["message"]), "usage": usage}})
        results = [self._result(call_id, chain, second, is_cut_off=is_cut_off) for call_id, chain in made.items()]
        self.random.shuffle(results)
        for answered in results:
            self._write(answered)

    def _fresh(self) -> Chain:
        return Chain(self.random.choice(list(CALLS)), f"t{self._id()}")

    def _try_again(self, chain: Chain) -> None:
        """The same call once more, to the letter or changed."""
        chain.tries += 1
        if self.random.random() < 0.3:
            self.truth.identical += 1
        else:
            self._change(chain)

    def _change(self, chain: Chain) -> None:
        """Other arguments, with or without a fault; each call has a rationale of its own."""
        faults = [fault for fault in FAULTS if chain.tool in fault.tools]
        chain.fault = self.random.choice((None, None, None, *faults))
        chain.has_intent = self.random.random() > 0.1
        good: Fields = json.loads(json.dumps(CALLS[chain.tool]).replace("{}", chain.target))
        intent = {"intent": f"Is {self._id()} so?"} if chain.has_intent else {}
        changes = chain.fault.changes if chain.fault else {}
        given = {**good, **intent, "rationale": f"see {self._id()}", **changes}
        chain.arguments = {name: value for name, value in given.items() if value is not None}

    def _result(self, call_id: str, chain: Chain, second: int, *, is_cut_off: bool) -> Fields:
        """What became of a call; the truth of it is counted here."""
        truth, tool, fault = self.truth, chain.tool, chain.fault
        truth.calls[tool] += 1
        is_valid = (fault is None or fault.is_valid) and "intent" in chain.arguments
        if is_cut_off:
            self._reject(chain, "cut-off")
            words = f'Tool call "{tool}" was not executed: the response hit the output token limit.'
            return result(call_id, words, isError=True)
        if fault:
            self._reject(chain, fault.kind, fault.names)
            truth.spared[fault.kind] += is_valid
            return refused(call_id, tool, fault.words)
        outcome = self.random.choice(("ok", "failed", "blocked"))
        truth.outcomes[outcome] += 1
        truth.added += not is_valid
        if chain.tries > 1:
            truth.accepted.append((chain.tries, 1000 * (second - chain.began), chain.tokens))
        if outcome == "blocked":
            return result(call_id, "Not here.", isError=True)
        return ran(call_id, "x", is_error=outcome == "failed")

    def _reject(self, chain: Chain, kind: str, names: str | None = None) -> None:
        self.truth.outcomes["rejected"] += 1
        self.truth.kinds[kind] += 1
        if names:
            self.truth.fields[names] += 1
        self._open.append(chain)

    def _id(self) -> str:
        self._numbers += 1
        return f"{self._prefix}c{self._numbers}"

    def _write(self, entry: Fields) -> None:
        number = len(self.lines) + 1
        stamp = f"2026-01-05T{9 + number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}.000Z"
        given = {"id": f"{self._prefix}{number}", "parentId": self._leaf, "timestamp": stamp}
        self.lines.append(json.dumps(entry | given) + "\n")
        self._leaf = f"{self._prefix}{number}"

    def fork(self) -> "Plan":
        """A session that begins with all entries of this one; its truth is that of its own turns alone."""
        plan = Plan(self.random, f"{self._prefix}f")
        plan.lines, plan._leaf, plan._ends = list(self.lines), self._leaf, [self._leaf]
        return plan

    def save(self, path: Path, minute: int) -> Path:
        """Write the session, begun in this minute."""
        path.write_text(header(id=path.stem, timestamp=f"2026-01-05T08:{minute:02}:00.000Z") + "".join(self.lines))
        return path
