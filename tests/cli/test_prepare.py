"""`pilotage prepare` against a scripted model."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pilotage.evidence.contents import read_child
from tests.cli.conftest import Pilotage, Ran
from tests.handmade import HOSTILE, agent, call, ran, user, write_session
from tests.pi.model_server import ModelServer
from tests.pi.preparing import ELSE, Json, predicts, reading, running
from tests.pi.scenario import Scenario

SKILL = "---\nname: tides\ndescription: Know the tides.\n---\nAsk the harbour.\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder that the command runs in; it holds a file, and the person has a skill."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "notes.txt").write_text("one\ntwo\n")
    skill = Path.home() / ".pi" / "agent" / "skills" / "tides" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text(SKILL)
    monkeypatch.chdir(folder)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    return folder


@contextmanager
def answering(*rules: Json, **block: object) -> Iterator[ModelServer]:
    """Serve a model that answers by these rules, and name it in Pi's files."""
    agent_folder = Path.home() / ".pi" / "agent"
    agent_folder.mkdir(parents=True, exist_ok=True)
    with ModelServer(Scenario(rules=[*rules, ELSE])) as server:
        provider = {"baseUrl": server.url, "api": "openai-completions", "apiKey": "k", "models": [{"id": "glm-5.3"}]}
        (agent_folder / "models.json").write_text(json.dumps({"providers": {"example": provider}}))
        named = {"provider": "example", "model": "glm-5.3", **block}
        (agent_folder / "settings.json").write_text(json.dumps({"capabilityDiscovery": named}))
        yield server


def sessions() -> list[Path]:
    """Give all session files of the person."""
    return sorted((Path.home() / ".pi" / "agent" / "sessions").rglob("*.jsonl"))


def check_statuses(done: Ran, status: int, *words: str) -> None:
    """Check how a command ended and what it said."""
    assert done.status == status, done.err
    assert [word for word in words if word not in done.err] == []
    assert "Traceback" not in done.err


COUNT = predicts("Count", *reading("notes.txt"), running("wc -l < notes.txt"), capabilities=["skill:tides"])


def test_table(pilotage: Pilotage, project: Path) -> None:
    """People see what is suggested and what each action brought, and where the evidence lies (spec L1)."""
    with answering(COUNT):
        done = pilotage("prepare", "Count the notes.")
    check_statuses(done, 0, "evidence: ")
    assert done.lines[0].startswith("skill:tides  To see what is asked  ")
    assert done.lines[0].endswith("/skills/tides/SKILL.md")
    assert done.lines[1:4] == ["read  project:notes.txt  To see what is asked", "    one", "    two"]
    assert done.lines[4:] == ["bash  wc -l < notes.txt  To see what is asked", "    2"]


def test_json(pilotage: Pilotage, project: Path) -> None:
    """A program gets one object with all of it; the evidence holds the question and the actions (spec L1, E1)."""
    with answering(COUNT) as server:
        done = pilotage("prepare", "Count the notes.", "--json")
        (request,) = server.requests
    (told,) = done.records
    assert (done.status, told["outcome"], told["model"]) == (0, "ok", "example/glm-5.3")
    assert told["capabilities"] == [{"id": "skill:tides", "why": "To see what is asked"}]
    read, counted = told["actions"]  # type: ignore[misc]
    assert (read["tool"], read["target"], read["text"], read["done"]) == (
        *("read", "project:notes.txt", "one\ntwo\n"),
        True,
    )
    assert (counted["tool"], counted["text"], counted["is_error"]) == ("bash", "2\n", False)
    (path,) = sessions()
    child = read_child(path)
    assert told["child"] == {"file": str(path), "id": child.id}
    assert [action.tool for action in child.actions] == ["read", "bash"]
    assert "Count the notes." in request.body["messages"][1]["content"]


def test_dry_run(pilotage: Pilotage, project: Path) -> None:
    """A dry run shows what would be done, and does none of it."""
    marker = predicts("Count", *reading("notes.txt"), running("touch ran"))
    with answering(marker):
        done = pilotage("prepare", "Count.", "--dry-run")
        told = pilotage("prepare", "Count.", "--dry-run", "--json").records[0]
    check_statuses(done, 0, "nothing of it was read or run (--dry-run)")
    assert [line.split("  ")[1] for line in done.lines] == ["project:notes.txt", "touch ran"]
    assert told["actions"] == [
        {"tool": "read", "target": "project:notes.txt", "why": "To see what is asked"},
        {"tool": "bash", "target": "touch ran", "why": "To see what is asked"},
    ]
    assert not (project / "ran").exists()


def test_session(pilotage: Pilotage, project: Path, tmp_path: Path) -> None:
    """In a session its history and its folder count, what it holds is not read again, and it stays as it is (P7)."""
    entries = [user("Read it."), agent(call("a", "read", path="notes.txt")), ran("a", "one\ntwo\n")]
    path = write_session(tmp_path / "s.jsonl", *entries, agent(text="So.", stop="stop"), cwd=str(project))
    before = path.read_bytes()
    with answering(COUNT) as server:
        done = pilotage("prepare", "Count the notes.", "--session", path)
        (request,) = server.requests
    check_statuses(done, 0)
    assert "user: Read it." in request.body["messages"][1]["content"]
    held = "    not done: the agent's context still holds all of it, and the file has not changed"
    assert done.lines[2:] == [held, "bash  wc -l < notes.txt  To see what is asked", "    2"]
    assert path.read_bytes() == before


def test_folder(pilotage: Pilotage, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--cwd` names the project."""
    monkeypatch.chdir(tmp_path)
    with answering(COUNT):
        done = pilotage("prepare", "Count the notes.", "--cwd", "project")
    assert "    two" in done.lines


def test_unconfined_commands(pilotage: Pilotage, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no command can be confined that is said, and a setting refuses them all (spec P5)."""
    monkeypatch.setenv("PATH", str(project))
    with answering(predicts("Count", running("echo $((40 + 2))"))):
        done = pilotage("prepare", "Count.")
        check_statuses(done, 0, "commands run unconfined: no `bwrap` on the search path; install bubblewrap")
        assert done.lines[1:] == ["    42"]
        settings = Path.home() / ".config" / "pilotage" / "settings.toml"
        settings.parent.mkdir(parents=True)
        settings.write_text("confined-only = true\n")
        done = pilotage("prepare", "Count.")
    assert done.lines[1].startswith("    not done: only confined commands may run; ")


def test_long_and_hostile_output(pilotage: Pilotage, project: Path) -> None:
    """Of a long result the beginning is shown, and nothing of it can steer a terminal (spec U8)."""
    (project / "notes.txt").write_text("\n".join([HOSTILE.encode("utf-8", "replace").decode()[:20], *"abcdefghijkl"]))
    with answering(predicts("Count", *reading("notes.txt"))):
        done = pilotage("prepare", "Count.")
    assert done.status == 0
    assert done.lines[-1].startswith("    … ")
    assert all(line.isprintable() for line in done.lines)


def test_no_model(pilotage: Pilotage, project: Path) -> None:
    """Where no model is named and none answers, what to set is said (spec M8)."""
    agent_folder = Path.home() / ".pi" / "agent"
    providers = {"llama": {"baseUrl": "http://127.0.0.1:9/v1", "models": [{"id": "iq3"}], "apiKey": "k"}}
    (agent_folder / "models.json").write_text(json.dumps({"providers": providers}))
    done = pilotage("prepare", "Count.")
    check_statuses(
        done,
        1,
        "llama/iq3 cannot be reached at http://127.0.0.1:9/v1",
        f"set provider and model of capabilityDiscovery in {agent_folder / 'settings.json'}",
    )
    assert done.out == ""


@pytest.mark.parametrize(
    ("block", "words"),
    [({"provider": "nowhere"}, "the provider of nowhere/glm-5.3 stands in no file"), ({"prefetch": 1}, "prefetch")],
)
def test_faulty_configuration(pilotage: Pilotage, project: Path, block: Json, words: str) -> None:
    """A configuration that cannot be used is named, and nobody is asked (spec G2)."""
    with answering(COUNT, **block) as server:
        done = pilotage("prepare", "Count the notes.")
        assert server.requests == []
    check_statuses(done, 1, words)


def test_faulty_settings(pilotage: Pilotage, project: Path) -> None:
    """Settings that cannot be used are named: whether commands may run unconfined stands there (spec G3)."""
    settings = Path.home() / ".config" / "pilotage" / "settings.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text("confined-only = 1\n")
    with answering(COUNT):
        check_statuses(pilotage("prepare", "Count."), 1, "confined-only must be true or false")


def test_bad_answer(pilotage: Pilotage, project: Path) -> None:
    """A failure is 1 with its sentence and the way to the evidence; as JSON it is the object (spec L1)."""
    with answering():
        done = pilotage("prepare", "Anything.")
        told = pilotage("prepare", "Anything.", "--json").records[0]
    check_statuses(done, 1, "did not answer with JSON alone", "evidence: ")
    assert (told["outcome"], told["failure"], told["actions"]) == ("failed", "not-json", [])


def test_nothing_suggested(pilotage: Pilotage, project: Path) -> None:
    """A model that suggests nothing is done, and that is said."""
    with answering(predicts("Count")):
        done = pilotage("prepare", "Count.")
    check_statuses(done, 0, "the model suggests nothing for this request")
    assert done.out == ""


@pytest.mark.parametrize(
    "words", [["prepare"], ["prepare", " "], ["prepare", "x", "--cwd", "gone"], ["prepare", "x", "--session", "gone"]]
)
def test_wrong_use(pilotage: Pilotage, project: Path, words: list[str]) -> None:
    """Wrong use is 2, with words and no data (spec L1)."""
    done = pilotage(*words)
    assert (done.status, done.out) == (2, "")
    assert done.err
