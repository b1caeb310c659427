"""Children in the real Pi, and the prompt of a session against what Pi really sent."""

import json
import subprocess
from pathlib import Path

import pytest

from pilotage.evidence.child import Child, begin_child
from pilotage.evidence.contents import read_child
from pilotage.sessions.prompt import prompt_of
from pilotage.sessions.read import read_session
from tests.cli.program import run
from tests.evidence.asked import ACTIONS, BROKEN, ORIGIN, QUESTION, REPLY
from tests.pi.find import Pi
from tests.pi.home import Home
from tests.pi.run import Run, run_pi
from tests.pi.scenario import HERE, Scenario, load_scenario

pytestmark = pytest.mark.pi

LIST = """
import { SessionManager } from %s;
const [cwd] = process.argv.slice(1);
const told = (list) => list.map(({ path, id, cwd, name, parentSessionPath, messageCount, firstMessage }) =>
  ({ path, id, cwd, name, parentSessionPath, messageCount, firstMessage }));
console.log(JSON.stringify({ own: told(await SessionManager.list(cwd)), all: told(await SessionManager.listAll()) }));
"""


@pytest.fixture
def rig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """Return the folders of a run, in which children are written as if by that run's user."""
    folders = Home(tmp_path)
    folders.temporary.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folders.folder))
    monkeypatch.setattr("tempfile.tempdir", str(folders.temporary))
    return folders


@pytest.fixture
def child(rig: Home) -> Child:
    """Return a child that was just begun in the run's folders."""
    return begin_child(QUESTION, "example/glm-5.3", ORIGIN)


def go_on(child: Child, pi: Pi, folder: Path) -> Run:
    """Ask a child something with the real Pi, as a person would."""
    scenario = Scenario(prompts=["Why so?"], turns=[{"text": "Because."}], arguments=["--session", child.session.file])
    return run_pi(scenario, pi, folder)


@pytest.mark.parametrize("stage", ["begun", "sent", "answered", "executed", "failed"])
def test_pi_goes_on_with_a_child(pi: Pi, rig: Home, child: Child, stage: str) -> None:
    """Pi opens a child by its path at every stage, keeps its bytes, and the model is given what it holds (F9, E1)."""
    if stage == "sent":
        child.sent(REPLY.exchange)
    elif stage == "failed":
        child.failed(BROKEN)
    elif stage != "begun":
        child.replied(REPLY)
    if stage == "executed":
        child.executed(ACTIONS)
    before = Path(child.session.file).read_text("utf-8")
    gone_on = go_on(child, pi, rig.root)
    assert (gone_on.exit_code, gone_on.output.strip(), gone_on.errors) == (0, "Because.", "")
    assert len(gone_on.sessions) == 1
    assert gone_on.sessions[0].startswith(before)
    sent = gone_on.requests[0].body["messages"]
    assert sent[0]["content"].startswith(QUESTION.system)
    told = json.dumps(sent)
    assert "What was done" in told
    assert "Why so?" in told
    assert ("exit 1" in told) is (stage == "executed")
    assert [message["role"] for message in sent[1:]] == {
        "begun": ["user", "user"],
        "sent": ["user", "user"],
        "failed": ["user", "user"],
        "answered": ["user", "assistant", "user"],
        "executed": ["user", "assistant", "assistant", "tool", "tool", "user"],
    }[stage]


def test_what_a_person_asked_later_is_no_evidence(pi: Pi, rig: Home, child: Child) -> None:
    """After Pi went on with a child, its evidence is what it was, and `pilotage snap` tells both (spec E1, J1)."""
    child.replied(REPLY)
    before = read_child(Path(child.session.file))
    go_on(child, pi, rig.root)
    assert read_child(Path(child.session.file)) == before
    told = run("snap", child.session.file).stdout.decode().splitlines()
    assert told[-3:] == ['agent: {"reminders":[]}', "user: Why so?", "agent: Because."]


def test_pi_lists_a_child(pi: Pi, rig: Home, child: Child) -> None:
    """Pi lists a child under its name among those of the children's folder and among all (spec F9)."""
    child.replied(REPLY)
    package = pi.packages / "node_modules" / "@earendil-works" / "pi-coding-agent" / "dist" / "index.js"
    cwd = str(rig.temporary / "pilotage")
    listed = subprocess.run(
        [str(pi.node), "--input-type=module", "-e", LIST % json.dumps(package.as_uri()), cwd],
        capture_output=True,
        check=True,
        text=True,
        timeout=60,
        env=rig.environment(pi),
    )
    expected = {
        "path": child.session.file,
        "id": child.session.id,
        "cwd": cwd,
        "name": f"pilotage · trajectory · example/glm-5.3 · {child.session.id}",
        "parentSessionPath": "/home/dev/parent.jsonl",
        "messageCount": 3,
        "firstMessage": QUESTION.user,
    }
    assert json.loads(listed.stdout) == {"own": [expected], "all": [expected]}


@pytest.mark.parametrize("name", ["plain", "deferred", "compaction"])
def test_prompt_is_what_pi_sent(pi: Pi, tmp_path: Path, name: str) -> None:
    """The prompt and the tools read from a session are those of Pi's last request, to the letter (spec R2)."""
    played = run_pi(load_scenario(HERE / "scenarios" / f"{name}.json"), pi)
    path = tmp_path / "s.jsonl"
    path.write_text(played.sessions[0], "utf-8")
    prompt, last = prompt_of(read_session(path)), played.requests[-1].body
    assert prompt.text == last["messages"][0]["content"]
    declared = [tool["function"] for tool in last["tools"]]
    assert [(tool["name"], tool["description"], tool["parameters"]) for tool in prompt.tools] == [
        (tool["name"], tool["description"], tool["parameters"]) for tool in declared
    ]
