"""A session while it is served, by a host that is the test: what is asked, what is kept back, what is told once."""

import asyncio
import json
import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from pilotage.evidence.contents import read_child
from pilotage.evidence.read import read_attempts
from pilotage.hosts.pi.channel import Channel
from pilotage.hosts.pi.serving import Serving
from pilotage.sessions.read import read_session
from pilotage.settings import config_dir
from tests.handmade import agent, call, ran, user, write_session
from tests.pi.model_server import ModelServer
from tests.pi.reviewed import QUESTION, asked, reviewing, rule, says
from tests.pi.scenario import Scenario

Json = dict[str, Any]

ASKED = "Count the nests twice before you write a number down."
COUNT = ("The number was written after one count. Count again.", f'User request: "{ASKED}"')
OTHER = ("The ducks were left out. Count them as well.", 'User request: "and all the ducks on the lower pond"')
PATIENCE = 10.0


class Host:
    """A host of one session, whose file it writes; a model's server beside it."""

    def __init__(self, folder: Path, server: ModelServer, *, settings: Json, file: bool = True) -> None:
        self.folder = folder
        self.file = folder / "s.jsonl" if file else None
        self.server = server
        self.told: list[tuple[str, Json]] = []
        self.answers: dict[int, Json] = {}
        self.is_writable = True
        self.reader = asyncio.StreamReader(limit=1 << 24)
        self._agent = folder / "agent"
        self._agent.mkdir(exist_ok=True)
        (self._agent / "settings.json").write_text(json.dumps(settings))
        self.serving = Serving(Channel(self.reader, self._hear), self._agent, dict(os.environ))
        self._asked = 0

    @property
    def warnings(self) -> list[str]:
        """What the person was told."""
        return [params["words"] for method, params in self.told if method == "warn"]

    @property
    def injected(self) -> list[Json]:
        """The messages with reminders."""
        return [params["message"] for method, params in self.told if method == "inject"]

    @property
    def ends(self) -> list[Json]:
        """The notes of the ends."""
        return [note for note in self.notes if note["event"] == "end"]

    @property
    def notes(self) -> list[Json]:
        """All notes in the session's file."""
        assert self.file
        entries = [json.loads(line) for line in self.file.read_text().splitlines()]
        return [entry["data"] for entry in entries if "data" in entry]

    def say(self, method: str, **params: object) -> None:
        """Say something that needs no answer."""
        self._send({"method": method, "params": params})

    def begin(self, *, trusted: bool = False) -> None:
        """Begin the session, with an input that was delivered."""
        file = str(self.file) if self.file else None
        self.say("session", file=file, id="s", cwd=str(self.folder), trusted=trusted)
        self.say("input", startsRun=True)
        self.say("delivered")

    async def ask(self, method: str) -> Json:
        """Ask, and wait for the answer."""
        self._asked += 1
        number = self._asked
        self._send({"id": number, "method": method, "params": {}})
        await until(lambda: number in self.answers)
        return self.answers[number]

    async def step(self, ends: int) -> None:
        """Let a step end, and wait until so many reviews have ended."""
        self.say("step", counts=True)
        await until(lambda: len(self.ends) >= ends)
        await asyncio.sleep(0.05)

    def _send(self, message: Json) -> None:
        self.reader.feed_data(json.dumps(message).encode() + b"\n")

    def _hear(self, line: bytes) -> None:
        said = json.loads(line)
        if "method" not in said:
            if "taken" not in said:
                self.answers[said["id"]] = said
        elif "id" not in said:
            self.told.append((said["method"], said["params"]))
        else:
            self._send({"id": said["id"], **self._answer(said["method"], said["params"])})

    def _answer(self, method: str, params: Json) -> Json:
        if method == "auth":
            model = {"id": "m", "provider": "own", "api": "openai-completions", "baseUrl": self.server.url}
            return {"result": {"model": model, "auth": {"apiKey": "example-key"}}}
        if method == "append" and self.is_writable:
            return {"result": {"entry": self._append(params)}}
        return {"result": {"entry": "e3"}} if method == "leaf" else {"error": "the disk is full"}

    def _append(self, params: Json) -> str:
        assert self.file
        entry_id = f"n{len(self.notes)}"
        entry = {"type": "custom", "id": entry_id, "parentId": "e3", "timestamp": "2026-01-05T10:00:00.000Z", **params}
        with self.file.open("a") as file:
            file.write(json.dumps(entry) + "\n")
        return entry_id


async def until(is_so: Callable[[], object]) -> None:
    """Wait until something is so."""
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, "it never came to be so"
        await asyncio.sleep(0.01)


def block(every: int = 1, **more: object) -> Json:
    """Give Pi's settings."""
    return reviewing(every, **{"provider": "own", "model": "m", **more})


def served(
    folder: Path,
    act: Callable[[Host], Awaitable[None]],
    *answers: Json,
    settings: Json | None = None,
    file: bool = True,
    session: Path | None = None,
) -> Host:
    """Serve a session while `act` plays the host; the model answers each review with the next of `answers`."""
    if session is None:
        write_session(folder / "s.jsonl", user(ASKED), agent(call("c", command="echo 41")), ran("c", "41"))

    async def both(server: ModelServer) -> Host:
        host = Host(folder, server, settings=block() if settings is None else settings, file=file)
        serving = asyncio.ensure_future(host.serving.serve())
        await act(host)
        host.reader.feed_eof()
        await asyncio.wait_for(serving, PATIENCE)
        return host

    with ModelServer(Scenario(rules=[rule(*answers)])) as server:
        return asyncio.run(both(server))


def states(host: Host) -> list[list[str]]:
    """Give the states of the reminders of each review."""
    return [[reminder["state"] for reminder in end.get("reminders", [])] for end in host.ends]


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep children below a folder of the test's own."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(tmp_path / "agent"))


def test_a_review_is_done(tmp_path: Path) -> None:
    """A step that is due is reviewed with Pi's own key, and its reminder given to the agent (spec R4, M2)."""

    async def act(host: Host) -> None:
        host.begin()
        await host.step(1)

    host = served(tmp_path, act, says(COUNT))
    (message,) = host.injected
    assert message["customType"] == "capability-trajectory-warning"
    assert (message["details"]["step"], message["details"]["reminders"]) == (1, [list(COUNT)])
    (request,) = host.server.requests
    assert request.headers["authorization"] == "Bearer example-key"
    assert QUESTION in request.raw.decode()
    assert host.warnings == []


def test_a_faulty_configuration(tmp_path: Path) -> None:
    """Every fault of both files and of the console's settings is in one warning, and nothing is asked (spec G2)."""
    (tmp_path / ".pi").mkdir()
    (tmp_path / ".pi" / "settings.json").write_text(json.dumps({"capabilityDiscovery": {"autoRecommend": True}}))
    config_dir().mkdir(parents=True)
    (config_dir() / "settings.toml").write_text("hold-unsourced = 3\n")

    async def act(host: Host) -> None:
        host.begin(trusted=True)
        host.say("step", counts=True)
        await asyncio.sleep(0.2)
        await host.ask("close")

    host = served(tmp_path, act, settings=block(provider=3, maxSuggestedActions=9))
    (warning,) = host.warnings
    for fault in (
        "provider must be",
        "maxSuggestedActions must be",
        "project: autoRecommend is",
        "hold-unsourced must",
    ):
        assert fault in warning
    assert warning.startswith("pilotage: nothing is prepared or reviewed: ")
    assert (host.notes, host.server.requests) == ([], [])


@pytest.mark.parametrize(("trusted", "steps"), [(True, [2]), (False, [1, 2])])
def test_a_project_that_is_trusted(tmp_path: Path, trusted: bool, steps: list[int]) -> None:
    """A project's own settings count where Pi trusts it; the model is never its own (spec G4)."""
    (tmp_path / ".pi").mkdir()
    own = {"capabilityDiscovery": {"trajectoryWarningEverySteps": 2, "model": "another"}}
    (tmp_path / ".pi" / "settings.json").write_text(json.dumps(own))

    async def act(host: Host) -> None:
        host.begin(trusted=trusted)
        await host.step(0 if trusted else 1)
        await host.step(1 if trusted else 2)

    host = served(tmp_path, act)
    assert [end["step"] for end in host.ends] == steps
    assert {request.body["model"] for request in host.server.requests} == {"m"}


def test_nothing_is_said_twice(tmp_path: Path) -> None:
    """What the agent was told is held back until a review did not find it; then it is told again (spec R6)."""

    async def act(host: Host) -> None:
        host.begin()
        for number in range(1, 5):
            await host.step(number)
            waiting = [message["details"]["attempt"] for message in host.injected]
            host.say("reminded", attempts=waiting)

    host = served(tmp_path, act, says(COUNT), says(COUNT), says(), says(COUNT))
    assert states(host) == [["waiting"], ["repeated"], [], ["waiting"]]
    assert len(host.injected) == 2


def test_what_came_too_late_may_be_told_again(tmp_path: Path) -> None:
    """A reminder that the agent never read is no repetition when it is found again (spec R6, R4)."""

    async def act(host: Host) -> None:
        host.begin()
        await host.step(1)
        host.say("settled")
        host.say("input", startsRun=True)
        host.say("delivered")
        await host.step(2)

    assert states(served(tmp_path, act, says(COUNT))) == [["waiting"], ["waiting"]]


def test_a_review_that_an_input_overtakes(tmp_path: Path) -> None:
    """It ends as late while the next input's review is at work, and holds that up in nothing (spec R4)."""

    async def act(host: Host) -> None:
        host.begin()
        host.say("step", counts=True)
        await until(lambda: len(host.server.requests) == 1)
        host.say("input", startsRun=False)
        host.say("step", counts=True)
        host.say("delivered")
        await host.step(1)
        host.server.let_go("first")
        await until(lambda: len(host.ends) == 2)

    host = served(tmp_path, act, says(OTHER, hold="first"), says(COUNT))
    assert states(host) == [["waiting"], ["late"]]
    assert len(host.injected) == 1


def test_a_session_that_is_gone_on_with(tmp_path: Path) -> None:
    """What was delivered before a restart is not told again; what was not may be (spec R6)."""

    async def act(host: Host) -> None:
        host.begin()
        await host.step(1)
        host.say("reminded", attempts=[host.injected[0]["details"]["attempt"]])
        assert host.file
        entry = {"type": "custom_message", "id": "m", "parentId": "e3", "timestamp": "2026-01-05T10:00:00.000Z"}
        with host.file.open("a") as file:
            file.write(json.dumps(entry | host.injected[0]) + "\n")

    served(tmp_path, act, says(COUNT))

    async def resume(host: Host) -> None:
        host.begin()
        await host.step(2)

    again = served(tmp_path, resume, says(COUNT, COUNT), session=tmp_path / "s.jsonl")
    assert states(again) == [["waiting"], ["repeated", "repeated"]]
    assert again.injected == []


def test_skills(tmp_path: Path) -> None:
    """A review is given the skills as Pi told them last, with their full descriptions (spec R2)."""

    async def act(host: Host) -> None:
        host.say("skills", skills=[{"name": "ducks", "description": "Ducks are counted at dusk."}])
        host.begin()
        host.say("skills", skills=[{"name": "nests", "description": "Nests are counted at dawn.", "filePath": "/n"}])
        await host.step(1)

    host = served(tmp_path, act)
    sent = host.server.requests[0].raw.decode()
    assert "- nests: Nests are counted at dawn." in sent
    assert "dusk" not in sent


def test_a_session_in_no_file(tmp_path: Path) -> None:
    """Without a session file there is nothing to review, which is said once (spec M8)."""

    async def act(host: Host) -> None:
        host.begin()
        for _ in range(3):
            host.say("step", counts=True)
        await until(lambda: host.warnings)
        await host.ask("close")

    host = served(tmp_path, act, file=False)
    assert host.warnings == ["pilotage: a review failed: this session is kept in no file"]


def test_a_start_that_cannot_be_written(tmp_path: Path) -> None:
    """Where the host cannot write the start, the review is skipped, with a warning once, and nothing is asked (E2)."""

    async def act(host: Host) -> None:
        host.is_writable = False
        host.begin()
        host.say("step", counts=True)
        await until(lambda: host.warnings)
        host.say("step", counts=True)
        await asyncio.sleep(0.1)

    host = served(tmp_path, act)
    (warning,) = host.warnings
    assert "the disk is full" in warning
    assert host.server.requests == []


def test_closing_ends_what_is_at_work(tmp_path: Path) -> None:
    """When Pi leaves, a review at work is void, its note and its evidence are written, and Pi waits for no more."""

    async def act(host: Host) -> None:
        host.begin()
        host.say("step", counts=True)
        await until(lambda: host.server.requests)
        began = time.monotonic()
        assert (await host.ask("close"))["result"] is None
        assert time.monotonic() - began < 5

    host = served(tmp_path, act, says(COUNT, hold="for ever"))
    (end,) = host.ends
    assert (end["outcome"], end["failure"]["kind"]) == ("void", "cancelled")
    assert read_child(Path(end["childSession"]["file"])).request.encode() == host.server.requests[0].raw
    assert host.file
    assert [attempt.outcome for attempt in read_attempts(read_session(host.file)).items] == ["void"]


def test_a_host_that_vanishes(tmp_path: Path) -> None:
    """When the host is gone with a review at work, nothing waits for it any more (spec H4)."""

    async def act(host: Host) -> None:
        host.begin()
        host.say("step", counts=True)
        await until(lambda: host.server.requests)

    began = time.monotonic()
    host = served(tmp_path, act, says(COUNT, hold="for ever"))
    assert time.monotonic() - began < 5
    assert len(asked(host.server.requests)) == 1


def test_words_that_nobody_knows(tmp_path: Path) -> None:
    """Words of a newer extension, and rubbish, are passed over."""

    async def act(host: Host) -> None:
        host.say("weather", sky="blue")
        host.reader.feed_data(b"rubbish\n")
        host.begin()
        await host.step(1)

    assert states(served(tmp_path, act)) == [[]]
