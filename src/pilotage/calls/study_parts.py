"""What a session is made of while it is studied: answers, calls, runs of tries, and where an entry stands."""

from msgspec import UNSET, Struct, UnsetType

from pilotage.calls.study_facts import ChainFacts, Fact
from pilotage.contract.provenance import PROVENANCE_TOOLS
from pilotage.records.call import ChainLink, Place
from pilotage.sessions.pi import target_of, time_of
from pilotage.sessions.skim import SkimCall, Skimmed, SkimMessage
from pilotage.sessions.wire import WireArguments

MOST_TOKENS = 1 << 50
"""A greater number is no count of an answer's tokens."""


class Answer(Struct, eq=False):
    """An answer of the main model, as long as something may refer to it."""

    number: int
    """Which answer of the session it is, from 0."""
    root: int
    """The number of its turn."""
    place: Place
    """Where it stands, with the end of its line."""
    tokens: int
    """What it cost."""
    is_cut_off: bool
    """Whether the output limit ended it."""
    stamp: str | None
    """When it was appended, as the file has it."""
    milliseconds: float | None
    """When it began, in milliseconds since the epoch."""
    displaced: "dict[str, Made | None] | None" = None
    """Calls whose id came again before they were answered; none for one that was answered since."""

    @property
    def time(self) -> float | None:
        """When it was appended, in seconds since the epoch."""
        return time_of(self.stamp, self.milliseconds)

    def keep(self, made: "Made") -> None:
        """Keep one of its calls, as its id came again before it was answered; of several with one id the first."""
        if self.displaced is None:
            self.displaced = {}
        self.displaced.setdefault(made.id, made)

    def recall(self, call_id: str) -> "Made | None":
        """The call with this id that was kept, once."""
        made = self.displaced.get(call_id) if self.displaced else None
        if self.displaced and made:
            self.displaced[call_id] = None
        return made


class Known(Struct, frozen=True):
    """What is known of a call before its result, and the numbers of what most calls come to."""

    fact: Fact
    """The call without a result."""
    unanswered: int
    """The number of that fact."""
    ok: int
    """The number of the same with a good result."""


class Made(Struct, eq=False):
    """A call that was made."""

    number: int
    """Which call of the session it is, from 0."""
    position: int
    """Which call of its answer it is, from 0."""
    id: str
    """The host's id of it."""
    tool: str
    """Its tool."""
    arguments: WireArguments | None
    """Its arguments, as long as they may be asked for."""
    intent: str | None
    """What it is for, where it is a call of the contract's tools."""
    answer: Answer
    """The answer that made it."""
    before: "Made | None"
    """The call before it that said what it was for, until this one is answered."""
    chain: ChainLink | None = None
    """Its place in a chain, if it is a later try."""
    run: "Run | None" = None
    """The chain that it is part of."""
    known: Known | None = None
    """What is known of it before its result."""
    aim: str | UnsetType | None = UNSET
    """Its target, once it was asked for."""

    @property
    def target(self) -> str | None:
        """Its path, or its command's first line."""
        if self.aim is UNSET:
            self.aim = target_of(self.arguments) if self.arguments else None
        return self.aim

    @property
    def entry(self) -> int:
        """The number of its answer."""
        return self.answer.number

    def settle(self) -> None:
        """Forget what is asked of a call only until it was answered, and not by a rejection."""
        self.before = self.arguments = self.aim = None

    def previous_intent(self) -> str | None:
        """The intent before it; a call that corrects may say again what was rejected."""
        earlier = self.before
        while earlier and earlier.run and earlier.run is self.run:
            earlier = earlier.before
        return earlier.intent if earlier else None


class Run:
    """A chain as far as it has come."""

    __slots__ = ("_answers", "_ended", "_first", "_is_accepted", "_tries")

    def __init__(self, first: Made) -> None:
        self._first = first
        self._tries = 1
        self._answers: list[Answer] = []
        self._is_accepted = False
        self._ended: float | None = None

    def add(self, made: Made) -> None:
        """One more try."""
        self._tries += 1
        self._answers.append(made.answer)

    def end(self, made: Made) -> None:
        """The last try was accepted."""
        self._is_accepted = True
        self._ended = made.answer.time

    def facts(self) -> ChainFacts:
        """What is counted of it."""
        began = self._first.answer.time
        duration = None if began is None or self._ended is None else max(0, round(1000 * (self._ended - began)))
        tokens = sum(answer.tokens for answer in self._answers)
        return ChainFacts(self._first.answer.number, self._tries, self._is_accepted, duration, tokens)


class Moment(Struct, eq=False):
    """What an entry hands on to those that follow it on its branch."""

    root: int
    """The number of the turn."""
    request: str | None
    """The turn's first input."""
    agent: Answer | None
    """The nearest answer."""
    said: Made | None
    """The last call of the turn that said what it was for."""
    is_answered: bool = True
    """Whether an answer came after the last input."""


def answer_of(number: int, root: int, record: Skimmed, message: SkimMessage) -> Answer:
    """An answer, from its entry."""
    usage, stamp = message.usage, record.entry.timestamp
    tokens = int(usage.input) + int(usage.output) if usage else 0
    if abs(tokens) > MOST_TOKENS:
        tokens = 0
    place = Place(record.number, record.offset, len(record.data))
    return Answer(number, root, place, tokens, message.stop_reason == "length", stamp, message.timestamp)


def made_of(number: int, position: int, block: SkimCall, answer: Answer, before: Made | None) -> Made:
    """A call, from its block."""
    arguments, tool = block.arguments, block.name
    intent = arguments.intent if arguments and tool in PROVENANCE_TOOLS else None
    return Made(number, position, block.id, tool, arguments, intent, answer, before)


BEGINNING = -1
"""The number of the turn before the first input."""
