import json
import os
import re
import stat
from pathlib import Path
from typing import Any

import pytest

from pilotage.evidence.child import Child, begin_child, child_folder
from pilotage.inference.question import Failure, Question, RequestFailed
from pilotage.sessions.child import is_child
from pilotage.sessions.read import read_session
from pilotage.sessions.write import UnwritableSession
from tests.cli.program import run
from tests.evidence.asked import ACTIONS, BROKEN, CAME, ORIGIN, QUESTION, REPLY, SENT

Json = dict[str, Any]


def lines(made: Child) -> list[Json]:
    """Give the records of a child."""
    return [json.loads(line) for line in Path(made.session.file).read_bytes().splitlines()]


def kinds(made: Child) -> list[str]:
    """Give what each entry is: its message's role, its custom type, or its type."""
    return [
        entry.get("customType") or entry.get("message", {}).get("role") or entry["type"] for entry in lines(made)[1:]
    ]


def last(made: Child, kind: str) -> Json:
    """Give the data or the message of the last entry of a kind."""
    at = len(kinds(made)) - kinds(made)[::-1].index(kind)
    entry = lines(made)[at]
    found: Json = entry.get("data") or entry["message"]
    return found


def test_input_is_written_at_once(child: Child, tmp_path: Path) -> None:
    """Before the request is made the child holds its name, its origin and the question (spec E1)."""
    head = lines(child)[0]
    assert kinds(child) == ["session_info", "pilotage-origin", "system", "user"]
    assert lines(child)[1]["name"] == f"pilotage · trajectory · example/glm-5.3 · {child.session.id}"
    assert head["cwd"] == str(tmp_path / "pilotage")
    assert head["parentSession"] == "/home/dev/parent.jsonl"
    assert last(child, "pilotage-origin") == {
        "sessionId": "parent-id",
        "file": "/home/dev/parent.jsonl",
        "leafId": "leaf0001",
        "attempt": "attempt-1",
        "inputId": "input-1",
    }
    assert last(child, "system")["content"] == QUESTION.system
    assert last(child, "user")["content"] == [{"type": "text", "text": QUESTION.user}]


def test_place(child: Child, home: Path, tmp_path: Path) -> None:
    """It lies where Pi keeps the sessions of the children's folder, which is there; nobody else reads either (E1)."""
    folder = f"--{str(tmp_path).strip('/').replace('/', '-')}-pilotage--"
    path = Path(child.session.file)
    assert path.parent == home / ".pi" / "agent" / "sessions" / folder
    assert path.stem.endswith(f"_{child.session.id}")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert (tmp_path / "pilotage").is_dir()
    assert is_child(str(tmp_path / "pilotage"), "")


def test_place_that_the_person_chose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the host's sessions lie flat in a folder of the person's choice, so do children."""
    monkeypatch.setenv("PI_CODING_AGENT_SESSION_DIR", str(tmp_path / "all"))
    made = begin_child(QUESTION, "example/glm-5.3", ORIGIN)
    assert Path(made.session.file).parent == tmp_path / "all"


def test_answer(child: Child) -> None:
    """The request's body and the answer are kept to the letter, with what they cost (spec E1)."""
    child.replied(REPLY)
    assert kinds(child)[4:] == ["pilotage-request", "assistant", "pilotage-response"]
    assert last(child, "pilotage-request") == {
        "url": SENT.url,
        "model": "example/glm-5.3",
        "body": SENT.request,
        "replaced": 2,
    }
    assert last(child, "pilotage-response") == {
        "status": 200,
        "body": CAME.response,
        "seconds": 1.25,
        "tokens": {"input": 900, "output": 12},
    }
    said = last(child, "assistant")
    assert said["content"] == [{"type": "text", "text": REPLY.text}]
    assert (said["provider"], said["model"], said["stopReason"], said["durationMs"]) == (
        "example",
        "glm-5.3",
        "stop",
        1250,
    )
    assert (said["usage"]["input"], said["usage"]["output"], said["usage"]["totalTokens"]) == (900, 12, 912)


def test_request_is_kept_once(child: Child) -> None:
    """A body that was kept when it went out is not kept again with the answer."""
    child.sent(SENT)
    child.sent(SENT)
    child.replied(REPLY)
    assert kinds(child).count("pilotage-request") == 1


def test_failure(child: Child) -> None:
    """A request that failed leaves the request, the reason and whatever came (spec E1)."""
    child.failed(BROKEN)
    assert kinds(child)[4:] == ["pilotage-request", "assistant", "pilotage-response"]
    why = {"kind": "unreachable", "message": "Nothing answers at 127.0.0.1:9931."}
    assert last(child, "pilotage-response")["failure"] == why
    said = last(child, "assistant")
    assert (said["content"], said["stopReason"], said["errorMessage"]) == ([], "error", why["message"])


def test_failure_before_the_request(child: Child) -> None:
    """Where nothing was sent, no request is made up."""
    child.failed(RequestFailed(Failure.NO_KEY, "No key."))
    assert kinds(child)[4:] == ["assistant", "pilotage-response"]


@pytest.mark.parametrize(
    ("failure", "body", "text", "stop"),
    [
        (Failure.NOT_JSON, '{"choices":[{"message":{"content":"Sure: []"}}]}', "Sure: []", "stop"),
        (Failure.CUT_OFF, '{"choices":[{"message":{"content":"[[\\"a"}}]}', '[["a', "length"),
        (Failure.CANCELLED, "", "", "aborted"),
        (Failure.SERVER_ERROR, "<html>", "", "error"),
        (Failure.DROPPED, 'data: {"choices":[{"delta":{"content":"[["}}]}\n\ndata: {"cho', "[[", "stop"),
    ],
)
def test_answers_that_cannot_be_used(child: Child, failure: Failure, body: str, text: str, stop: str) -> None:
    """What a model wrote is kept as it came, though it cannot be used (spec E1)."""
    exchange = type(SENT)(request=SENT.request, response=body, status=200)
    child.failed(RequestFailed(failure, "It cannot be used.", exchange))
    said = last(child, "assistant")
    assert "".join(block["text"] for block in said["content"]) == text
    assert said["stopReason"] == stop
    assert last(child, "pilotage-response")["body"] == body


def test_actions(child: Child) -> None:
    """What was executed stands as calls and results, with the times at which they ran and who ran them (spec E1)."""
    child.replied(REPLY)
    child.executed(ACTIONS[:1])
    child.executed(ACTIONS[1:])
    child.executed(())
    assert kinds(child)[7:] == ["assistant", "toolResult", "assistant", "toolResult"]
    asked, result = last(child, "assistant"), last(child, "toolResult")
    assert asked["content"] == [
        {"type": "toolCall", "id": "pilotage_1", "name": "bash", "arguments": {"command": "false"}}
    ]
    assert asked["timestamp"] == 1_767_600_001_000
    assert asked["usage"]["input"] == 0
    assert (result["toolCallId"], result["isError"], result["durationMs"], result["timestamp"]) == (
        "pilotage_1",
        True,
        300,
        1_767_600_001_300,
    )
    assert result["details"] == {"executor": "pilotage", "confined": True, "began": 1_767_600_001_000}


def test_secrets_are_replaced() -> None:
    """A key in the question does not reach the disk (spec M9)."""
    key = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3gH6"
    made = begin_child(Question("preparation", "Predict.", f"token {key}", {}, 10), "e/m", ORIGIN)
    assert key.encode() not in Path(made.session.file).read_bytes()


def test_two_children_at_once(child: Child) -> None:
    """Two attempts of one moment have a child each."""
    other = begin_child(QUESTION, "example/glm-5.3", ORIGIN)
    assert other.session != child.session
    other.replied(REPLY)
    assert kinds(child) == ["session_info", "pilotage-origin", "system", "user"]


def test_every_stage_is_a_session(child: Child) -> None:
    """Whenever the process dies, what it leaves is read without a damaged line (spec F9)."""
    for step in (lambda: None, lambda: child.sent(SENT), lambda: child.replied(REPLY), lambda: child.executed(ACTIONS)):
        step()
        session = read_session(Path(child.session.file))
        assert (session.tally.damaged, session.tally.unknown) == (0, 0)
        assert len(session.tree.path()) == len(session.tree)


def test_snap_tells_it(child: Child) -> None:
    """`pilotage snap` tells a child as any session (spec J1)."""
    child.replied(REPLY)
    child.executed(ACTIONS)
    told = run("snap", child.session.file).stdout.decode().splitlines()
    assert told == [
        "user: What was done:",
        "call bash",
        'agent: {"reminders":[]}',
        "call read: path=notes.txt",
        "call bash: command=false",
        "  failed",
    ]


@pytest.mark.parametrize("kind", ["file", "link"])
def test_folder_that_is_not_ours(tmp_path: Path, kind: str) -> None:
    """Where something else stands in the folder's place, no evidence is written there."""
    (tmp_path / "elsewhere").mkdir()
    if kind == "file":
        (tmp_path / "pilotage").write_text("")
    else:
        (tmp_path / "pilotage").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UnwritableSession, match=re.escape(str(tmp_path / "pilotage")) + ".*TMPDIR"):
        child_folder()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_folder_of_another_user(tmp_path: Path) -> None:
    """A folder of another user is refused, as its settings could tell Pi where sessions lie."""
    (tmp_path / "pilotage").mkdir()
    os.chown(tmp_path / "pilotage", 12345, 12345)
    with pytest.raises(UnwritableSession, match="TMPDIR"):
        child_folder()
