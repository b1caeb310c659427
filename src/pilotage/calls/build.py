"""A session's entries into calls, entry by entry, as they come (spec K1 to K4)."""

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from pilotage.calls.chains import Chains
from pilotage.calls.outcomes import exit_code, judge, judge_nested
from pilotage.contract.provenance import recorded_provenance
from pilotage.records.call import Call, ChainLink, Outcome
from pilotage.records.entry import AgentMessage, CallRequest, NestedCall, ToolResult, UserMessage
from pilotage.records.fields import as_dict, as_list, content_blocks
from pilotage.sessions.read import Growth, Session, UnreadableSession
from pilotage.sessions.tree import NO_PARENT


class Moment(Struct, frozen=True, gc=False):
    """Where an entry stands in the run of turns and steps along its own branch."""

    turn: int = 0
    """The turn, from 1; 0 before the first input."""
    root: int = NO_PARENT
    """The index of the turn's first input."""
    step: int = 0
    """How many assistant messages of the turn are whole."""
    answered: bool = True
    """Whether an assistant message came after the last input."""
    agent: int = NO_PARENT
    """The index of the nearest assistant message, from the entry itself upwards."""


def _next_moment(before: Moment, content: object, index: int) -> Moment:
    """The moment of an entry, from that of its parent (spec W: turn, step)."""
    if isinstance(content, UserMessage):
        return Moment(before.turn + 1, index, 0, False, before.agent) if before.answered else before
    if isinstance(content, AgentMessage):
        return Moment(before.turn, before.root, before.step + content.is_step, True, index)
    return before


class Calls:
    """All calls of a session, those of abandoned branches included."""

    def __init__(self, session: Session) -> None:
        self.session = session
        """The session."""
        self._reset()

    def _reset(self) -> None:
        self.items: list[Call] = []
        """The calls in the order in which the file tells of them."""
        self.moments: list[Moment] = []
        """For each entry its turn and step."""
        self._of_entry: dict[int, range] = {}
        self._latest: dict[str, int] = {}
        self._unanswered: set[int] = set()
        self._nested: dict[int, list[int]] = {}
        self._chains = Chains[Call]()
        self._timed = False
        self._opened: tuple[int, dict[str, object]] | None = None

    def take(self, growth: Growth) -> set[int]:
        """Follow the session's growth; the numbers of the calls that are new or have changed."""
        before = len(self.items)
        if growth.rebuilt:
            self._reset()
        changed: set[int] = set()
        first = len(self.moments)
        self.moments += [Moment()] * (len(self.session.tree) - first)
        for index in self._parents_first(first):
            changed |= self._add(index)
        if growth.switched or growth.rebuilt:
            changed |= self._mark_active()
        return set(range(max(before, len(self.items)))) if growth.rebuilt else changed

    def of_entry(self, entry: int) -> range:
        """The numbers of the calls that an assistant message made."""
        return self._of_entry.get(entry, range(0))

    def nested_in(self, number: int) -> list[int]:
        """The numbers of the calls that were made while this one ran."""
        return self._nested.get(number, [])

    def in_order(self) -> Iterator[int]:
        """The numbers of the calls in the order of the file, each nested call after the one that made it."""
        for number, call in enumerate(self.items):
            if call.parent_id is None:
                yield number
                yield from self.nested_in(number)

    def _parents_first(self, first: int) -> Iterator[int]:
        """The entries from `first` on in the order of the file, but none before its parent."""
        parents = self.session.tree.parents
        placed = bytearray(len(parents))
        for index in range(first, len(parents)):
            waiting = []
            while index >= first and not placed[index]:
                placed[index] = 1
                waiting.append(index)
                index = parents[index]
            yield from reversed(waiting)

    def _add(self, index: int) -> set[int]:
        entry = self.session.entry(index)
        self.moments[index] = _next_moment(self._moment_above(index), entry.content, index)
        match entry.content:
            case AgentMessage() as message:
                return self._supersede(index) | self._make(index, message)
            case UserMessage():
                return self._supersede(index)
            case ToolResult() as result:
                return self._answer(index, result)
        return set()

    def _make(self, index: int, message: AgentMessage) -> set[int]:
        """The calls of an assistant message."""
        self._timed = self._timed or message.timed
        first = len(self.items)
        for position, request in enumerate(message.calls):
            number = len(self.items)
            call = self._call(index, message, request, position)
            self.items.append(replace(call, chain=self._link(call)))
            self._latest[request.id] = number
            self._unanswered.add(number)
        numbers = range(first, len(self.items))
        if numbers:
            self._of_entry[index] = numbers
        return set(numbers)

    def _call(self, index: int, message: AgentMessage, request: CallRequest, position: int) -> Call:
        moment = self.moments[index]
        intent, rationale = recorded_provenance(
            request.tool, {"intent": request.intent, "rationale": request.rationale}
        )
        return Call(
            id=request.id,
            parent_id=None,
            turn=moment.turn,
            step=moment.step if message.is_step else None,
            tool=request.tool,
            target=request.target,
            brief=request.brief,
            intent=intent,
            rationale=rationale,
            time=self.session.entry(index).time,
            duration_ms=None,
            outcome=Outcome.RUNNING,
            rejection=None,
            chain=None,
            active=bool(self.session.tree.active[index]),
            entry=index,
            result=None,
            batch=len(message.calls),
            position=position,
            exit_code=None,
        )

    def _answer(self, index: int, result: ToolResult) -> set[int]:
        """The call that a result answers, with its outcome; and the calls nested in it."""
        self._timed = self._timed or result.duration_ms is not None
        number = self._answered_by(index, result)
        if number is None:
            return set()
        call = self.items[number]
        message = self.session.entry(call.entry).content
        assert isinstance(message, AgentMessage)
        outcome, rejection = judge(
            call.tool, result, timed=self._timed or message.timed, stop_reason=message.stop_reason
        )
        call = replace(
            call,
            outcome=outcome,
            rejection=rejection,
            result=index,
            duration_ms=result.duration_ms,
            exit_code=exit_code(result),
        )
        if outcome is Outcome.REJECTED:
            call = replace(call, chain=self._chains.reject(call, self.moments[call.entry].root))
        self.items[number] = call
        self._unanswered.discard(number)
        return {number} | self._nest(number, index, result.nested)

    def _answered_by(self, index: int, result: ToolResult) -> int | None:
        """The number of the call: of the nearest assistant message above, as ids can come again in a file."""
        for number in self.of_entry(self._moment_above(index).agent):
            if self.items[number].id == result.call_id:
                return number if self.items[number].result is None else None
        number = self._latest.get(result.call_id, -1)
        return number if number in self._unanswered else None

    def _moment_above(self, index: int) -> Moment:
        """The moment of an entry's parent; that of the beginning where there is none."""
        parent = self.session.tree.parents[index]
        return self.moments[parent] if parent != NO_PARENT else Moment()

    def _supersede(self, index: int) -> set[int]:
        """Calls that will get no result any more, as the conversation went on without it."""
        if not self._unanswered:
            return set()
        lost = self._unanswered.intersection(self.of_entry(self._moment_above(index).agent))
        for number in lost:
            self.items[number] = replace(self.items[number], outcome=Outcome.UNANSWERED)
        return lost

    def _nest(self, number: int, index: int, nested: tuple[NestedCall, ...]) -> set[int]:
        """The calls that a tool made while it ran."""
        parent = self.items[number]
        ids = {call.id for call in nested}
        numbers = []
        for position, made in enumerate(nested):
            outcome, rejection = judge_nested(made)
            above = made.id.rpartition("/")[0]
            numbers.append(len(self.items))
            self.items.append(
                replace(
                    parent,
                    id=made.id,
                    parent_id=above if above in ids else parent.id,
                    tool=made.tool,
                    target=made.target,
                    brief=made.brief,
                    intent=None,
                    rationale=None,
                    duration_ms=made.duration_ms,
                    outcome=outcome,
                    rejection=rejection,
                    chain=None,
                    entry=index,
                    result=index,
                    batch=1,
                    position=position,
                    exit_code=None,
                )
            )
        if numbers:
            self._nested[number] = numbers
        return set(numbers)

    def _link(self, call: Call) -> ChainLink | None:
        """The call's place in a chain, if it is the next try of a rejected one."""
        found = self._chains.corrected_by(call, self.moments[call.entry].root)
        if found is None:
            return None
        rejected, link = found
        return ChainLink(link.id, link.attempt + 1, identical=self._is_identical(rejected, call))

    def _is_identical(self, rejected: Call, call: Call) -> bool:
        """Whether the arguments, provenance included, are those of the rejected call.

        Pi keeps none of what is not JSON: there its words on it repeat the arguments (`HOST.md` a).
        """
        try:
            before, now = self._request(rejected), self._request(call)
        except UnreadableSession:
            return False
        return all(before.get(key) == now.get(key) for key in ("arguments", "argumentsError"))

    def raw_arguments(self, call: Call) -> object:
        """The arguments as the file has them, read from it. Raises UnreadableSession."""
        return self._request(call).get("arguments")

    def _request(self, call: Call) -> dict[str, object]:
        """The call as the file has it. Raises UnreadableSession."""
        message = self._message(call.entry)
        if call.parent_id is not None:
            return _nested_request(message, call.id)
        requests = [block for block in content_blocks(message) if block.get("type") == "toolCall"]
        return requests[call.position] if call.position < len(requests) else {}

    def _message(self, index: int) -> dict[str, object]:
        """The message of an entry; the last one is kept, as the calls of a batch are asked for one by one."""
        if self._opened is None or self._opened[0] != index:
            self._opened = index, as_dict(self.session.body(self.session.entry(index)).get("message"))
        return self._opened[1]

    def _mark_active(self) -> set[int]:
        """Set each call's mark of the active branch anew; the numbers of those that changed."""
        active = self.session.tree.active
        changed = set()
        for number, call in enumerate(self.items):
            if call.active != bool(active[call.entry]):
                self.items[number] = replace(call, active=not call.active)
                changed.add(number)
        return changed


def _nested_request(message: dict[str, object], call_id: str) -> dict[str, object]:
    """A nested call, from the result that tells of it."""
    calls = [as_dict(call) for call in as_list(as_dict(message.get("nestedCalls")).get("calls"))]
    return next((call for call in calls if call.get("id") == call_id), {})
