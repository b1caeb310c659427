import json
import os
import tempfile
import time
from pathlib import Path

import pytest

from tests.cli.conftest import NEW, Pilotage, Store
from tests.handmade import HOSTILE, lines_of, user, write_session

FIELDS = [
    *("id", "path", "cwd", "name", "first_words", "version", "started", "modified", "live", "size", "parent"),
    *("lines", "entries", "unknown", "calls", "outcomes"),
]


def test_sessions_of_this_folder(pilotage: Pilotage, store: Store) -> None:
    """The list holds this folder's sessions, the newest first, one object a line (spec F8)."""
    store.add("plain", "old", written=NEW - 2)
    store.add("rejects", "new", written=NEW - 1)
    store.add("intents", "other", cwd="/elsewhere", written=NEW)
    records = pilotage("sessions", "--json").records
    assert [record["id"] for record in records] == ["new", "old"]
    assert [list(record) for record in records] == [FIELDS] * 2


def test_sessions_of_all_folders(pilotage: Pilotage, store: Store) -> None:
    """`--all` lists those of all folders, and those without a header."""
    store.add("plain", "here", written=NEW - 1)
    store.add("intents", "there", cwd="/elsewhere", written=NEW)
    torn = store.root / "torn_lost.jsonl"
    torn.write_text('{"type":"sess\n')
    os.utime(torn, (1, 1))
    records = pilotage("sessions", "--all", "--json").records
    assert [record["id"] for record in records] == ["there", "here", "lost"]
    assert [record["cwd"] for record in records] == ["/elsewhere", str(store.cwd), None]


def test_evidence_is_left_out(pilotage: Pilotage, store: Store) -> None:
    """Sessions that hold what a model was asked are listed only with `--children` (spec E3)."""
    store.add("plain", "own")
    store.add("plain", "asked", cwd=Path(tempfile.gettempdir()) / "pilotage", written=NEW - 60)
    assert [record["id"] for record in pilotage("sessions", "--all", "--json").records] == ["own"]
    both = pilotage("sessions", "--all", "--children", "--json", "--limit", "2").records
    assert [record["id"] for record in both] == ["own", "asked"]


def test_fields_of_a_session(pilotage: Pilotage, store: Store) -> None:
    """A session's fields are those of its head and tail; what was not counted is null (spec F8)."""
    path = store.add("notes", "01a2", written=1_767_607_200)
    (record,) = pilotage("sessions", "--json").records
    assert record == {
        "id": "01a2",
        "path": str(path),
        "cwd": str(store.cwd),
        "name": "survey, second look",
        "first_words": "Is the survey final?",
        "version": 3,
        "started": "2026-11-30T17:41:28.110Z",
        "modified": "2026-01-05T10:00:00.000Z",
        "live": False,
        "size": path.stat().st_size,
        "parent": None,
        **dict.fromkeys(["lines", "entries", "unknown", "calls", "outcomes"]),
    }


def test_counts(pilotage: Pilotage, store: Store) -> None:
    """`--counts` counts calls and lines, and what was counted is known to later lists (spec F8)."""
    store.add("rejects", "01a2")
    (counted,) = pilotage("sessions", "--counts", "--json").records
    assert (counted["calls"], counted["entries"]) == (15, 35)
    assert counted["outcomes"] == {"ok": 3, "failed": 0, "rejected": 10, "blocked": 2, "aborted": 0, "unanswered": 0}
    assert pilotage("sessions", "--json").records == [counted]


def test_account_of_one(pilotage: Pilotage, data: Path) -> None:
    """One session named gives an account of it, counted, a field a line."""
    done = pilotage("sessions", data / "version1.jsonl")
    assert (done.status, done.err) == (0, "")
    assert "version:     1" in done.lines
    assert "first_words: Why does the ferry page show yesterday's times?" in done.lines
    assert "lines:       total 28, clean 27, recovered 1, damaged 0, blank 0" in done.lines
    assert "outcomes:    ok 4, failed 3, rejected 1, blocked 0, aborted 1, unanswered 0" in done.lines


def test_account_of_one_as_json(pilotage: Pilotage, data: Path) -> None:
    """As JSON the account of one is one object with the fields of a list."""
    (record,) = pilotage("sessions", data / "branch.jsonl", "--json").records
    assert list(record) == FIELDS
    assert (record["calls"], record["unknown"]) == (0, 0)


def test_table_for_people(pilotage: Pilotage, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table has id, age, calls, findings, project and name; what is not counted is empty, and that is said."""
    monkeypatch.setenv("COLUMNS", "120")
    store.add("rejects", "01a2-one", written=int(time.time()) - 7200)
    store.add("notes", "01a2-two", written=int(time.time()) - 3 * 86_400)
    done = pilotage("sessions")
    assert done.lines == [
        "id        written  calls  findings  project  name or first words",
        "01a2-one  2 h ago                   work     Tell me what report.md says and send it on.",
        "01a2-two  3 d ago                   work     survey, second look",
    ]
    assert done.err == (
        "calls and findings of some are not counted yet: --counts reads whole files and keeps the counts\n"
    )
    counted = pilotage("sessions", "--counts")
    assert counted.lines[1].split()[:6] == ["01a2-one", "2", "h", "ago", "15", "12"]
    assert counted.err == ""


def test_live_session(pilotage: Pilotage, store: Store) -> None:
    """A session that was written within two minutes is live (spec K1)."""
    store.add("plain", "01a2", written=int(time.time()))
    assert pilotage("sessions", "--json").records[0]["live"] is True
    assert "live" in pilotage("sessions").out


@pytest.mark.parametrize(("limit", "count"), [("0", 0), ("1", 1), ("2", 2), ("9", 3)])
def test_limit(pilotage: Pilotage, store: Store, limit: str, count: int) -> None:
    """`--limit N` lists the newest N; none of some is no complaint."""
    for number in range(3):
        store.add("plain", f"s{number}", written=NEW - number)
    done = pilotage("sessions", "--json", "--limit", limit)
    assert [record["id"] for record in done.records] == [f"s{number}" for number in range(count)]
    assert (done.status, done.err) == (0, "")


@pytest.mark.parametrize("limit", ["-1", "x"])
def test_limit_that_is_no_number(pilotage: Pilotage, store: Store, limit: str) -> None:
    """A limit that is no whole number is wrong use."""
    done = pilotage("sessions", f"--limit={limit}")
    assert done.status == 2
    assert f"argument --limit: a whole number, not {limit!r}" in done.err


def test_no_sessions(pilotage: Pilotage, store: Store) -> None:
    """No session at all is an empty list, and a sentence says where was looked."""
    done = pilotage("sessions", "--json")
    assert (done.status, done.out) == (0, "")
    assert done.err == f"no session of {store.cwd} in {store.root}; --all lists those of all folders\n"
    assert pilotage("sessions", "--all").err == f"no session in {store.root}\n"
    store.root.rmdir()
    assert pilotage("sessions", "--all").status == 0


def test_other_files_are_no_sessions(pilotage: Pilotage, store: Store) -> None:
    """Folders, pipes, dangling links and files of other kinds in the folder cost nothing."""
    store.add("plain", "01a2")
    (store.root / "folder.jsonl").mkdir()
    (store.root / "dangling.jsonl").symlink_to("nowhere")
    (store.root / "notes.txt").write_text("x")
    os.mkfifo(store.root / "pipe.jsonl")
    (store.root / "empty.jsonl").touch()
    (store.root / "binary.jsonl").write_bytes(os.urandom(5000))
    assert [record["id"] for record in pilotage("sessions", "--json").records] == ["01a2"]
    every = {str(record["id"]) for record in pilotage("sessions", "--all", "--counts", "--json").records}
    assert every == {"01a2", "empty", "binary"}


@pytest.mark.parametrize("cwd", [HOSTILE, "\x00", "\ud800", "/" + "x" * 10_000, "", "relative"])
def test_hostile_folder_in_a_header(pilotage: Pilotage, store: Store, cwd: str) -> None:
    """A header whose folder is no folder's name costs its own session only (spec U8)."""
    store.add("plain", "01a2", written=NEW - 1)
    path = write_session(store.root / "2026_evil.jsonl", user(HOSTILE), cwd=cwd, id="evil")
    os.utime(path, (NEW, NEW))
    assert [record["id"] for record in pilotage("sessions", "--json").records] == ["01a2"]
    done = pilotage("sessions", "--all")
    assert done.status == 0
    assert all(line.isprintable() for line in done.out.splitlines())
    assert len(pilotage("calls", "--json").records) == 2


def test_hostile_file_name(pilotage: Pilotage, store: Store) -> None:
    """A file's name with escapes and bytes that are no text is shown as signs."""
    name = os.fsdecode(b"2026_\x1b]52;c;x\x07\xff\xe2\x80\xae[b].jsonl")
    write_session(store.root / name, user(), cwd=str(store.cwd), id="")
    for words in ([], ["--json"], ["--counts"]):
        done = pilotage("sessions", *words)
        assert done.status == 0
        assert all(line.isprintable() for line in done.out.splitlines())
    done = pilotage("calls", "\x1b]52")
    assert done.status == 0


def test_brackets_are_no_markup(pilotage: Pilotage, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Text in brackets is shown as it is."""
    monkeypatch.setenv("COLUMNS", "120")
    write_session(store.root / "2026_a.jsonl", user("[bold]a[/bold] [/] :smile:"), cwd=str(store.cwd), id="a")
    assert "[bold]a[/bold] [/] :smile:" in pilotage("sessions").out


def test_name_that_was_cleared_in_the_middle(pilotage: Pilotage, store: Store) -> None:
    """A name that stands in the middle of a long file is found by counting, and is the last (spec F8)."""
    path = store.root / "2026_a.jsonl"
    filler = [user("reed " * 200) for _ in range(200)]
    named = [{"type": "session_info", "name": name} for name in ("first", "last")]
    write_session(path, named[0], *filler, named[1], *filler, cwd=str(store.cwd), id="a")
    assert pilotage("sessions", "--json").records[0]["name"] == "first"
    assert pilotage("sessions", "--counts", "--json").records[0]["name"] == "last"
    assert "last" in pilotage("sessions").out
    with path.open("a") as file:
        file.writelines(lines_of([{"type": "session_info", "name": ""}, *filler], first=403))
    assert pilotage("sessions", "--counts", "--json").records[0]["name"] is None


def test_thousands_of_sessions(pilotage: Pilotage, store: Store) -> None:
    """Two thousand sessions are listed, and an id prefix among them is found or is ambiguous (spec F8)."""
    text = (store.data / "plain.jsonl").read_text().split("\n", 1)
    head = json.loads(text[0]) | {"cwd": str(store.cwd)}
    for number in range(2000):
        path = store.root / f"2026-01-05T09-00-00-000Z_{number:04x}-7000.jsonl"
        path.write_text(f"{json.dumps(head | {'id': f'{number:04x}-7000'})}\n{text[1]}")
    assert len(pilotage("sessions", "--json").records) == 2000
    assert len(pilotage("calls", "07cf-", "--json").records) == 2
    assert pilotage("calls", "07").err.startswith("pilotage: '07' is ambiguous, 208 sessions begin so:\n")
    assert pilotage("calls", "ffff").status == 2
