"""`pilotage review`: what it prints of a review, where its words go, and what it leaves alone."""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import pytest

from tests.cli.conftest import Pilotage
from tests.cli.program import COMMAND, PATIENCE
from tests.handmade import HOSTILE, Fields, agent, call, lines_of, ran, user, write_session
from tests.pi.model_server import ModelServer
from tests.pi.reviewed import rule, says
from tests.pi.scenario import Scenario

PAIR = ("Only one nest was counted. Count all.", 'User request: "Count the nests, and all of them."')
MADE_UP = ("Ask the mayor.", 'System prompt: "Ask the mayor first."')
KEY = "ghp_" + "a1B2" * 10
BEGIN: tuple[Fields, ...] = (user("Count the nests, and all of them."), agent(call("c", command=f"count {KEY}")))


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """Return a session of one finished step."""
    return write_session(tmp_path / "s.jsonl", *BEGIN, ran("c"), id="watched")


@pytest.fixture(autouse=True)
def agent_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return Pi's own folder, which holds nothing yet; children lie below the test's own folder."""
    folder = tmp_path / "agent"
    folder.mkdir()
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(folder))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return folder


@pytest.fixture
def serve(agent_folder: Path) -> Iterator[Callable[..., ModelServer]]:
    """Return a function that starts a model with these answers and names it in Pi's files."""
    servers: list[ModelServer] = []

    def start(*answers: dict[str, object], **block: object) -> ModelServer:
        server = ModelServer(Scenario(rules=[rule(*answers)])).__enter__()
        servers.append(server)
        own = {"baseUrl": server.url, "api": "openai-completions", "apiKey": "example-key", "models": [{"id": "m"}]}
        (agent_folder / "models.json").write_text(json.dumps({"providers": {"own": own}}))
        settings = {"capabilityDiscovery": {"provider": "own", "model": "m", **block}}
        (agent_folder / "settings.json").write_text(json.dumps(settings))
        return server

    yield start
    for server in servers:
        server.__exit__()


def test_reminders(pilotage: Pilotage, session: Path, serve: Callable[..., ModelServer]) -> None:
    """Each reminder has its source and whether that was found; what it cost and the evidence are words (spec L1)."""
    serve(says(PAIR, MADE_UP))
    before = session.read_bytes()
    done = pilotage("review", session)
    assert done.status == 0
    assert done.lines == [
        f"1. {PAIR[0]}",
        f"   Source: {PAIR[1]}",
        f"2. {MADE_UP[0]}",
        f"   Source (source not found): {MADE_UP[1]}",
    ]
    cost, evidence = done.err.splitlines()
    assert cost.startswith("own/m, ")
    assert "tokens sent, " in cost
    assert Path(evidence.removeprefix("evidence: ")).is_file()
    assert session.read_bytes() == before
    again = pilotage("review", session)
    assert again.lines[0] == f"1. {PAIR[0]} (told before)"


def test_nothing_to_say(pilotage: Pilotage, session: Path, serve: Callable[..., ModelServer]) -> None:
    """Without a reminder nothing is on stdout, the words say what that does not mean, and all is well (spec R5)."""
    serve(says())
    done = pilotage("review", session)
    assert (done.status, done.out) == (0, "")
    assert done.err.startswith("no reminder, which is no approval\n")


def test_as_json(pilotage: Pilotage, session: Path, serve: Callable[..., ModelServer]) -> None:
    """With --json a review is one object, whether it has reminders or failed (spec L1)."""
    serve(says(PAIR), {"text": "No."})
    done = pilotage("review", session, "--json")
    (record,) = done.records
    assert record["reminders"] == [{"deviation": PAIR[0], "source": PAIR[1], "sourceFound": True, "state": "observed"}]
    assert (record["outcome"], record["failure"], record["model"]) == ("ok", None, "own/m")
    assert {"tokens", "seconds", "child", "coverage", "attempt", "session", "step"} < set(record)
    failed = pilotage("review", session, "--json")
    assert failed.status == 1
    assert failed.records[0]["failure"]["kind"] == "not-json"  # type: ignore[index]


def test_a_failure(pilotage: Pilotage, session: Path, serve: Callable[..., ModelServer]) -> None:
    """A review that failed is a failure, with its evidence, and never passed off as nothing to say (spec M6)."""
    serve({"error": {"status": 429, "body": {"error": {"message": "slow down"}}}})
    done = pilotage("review", session)
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith("pilotage: the review failed: own/m wants fewer requests: 429 slow down")
    assert "evidence: " in done.err


def test_without_a_model(
    pilotage: Pilotage, session: Path, agent_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no model is named and the default does not answer, it says what to set and where."""
    monkeypatch.setenv("LLAMA_BASE_URL", "http://127.0.0.1:9")
    done = pilotage("review", session)
    assert (done.status, done.out) == (1, "")
    mend = f"set provider and model of capabilityDiscovery in {agent_folder / 'settings.json'}"
    assert f"no model is named, so llama/iq3 is asked; to ask another, {mend}" in done.err


def test_a_faulty_configuration(pilotage: Pilotage, session: Path, agent_folder: Path) -> None:
    """A faulty configuration is told with every fault, and nothing is asked (spec G2)."""
    (agent_folder / "settings.json").write_text('{"capabilityDiscovery": {"model": 3, "autoRecommend": true}}')
    done = pilotage("review", session)
    assert (done.status, done.out) == (1, "")
    assert "model must be text; autoRecommend is not a key" in done.err


def test_dry_run(pilotage: Pilotage, session: Path, serve: Callable[..., ModelServer]) -> None:
    """The request that would be sent is the one that is sent then; secrets are replaced and counted (spec M9)."""
    server = serve(says())
    done = pilotage("review", session, "--dry-run")
    assert (done.status, server.requests) == (0, [])
    assert f"for own/m at {server.url}/chat/completions: " in done.err
    assert "1 secret replaced; nothing was sent" in done.err
    assert KEY not in done.out
    pilotage("review", session)
    assert json.loads(done.out) == server.requests[0].body


def test_what_a_model_says_steers_no_terminal(
    pilotage: Pilotage, session: Path, serve: Callable[..., ModelServer]
) -> None:
    """A model's words are one line each and never a command to a terminal (spec U8)."""
    hostile = HOSTILE.encode("utf-8", "replace").decode()
    serve(says((f"Undo.\n2. Forged{hostile}", hostile)))
    done = pilotage("review", session)
    assert len(done.lines) == 2
    assert not set(done.out) & set("\x1b\x07\x9b\u202e\u2066\x00")
    text = pilotage("review", session, "--json").out
    assert not set(text) & set("\x1b\x07\x9b\u202e\u2066\x00")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--every", "3"], "--every goes with --follow"),
        (["--follow", "--dry-run"], "does not go with --follow"),
        (["--follow", "--every", "0"], "--every is at least 1"),
        (["--every", "-1"], "a whole number"),
    ],
)
def test_wrong_use(pilotage: Pilotage, session: Path, arguments: list[str], words: str) -> None:
    """Options that make no sense together are wrong use (spec L1)."""
    done = pilotage("review", session, *arguments)
    assert done.status == 2
    assert words in done.err


def test_sessions_that_are_none(pilotage: Pilotage, tmp_path: Path, serve: Callable[..., ModelServer]) -> None:
    """A session that is not there is wrong use, one that cannot be read a failure (spec L1)."""
    server = serve(says())
    assert pilotage("review", tmp_path / "gone.jsonl").status == 2
    (tmp_path / "odd.jsonl").write_text("no session\n")
    done = pilotage("review", tmp_path / "odd.jsonl")
    assert (done.status, server.requests) == (1, [])
    assert "not a session" in done.err or "odd.jsonl" in done.err


def test_a_model_that_takes_its_time(pilotage: Pilotage, session: Path, serve: Callable[..., ModelServer]) -> None:
    """After a second it says whom one waits for (spec L4)."""
    serve(says(delay_ms=1300))
    done = pilotage("review", session)
    assert done.err.startswith("asking own/m: 1 s\nno reminder")


def test_following(session: Path, serve: Callable[..., ModelServer]) -> None:
    """With --follow a review comes every N steps as they happen; Ctrl-C ends it well (spec R8, R1)."""
    server = serve(says(PAIR), says())
    words = [*COMMAND, "review", str(session), "--follow", "--every", "2", "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stderr
        assert "every 2 steps from here on" in process.stderr.readline()
        more = [agent(call("d", command="y")), ran("d"), agent(text="Done."), user("Again."), agent(call("e"))]
        added = lines_of([*BEGIN, ran("c"), *more, ran("e"), agent(text="Done.")])
        record = _grow(session, added[3:5], process.stdout)
        assert (record["step"], record["outcome"]) == (2, "ok")
        assert server.requests
        record = _grow(session, added[5:], process.stdout)
        assert (record["step"], record["reminders"]) == (2, [])
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
    assert len(server.requests) == 2


def _grow(session: Path, lines: list[str], out: IO[str]) -> dict[str, object]:
    """Let the host write these lines; the next record that is printed."""
    with session.open("a") as file:
        file.writelines(lines)
        os.fsync(file.fileno())
    record: dict[str, object] = json.loads(out.readline())
    return record
