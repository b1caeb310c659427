from pathlib import Path

import pytest

from pilotage.console.evidence_opening import EvidencePart, Ground, OpenedAttempt, open_attempt, stamp_of
from pilotage.evidence.child import begin_child
from pilotage.evidence.read import Attempts
from pilotage.inference.question import Question, Reply
from pilotage.records.attempt import Attempt, ChildSession, Prepared, Purpose
from pilotage.sessions.read import read_session
from tests.console.evidenced import begins, ends, opened, pair, review, reviewed
from tests.evidence.asked import ACTIONS, BROKEN, CAME, ORIGIN, QUESTION
from tests.handmade import Fields, agent, user, write_session

SECRET = "ghp_" + "a1B2" * 10


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep children below a folder of the test's own."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


def prepared_by(attempts: Attempts, attempt: Attempt) -> Prepared | None:
    """Give what an attempt brought."""
    return next((one for one in attempts.prepared if one.attempt == attempt.id), None)


def opened_of(path: Path, number: int, *folders: Path) -> OpenedAttempt:
    """Open one attempt of a session."""
    timeline, attempts = opened(path)
    attempt = attempts.ordered()[number]
    return open_attempt(timeline.session, attempt, prepared_by(attempts, attempt), folders)


def part(opened_attempt: OpenedAttempt, name: str) -> EvidencePart:
    """Give a part that is there."""
    found = opened_attempt.part(name)
    assert found is not None
    return found


def made(folder: Path, *entries: Fields, child: str = "") -> OpenedAttempt:
    """Open the attempt of a made session."""
    path = write_session(folder / "s.jsonl", user(), begins(review()), *entries)
    return opened_of(path, 0)


def test_recorded_review(data: Path, tmp_path: Path) -> None:
    """All that was sent and came back, to the letter, and where each text stands (spec U5, E1, E4)."""
    told = opened_of(reviewed(data, tmp_path), 2)
    assert told.fault == ""
    assert told.model == "example/glm-5.3"
    assert [(one.name, one.ground) for one in told.parts] == [
        ("system", Ground.RECORDED),
        ("input", Ground.RECORDED),
        ("request", Ground.RECORDED),
        ("output", Ground.RECORDED),
        ("response", Ground.RECORDED),
        ("origin", Ground.RECORDED),
        ("told", Ground.RECORDED),
        ("notes", Ground.RECORDED),
        ("states", Ground.RECONSTRUCTED),
    ]
    assert part(told, "input").text.startswith("Below is the material of one review")
    assert part(told, "request").text.startswith('{"model": "glm-5.3", "messages": ')
    assert part(told, "output").text.startswith('{"reminders": [["The limit')
    assert part(told, "told").text.startswith("Automatic review by Pilotage after step 4.")
    assert part(told, "notes").text.count('"event": ') == 3
    assert "parent file: " in part(told, "origin").text
    assert part(told, "input").lines == part(told, "input").text.rstrip("\n").count("\n") + 1


def test_recorded_preparation(data: Path, tmp_path: Path) -> None:
    """A preparation has its actions with times and who ran them, the record, and what was made of it (spec E1, P6)."""
    told = opened_of(reviewed(data, tmp_path), 0)
    grounds = {one.name: one.ground for one in told.parts}
    assert grounds["action 3"] is Ground.RECORDED
    assert "by pilotage, confined" in part(told, "action 3").where
    assert part(told, "action 1").text == "read settings.ini\nwhy: The limit stands there.\n\n[survey]\nlimit = 10\n"
    assert (grounds["record"], grounds["given"]) == (Ground.RECORDED, Ground.RECONSTRUCTED)
    assert "suggested skill:survey-checks" in part(told, "given").text
    assert "states" not in grounds


def test_answer_that_could_not_be_used(data: Path, tmp_path: Path) -> None:
    """Of an answer that could not be used the text was taken out of the response's body, which is said (spec E4)."""
    told = opened_of(reviewed(data, tmp_path), 3)
    assert part(told, "output").ground is Ground.RECONSTRUCTED
    assert part(told, "output").text == 'I see one thing: {"reminders": []}'
    assert "did not answer with JSON alone" in told.failure


def test_broken_off(data: Path, tmp_path: Path) -> None:
    """The child of an attempt that was broken off is found by the attempt that it names; no answer is made up."""
    path = reviewed(data, tmp_path)
    told = opened_of(path, 7, tmp_path / "children")
    assert told.fault == ""
    assert told.found is not None
    assert told.found.file.endswith("90b89b.jsonl")
    assert part(told, "request").ground is Ground.RECORDED
    assert part(told, "output").ground is Ground.ABSENT
    assert part(told, "response").ground is Ground.ABSENT
    alone = opened_of(path, 7)
    assert alone.found is None
    assert "that comes with the attempt's end" in alone.fault
    assert [one.name for one in alone.parts] == ["notes"]


def test_missing_child(data: Path, tmp_path: Path) -> None:
    """A child that is gone is said with its path; what the parent tells is still there (spec E3)."""
    path = reviewed(data, tmp_path)
    for child in (tmp_path / "children").iterdir():
        child.unlink()
    told = opened_of(path, 2)
    assert str(tmp_path / "children") in told.fault
    assert told.stamp is None
    assert [one.name for one in told.parts] == ["told", "notes", "states"]


def test_child_that_is_none(tmp_path: Path) -> None:
    """A session that is no evidence, a file without a name, and no child at all are each told."""
    other = write_session(tmp_path / "o.jsonl", user())
    assert "no evidence" in made(tmp_path, ends(review(), child=str(other))).fault
    assert "nothing was asked" in made(tmp_path, ends(review())).fault
    nameless = Attempt("a", Purpose.TRAJECTORY, "", "", outcome="ok", child=ChildSession("", "child-id"))
    session = read_session(other)
    assert open_attempt(session, nameless, None).fault.endswith("child-id")
    strange = Attempt("a", Purpose.TRAJECTORY, "", "", outcome="ok", child=ChildSession("a\0b", "x"))
    assert open_attempt(session, strange, None).fault
    assert stamp_of(strange.child) is None


def test_secrets(tmp_path: Path) -> None:
    """Secrets are hidden in every text and counted, whoever wrote them (spec U9)."""
    asked = Question("trajectory", f"Judge. {SECRET}", f"What was done: {SECRET}", {}, 100)
    child = begin_child(asked, "example/glm-5.3", ORIGIN)
    child.replied(Reply({}, f"token {SECRET} {SECRET}", asked.system, asked.user, CAME))
    told = made(tmp_path, ends(review(), pair(f"Use {SECRET}"), child=child.session.file))
    assert part(told, "output").hidden == 2
    assert all(SECRET not in one.text for one in told.parts)
    assert "[secret: github token]" in part(told, "output").text


def test_child_of_the_original_extension(tmp_path: Path) -> None:
    """A child by the original extension is shown alike; what it never wrote is said to be not recorded (spec E3)."""
    name: Fields = {"type": "session_info", "name": "pi-discovery · trajectory · example/glm-5.3 · x"}
    said = agent(text='[["Count first.", "User: count."]]', stop="stop")
    other = write_session(tmp_path / "o.jsonl", name, user("Judge this."), said, cwd="/tmp/pi-discovery")
    told = made(tmp_path, ends(review(), child=str(other)))
    grounds = {one.name: one.ground for one in told.parts}
    assert (grounds["input"], grounds["output"]) == (Ground.RECORDED, Ground.RECORDED)
    assert (grounds["request"], grounds["response"]) == (Ground.ABSENT, Ground.ABSENT)
    assert part(told, "input").text == "Judge this."


def test_child_that_goes_on(tmp_path: Path) -> None:
    """The stamp of a child changes when it is written to; there is none of a child that is not there."""
    child = begin_child(QUESTION, "example/glm-5.3", ORIGIN)
    first = stamp_of(child.session)
    child.failed(BROKEN)
    child.executed(ACTIONS)
    assert stamp_of(child.session) != first
    assert stamp_of(None) is None
    assert stamp_of(ChildSession("", "child-id")) is None
