import json
from pathlib import Path

import pytest

from tests.cli.conftest import Pilotage
from tests.handmade import agent, user, write_session


def test_text(pilotage: Pilotage, data: Path) -> None:
    """A session is told as text on stdout, with nothing beside it (spec J1)."""
    done = pilotage("snap", data / "plain.jsonl")
    assert (done.status, done.err) == (0, "")
    assert done.lines == [
        "user: How many nests does notes.txt list?",
        *done.lines[1:-1],
        done.lines[-1],
    ]
    assert any(line.startswith("call read: path=notes.txt") for line in done.lines)
    assert done.lines[-1].startswith("agent: ")


def test_text_as_json(pilotage: Pilotage, data: Path) -> None:
    """As JSON each item is an object with kind, entry, time and text."""
    records = pilotage("snap", data / "abort_stream.jsonl", "--json").records
    assert [list(record) for record in records] == [["kind", "entry", "time", "text"]] * 5
    assert records[2] == {
        "kind": "interruption",
        "entry": "00f13dcf",
        "time": records[2]["time"],
        "text": "the person stopped the agent here",
    }
    assert str(records[2]["time"]).endswith("Z")


@pytest.mark.parametrize(("tail", "count"), [("0", 0), ("1", 1), ("3", 3), ("99", 5)])
def test_tail(pilotage: Pilotage, data: Path, tail: str, count: int) -> None:
    """`--tail N` keeps the last N items, of the text and as JSON (spec J3)."""
    whole = pilotage("snap", data / "abort_stream.jsonl", "--json").records
    kept = pilotage("snap", data / "abort_stream.jsonl", "--json", "--tail", tail).records
    assert (len(kept), kept) == (count, whole[len(whole) - count :])
    text = pilotage("snap", data / "abort_stream.jsonl", "--tail", tail)
    assert (text.status, len(text.lines)) == (0, count)


@pytest.mark.parametrize("tail", ["-1", "x", "1.5", "", "²"])
def test_tail_that_is_no_number(pilotage: Pilotage, data: Path, tail: str) -> None:
    """A tail that is no whole number is wrong use, in plain words."""
    done = pilotage("snap", data / "plain.jsonl", f"--tail={tail}")
    assert (done.status, done.out) == (2, "")
    assert f"argument --tail: a whole number, not {tail!r}" in done.err


def test_trace(pilotage: Pilotage, data: Path) -> None:
    """`--trace` lists every entry in one line with its id, bookkeeping included, and sums up the file (spec J3)."""
    done = pilotage("snap", data / "notes.jsonl", "--trace")
    assert (done.status, len(done.lines)) == (0, 24)
    assert "  716bf16c <- f382191d  2026-11-30T17:41:28  context_edit" in done.out
    assert "custom_message          notes.shown The survey of 2026 is final." in done.out
    assert done.err == "25 lines: 25 clean; 24 entries and 1 header\n"


def test_trace_of_all_branches(pilotage: Pilotage, data: Path) -> None:
    """The trace holds abandoned branches too, with a sign."""
    lines = pilotage("snap", data / "branch.jsonl", "--trace").lines
    assert len(lines) == 16
    assert sum(line.startswith("~") for line in lines) == 8


def test_trace_as_json(pilotage: Pilotage, data: Path) -> None:
    """As JSON each entry says where in the file it stands, to the byte."""
    path = data / "branch.jsonl"
    records = pilotage("snap", path, "--trace", "--json").records
    raw = path.read_bytes()
    for record in records:
        offset, length = record["offset"], record["length"]
        assert isinstance(offset, int)
        assert isinstance(length, int)
        found = json.loads(raw[offset : offset + length])
        assert (found["id"], found["parentId"], found["type"]) == (record["id"], record["parent_id"], record["type"])
    assert sum(record["active"] is False for record in records) == 8


def test_tail_of_the_trace(pilotage: Pilotage, data: Path) -> None:
    """`--tail` keeps the end of the trace as well."""
    whole = pilotage("snap", data / "notes.jsonl", "--trace").lines
    assert pilotage("snap", data / "notes.jsonl", "--trace", "--tail", "3").lines == whole[-3:]
    assert pilotage("snap", data / "notes.jsonl", "--trace", "--tail", "0").lines == []


def test_one_entry(pilotage: Pilotage, data: Path) -> None:
    """Naming an entry shows its place and its fields, a message's one by one (spec J3)."""
    done = pilotage("snap", data / "notes.jsonl", "00ba0ae5")
    assert (done.status, done.err) == (0, "")
    assert done.lines[0].startswith("place: line 15, ")
    assert "type: message" in done.lines
    assert "message.command: echo '[by hand]'; exit 3" in done.lines
    assert "message.exitCode: 3" in done.lines


def test_one_entry_as_json(pilotage: Pilotage, data: Path) -> None:
    """With `--json` an entry is the object that stands in the file (spec J3)."""
    path = data / "notes.jsonl"
    record = pilotage("snap", path, "00ba0ae5", "--json").records
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert record == [line for line in lines if line["id"] == "00ba0ae5"]


def test_entry_of_an_abandoned_branch(pilotage: Pilotage, data: Path) -> None:
    """An entry is shown wherever in the file it is."""
    assert "message.role: toolResult" in pilotage("snap", data / "branch.jsonl", "ea2b4c86").lines


def test_entry_of_version_1(pilotage: Pilotage, data: Path) -> None:
    """An entry that its host gave no id goes by its line."""
    assert "message.role: user" in pilotage("snap", data / "version1.jsonl", "L2").lines


def test_unknown_entry(pilotage: Pilotage, data: Path) -> None:
    """An id that is not in the file is wrong use, and the sentence says where ids are listed."""
    done = pilotage("snap", data / "plain.jsonl", "nope")
    assert (done.status, done.out) == (2, "")
    assert done.err == (
        f"pilotage: no entry 'nope' in {data / 'plain.jsonl'}; `pilotage snap SESSION --trace` lists all with ids\n"
    )


def test_deep_entry(pilotage: Pilotage, tmp_path: Path) -> None:
    """An entry that is nested deeper than any stack is shown as far as it goes (spec F3)."""
    path = write_session(tmp_path / "s.jsonl", user())
    deep = f'{{"type":"custom","id":"deep","parentId":"e1","data":{"[" * 100_000}{"]" * 100_000}}}\n'
    path.write_text(path.read_text() + deep)
    for words in ([], ["--json"]):
        assert pilotage("snap", path, "deep", *words).status == 0
    assert pilotage("snap", path).out == "user: Go on.\n"


def test_empty_trajectory(pilotage: Pilotage, tmp_path: Path) -> None:
    """A session in which nothing was said prints nothing at all."""
    path = write_session(tmp_path / "s.jsonl", {"type": "label"})
    assert pilotage("snap", path).out == ""
    assert pilotage("snap", path, "--json").out == ""


def test_damage_is_told(pilotage: Pilotage, tmp_path: Path) -> None:
    """What was lost of the file is said beside the text (spec F3)."""
    path = write_session(tmp_path / "s.jsonl", user(), agent(text="Well.", stop="stop"))
    path.write_bytes(path.read_bytes() + b"\x00\x00\n")
    done = pilotage("snap", path)
    assert done.out == "user: Go on.\nagent: Well.\n"
    assert done.err.splitlines()[0] == "4 lines: 3 clean, 1 damaged; 2 entries and 1 header"


def test_time_that_no_calendar_has(pilotage: Pilotage, tmp_path: Path) -> None:
    """A time outside the calendar is no time, and no crash."""
    for stamp in ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2026-13-45", ""):
        path = write_session(tmp_path / "s.jsonl", user(timestamp=stamp), timestamp=stamp)
        for words in (["snap", "--json"], ["snap", "--trace"], ["snap", "--trace", "--json"], ["sessions", "--json"]):
            assert pilotage(words[0], path, *words[1:]).status == 0
