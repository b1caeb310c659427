"""How a session is named, the same for every command (spec J4, L1)."""

import os
from pathlib import Path

import pytest

from tests.cli.conftest import NEW, Pilotage, Store
from tests.handmade import write_session

COMMANDS = [["calls", "--json"], ["snap", "--json"], ["sessions", "--json"]]
every_command = pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])


@every_command
def test_by_path_id_and_prefix(pilotage: Pilotage, store: Store, words: list[str]) -> None:
    """A path, an id and an unambiguous prefix name the same session, whatever folder it is of."""
    path = store.add("plain", "01a22d8b-1111", cwd="/elsewhere")
    store.add("rejects", "01a22d8c-2222")
    command, option = words
    by_path = pilotage(command, path, option)
    assert by_path.status == 0
    assert by_path.out
    for name in ("01a22d8b-1111", "01a22d8b", os.path.relpath(path)):
        assert pilotage(command, name, option).records[0].get("entry") == by_path.records[0].get("entry")
        assert len(pilotage(command, name, option).records) == len(by_path.records)


def test_nothing_is_the_newest_of_this_folder(pilotage: Pilotage, store: Store) -> None:
    """Without a name the session of this folder that was written last is read, not a newer one of another."""
    store.add("rejects", "aaaa", written=NEW - 2)
    store.add("plain", "bbbb", written=NEW - 1)
    store.add("intents", "cccc", cwd="/elsewhere", written=NEW)
    assert len(pilotage("calls", "--json").records) == 2


def test_folder_is_the_header_s(pilotage: Pilotage, store: Store, tmp_path: Path) -> None:
    """The header's folder counts, through links too, and not the file's place (spec F8)."""
    link = tmp_path / "link"
    link.symlink_to(store.cwd)
    store.add("plain", "aaaa", cwd=link)
    assert len(pilotage("calls", "--json").records) == 2


@every_command
def test_ambiguous_prefix(pilotage: Pilotage, store: Store, words: list[str]) -> None:
    """An ambiguous prefix lists the candidates with folder and first words, and is wrong use (spec J4)."""
    store.add("plain", "01a2-one", written=NEW)
    store.add("rejects", "01a2-two", cwd="/elsewhere", written=NEW - 1)
    done = pilotage(words[0], "01a2", *words[1:])
    assert (done.status, done.out) == (2, "")
    assert done.err.splitlines() == [
        "pilotage: '01a2' is ambiguous, 2 sessions begin so:",
        f"  01a2-one  {store.cwd}  How many nests does notes.txt list?",
        "  01a2-two  /elsewhere  Tell me what report.md says and send it on.",
    ]


def test_many_candidates(pilotage: Pilotage, store: Store) -> None:
    """Of many candidates twenty are listed and the others counted."""
    for number in range(25):
        store.add("plain", f"01a2-{number}")
    lines = pilotage("calls", "01a2").err.splitlines()
    assert (len(lines), lines[-1]) == (22, "  and 5 more")


def test_whole_id_wins_over_longer_ones(pilotage: Pilotage, store: Store) -> None:
    """An id that is also the beginning of others names its own session."""
    store.add("plain", "01a2")
    store.add("rejects", "01a2-longer")
    assert len(pilotage("calls", "01a2", "--json").records) == 2


@every_command
@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "zz",
            "pilotage: no session with an id that begins with 'zz' in {root}; `pilotage sessions --all` lists all",
        ),
        ("a/b.jsonl", "pilotage: a/b.jsonl: no such file"),
        ("b.jsonl", "pilotage: b.jsonl: no such file"),
        (
            ".",
            "pilotage: . is a folder, not a session file; `pilotage sessions` lists the sessions that there are",
        ),
    ],
)
def test_unknown_session(pilotage: Pilotage, store: Store, words: list[str], name: str, sentence: str) -> None:
    """A name that stands for no session gets a sentence that says what to do, and is wrong use."""
    store.add("plain", "01a2")
    done = pilotage(words[0], name, *words[1:])
    assert (done.status, done.out) == (2, "")
    assert done.err == sentence.format(root=store.root) + "\n"


@pytest.mark.parametrize("command", ["calls", "snap"])
def test_no_session_at_all(pilotage: Pilotage, store: Store, command: str) -> None:
    """Where this folder has no session, the sentence says where was looked, and what else can be done."""
    store.add("plain", "01a2", cwd="/elsewhere")
    done = pilotage(command)
    assert (done.status, done.out) == (2, "")
    assert done.err == (
        f"pilotage: no session of {store.cwd} in {store.root}; start Pi in this folder, name a session,"
        " or see all with `pilotage sessions --all`\n"
    )


@every_command
@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n\x00", b"hello\nworld\n", b"[1]\n", b"\x00" * 5000])
def test_no_session_file(pilotage: Pilotage, tmp_path: Path, words: list[str], content: bytes) -> None:
    """A binary file, or any without a record, is a failure with a sentence (spec L1)."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    done = pilotage(words[0], path, *words[1:])
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith(f"pilotage: {path}: not a session: none of its ")


@every_command
def test_no_regular_file(pilotage: Pilotage, tmp_path: Path, words: list[str]) -> None:
    """A device or a pipe is a failure with a sentence and is never waited on."""
    os.mkfifo(tmp_path / "pipe")
    for path in (Path("/dev/null"), tmp_path / "pipe"):
        done = pilotage(words[0], path, *words[1:])
        assert (done.status, done.out, done.err) == (1, "", f"pilotage: {path}: not a regular file\n")


@every_command
@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_file_that_may_not_be_read(pilotage: Pilotage, tmp_path: Path, words: list[str]) -> None:
    """A file that this user may not read is a failure with a sentence."""
    path = write_session(tmp_path / "s.jsonl")
    path.chmod(0)
    done = pilotage(words[0], path, *words[1:])
    assert (done.status, done.out, done.err) == (1, "", f"pilotage: {path}: Permission denied\n")


@every_command
def test_hopeless_names(pilotage: Pilotage, store: Store, words: list[str]) -> None:
    """A name that no file can have, and the home of nobody, are told in a sentence."""
    for name in ("x" * 5000, "~no-such-user-here/x.jsonl", f"{'x' * 5000}/y"):
        done = pilotage(words[0], name, *words[1:])
        assert done.status in (1, 2)
        assert done.err.startswith("pilotage: ")


@every_command
def test_empty_file(pilotage: Pilotage, tmp_path: Path, words: list[str]) -> None:
    """An empty file is a session in which nothing happened."""
    path = tmp_path / "s.jsonl"
    path.touch()
    assert pilotage(words[0], path, *words[1:]).status == 0
