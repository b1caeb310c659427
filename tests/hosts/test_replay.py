import json
import time
from pathlib import Path

import pytest

from pilotage.hosts.replay import LONGEST, SHORTEST, Replay, paced
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


@pytest.mark.parametrize("name", ["plain", "rejects", "branch", "codemode", "image"])
def test_plays_every_line(data: Path, tmp_path: Path, name: str) -> None:
    """Everything but the times is written as it was recorded, in order."""
    lines = played(data / f"{name}.jsonl", tmp_path / "s.jsonl")
    recorded = (data / f"{name}.jsonl").read_bytes().splitlines()
    assert [undated(line) for line in lines] == [undated(line) for line in recorded]
    assert all(line.endswith(b"\n") for line in lines)


def test_times_are_those_of_the_replay(data: Path, tmp_path: Path) -> None:
    """A played session is of now, in entries and messages, so that it looks live."""
    began = time.time()
    lines = played(data / "plain.jsonl", tmp_path / "s.jsonl")
    times = [found.time for found in opened(tmp_path / "s.jsonl").items]
    assert all(moment is not None and moment >= began - 0.001 for moment in times)
    stamps = [json.loads(line).get("message", {}).get("timestamp") for line in lines]
    assert all(stamp >= int(began * 1000) for stamp in stamps if stamp is not None)


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
