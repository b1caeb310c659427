import json
import time
from datetime import datetime
from pathlib import Path

import pytest

from pilotage.evidence.contents import read_child
from pilotage.evidence.read import read_attempts
from pilotage.hosts.replay import LONGEST, SHORTEST, Replay, paced
from pilotage.sessions.read import read_session
from tests.calls.opened import opened

FAST = 10_000.0


def played(recording: Path, target: Path) -> list[bytes]:
    """Play a whole recording; the lines that it wrote."""
    before = target.stat().st_size if target.exists() else 0
    count = len(recording.read_bytes().splitlines())
    replay = Replay(recording, target, FAST)
    replay.start()
    deadline = time.monotonic() + 20
    while not target.exists() or target.read_bytes()[before:].count(b"\n") < count:
        assert time.monotonic() < deadline, "the replay does not end"
        time.sleep(0.005)
    replay.stop()
    return target.read_bytes().splitlines(keepends=True)


def undated(line: bytes) -> dict[str, object]:
    """Give a line's record without its times."""
    record = json.loads(line)
    record.pop("timestamp")
    record.get("message", {}).pop("timestamp", None)
    return record


def leads(line: bytes) -> float | None:
    """Give by how many seconds a line's message began before it was written."""
    record = json.loads(line)
    stamp = record.get("message", {}).get("timestamp")
    return None if stamp is None else datetime.fromisoformat(record["timestamp"]).timestamp() - stamp / 1000


@pytest.mark.parametrize("name", ["plain", "rejects", "branch", "codemode", "image"])
def test_plays_every_line(data: Path, tmp_path: Path, name: str) -> None:
    """Everything but the times is written as it was recorded, in order."""
    lines = played(data / f"{name}.jsonl", tmp_path / "s.jsonl")
    recorded = (data / f"{name}.jsonl").read_bytes().splitlines()
    assert [undated(line) for line in lines] == [undated(line) for line in recorded]
    assert all(line.endswith(b"\n") for line in lines)


def test_times_are_those_of_the_replay(data: Path, tmp_path: Path) -> None:
    """A played session is of now, so that it looks live; a message began as long before its entry as recorded."""
    began = time.time()
    lines = played(data / "plain.jsonl", tmp_path / "s.jsonl")
    times = [found.time for found in opened(tmp_path / "s.jsonl").items]
    assert all(moment is not None and moment >= began - 0.001 for moment in times)
    recorded = (data / "plain.jsonl").read_bytes().splitlines()
    pairs = [(leads(one), leads(other)) for one, other in zip(lines, recorded, strict=True)]
    assert all(one == pytest.approx(other, abs=0.002) for one, other in pairs)


def test_children_are_played(data: Path, tmp_path: Path) -> None:
    """A child is there when the session names it, where the session says, and names the played session (spec L3)."""
    target = tmp_path / "s.jsonl"
    played(data / "reviewed.jsonl", target)
    attempts = [attempt for attempt in read_attempts(read_session(target)).items if attempt.child]
    assert attempts
    for attempt in attempts:
        assert attempt.child is not None
        file = Path(attempt.child.file)
        assert file.parent == tmp_path / "s"
        child = read_child(file)
        assert child.origin is not None
        assert (child.origin.file, child.origin.attempt) == (str(target), attempt.id)
        assert read_session(file).header.parent == str(target)
        recorded = read_child(data / "reviewed" / file.name)
        assert (child.request, child.output, child.system) == (recorded.request, recorded.output, recorded.system)
    assert {file.name for file in (tmp_path / "s").iterdir()} == {
        Path(attempt.child.file).name for attempt in attempts if attempt.child
    }


def test_evidence_is_of_the_replay(data: Path, tmp_path: Path) -> None:
    """Attempts and what was done for them are of now, each as long as it was."""
    began, target = time.time(), tmp_path / "s.jsonl"
    played(data / "reviewed.jsonl", target)
    now, then = (read_attempts(read_session(path)) for path in (target, data / "reviewed.jsonl"))
    assert all(one.started is not None and one.started > began - 5 for one in now.items)
    assert [one.milliseconds for one in now.items] == [one.milliseconds for one in then.items]
    actions = [action for one in now.prepared for action in one.actions]
    assert actions
    assert all(began - 60 < action.began <= time.time() for action in actions)
    done = [action for one in now.items if one.child for action in read_child(Path(one.child.file)).actions]
    assert all(began - 60 < action.began <= time.time() for action in done)


def test_a_missing_child_is_left_out(data: Path, tmp_path: Path) -> None:
    """A recording without its children is played as it is."""
    (tmp_path / "alone.jsonl").write_bytes((data / "reviewed.jsonl").read_bytes())
    played(tmp_path / "alone.jsonl", tmp_path / "s.jsonl")
    children = [attempt.child for attempt in read_attempts(read_session(tmp_path / "s.jsonl")).items if attempt.child]
    assert children
    assert all(child.file.startswith("/home/dev/") for child in children)
    assert not (tmp_path / "s").exists()


def test_what_others_wrote_is_not_moved(tmp_path: Path) -> None:
    """A time in the words of a session, or in another extension's entry, stays as it was."""
    said = {"role": "user", "content": [{"type": "text", "text": "x", "time": 5}], "timestamp": 1_767_600_000_000}
    others = {"time": "06:12", "began": 7, "timestamp": "2026-01-05T09:00:00.000Z"}
    entries = [
        {"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-05T08:00:00.000Z", "cwd": "/x"},
        {"type": "message", "id": "a", "parentId": None, "timestamp": "2026-01-05T08:00:00.000Z", "message": said},
        {"type": "custom", "id": "b", "parentId": "a", "timestamp": "2026-01-05T08:00:00.000Z", "data": others},
    ]
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    lines = [json.loads(line) for line in played(tmp_path / "r.jsonl", tmp_path / "s.jsonl")]
    assert lines[1]["message"]["content"] == said["content"]
    assert lines[2]["data"] == others


def test_played_session_reads_as_the_recording(data: Path, tmp_path: Path) -> None:
    """The calls of a played session are those of the recording."""
    played(data / "intents.jsonl", tmp_path / "s.jsonl")
    pairs = zip(opened(tmp_path / "s.jsonl").items, opened(data / "intents.jsonl").items, strict=True)
    assert all((one.id, one.outcome, one.chain) == (other.id, other.outcome, other.chain) for one, other in pairs)


def test_goes_on_where_a_file_is(data: Path, tmp_path: Path) -> None:
    """A replay appends, as a host does."""
    target = tmp_path / "s.jsonl"
    target.write_bytes(b"before\n")
    assert played(data / "plain.jsonl", target)[0] == b"before\n"


def test_stops_in_the_middle(data: Path, tmp_path: Path) -> None:
    """A replay that is stopped leaves whole lines only, and no more come."""
    replay = Replay(data / "rejects.jsonl", tmp_path / "s.jsonl", 0.001)
    replay.start()
    replay.stop()
    left = (tmp_path / "s.jsonl").read_bytes()
    assert left == b"" or left.endswith(b"\n")
    assert len(left.splitlines()) < len((data / "rejects.jsonl").read_bytes().splitlines())


def test_pace(data: Path) -> None:
    """Lines up to the user's first words come at once, as Pi writes them; then a pause a person can follow."""
    lines = (data / "abort_tool.jsonl").read_bytes().splitlines(keepends=True)
    pauses = [pause for pause, _ in paced(lines)]
    assert pauses[:5] == [0.0] * 5
    assert all(SHORTEST <= pause <= LONGEST for pause in pauses[5:])
    assert [line for _, line in paced(lines)] == lines


def test_long_silence_is_shortened() -> None:
    """A pause of hours is played as the longest, and lines of one moment with the shortest."""
    stamps = ["2026-01-05T09:00:00.000Z", "2026-01-05T09:00:00.000Z", "2026-01-05T13:00:00.000Z"]
    said = {"message": {"role": "user"}}
    lines = [json.dumps({"timestamp": stamp, **said}).encode() for stamp in stamps]
    assert [pause for pause, _ in paced(lines)] == [0.0, SHORTEST, LONGEST]
