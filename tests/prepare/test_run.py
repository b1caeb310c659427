"""One preparation from its trigger to its end."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pilotage.evidence.contents import read_child
from pilotage.evidence.diagnostics import Data, Subject
from pilotage.evidence.read import read_attempts
from pilotage.inference.question import Failure, Question, Reply, RequestFailed, Sent
from pilotage.prepare.confine import Confinement
from pilotage.prepare.execute import HELD
from pilotage.prepare.messages import Speaker
from pilotage.prepare.predict import Halves
from pilotage.prepare.run import Doing, Material, Preparation, run_preparation, wanted
from pilotage.records.attempt import Purpose, Suggestion
from pilotage.records.capability import Capability, CapabilityKind, CapabilityState, Catalog
from pilotage.records.configuration import Configuration
from pilotage.records.preparation import Bash, Read
from pilotage.sessions.read import read_session
from tests.evidence.scripted import EXCHANGE, Scripted
from tests.handmade import Fields, agent, call, ran, user, write_session

SUBJECT = Subject("attempt-1", Purpose.PREPARATION, "input-1", "3bcd0c7c", preparation_id="attempt-1")
SETTINGS = Configuration(provider="example", model="glm-5.3")
BOTH = Halves(True, 3)
TIDES = Capability("skill:tides", CapabilityKind.SKILL, "tides", "Know the tides.", CapabilityState.LOADABLE)
UNCONFINED = Confinement(False, "commands run unconfined: not wanted in this test")
READ: Fields = {"kind": "read", "path": "project:notes.txt", "why": "To see what is asked."}
COUNT: Fields = {"kind": "bash", "command": "wc -l < notes.txt", "why": "To count them."}


def answered(*actions: Fields, capabilities: list[Fields] | None = None) -> Fields:
    """Give an answer of the model."""
    return {"capabilities": capabilities or [], "actions": list(actions)}


class Prepared(Scripted):
    """The same with a session that takes a record, and a machine on which nothing can be confined."""

    def __init__(self, answer: object = None, fault: BaseException | None = None) -> None:
        super().__init__(answered() if answer is None else answer, fault)
        self.records: list[Data] = []
        self.confined = 0

    async def append(self, record: Data) -> None:
        """Take the record."""
        self.write("record")
        self.records.append(record)

    def confine(self) -> Confinement:
        """Say that nothing can be confined."""
        self.confined += 1
        return UNCONFINED


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let children be said to work below a folder of the test's own."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a folder with a file in it."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "notes.txt").write_text("one\ntwo\n")
    return folder


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """Return a session in which the user has just said something."""
    return write_session(tmp_path / "s.jsonl", user("Count the nests."))


async def preparation(
    scripted: Prepared,
    folder: Path,
    path: Path | None,
    halves: Halves = BOTH,
    *,
    is_dry: bool = False,
    confined_only: bool = False,
    request: str | None = None,
    clock: Callable[[], float] = time.time,
    seconds: float = 60.0,
) -> Preparation:
    """Prepare for a session's input with a scripted model."""
    material = Material(
        path,
        folder,
        Catalog((TIDES,)),
        user_entry="e1",
        speaker=Speaker("example", "glm-5.3", "openai-completions"),
        request=request,
    )
    return await run_preparation(
        SUBJECT,
        material,
        halves,
        configuration=SETTINGS,
        ask=scripted.ask,
        note=scripted.note,
        append=scripted.append,
        doing=None if is_dry else Doing(scripted.confine, confined_only),
        clock=clock,
        seconds=seconds,
    )


def prepared(scripted: Prepared, folder: Path, path: Path | None, *halves: Halves, **more: object) -> Preparation:
    """Do so and wait for the end."""
    return asyncio.run(preparation(scripted, folder, path, *halves, **more))  # type: ignore[arg-type]


def test_order(project: Path, session: Path) -> None:
    """It begins with a note, asks once, writes the record once, says that the context is ready, and ends (spec E2)."""
    scripted = Prepared(answered(READ, capabilities=[{"id": "skill:tides", "why": "The nests flood."}]))
    done = prepared(scripted, project, session)
    assert scripted.order == ["start", "ask", "record", "context-ready", "end"]
    assert (done.outcome, done.failure, done.words, done.unnoted) == ("ok", "", "", ())
    assert done.record == scripted.records[0]
    told = [(note["kind"], note["preparationId"], note["inputId"], note["parentLeafId"]) for note in scripted.notes]
    assert set(told) == {("preparation", "attempt-1", "input-1", "3bcd0c7c")}
    assert (scripted.notes[-1]["outcome"], scripted.notes[-1]["requests"]) == ("ok", 1)


def test_record(project: Path, session: Path) -> None:
    """The record is what evidence reads: whose it is, what was suggested and done, and its cost (spec P6, P9)."""
    scripted = Prepared(answered(READ, COUNT, capabilities=[{"id": "skill:tides", "why": "The nests flood."}]))
    prepared(scripted, project, session)
    (record,) = scripted.records
    assert (record["userEntry"], record["version"]) == ("e1", 1)
    kept: Fields = {"type": "custom", "customType": "capability-prefetch", "data": record}
    (read,) = read_attempts(read_session(write_session(session, user(), kept))).prepared
    assert (read.input_id, read.attempt, read.preparation_id, read.tokens) == (
        "input-1",
        *2 * ("attempt-1",),
        (900, 40),
    )
    assert read.suggestions == (Suggestion("skill:tides", "The nests flood."),)
    assert [(one.tool, one.text, one.is_error) for one in read.actions] == [
        ("read", "one\ntwo\n", False),
        ("bash", "2\n", False),
    ]
    assert read.milliseconds is not None
    as_text = record["asText"]
    assert isinstance(as_text, dict)
    assert "one\ntwo\n" in as_text["content"][0]["text"]


def test_question(project: Path, session: Path) -> None:
    """The model is given the catalog, the paths, the trajectory and the request as data (spec M5, P2)."""
    scripted = Prepared()
    prepared(scripted, project, session)
    (asked,) = scripted.questions
    for part in ("skill:tides", '"project:notes.txt"', "user: Count the nests."):
        assert part in asked.user
        assert part not in asked.system


def test_a_given_request(project: Path) -> None:
    """Without a session the history is empty, and the request is the one that was given (spec J5)."""
    scripted = Prepared()
    done = prepared(scripted, project, None, request=f"Count. {'x' * 9000} api_key=sk-{'a1B2' * 12} The end.")
    (asked,) = scripted.questions
    assert done.outcome == "ok"
    assert "Nothing was said or done before this request." in asked.user
    assert "Count. x" in asked.user
    assert asked.user.count("x") < 9000
    assert "sk-a1B2" not in asked.user


def test_neither_half(project: Path, session: Path) -> None:
    """With both halves off nothing is read, asked or written (spec P2)."""
    scripted = Prepared()
    done = prepared(scripted, project / "gone", session.with_name("gone.jsonl"), Halves(False, 0))
    assert (done.outcome, scripted.order) == ("skipped", [])


@pytest.mark.parametrize(
    ("settings", "halves"),
    [
        (Configuration(), Halves(False, 0)),
        (Configuration(capability_prediction=True), Halves(True, 0)),
        (Configuration(action_prediction=True), Halves(False, 3)),
        (Configuration(action_prediction=True, max_suggested_actions=0), Halves(False, 0)),
    ],
)
def test_wanted(settings: Configuration, halves: Halves) -> None:
    """What is wanted is what a person has switched on (spec P2, G1)."""
    assert wanted(settings) == halves


def test_without_actions_nothing_is_scanned(project: Path, session: Path) -> None:
    """With actions off the folder is not scanned, no path is a candidate, and nothing runs (spec P2)."""
    scripted = Prepared({"capabilities": []})
    done = prepared(scripted, project, session, Halves(True, 0))
    assert (done.outcome, done.index.visited, done.record) == ("ok", 0, None)
    assert "notes.txt" not in scripted.questions[0].user
    assert scripted.order == ["start", "ask", "end"]


def test_nothing_to_choose_from(project: Path, session: Path) -> None:
    """Without actions and without a capability nobody is asked, and the end says so."""
    scripted = Prepared()
    material = Material(session, project)
    done = asyncio.run(
        run_preparation(
            SUBJECT,
            material,
            Halves(True, 0),
            configuration=SETTINGS,
            ask=scripted.ask,
            note=scripted.note,
            doing=None,
        )
    )
    assert (done.outcome, done.failure, scripted.order) == ("skipped", "nothing", ["start", "end"])
    assert scripted.notes[-1]["outcome"] == "skipped"


def test_dry(project: Path, session: Path) -> None:
    """A dry one predicts and does nothing."""
    marker: Fields = {"kind": "bash", "command": "touch ran", "why": "To leave a mark."}
    scripted = Prepared(answered(READ, marker))
    done = prepared(scripted, project, session, is_dry=True)
    assert done.prediction is not None
    assert [type(action) for action in done.prediction.actions] == [Read, Bash]
    assert (done.results, scripted.records, scripted.confined) == ((), [], 0)
    assert not (project / "ran").exists()


def test_fresh_files_are_not_read_again(project: Path, tmp_path: Path) -> None:
    """A file whose whole text the context holds is not read again, and the evidence says so (spec P7)."""
    entries = [
        user(),
        agent(call("a", "read", path="notes.txt")),
        ran("a", "one\ntwo\n"),
        agent(text="So.", stop="stop"),
    ]
    path = write_session(tmp_path / "s.jsonl", *entries, user("And now?"))
    scripted = Prepared(answered(READ, COUNT))
    done = prepared(scripted, project, path)
    assert [result.refusal for result in done.results] == [HELD, ""]
    assert done.child is not None
    first, second = read_child(Path(done.child.file)).actions
    assert (first.text, first.is_error) == (f"Not done: {HELD}.", False)
    assert second.text == "2\n"
    scripted = Prepared(answered(READ))
    assert prepared(scripted, project, path).record is None
    assert scripted.order == ["start", "ask", "end"]


def test_changed_files_are_read_again(project: Path, tmp_path: Path) -> None:
    """A file that is no longer what the context holds is read, also where a command of this round changed it (P7)."""
    entries = [
        user(),
        agent(call("a", "read", path="notes.txt")),
        ran("a", "one\ntwo\n"),
        agent(text="So.", stop="stop"),
    ]
    path = write_session(tmp_path / "s.jsonl", *entries, user("And now?"))
    grow: Fields = {"kind": "bash", "command": "echo three >> notes.txt", "why": "To change it."}
    done = prepared(Prepared(answered(grow, READ)), project, path)
    assert [result.text for result in done.results] == ["(no output)", "one\ntwo\nthree\n"]
    (project / "notes.txt").write_text("two\n")
    assert [result.text for result in prepared(Prepared(answered(READ)), project, path).results] == ["two\n"]


def test_confinement(project: Path, session: Path) -> None:
    """Confinement is tried only where there is a command, and where it is insisted on the rest still runs (spec P5)."""
    scripted = Prepared(answered(READ))
    prepared(scripted, project, session)
    assert scripted.confined == 0
    scripted = Prepared(answered(COUNT, READ))
    done = prepared(scripted, project, session, confined_only=True)
    assert scripted.confined == 1
    assert [bool(result.refusal) for result in done.results] == [True, False]
    assert done.child is not None
    refused, read = read_child(Path(done.child.file)).actions
    assert (refused.is_error, refused.confined, read.confined) == (True, None, None)
    assert refused.text.startswith("Not done: only confined commands may run")


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        (answered({**READ, "path": "project:other.txt"}), Failure.UNKNOWN_NAME),
        (answered({**READ, "path": "notes.txt"}), Failure.UNKNOWN_NAME),
        (answered(capabilities=[{"id": "skill:moon", "why": "?"}]), Failure.UNKNOWN_NAME),
        (answered(READ, READ), Failure.MALFORMED),
        (answered(*[COUNT] * 4), Failure.MALFORMED),
        ([], Failure.MALFORMED),
    ],
)
def test_bad_answers(project: Path, session: Path, answer: object, failure: Failure) -> None:
    """An answer that is not exactly what was asked for fails by name, and nothing of it is done (spec M6)."""
    scripted = Prepared(answer)
    done = prepared(scripted, project, session)
    assert (done.outcome, done.failure, done.results) == ("failed", failure, ())
    assert scripted.order == ["start", "ask", "end"]
    assert scripted.notes[-1]["failure"] == {"kind": failure, "message": done.words}


def test_no_answer(project: Path, session: Path) -> None:
    """A request that failed is told with its words, in the child as well (spec M8, E1)."""
    fault = RequestFailed(Failure.UNREACHABLE, "Nothing answers at 127.0.0.1:9931.", EXCHANGE)
    scripted = Prepared(fault=fault)
    done = prepared(scripted, project, session)
    assert (done.outcome, done.failure, done.words) == ("failed", "unreachable", str(fault))
    assert done.child is not None
    assert read_child(Path(done.child.file)).failure == "unreachable"


@pytest.mark.parametrize(
    ("broken", "outcome", "order"),
    [
        ("start", ("skipped", "diagnostic"), ["start"]),
        ("record", ("failed", "record"), ["start", "ask", "record", "end"]),
        ("context-ready", ("ok", ""), ["start", "ask", "record", "context-ready", "end"]),
        ("end", ("ok", ""), ["start", "ask", "record", "context-ready", "end"]),
    ],
)
def test_what_cannot_be_written(
    project: Path, session: Path, broken: str, outcome: tuple[str, str], order: list[str]
) -> None:
    """Without a start nothing is asked, without the record nothing was brought; a lost note is told (spec E2, M8)."""
    scripted = Prepared(answered(READ))
    scripted.broken = broken
    done = prepared(scripted, project, session)
    assert (done.outcome, done.failure) == outcome
    assert scripted.order == order
    assert bool(done.unnoted) is (broken in ("context-ready", "end"))


def test_unreadable_history(project: Path, tmp_path: Path) -> None:
    """A history that cannot be read is a failure, and not an empty one (spec J5)."""
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"\x00" * 100)
    done = prepared(Prepared(), project, path)
    assert (done.outcome, done.failure) == ("failed", "trajectory")
    assert str(path) in done.words


def test_unwritable_child(project: Path, session: Path, tmp_path: Path) -> None:
    """Where no child can be made nothing is asked (spec E1)."""
    (tmp_path / "tmp").write_text("in the way")
    scripted = Prepared()
    done = prepared(scripted, project, session)
    assert (done.outcome, done.failure, scripted.order) == ("failed", "evidence", ["start", "end"])


def test_one_clock(project: Path, session: Path) -> None:
    """The answer has what is left of the time, less what the commands may take (spec M4)."""
    ticks = iter([1000.0, 1010.0, *[1011.0] * 9])
    scripted = Prepared()
    prepared(scripted, project, session, clock=lambda: next(ticks))
    assert scripted.left == [60 - 10 - 1 - 3 * 2]


def test_timeout(project: Path, session: Path) -> None:
    """When the time is over that is a named failure (spec M4)."""

    class Silent(Prepared):
        async def ask(self, question: Question, left: float, sent: Sent) -> Reply:
            await asyncio.sleep(60)
            return await super().ask(question, left, sent)

    scripted = Silent()
    done = prepared(scripted, project, session, seconds=0.3)
    assert (done.outcome, done.failure) == ("failed", "timeout")
    assert scripted.notes[-1]["outcome"] == "failed"


@pytest.mark.parametrize("stage", ["asking", "running"])
def test_called_off(project: Path, session: Path, stage: str) -> None:
    """Calling it off ends the request or the command at once; it is void, and nothing reaches the session (spec P8)."""
    begun = asyncio.Event()

    class Silent(Prepared):
        async def ask(self, question: Question, left: float, sent: Sent) -> Reply:
            begun.set()
            if stage == "asking":
                await asyncio.sleep(60)
            return await super().ask(question, left, sent)

    linger: Fields = {"kind": "bash", "command": "sleep 1.9; touch ran", "why": "To take long."}
    scripted = Silent(answered(linger))

    async def run() -> None:
        task = asyncio.create_task(preparation(scripted, project, session))
        await begun.wait()
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert scripted.records == []
    assert (scripted.notes[-1]["event"], scripted.notes[-1]["outcome"]) == ("end", "void")
    assert scripted.notes[-1]["failure"]["kind"] == "cancelled"  # type: ignore[index]
    assert not (project / "ran").exists()


def test_whatever_breaks(project: Path, session: Path) -> None:
    """A fault that nobody thought of ends the preparation and nothing else (spec M8)."""
    scripted = Prepared(fault=ZeroDivisionError("by zero"))
    done = prepared(scripted, project, session)
    assert (done.outcome, done.failure, scripted.order) == ("failed", "broken", ["start", "ask", "end"])
    assert done.words == "the preparation broke: ZeroDivisionError: by zero"
