from pathlib import Path

import pytest

from tests.calls.test_detail import KEYS
from tests.cli.conftest import Pilotage, Store
from tests.handmade import agent, call, ran, user, write_session


def test_one_object_a_line(pilotage: Pilotage, data: Path) -> None:
    """Each call is one JSON object with exactly the promised fields (spec K5)."""
    done = pilotage("calls", data / "rejects.jsonl", "--json")
    assert (done.status, done.err) == (0, "")
    assert [list(record) for record in done.records] == [KEYS] * 15


def test_fields_of_an_accepted_call(pilotage: Pilotage, data: Path) -> None:
    """An accepted call's fields are those of the file: the host's id, UTC, milliseconds, no provenance twice."""
    record = pilotage("calls", data / "intents.jsonl", "--json").records[5]
    assert record == {
        "id": "call_6_0",
        "parent_id": None,
        "turn": 1,
        "step": 6,
        "tool": "edit",
        "target": "settings.ini",
        "intent": "Raise the limit as asked",
        "rationale": "settings.ini:2 holds it, once",
        "arguments": {
            "path": "settings.ini",
            "edits": [{"oldText": "limit = 10", "newText": "limit = 20", "intent": "the only edit"}],
        },
        "notes": ["ignored edits.0.intent"],
        "marks": [],
        "time": record["time"],
        "duration_ms": 4,
        "outcome": "ok",
        "rejection": None,
        "chain": {"id": "call_4_0", "try": 3, "identical": False},
        "active": True,
    }
    assert str(record["time"]).startswith("2026-11-30T17:41:26.")
    assert str(record["time"]).endswith("Z")


def test_fields_of_a_rejected_call(pilotage: Pilotage, data: Path) -> None:
    """A rejected call says why, and where in a chain it stands."""
    record = pilotage("calls", data / "rejects.jsonl", "--json").records[9]
    assert record["rejection"] == {
        "kind": "structure",
        "fields": ["edits"],
        "message": 'Validation failed for tool "edit":\n  - edits: missing',
    }
    assert record["chain"] == {"id": "call_9_0", "try": 2, "identical": True}
    assert record["duration_ms"] is None


def test_nested_calls_name_their_parent(pilotage: Pilotage, data: Path) -> None:
    """Only nested calls have a `parent_id`, and they follow it (spec K3)."""
    records = pilotage("calls", data / "codemode.jsonl", "--json").records
    assert [record["parent_id"] for record in records] == [None, None, *["call_2_0"] * 4]


def test_active_branch_by_default(pilotage: Pilotage, data: Path) -> None:
    """Calls of abandoned branches are shown on demand only, and say that they are (spec F5)."""
    assert pilotage("calls", data / "branch.jsonl", "--json").records == []
    every = pilotage("calls", data / "branch.jsonl", "--json", "--all-branches").records
    assert [(record["id"], record["active"]) for record in every] == [("call_2_0", False), ("call_4_0", False)]


def test_nothing_runs_in_a_file_that_is_read_once(pilotage: Pilotage, store: Store) -> None:
    """A call without a result is unanswered, however fresh its file (spec K1)."""
    store.add("killed", "01a2")
    assert [record["outcome"] for record in pilotage("calls", "--json").records] == ["ok", "unanswered"]


@pytest.mark.parametrize("name", ["version1", "version2"])
def test_old_versions(pilotage: Pilotage, data: Path, name: str) -> None:
    """Sessions of versions 1 and 2 have calls like any other (spec F1)."""
    records = pilotage("calls", data / f"{name}.jsonl", "--json", "--all-branches").records
    assert [list(record) for record in records] == [KEYS] * len(records)
    assert all(record["duration_ms"] is None for record in records)


def test_lines_for_people(pilotage: Pilotage, data: Path) -> None:
    """A call for people is one line in columns: time, turn and step, tool, outcome, then intent and target."""
    first = "See where the limit stands, and whether it stands there once"
    assert pilotage("calls", data / "intents.jsonl").lines[1:6] == [
        "17:41:26     1.2  read    rejected missing-intent try 2  settings.ini",
        f"17:41:26     1.3  read    ok 10 ms try 3            {first}  [settings.ini]",
        "17:41:26     1.4  edit    rejected missing-intent   settings.ini",
        "17:41:26     1.5  edit    rejected empty-intent try 2  settings.ini",
        "17:41:26     1.6  edit    ok 4 ms try 3             Raise the limit as asked  [settings.ini]",
    ]


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("failures", "  failed exit 127 7 ms      echo"),
        ("failures", "  failed 512 ms             echo started; sleep 20"),
        ("rejects", "  blocked                   curl --head example.org"),
        ("abort_tool", "  aborted 510 ms            sleep 29"),
        ("killed", "  unanswered                echo surveying; sleep 31"),
        ("codemode", "    mcp__tides__high_water  failed 1 ms               harbour=Tönning"),
    ],
)
def test_outcomes_for_people(pilotage: Pilotage, data: Path, name: str, part: str) -> None:
    """Each outcome is told in words, with what is known of it."""
    assert part in pilotage("calls", data / f"{name}.jsonl").out


def test_abandoned_branch_for_people(pilotage: Pilotage, data: Path) -> None:
    """A call of an abandoned branch says so."""
    lines = pilotage("calls", data / "version2.jsonl", "--all-branches").lines
    assert [line.endswith("(abandoned branch)") for line in lines] == [False, False, True, False]


def test_session_without_calls(pilotage: Pilotage, data: Path) -> None:
    """A session without a call prints nothing and is no failure."""
    done = pilotage("calls", data / "abort_stream.jsonl")
    assert (done.status, done.out, done.err) == (0, "", "")


def test_damage_is_told_beside_the_data(pilotage: Pilotage, data: Path) -> None:
    """What was recovered is said on stderr, and the data is whole (spec F3)."""
    done = pilotage("calls", data / "version1.jsonl", "--json")
    assert (done.status, len(done.records)) == (0, 9)
    assert done.err == "28 lines: 27 clean, 1 recovered; 28 entries and 1 header\n"


def test_lost_bytes_are_told_with_their_place(pilotage: Pilotage, tmp_path: Path) -> None:
    """Each torn line is said with its number, offset and length; beyond ten their number (spec F3)."""
    path = write_session(tmp_path / "s.jsonl", user(), agent(call("c", command="ls")), ran("c"))
    at = path.stat().st_size
    path.write_bytes(path.read_bytes() + b'{"type":"mess\n' * 12)
    words = pilotage("calls", path).err.splitlines()
    assert words[0] == "16 lines: 4 clean, 12 damaged; 3 entries and 1 header"
    assert words[1] == f"  line 5: 13 bytes at byte {at:,} belong to no record"
    assert (len(words), words[-1]) == (12, "  and 2 more")


def test_step_that_is_none(pilotage: Pilotage, tmp_path: Path) -> None:
    """A call of an aborted message shows no step."""
    path = write_session(tmp_path / "s.jsonl", user(), agent(call("c", command="ls"), stop="aborted"))
    assert "     1.-  bash    unanswered                ls" in pilotage("calls", path).out


def test_long_session(pilotage: Pilotage, tmp_path: Path) -> None:
    """Some thousand calls come in order, each once."""
    parts = [part for n in range(3000) for part in (agent(call(f"c{n}", command=f"echo {n}")), ran(f"c{n}"))]
    path = write_session(tmp_path / "s.jsonl", user(), *parts)
    assert [record["id"] for record in pilotage("calls", path, "--json").records] == [f"c{n}" for n in range(3000)]
