"""One session as a study counts it: what became of each call, and what each chain of tries cost (spec S1, K4).

It judges, links and marks as `build` and `detail` do, but goes through the file once and keeps no entry, so that a
file of a gigabyte needs neither its rows nor its bodies in memory. Two things are simpler here: an entry whose
parent comes only after it counts as a child of the entry before it, and an intent is held against the one before it
on its own branch.
"""

from array import array
from collections.abc import Callable
from pathlib import Path
from zlib import crc32

from msgspec import Raw, UnsetType
from msgspec.structs import replace

from pilotage.calls.chains import Chains
from pilotage.calls.outcomes import judge, judge_nested
from pilotage.calls.study_facts import Fact, Seam, SessionFacts
from pilotage.calls.study_parts import BEGINNING, Answer, Known, Made, Moment, Run, answer_of, made_of
from pilotage.contract.marks import marks
from pilotage.contract.provenance import PROVENANCE_TOOLS
from pilotage.records.call import ChainLink, Kind, Mark, Outcome
from pilotage.records.entry import Entry, ToolResult, UserMessage
from pilotage.records.fields import as_dict, content_blocks
from pilotage.sessions.child import is_child
from pilotage.sessions.decode import decode_line
from pilotage.sessions.lines import framed
from pilotage.sessions.pi import time_of
from pilotage.sessions.read import UnreadableSession, id_from_name, read_bytes
from pilotage.sessions.skim import WHOLE_FILE, SkimCall, Skimmed, SkimMessage, Stretch, skim_session
from pilotage.sessions.tolerant import load_object
from pilotage.sessions.wire import WireCallBlock, decode_items

Verdict = Callable[[str, Raw, bool], Kind | None]
"""The present contract's judgement of a tool, its arguments as JSON, and whether the output limit cut the call off:
why it would refuse the call."""


def study_session(
    path: Path, verdict: Verdict | None = None, tell: Callable[[int, int], None] | None = None
) -> SessionFacts:
    """Study one file; with a `verdict` its calls are judged anew by it. `tell` is as in `skim_session`.

    Raises UnreadableSession when the file cannot be read, or holds neither a header nor a message.
    """
    facts, _ = study_stretch(path, WHOLE_FILE, verdict, tell)
    return facts


def study_stretch(
    path: Path,
    stretch: Stretch,
    verdict: Verdict | None = None,
    tell: Callable[[int, int], None] | None = None,
) -> tuple[SessionFacts, Seam]:
    """Study a stretch of a file as if it were all, with what tells whether it may be. Raises as `study_session`."""
    study = _SessionStudy(path, verdict, stretch.parent_id)
    for record in skim_session(path, tell, stretch):
        study.take(record)
    return study.finish(), study.seam()


class _SessionStudy:
    """One file as far as it was read."""

    def __init__(self, path: Path, verdict: Verdict | None, parent_id: str | None) -> None:
        self._path = path
        self._verdict = verdict
        self._parent_id = parent_id
        self._header: Skimmed | None = None
        self._name: str | None = None
        self._has_messages = False
        self._moments: dict[str, Moment] = {}
        self._last = self._begin = Moment(BEGINNING, None, None, None)
        self._last_id: str | None = None
        self._turns = 0
        self._strays = 0
        self._is_timed = self._has_untimed = False
        self._latest: dict[str, Made] = {}
        self._chains = Chains[Made]()
        self._rejected: set[tuple[int, str]] = set()
        self._runs: list[Run] = []
        self._known: set[int] = set()
        self._keys = array("Q")
        self._tokens = array("q")
        self._retries = bytearray()
        self._made_by = array("L")
        self._fact_of = array("L")
        self._numbers: dict[Fact, int] = {}
        self._known_calls: dict[tuple[str, bool, tuple[Mark, ...], bool, Kind | None], Known] = {}

    def take(self, record: Skimmed) -> None:
        """Add the next record of the file."""
        entry = record.entry
        if entry.type == "session":
            self._header = self._header or record
            return
        moment = self._moments.get(entry.parent_id or "") or self._lost(entry.parent_id)
        if entry.type == "message":
            if entry.message is not None:
                moment = self._next_moment(moment, record, entry.message)
        elif entry.type == "session_info":
            self._name = entry.name
        self._last, self._last_id = moment, entry.id
        if entry.id:
            self._moments.setdefault(entry.id, moment)

    def _lost(self, parent_id: str | UnsetType | None) -> Moment:
        """Where to go on when an entry's parent is not there (yet): from the entry before it."""
        if self._last_id is None and parent_id == self._parent_id:
            return self._begin
        self._strays += 1
        return self._begin if parent_id is None else self._last

    def _next_moment(self, above: Moment, record: Skimmed, message: SkimMessage) -> Moment:
        """The moment of a message, from that of its parent."""
        self._has_messages = True
        if message.role == "toolResult":
            self._answer(above, record, message)
        elif message.role == "assistant":
            return self._make(above, record, message)
        elif message.role == "user" and above.is_answered:
            self._turns += 1
            return Moment(self._turns, _request(record), above.agent, None, is_answered=False)
        return above

    def _make(self, above: Moment, record: Skimmed, message: SkimMessage) -> Moment:
        """Add an answer and its calls, unless the file has it twice."""
        key = _key(record, message)
        if key in self._known:
            return self._moments.get(record.entry.id or "", above)
        if key:
            self._known.add(key)
        if not record.entry.id:
            self._strays += 1
        if message.duration_ms is not None:
            self._is_timed = True
        answer = answer_of(len(self._keys), above.root, record, message)
        self._keys.append(key)
        self._tokens.append(answer.tokens)
        self._retries.append(0)
        said = above.said
        calls = _calls_in(message)
        refusals = self._refusals(record, answer) if calls and self._verdict else []
        for position, block in enumerate(calls):
            made = made_of(len(self._fact_of), position, block, answer, said)
            self._add(made, above.request, refusals[position] if refusals else None)
            if made.intent is not None:
                said = made
        return Moment(above.root, above.request, answer, said)

    def _refusals(self, record: Skimmed, answer: Answer) -> list[Kind | None]:
        """Why the present contract would refuse each call of an answer."""
        verdict = self._verdict
        assert verdict
        blocks = [block for block in decode_items(record.content, WireCallBlock) if not isinstance(block, str)]
        return [
            verdict(block.name, block.arguments, answer.is_cut_off) if block.name in PROVENANCE_TOOLS else None
            for block in blocks
            if block.type == "toolCall"
        ]

    def _add(self, made: Made, request: str | None, refused: Kind | None) -> None:
        """Add one call."""
        tool = made.tool
        # Few tools were refused in a turn, and only their calls may correct one.
        identical = (made.answer.root, tool) in self._rejected and self._link(made)
        found = () if made.intent is None else _marks_of(made, request)
        judged = self._verdict is not None and tool in PROVENANCE_TOOLS
        made.known = self._known_of((tool, identical, found, judged, refused))
        self._made_by.append(made.answer.number)
        self._fact_of.append(made.known.unanswered)
        displaced = self._latest.get(made.id)
        if displaced is not None:
            displaced.answer.keep(displaced)
        self._latest[made.id] = made

    def _link(self, made: Made) -> bool:
        """Make the call the next try of a rejected one, if it is; whether it sends the same arguments again."""
        found = self._chains.corrected_by(made, made.answer.root)
        if found is None:
            return False
        rejected, link = found
        assert rejected.run
        made.run = rejected.run
        made.run.add(made)
        self._retries[made.answer.number] = 1
        identical = _is_identical(self._path, rejected, made)
        made.chain = ChainLink(link.id, link.attempt + 1, identical=identical)
        return identical

    def _known_of(self, key: tuple[str, bool, tuple[Mark, ...], bool, Kind | None]) -> Known:
        """What is known of a call: its tool, whether it is an identical retry, its marks, and its judgement anew.

        All calls of which the same is known share one object.
        """
        known = self._known_calls.get(key)
        if known is None:
            tool, identical, found, judged, refused = key
            fact = Fact(tool, Outcome.UNANSWERED, None, (), identical, found, judged, refused)
            ok = self._number(replace(fact, outcome=Outcome.OK))
            known = self._known_calls[key] = Known(fact, self._number(fact), ok)
        return known

    def _answer(self, above: Moment, record: Skimmed, message: SkimMessage) -> None:
        """Add the result of a call."""
        if message.duration_ms is not None:
            self._is_timed = True
        made = self._answered_by(above.agent, message.tool_call_id)
        if made is None:
            self._strays += 1
            return
        assert made.known
        if message.is_error or message.nested_calls is not None:
            result = _result(record)
            outcome = self._judge(made, result)
            self._nest(made, result)
            if outcome is Outcome.REJECTED:
                self._reject(made)
                return
        else:
            self._fact_of[made.number] = made.known.ok
        made.settle()
        if made.run:
            made.run.end(made)

    def _judge(self, made: Made, result: ToolResult) -> Outcome:
        """The outcome of a call, from the whole of its result."""
        assert made.known
        self._has_untimed = self._has_untimed or not self._is_timed
        stop_reason = "length" if made.answer.is_cut_off else ""
        outcome, rejection = judge(made.tool, result, timed=self._is_timed, stop_reason=stop_reason)
        kind, fields = (rejection.kind, rejection.fields) if rejection else (None, ())
        fact = replace(made.known.fact, outcome=outcome, kind=kind, fields=fields)
        self._fact_of[made.number] = self._number(fact)
        return outcome

    def _nest(self, made: Made, result: ToolResult) -> None:
        """Add the calls that a tool made while it ran."""
        for call in result.nested:
            outcome, rejection = judge_nested(call)
            kind, fields = (rejection.kind, rejection.fields) if rejection else (None, ())
            self._made_by.append(made.answer.number)
            self._fact_of.append(self._number(Fact(call.tool, outcome, kind, fields)))

    def _reject(self, made: Made) -> None:
        """Open a chain at a rejected call, or leave the one that it is a try of open."""
        self._rejected.add((made.answer.root, made.tool))
        made.chain = self._chains.reject(made, made.answer.root)
        made.arguments = None
        if made.run is None:
            made.run = Run(made)
            self._runs.append(made.run)

    def _answered_by(self, agent: Answer | None, call_id: str) -> Made | None:
        """The call that a result answers: one of the nearest answer above, as ids can come again in a file."""
        made = agent.recall(call_id) if agent and agent.displaced else None
        return made or self._latest.pop(call_id, None)

    def _number(self, fact: Fact) -> int:
        """The number of a fact."""
        return self._numbers.setdefault(fact, len(self._numbers))

    def finish(self) -> SessionFacts:
        """What was found. Raises UnreadableSession when it was no session."""
        if self._header is None and not self._has_messages:
            msg = f"{self._path}: not a session: it holds neither a header nor a message"
            raise UnreadableSession(msg)
        header = self._header.entry if self._header else None
        return SessionFacts(
            path=str(self._path),
            id=(header.id if header else None) or id_from_name(self._path),
            time=time_of(header.timestamp, None) if header else None,
            is_child=is_child(header.cwd if header else "", self._name or ""),
            keys=self._keys,
            tokens=self._tokens,
            retries=self._retries,
            made_by=self._made_by,
            fact_of=self._fact_of,
            facts=tuple(self._numbers),
            chains=tuple(run.facts() for run in self._runs),
        )

    def seam(self) -> Seam:
        """What tells whether it fits to its neighbours."""
        return Seam(
            parent_id=self._parent_id,
            last_id=self._last_id,
            is_answered=self._last.is_answered,
            strays=self._strays,
            is_timed=self._is_timed,
            has_untimed=self._has_untimed,
            cwd=self._header.entry.cwd if self._header else None,
            name=self._name,
        )


def _marks_of(made: Made, request: str | None) -> tuple[Mark, ...]:
    """The marks of a call's intent."""
    command = made.arguments.command if made.arguments else None
    previous = made.previous_intent() if made.before else None
    return marks(made.intent, target=made.target, command=command or None, previous=previous, request=request)


def _key(record: Skimmed, message: SkimMessage) -> int:
    """The number that stands for an entry's id and time; 0 where it has no time."""
    entry = record.entry
    stamp = entry.timestamp or message.timestamp
    if stamp is None:
        return 0
    return (_sum(entry.id or record.id) << 32 | _sum(str(stamp))) or 1


def _sum(text: str) -> int:
    return crc32(text.encode("utf-8", "surrogatepass"))


def _calls_in(message: SkimMessage) -> list[SkimCall]:
    """The calls that an answer makes, in order."""
    blocks = message.content
    return [] if isinstance(blocks, str) else [block for block in blocks if block.type == "toolCall"]


def _request(record: Skimmed) -> str | None:
    """What the user said."""
    content = _content(record)
    return content.text if isinstance(content, UserMessage) else None


def _result(record: Skimmed) -> ToolResult:
    """A result in full."""
    content = _content(record)
    assert isinstance(content, ToolResult)
    return content


def _content(record: Skimmed) -> object:
    """The content of an entry, as the reader has it."""
    (read,) = decode_line(record.line).records
    return read.content if isinstance(read, Entry) else None


def _is_identical(path: Path, rejected: Made, made: Made) -> bool:
    """Whether the arguments, provenance included, are those of the rejected call.

    Pi keeps none of what is not JSON: there its words on it repeat the arguments (`HOST.md` a).
    """
    try:
        before, now = _block(path, rejected), _block(path, made)
    except (OSError, ValueError, IndexError):
        # The file is no longer what it was.
        return False
    return all(before.get(key) == now.get(key) for key in ("arguments", "argumentsError"))


def _block(path: Path, made: Made) -> dict[str, object]:
    """A call as the file has it. Raises OSError, ValueError and IndexError where it has it no longer."""
    place = made.answer.place
    line = framed(place.line, place.offset, read_bytes(path, place))
    blocks = content_blocks(as_dict(load_object(line.data).get("message")))
    return [block for block in blocks if block.get("type") == "toolCall"][made.position]
