"""`pilotage calls --follow` on a file that grows, shrinks, vanishes and comes back (spec F6, K5)."""

import json
import os
import shlex
import time
from pathlib import Path

import pytest

from tests.cli.conftest import Store
from tests.cli.program import COMMAND, PATIENCE, Following, pipeline, run
from tests.handmade import agent, call, header, lines_of, ran, user, write_session

HOUR = 3600


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """Return a session with one call that went well and one that waits for its result."""
    parts = (user(), agent(call("c1", command="one")), ran("c1"), agent(call("c2", command="two")))
    return write_session(tmp_path / "s.jsonl", *parts)


def append(path: Path, *entries: dict[str, object]) -> None:
    """Append entries as a host does: a line each, in one write."""
    count = len(path.read_text().splitlines())
    with path.open("a") as file:
        for line in lines_of(entries, first=count):
            file.write(line)
            file.flush()


def age(path: Path) -> None:
    """Make a file look as if nobody had written it for an hour."""
    then = time.time() - HOUR
    os.utime(path, (then, then))


def test_call_when_it_appears_and_when_it_ends(session: Path) -> None:
    """A line comes when a call appears and another when its outcome is known; what is there comes first (spec K5)."""
    with Following(session, "--json") as following:
        assert following.calls(2) == [("c1", "ok"), ("c2", "running")]
        append(session, ran("c2", "no", is_error=True))
        assert following.calls(1) == [("c2", "failed")]
        append(session, agent(call("c3", command="three"), call("c4", command="four")))
        assert following.calls(2) == [("c3", "running"), ("c4", "running")]
        append(session, ran("c4"))
        assert following.calls(1) == [("c4", "ok")]
        append(session, ran("c3"))
        assert following.calls(1) == [("c3", "ok")]
        assert following.interrupt() == (0, "", "")


def test_lines_are_whole_records(session: Path) -> None:
    """A followed call has the same fields as one that is read once."""
    with Following(session, "--json") as following:
        first = json.loads(following.line())
    once = json.loads(run("calls", session, "--json").stdout.splitlines()[0])
    assert first == once


def test_lines_for_people_come_at_once(session: Path) -> None:
    """Lines for people are sent as they happen, into a pipe too."""
    with Following(session) as following:
        assert following.line() == "09:00:02     1.1  bash    ok 7 ms                   one\n"
        assert following.line() == "09:00:04     1.2  bash    running                   two\n"
        append(session, ran("c2"))
        assert following.line() == "09:00:04     1.2  bash    ok 7 ms                   two\n"


def test_half_a_line_waits_for_its_end(session: Path) -> None:
    """A line that is written in pieces gives its call once, when it is whole."""
    line = lines_of([agent(call("c3", command="three"))], first=5)[0]
    with Following(session, "--json") as following:
        following.calls(2)
        for piece in (line[:40], line[40:-1], "\n"):
            with session.open("a") as file:
                file.write(piece)
            time.sleep(0.1)
        append(session, ran("c3"))
        assert following.calls(3) == [("c2", "unanswered"), ("c3", "running"), ("c3", "ok")]


def test_old_file_is_not_running(session: Path) -> None:
    """In a file that nobody writes a call without result is unanswered; once it grows it is running (spec K1)."""
    age(session)
    with Following(session, "--json") as following:
        assert following.calls(2) == [("c1", "ok"), ("c2", "unanswered")]
        append(session, {"type": "label"})
        assert following.calls(1) == [("c2", "running")]
        append(session, ran("c2"))
        assert following.calls(1) == [("c2", "ok")]
        assert following.interrupt() == (0, "", "")


def test_nested_calls_follow_their_parent(session: Path) -> None:
    """Nested calls come with the result that tells of them."""
    nested = {"calls": [{"id": "c2/1", "name": "bash", "status": "ok", "arguments": {"command": "ls"}}]}
    with Following(session, "--json") as following:
        following.calls(2)
        append(session, ran("c2", nestedCalls=nested))
        assert following.calls(2) == [("c2", "ok"), ("c2/1", "ok")]


def test_change_of_branch(session: Path) -> None:
    """A call that was printed is printed again when its branch is left; others of that branch are not."""
    with Following(session, "--json") as following:
        following.calls(2)
        append(session, user("Otherwise.") | {"parentId": "e1"}, agent(call("c3", command="three")))
        records = [json.loads(following.line()) for _ in range(3)]
    assert [(record["id"], record["active"]) for record in records] == [("c1", False), ("c2", False), ("c3", True)]


def test_truncated_file(session: Path) -> None:
    """A file that was cut is read anew: what was printed does not come again, and what is new does."""
    lines = session.read_text().splitlines(keepends=True)
    with Following(session, "--json") as following:
        following.calls(2)
        session.write_text("".join(lines[:2]))
        assert following.word() == f"{session} was rewritten; reading it anew\n"
        append(session, agent(call("c5", command="five")))
        assert following.calls(1) == [("c5", "running")]
        assert following.interrupt() == (0, "", "")


def test_replaced_file(session: Path, tmp_path: Path) -> None:
    """A file that was replaced by another is read anew."""
    other = write_session(tmp_path / "other", user(), agent(call("x1", command="ls")), ran("x1"), cwd="/elsewhere")
    with Following(session, "--json") as following:
        following.calls(2)
        other.replace(session)
        assert following.calls(1) == [("x1", "ok")]
        assert following.word() == f"{session} was rewritten; reading it anew\n"
        assert following.interrupt() == (0, "", "")


def test_removed_file_that_comes_back(session: Path) -> None:
    """A file that vanishes is waited for; come back longer, only what is new is printed."""
    text = session.read_text()
    with Following(session, "--json") as following:
        following.calls(2)
        session.unlink()
        assert following.word() == f"{session} is gone; waiting for it to come back\n"
        session.write_text(text + "".join(lines_of([ran("c2")], first=5)))
        assert following.calls(1) == [("c2", "ok")]
        assert following.interrupt()[:2] == (0, "")


def test_moved_away_and_back(session: Path, tmp_path: Path) -> None:
    """A file that was only moved away and back goes on where it was."""
    with Following(session, "--json") as following:
        following.calls(2)
        away = session.rename(tmp_path / "away")
        assert following.word().endswith("is gone; waiting for it to come back\n")
        away.rename(session)
        assert following.word() == f"{session} is back\n"
        append(session, ran("c2"))
        assert following.calls(1) == [("c2", "ok")]
        assert following.interrupt() == (0, "", "")


def test_damage_is_told(session: Path) -> None:
    """A torn line is said when it comes, and what follows it is printed (spec F3)."""
    with Following(session, "--json") as following:
        following.calls(2)
        at = session.stat().st_size
        with session.open("a") as file:
            file.write('{"type":"mess\n')
        assert following.word() == f"{session} is damaged:\n"
        assert following.word() == f"  line 6: 13 bytes at byte {at:,} belong to no record\n"
        append(session, ran("c2") | {"parentId": "e4"})
        assert following.calls(1) == [("c2", "ok")]


def test_binary_file_is_told(tmp_path: Path) -> None:
    """A file that is no session is said to hold no records, while it is waited for one."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" * 5)
    with Following(path, "--json") as following:
        assert following.word() == f"{path} is damaged:\n"
        write_session(path, user(), agent(call("c", command="ls")), ran("c"))
        assert following.calls(1) == [("c", "ok")]


def test_first_session_of_a_folder(store: Store) -> None:
    """Where a folder has no session yet, the first that appears is followed."""
    with Following("--json") as following:
        assert following.word() == f"no session of {store.cwd} in {store.root} yet; waiting for the first\n"
        write_session(store.root / "s.jsonl", user(), agent(call("c", command="ls")), ran("c"), cwd=str(store.cwd))
        assert following.calls(1) == [("c", "ok")]


def test_header_alone_is_followed(tmp_path: Path) -> None:
    """A session in which nothing has happened yet is waited on."""
    path = tmp_path / "s.jsonl"
    path.write_text(header())
    with Following(path, "--json") as following:
        append(path, user(), agent(call("c", command="ls")))
        assert following.calls(1) == [("c", "running")]


def test_reader_that_has_enough(session: Path) -> None:
    """A reader that closes the pipe ends the following at the next call, without a word."""
    with pipeline(f"{shlex.join(COMMAND)} calls {shlex.quote(str(session))} --json --follow | head -1") as shell:
        for number in range(400):
            if shell.poll() is not None:
                break
            append(session, agent(call(f"x{number}", command="ls")))
            time.sleep(0.05)
        out, err = shell.communicate(timeout=PATIENCE)
    assert (shell.returncode, err) == (0, "")
    assert len(out.splitlines()) == 1


@pytest.mark.parametrize(("name", "status"), [("missing.jsonl", 2), (".", 2), ("nosuchid", 2), ("/dev/null", 1)])
def test_nothing_to_follow(store: Store, name: str, status: int) -> None:
    """What cannot be followed is said at once, with the exit status of any other command (spec L1)."""
    done = run("calls", name, "--follow")
    assert (done.returncode, done.stdout) == (status, b"")
    assert done.stderr.startswith(b"pilotage: ")
    assert b"Traceback" not in done.stderr
