"""What a session is made of while it is studied: answers, calls, runs of tries, and where an entry stands."""

from msgspec import Struct

from pilotage.calls.study_facts import ChainFacts, Fact
from pilotage.contract.provenance import PROVENANCE_TOOLS
from pilotage.records.call import ChainLink
from pilotage.sessions.pi import target_of, time_of
from pilotage.sessions.skim import SkimCall, Skimmed, SkimMessage


class Answer:
    """An answer of the main model, as long as something may refer to it."""

    __slots__ = ("_milliseconds", "_stamp", "is_cut_off", "number", "place", "root", "tokens", "waiting")

    def __init__(self, number: int, record: Skimmed, message: SkimMessage, root: int) -> None:
        usage = message.usage
        self.number = number
        self.place = record.place
        self.root = root
        self.tokens = int(usage.input) + int(usage.output) if usage else 0
        self.is_cut_off = message.stop_reason == "length"
        self.waiting: dict[str, Made] | None = None
        self._stamp = record.entry.timestamp
        self._milliseconds = message.timestamp

    @property
    def time(self) -> float | None:
        """When it was appended, in seconds since the epoch."""
        return time_of(self._stamp, self._milliseconds)


class Known(Struct, frozen=True):
    """What is known of a call before its result, and the numbers of what most calls come to."""

    fact: Fact
    """The call without a result."""
    unanswered: int
    """The number of that fact."""
    ok: int
    """The number of the same with a good result."""


class Made:
    """A call that was made."""

    __slots__ = ("answer", "before", "chain", "id", "intent", "known", "number", "position", "run", "target", "tool")

    def __init__(self, number: int, position: int, block: SkimCall, answer: Answer) -> None:
        arguments = block.arguments
        self.number = number
        self.id = block.id
        self.tool = block.name
        self.target = target_of(arguments) if arguments else None
        self.intent = arguments.intent if arguments and block.name in PROVENANCE_TOOLS else None
        self.answer = answer
        self.position = position
        self.chain: ChainLink | None = None
        self.run: Run | None = None
        self.before: Made | None = None
        self.known: Known | None = None

    @property
    def entry(self) -> int:
        """The number of its answer."""
        return self.answer.number

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


class Moment:
    """What an entry hands on to those that follow it on its branch."""

    __slots__ = ("agent", "is_answered", "request", "root", "said")

    def __init__(
        self, root: int, request: str | None, agent: Answer | None, said: Made | None, *, is_answered: bool = True
    ) -> None:
        self.root = root
        """The number of the turn."""
        self.request = request
        """The turn's first input."""
        self.agent = agent
        """The nearest answer."""
        self.said = said
        """The last call of the turn that said what it was for."""
        self.is_answered = is_answered
        """Whether an answer came after the last input."""


BEGINNING = -1
