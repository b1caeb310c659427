import json
import os
import shutil
from pathlib import Path

import pytest

from pilotage.evidence.marks import mark
from tests.cli.conftest import Pilotage, Store
from tests.cli.program import run
from tests.handmade import HOSTILE, agent, call, ran, refused, user, write_session

FIELDS = {
    *("sessions", "calls", "rejected", "blocked", "failed", "by_kind", "by_tool", "by_field", "rate"),
    *("identical_retries", "chains", "marks"),
}


def test_json(pilotage: Pilotage, data: Path) -> None:
    """As JSON a study is one object with every figure (spec S3)."""
    done = pilotage("study", data / "rejects.jsonl", data / "intents.jsonl", "--json")
    assert (done.status, done.err) == (0, "")
    (found,) = done.records
    assert found.keys() >= FIELDS
    assert (found["sessions"], found["calls"], found["rejected"], found["blocked"]) == (2, 22, 14, 2)
    assert found["by_kind"] == {
        "structure": 6,
        "missing-intent": 3,
        "not-json": 2,
        "cut-off": 1,
        "empty-intent": 1,
        "unknown-tool": 1,
    }
    assert found["identical_retries"] == 3
    assert "replay" not in found


def test_precision(pilotage: Pilotage, data: Path) -> None:
    """Reminders that the person marked are counted for the sessions that are studied (spec R7)."""
    path = data / "reviewed.jsonl"
    session = json.loads(path.read_text("utf-8").splitlines()[0])["id"]
    for index, is_right in enumerate((True, True, False)):
        mark((session, "a", index), is_right)
    mark(("another", "a", 0), False)
    (found,) = pilotage("study", path, "--json").records
    assert found["reminders"] == {"right": 2, "wrong": 1, "precision": 2 / 3}
    assert "2 of 3 marked ones right (66.7 %)" in pilotage("study", path).out
    (unmarked,) = pilotage("study", data / "plain.jsonl", "--json").records
    assert unmarked["reminders"] == {"right": 0, "wrong": 0, "precision": None}


def test_replay(pilotage: Pilotage, data: Path) -> None:
    """With `--replay` the study says what today's contract spares and adds (spec S2)."""
    (found,) = pilotage("study", data / "intents.jsonl", "--json", "--replay").records
    replay = found["replay"]
    assert isinstance(replay, dict)
    assert (replay["judged"], replay["spared"], replay["added"]) == (7, 0, 0)


def test_table_for_people(pilotage: Pilotage, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """People read the figures, and kinds, tools and fields beside one another."""
    monkeypatch.setenv("COLUMNS", "100")
    done = pilotage("study", data / "rejects.jsonl", "--replay")
    assert done.lines == [
        "sessions              1",
        "calls                 15",
        "rejected              10 (66.7 %)",
        "blocked               2",
        "failed                0",
        "rate per session      lowest 66.7 %, median 66.7 %, worst 66.7 %",
        "                      (01a22d8c-28f8-7502-bdce-6fcb25a6c34c, 15 calls)",
        "chains                6: 3 accepted at last, 3 never",
        "tries until accepted  median 3, most 3",
        "time until accepted   median 12 ms, most 17 ms, in all 37 ms",
        "tokens of retries     970 (28.9 % of all)",
        "identical retries     2",
        "marks                 none",
        "judged anew           14 calls by the present contract",
        "spared                0 rejections",
        "added                 5 rejections: missing-intent 5",
        "",
        "rejected for     tool    of calls  field",
        "structure     6  bash      3 of 6  edits            2",
        "not-json      2  edit      3 of 3  command          1",
        "cut-off       1  read      2 of 4  edits.*.newText  1",
        "unknown-tool  1  browse    1 of 1  limit            1",
        "                 write     1 of 1  path             1",
    ]


def test_folders(pilotage: Pilotage, data: Path, tmp_path: Path) -> None:
    """Folders are searched to their depths for session files; links are not followed into folders."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    shutil.copy(data / "plain.jsonl", tmp_path / "a" / "b")
    shutil.copy(data / "failures.jsonl", tmp_path)
    shutil.copy(data / "README.md", tmp_path)
    (tmp_path / "elsewhere").symlink_to(data)
    (tmp_path / "link.jsonl").symlink_to(data / "edits.jsonl")
    assert pilotage("study", tmp_path, "--json").records[0]["sessions"] == 3


def test_all_sessions_of_this_machine(pilotage: Pilotage, store: Store) -> None:
    """Without a path all sessions where Pi keeps them are studied, of other folders too."""
    store.add("plain", "a")
    store.add("intents", "b", cwd="/elsewhere")
    assert pilotage("study", "--json").records[0]["sessions"] == 2


def test_no_sessions_here(pilotage: Pilotage, store: Store) -> None:
    """Where Pi has no session that is said."""
    done = pilotage("study")
    assert (done.status, done.out, done.err) == (2, "", f"pilotage: no session in {store.root}\n")


def test_path_that_is_not_there(pilotage: Pilotage, data: Path, tmp_path: Path) -> None:
    """A path that is not there is wrong use, and nothing is counted."""
    done = pilotage("study", data, tmp_path / "gone")
    assert (done.status, done.out, done.err) == (2, "", f"pilotage: {tmp_path}/gone: no such file or folder\n")


def test_no_session_at_all(pilotage: Pilotage, tmp_path: Path) -> None:
    """A folder without a session is wrong use, and what is no session is named."""
    (tmp_path / "x.jsonl").write_text("x\n")
    done = pilotage("study", tmp_path)
    assert (done.status, done.out) == (2, "")
    assert done.err == (
        f"pilotage: {tmp_path}/x.jsonl: not a session: it holds neither a header nor a message\n"
        "pilotage: no session to study\n"
    )


def test_unreadable_file(pilotage: Pilotage, data: Path, tmp_path: Path) -> None:
    """A file that cannot be read is named, the rest is counted, and the status is 1 (spec L1)."""
    (tmp_path / "gone.jsonl").symlink_to("nowhere")
    done = pilotage("study", tmp_path / "gone.jsonl", data / "plain.jsonl", "--json")
    assert (done.status, done.records[0]["sessions"]) == (1, 1)
    assert done.err == f"pilotage: {tmp_path}/gone.jsonl: No such file or directory\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_folder(pilotage: Pilotage, data: Path, tmp_path: Path) -> None:
    """A folder that may not be read is named, the rest is counted, and the status is 1 (spec L1)."""
    shutil.copy(data / "plain.jsonl", tmp_path)
    (tmp_path / "closed").mkdir(mode=0)
    done = pilotage("study", tmp_path, "--json")
    assert (done.status, done.records[0]["sessions"]) == (1, 1)
    assert done.err == f"pilotage: {tmp_path}/closed: Permission denied\n"


def test_children(pilotage: Pilotage, tmp_path: Path) -> None:
    """Sessions of evidence are left out, which is said, unless `--children` asks for them (spec E3)."""
    write_session(tmp_path / "a.jsonl", user(), agent(call("c")), ran("c"), cwd="/tmp/pilotage")
    done = pilotage("study", tmp_path)
    assert (done.status, done.out) == (2, "")
    assert done.err == "pilotage: no session to study; 1 child session left out, --children counts them\n"
    assert pilotage("study", tmp_path, "--children", "--json").records[0]["calls"] == 1


def test_fork_on_disk(pilotage: Pilotage, tmp_path: Path) -> None:
    """What a fork copied is counted for the session that began first, whatever the files are called (spec S1)."""
    first = write_session(tmp_path / "z.jsonl", user(), agent(call("c1")), refused("c1", "bash"), id="first")
    head, body = first.read_text().split("\n", 1)
    fork = json.dumps(json.loads(head) | {"id": "fork", "timestamp": "2026-01-06T09:00:00.000Z"})
    (tmp_path / "a.jsonl").write_text(f"{fork}\n{body}")
    (found,) = pilotage("study", tmp_path, "--json").records
    assert (found["sessions"], found["sessions_with_calls"], found["calls"]) == (2, 1, 1)
    worst = found["worst_session"]
    assert isinstance(worst, dict)
    assert worst["id"] == "first"


def test_nothing_hostile_is_printed(pilotage: Pilotage, tmp_path: Path) -> None:
    """Neither a session's id nor a tool's or a field's name can steer a terminal (spec U8)."""
    words = f'Validation failed for tool "{HOSTILE}":\n  - {HOSTILE}: missing'
    path = write_session(
        tmp_path / "s\x1b]52;c;x\x07\u202e.jsonl",
        *(user(HOSTILE), agent(call(HOSTILE, HOSTILE)), ran(HOSTILE, words, is_error=True, ms=None)),
        id=HOSTILE,
    )
    for options in ([], ["--json"], ["--replay"]):
        done = pilotage("study", path, *options)
        assert done.status == 0
        assert all(line.isprintable() for line in done.out.splitlines())


def test_large_sessions_as_a_program(tmp_path: Path) -> None:
    """The program studies a session large enough for several processes, and leaves none of them behind."""
    made = [
        part for number in range(9) for part in (user("x" * (4 << 20)), agent(call(f"c{number}")), ran(f"c{number}"))
    ]
    write_session(tmp_path / "s.jsonl", *made)
    done = run("study", tmp_path, "--json")
    assert (done.returncode, json.loads(done.stdout)["calls"]) == (0, 9)
