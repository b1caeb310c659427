import json
from pathlib import Path

from pilotage.evidence.child import Child
from pilotage.evidence.contents import read_child
from pilotage.evidence.diagnostics import end_data, start_data
from pilotage.evidence.moved import Fields, child_name, with_child, with_parent
from pilotage.evidence.read import read_attempts
from pilotage.records.attempt import ChildSession
from pilotage.sessions.read import read_session
from tests.evidence.asked import REPLY, SUBJECT
from tests.handmade import user, write_session

ENDED = end_data(SUBJECT, 2.0, outcome="ok", began=1.0, child=ChildSession("/elsewhere/child.jsonl", "child"))


def note(data: Fields, custom_type: str = "capability-prefetch-diagnostic") -> Fields:
    """Give a custom entry."""
    return {"type": "custom", "customType": custom_type, "data": data}


def test_name_of_a_child() -> None:
    """Only a diagnostic entry that names a file points to a child; its name is no path."""
    assert child_name(note(ENDED)) == "child.jsonl"
    assert child_name(note(ENDED, "another")) == ""
    assert child_name(note(start_data(SUBJECT, 1.0))) == ""
    assert child_name(user()) == ""
    for file in ("../../etc/passwd", "/", "..", "", 7):
        assert "/" not in child_name(note({"childSession": {"file": file}}))
    assert child_name({"customType": "capability-prefetch-diagnostic", "data": None}) == ""


def test_moved_child(tmp_path: Path) -> None:
    """An entry points to its child where that lies now, and says all else as before."""
    moved = with_child(note(ENDED), tmp_path / "child.jsonl")
    path = write_session(tmp_path / "s.jsonl", user(), note(start_data(SUBJECT, 1.0)), moved)
    (attempt,) = read_attempts(read_session(path)).items
    assert attempt.child == ChildSession(str(tmp_path / "child.jsonl"), "child")
    assert with_child(moved, Path("/elsewhere/child.jsonl")) == note(ENDED)


def test_moved_parent(child: Child, tmp_path: Path) -> None:
    """A child names its parent where that lies now, and holds all else as before (spec E1)."""
    child.replied(REPLY)
    written = Path(child.session.file)
    entries = [with_parent(json.loads(line), tmp_path / "s.jsonl") for line in written.read_bytes().splitlines()]
    copy = tmp_path / "copy.jsonl"
    copy.write_text("".join(json.dumps(entry) + "\n" for entry in entries), "utf-8")
    before, after = read_child(written), read_child(copy)
    assert before.origin is not None
    assert after.origin is not None
    assert after.origin.file == str(tmp_path / "s.jsonl")
    assert (after.origin.attempt, after.request, after.output) == (before.origin.attempt, before.request, before.output)
    header = read_session(copy).header
    assert header is not None
    assert header.parent == str(tmp_path / "s.jsonl")
