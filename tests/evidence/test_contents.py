import json
import re
from pathlib import Path

import pytest

from pilotage.evidence.child import Child, Origin
from pilotage.evidence.contents import ForeignSession, read_child
from pilotage.records.attempt import Purpose
from pilotage.records.fields import as_dict
from pilotage.sessions.read import UnreadableSession
from tests.evidence.asked import ACTIONS, BROKEN, CAME, ORIGIN, QUESTION, REPLY
from tests.handmade import Fields, agent, call, ran, user, write_session


def said(entry: Fields, **message: object) -> Fields:
    """Give an answer with more in its message."""
    return entry | {"message": as_dict(entry["message"]) | message}


def test_whole_child(child: Child) -> None:
    """What was written is read again to the letter (spec E1)."""
    child.replied(REPLY)
    child.executed(ACTIONS)
    read = read_child(Path(child.session.file))
    assert (read.id, read.purpose, read.model, read.origin) == (
        *(child.session.id, Purpose.TRAJECTORY, "example/glm-5.3"),
        ORIGIN,
    )
    assert (read.system, read.input, read.output) == (QUESTION.system, QUESTION.user, REPLY.text)
    assert (read.request, read.response, read.url, read.status) == (CAME.request, CAME.response, CAME.url, 200)
    assert (read.seconds, read.tokens, read.replaced) == (1.25, (900, 12), 2)
    assert (read.failure, read.words, read.is_answered) == ("", "", True)
    assert read.actions == ACTIONS


def test_question_alone(child: Child) -> None:
    """A child whose process died while the model thought holds the question."""
    read = read_child(Path(child.session.file))
    assert (read.input, read.output, read.is_answered, read.model) == (QUESTION.user, "", False, "example/glm-5.3")


def test_failure(child: Child) -> None:
    """A failure is told by its kind and its words."""
    child.failed(BROKEN)
    read = read_child(Path(child.session.file))
    assert (read.failure, read.words, read.output) == ("unreachable", str(BROKEN), "")
    assert read.request == CAME.request


def test_child_that_a_person_went_on_with(child: Child) -> None:
    """What a person said in a child later is no part of the evidence."""
    child.replied(REPLY)
    path = Path(child.session.file)
    renamed: Fields = {"type": "session_info", "name": "A strange one"}
    for entry in (renamed, user("Why?"), agent(call("x", command="ls"), text="Because."), ran("x")):
        with path.open("a") as file:
            file.write(json.dumps({**entry, "id": str(len(path.read_bytes())), "parentId": None}) + "\n")
    read = read_child(path)
    assert (read.input, read.output, read.actions) == (QUESTION.user, REPLY.text, ())
    assert (read.name, read.purpose) == ("A strange one", Purpose.TRAJECTORY)


def test_child_of_the_original_extension(tmp_path: Path) -> None:
    """A child of the original extension is read as far as its fields are known (spec E3)."""
    path = write_session(
        tmp_path / "c.jsonl",
        {"type": "session_info", "name": "pi-discovery · preparation · zai/glm-5.3-flash · c-1"},
        {
            "type": "custom",
            "customType": "pi-discovery-origin",
            "data": {"origin": {"sessionId": "p-1", "sessionFile": "/p.jsonl", "leafId": "l-1"}},
        },
        {"type": "message", "message": {"role": "system", "content": "", "sections": {"preamble": "Predict."}}},
        user("Task: tides."),
        said(
            agent(text='{"suggestions":[]}', stop="stop"),
            provider="zai",
            model="glm-5.3-flash",
            usage={"input": 5, "output": 2},
        ),
        cwd="/tmp/pi-discovery",
    )
    read = read_child(path)
    assert read.origin == Origin("p-1", "/p.jsonl", "l-1", "", "")
    assert (read.purpose, read.system, read.input) == (Purpose.PREPARATION, "Predict.", "Task: tides.")
    assert (read.output, read.model, read.request) == ('{"suggestions":[]}', "zai/glm-5.3-flash", "")
    assert read.tokens == (5, 2)


def test_failed_child_of_the_original_extension(tmp_path: Path) -> None:
    """Where only the answer says that it failed, that is the failure; the header tells where it stems from."""
    failed = agent(stop="error", timed=False)
    failed["message"] = {**failed["message"], "errorMessage": "500"}  # type: ignore[dict-item]
    path = write_session(tmp_path / "c.jsonl", user("Task."), failed, cwd="/tmp/pi-discovery", parentSession="/p.jsonl")
    read = read_child(path)
    assert (read.failure, read.words, read.purpose) == ("error", "500", None)
    assert read.origin == Origin("", "/p.jsonl", None, "", "")


def test_what_is_no_evidence(tmp_path: Path, data: Path) -> None:
    """A missing file, a file that is no session and somebody's session are told apart in words (spec E3)."""
    (tmp_path / "x.jsonl").write_text("x\n")
    for path in (tmp_path / "gone.jsonl", tmp_path / "x.jsonl"):
        with pytest.raises(UnreadableSession, match=re.escape(str(path))):
            read_child(path)
    with pytest.raises(ForeignSession, match="no evidence"):
        read_child(data / "plain.jsonl")
