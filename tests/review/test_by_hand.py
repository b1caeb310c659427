"""Reviews of sessions that are only watched: the same review, and not a byte in the session (spec R8)."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pilotage.calls.build import Calls
from pilotage.evidence.contents import read_child
from pilotage.evidence.observed import read_notes
from pilotage.evidence.read import read_attempts
from pilotage.inference.question import Failure, RequestFailed
from pilotage.records.attempt import Attempt, ReminderState
from pilotage.records.configuration import Configuration
from pilotage.review.by_hand import Observer, Position, Rhythm, position_of
from pilotage.review.run import Reviewed
from pilotage.search.surroundings import Surroundings
from pilotage.sessions.read import WHOLE, read_session
from tests.handmade import Fields, agent, call, ran, user, write_session
from tests.pi.model_server import ModelServer
from tests.pi.reviewed import rule, says
from tests.pi.scenario import Scenario

PAIR = ("Only one nest was counted. Count all.", 'User request: "Count the nests, and all of them."')
KEY = "ghp_" + "a1B2" * 10
SESSION = (
    user("Count the nests, and all of them."),
    agent(call("c", command=f"curl -H {KEY} nests")),
    ran("c"),
    agent(text="One."),
)


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep children below a folder of the test's own."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(tmp_path / "agent"))


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """Return a session file."""
    return write_session(tmp_path / "s.jsonl", *SESSION, id="watched")


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """Return a model that finds the same deviation twice, then none, then the same again."""
    answers = [says(PAIR), says(PAIR), says(), says(PAIR)]
    with ModelServer(Scenario(rules=[rule(*answers)])) as listening:
        yield listening


def surroundings(folder: Path, url: str, **more: object) -> Surroundings:
    """Let Pi's files name the server as the provider `own`."""
    agent_folder = folder / "agent"
    agent_folder.mkdir(exist_ok=True)
    provider = {"baseUrl": url, "api": "openai-completions", "apiKey": "example-key", "models": [{"id": "m"}]}
    (agent_folder / "models.json").write_text(json.dumps({"providers": {"own": provider}}))
    return Surroundings(folder, agent_folder, configuration=Configuration(provider="own", model="m", **more))


def review(path: Path, around: Surroundings, position: Position | None = None) -> Reviewed:
    """Review a session once."""
    return asyncio.run(Observer(path, around, environ={}).review(position))


def noted(path: Path) -> list[Attempt]:
    """Give the attempts of a session, those that are noted elsewhere among them."""
    read = read_session(path)
    return read_attempts(read, notes=read_notes(read.id)).ordered()


def test_the_session_stays_as_it_is(tmp_path: Path, session: Path, server: ModelServer) -> None:
    """The reminder is for the person; notes lie elsewhere, the evidence where it always does (spec R8, E1)."""
    before = session.read_bytes()
    done = review(session, surroundings(tmp_path, server.url))
    assert (done.outcome, [pair.state for pair in done.pairs]) == ("ok", [ReminderState.OBSERVED])
    assert session.read_bytes() == before
    (attempt,) = noted(session)
    assert (attempt.is_observed, attempt.input_id, attempt.leaf, attempt.step) == (True, "e1", "e4", None)
    assert (attempt.pairs, attempt.child) == (done.pairs, done.child)
    assert attempt.child
    kept = read_child(Path(attempt.child.file))
    assert kept.request.encode() == server.requests[0].raw
    assert kept.origin
    assert (kept.origin.session, kept.origin.leaf) == ("watched", "e4")
    assert KEY not in kept.request


def test_the_person_is_not_told_twice(tmp_path: Path, session: Path, server: ModelServer) -> None:
    """What the person has seen is marked as repeated, until a review did not find it (spec R6)."""
    around = surroundings(tmp_path, server.url)
    states = [[pair.state for pair in review(session, around).pairs] for _ in range(4)]
    assert states == [[ReminderState.OBSERVED], [ReminderState.REPEATED], [], [ReminderState.OBSERVED]]


def test_the_request_before_it_is_sent(tmp_path: Path, session: Path, server: ModelServer) -> None:
    """What would be sent is what is sent then, to the byte; it is shown without sending or noting anything."""
    around = surroundings(tmp_path, server.url)
    unsent = asyncio.run(Observer(session, around, environ={}).request())
    assert (server.requests, noted(session)) == ([], [])
    assert (unsent.url, unsent.model) == (f"{server.url}/chat/completions", "own/m")
    assert unsent.replaced == 1
    review(session, around)
    assert unsent.body.encode() == server.requests[0].raw


def test_a_faulty_configuration(tmp_path: Path, session: Path) -> None:
    """Without a usable configuration a review fails with what is wrong, and says so before anything is asked (G2)."""
    around = Surroundings(tmp_path, tmp_path, configuration=None, fault="settings.json: model must be text")
    done = review(session, around)
    assert (done.outcome, done.failure, done.words) == ("failed", "no-model", "settings.json: model must be text")
    assert [attempt.failure for attempt in noted(session)] == ["no-model"]
    with pytest.raises(RequestFailed) as raised:
        asyncio.run(Observer(session, around, environ={}).request())
    assert raised.value.failure is Failure.NO_MODEL


def test_a_session_that_is_gone(tmp_path: Path, server: ModelServer) -> None:
    """A file that cannot be read is a named failure, and nothing is asked."""
    done = review(tmp_path / "gone.jsonl", surroundings(tmp_path, server.url))
    assert (done.outcome, done.failure) == ("failed", "trajectory")
    assert server.requests == []


def test_calling_it_off(tmp_path: Path, session: Path) -> None:
    """A review that is called off is noted as void (spec M4)."""

    async def call_off(url: str) -> None:
        reviewing = asyncio.create_task(Observer(session, surroundings(tmp_path, url), environ={}).review())
        while not listening.requests:
            await asyncio.sleep(0.01)
        reviewing.cancel()
        await asyncio.gather(reviewing, return_exceptions=True)

    with ModelServer(Scenario(rules=[rule(says(PAIR, hold="for ever"))])) as listening:
        asyncio.run(call_off(listening.url))
    assert [(attempt.outcome, attempt.requests) for attempt in noted(session)] == [("void", 1)]


def position(folder: Path, *entries: Fields) -> Position:
    """Give the position at the end of these entries."""
    calls = Calls(read_session(write_session(folder / "s.jsonl", *entries)))
    calls.take(WHOLE)
    return position_of(calls)


OPEN = agent(call("a", command="x"), call("b", command="y"))
ABORTED = ran("b", "Command aborted", is_error=True)


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ([], Position("", 0)),
        ([agent(text="Hello.")], Position("", 0)),
        ([user()], Position("e1", 0)),
        ([user(), OPEN], Position("e1", 0)),
        ([user(), OPEN, ran("a")], Position("e1", 0)),
        ([user(), OPEN, ran("a"), ran("b")], Position("e1", 1)),
        ([user(), OPEN, ran("a"), ABORTED], Position("e1", 1, True)),
        ([user(), OPEN, ran("a"), ran("b"), agent(text="Done.")], Position("e1", 2)),
        ([user(), OPEN, ran("a"), ran("b"), agent(text="Do", stop="aborted")], Position("e1", 1)),
        ([user(), agent(text="Done."), user("More.")], Position("e3", 0)),
        ([user(), agent(text="Done."), user("More."), user("And more.")], Position("e3", 0)),
        ([user(), OPEN, user("Never mind.")], Position("e3", 0)),
    ],
)
def test_positions(tmp_path: Path, entries: list[Fields], expected: Position) -> None:
    """A step is finished when all its calls have results; an aborted message is none, an input begins anew (W)."""
    assert position(tmp_path, *entries) == expected


@pytest.mark.parametrize(
    ("every", "positions", "due"),
    [
        (2, [("a", 0), ("a", 1), ("a", 2), ("a", 2), ("a", 3), ("a", 4)], [2, 4]),
        (2, [("a", 3), ("a", 4), ("b", 1), ("b", 2)], [4, 2]),
        (3, [("a", 7), ("a", 8), ("a", 13)], [13]),
        (1, [("", 0), ("a", 0), ("a", 1)], [1]),
        (0, [("a", 0), ("a", 9)], []),
    ],
)
def test_rhythm(every: int, positions: list[tuple[str, int]], due: list[int]) -> None:
    """A review is due every N steps of an input; what had happened before the following began triggers none (R1)."""
    rhythm = Rhythm(every)
    assert [step for input_id, step in positions if rhythm.is_due(Position(input_id, step))] == due


def test_a_cancelled_step_triggers_none() -> None:
    """A step that was cancelled is not reviewed, and is not made up for (spec R1)."""
    rhythm = Rhythm(2)
    steps = [Position("a", 1), Position("a", 2, is_cancelled=True), Position("a", 2), Position("a", 3)]
    assert [rhythm.is_due(step) for step in steps] == [False] * 4
