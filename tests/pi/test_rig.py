"""The rig itself: that what the recordings and the live tests rest on is so."""

import json
import urllib.request
from pathlib import Path

import pytest

from tests.pi.find import Pi
from tests.pi.home import PROJECT
from tests.pi.model_server import ModelServer
from tests.pi.neutral import neutral, restored
from tests.pi.record import DEMO, record, scenarios
from tests.pi.run import RunningPi, run_pi
from tests.pi.scenario import HERE, Scenario, load_scenario

TWO_STEPS = Scenario(
    mode="rpc",
    turns=[
        {"text": "First.", "tool_calls": [{"name": "bash", "arguments": {"command": "echo one; sleep 1.5"}}]},
        {"text": "Done."},
    ],
)


def test_the_model_server_answers_without_streaming_too() -> None:
    """Preparation and review ask without a stream: the answer comes in one piece, and the request is kept."""
    with ModelServer(Scenario(turns=[{"text": "[]"}])) as server:
        body = {"model": "glm-5.3", "messages": [{"role": "user", "content": "Judge."}]}
        request = urllib.request.Request(f"{server.url}/chat/completions", json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=10) as response:
            answer = json.load(response)
    assert answer["choices"][0]["message"]["content"] == "[]"
    assert server.requests[0].body == body


def test_renaming_can_be_undone() -> None:
    """Neutral names become a machine's own again, whatever they contain of each other."""
    names = {"/tmp/a/kestrel-api": "/home/dev/kestrel-api", "/tmp/a/home": "/home/dev", "/tmp/a/tmp": "/tmp"}
    content = "/tmp/a/kestrel-api/x /tmp/a/home/.pi --tmp-a-kestrel-api-- /tmp/a/tmp/log /tmp/a/homes"
    renamed = neutral(content, names)
    assert renamed == "/home/dev/kestrel-api/x /home/dev/.pi --home-dev-kestrel-api-- /tmp/log /tmp/a/homes"
    assert restored("/home/dev/kestrel-api/x /tmp/log", names) == "/tmp/a/kestrel-api/x /tmp/a/tmp/log"


def test_every_recording_has_its_scenario_and_its_origin(data: Path) -> None:
    """Nothing lies in the data folder that the README does not name."""
    told = (data / "README.md").read_text("utf-8")
    files = {path.name for path in data.glob("*.jsonl")}
    assert {name for name in files if f"`{name}`" not in told} == set()
    assert {f"{name}.jsonl" for name in scenarios([]) if name != "demo"} <= files


def test_no_recording_names_a_machine(data: Path) -> None:
    """Temporary folders, and the checkout, are renamed in every recording."""
    for path in [*data.glob("*.jsonl"), DEMO]:
        text = path.read_text("utf-8")
        assert "pilotage-pi-" not in text, path
        assert str(HERE) not in text, path


@pytest.mark.pi
def test_the_session_file_grows_while_pi_works(pi: Pi, tmp_path: Path) -> None:
    """A call is on disk while its tool runs, and its result is not; the folder is known before Pi starts."""
    with RunningPi(TWO_STEPS, pi, tmp_path) as running:
        folder = running.home.session_folder
        assert not folder.exists()
        running.start()
        running.rpc.call({"type": "prompt", "message": "Work."})
        running.wait_for_line("sleep 1.5")
        (session,) = folder.glob("*.jsonl")
        while_it_runs = session.read_text("utf-8")
        running.rpc.wait_for("agent_settled")
        run = running.finish()
    assert '"toolResult"' not in while_it_runs
    assert run.sessions[0].startswith(while_it_runs)
    assert '"toolResult"' in run.sessions[0]
    assert run.exit_code == 0


@pytest.mark.pi
def test_requests_are_recorded_as_pi_made_them(pi: Pi) -> None:
    """Two requests: the prompt alone, then the call and its result behind it."""
    scenario = load_scenario(HERE / "scenarios" / "plain.json")
    run = run_pi(scenario, pi)
    roles = [[message["role"] for message in request.body["messages"]] for request in run.requests]
    assert roles[0] == ["system", "user"]
    assert roles[1] == ["system", "user", "assistant", "tool"]
    assert run.requests[0].headers["authorization"] == "Bearer example-key"
    assert run.output.strip() == "It lists three nests."


@pytest.mark.pi
def test_a_killed_pi_leaves_a_call_without_result(pi: Pi) -> None:
    """SIGKILL in a tool: the file ends at the assistant's line."""
    run = run_pi(load_scenario(HERE / "scenarios" / "killed.json"), pi)
    last = json.loads(run.sessions[0].splitlines()[-1])
    assert run.exit_code == -9
    assert last["message"]["content"][-1]["arguments"]["command"] == "echo surveying; sleep 31"


@pytest.mark.pi
def test_a_recording_is_resumed_where_it_was(pi: Pi, data: Path) -> None:
    """What a resumed recording begins with is the recording, and no folder of this machine is left in it."""
    resumed = record(load_scenario(HERE / "scenarios" / "resume_branch.json"), pi)
    assert resumed.startswith((data / "branch.jsonl").read_text("utf-8"))
    assert json.loads(resumed.splitlines()[0])["cwd"] == f"/home/dev/{PROJECT}"
