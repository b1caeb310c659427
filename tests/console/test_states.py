import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pilotage import paths
from pilotage.console.feed import PORTION
from tests.console.driven import Clock, bar, chosen, console, grow, on_screen, press, run, shown, until, up, watched
from tests.handmade import Fields, agent, call, lines_of, ran, user, write_session

DONE = user("Find out why"), agent(call("c", command="ls")), ran("c", "out"), agent(text="Done.", stop="stop")
AT_WORK = user("Find out why"), agent(call("c", command="sleep 60"))


@pytest.fixture
def cwd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a project's folder; Pi keeps its sessions beside it."""
    folder = tmp_path / "reeds"
    folder.mkdir()
    (tmp_path / "sessions").mkdir()
    monkeypatch.setenv(paths.SESSION_DIR, str(tmp_path / "sessions"))
    return folder


@pytest.fixture
def begin(cwd: Path) -> Callable[..., Path]:
    """Give what begins a session in the project's folder, as a host does: the file is there at once."""

    def write(name: str, *entries: Fields) -> Path:
        hidden = write_session(cwd.parent / name, *entries, cwd=str(cwd), id=name)
        return hidden.rename(cwd.parent / "sessions" / f"{name}.jsonl")

    return write


def test_no_session_yet(cwd: Path, begin: Callable[..., Path]) -> None:
    """Where there is no session yet the console says where it looks, waits, and takes the first that appears."""

    async def test() -> None:
        async with console(None, cwd=cwd, clock=time.time) as pilot:
            assert "No session here yet." in on_screen(pilot)
            assert str(cwd.parent / "sessions")[-20:] in on_screen(pilot).replace("\n", "").replace(" ", "")
            assert bar(pilot, "head").split() == ["reeds", "waiting"]
            await press(pilot, "j", "k", "n", "enter", "y", "x", "o", "z", "Z", "a", "escape")
            begin("first", *DONE)
            await until(pilot, lambda: "Find out why" in on_screen(pilot))
            assert bar(pilot, "head").endswith("live")

    run(test)


def test_file_that_goes_and_comes_back(tmp_path: Path) -> None:
    """A file that is gone is said, and what was read stays; when it comes back it is gone on with."""
    path = write_session(tmp_path / "s.jsonl", *DONE)

    async def test() -> None:
        async with console(path) as pilot:
            hidden = path.rename(tmp_path / "hidden")
            await until(pilot, lambda: bar(pilot, "head").endswith("file gone"))
            assert "Find out why" in on_screen(pilot)
            await up(pilot, 1)
            await press(pilot, "y")
            hidden.rename(path)
            await until(pilot, lambda: "live" in bar(pilot, "head"))

    run(test)


def test_file_that_was_never_there(tmp_path: Path) -> None:
    """A file that is named and not there is said, with its name, and taken when it appears."""
    path = tmp_path / "later.jsonl"

    async def test() -> None:
        async with console(path, is_read=False) as pilot:
            await until(pilot, lambda: "The session's file is not there." in on_screen(pilot))
            write_session(path, *DONE)
            await until(pilot, lambda: "Find out why" in on_screen(pilot))

    run(test)


def test_file_that_is_replaced(tmp_path: Path) -> None:
    """A file that is replaced, or cut short, is read anew: nothing of the old one is left, head, rows and detail."""
    path = write_session(tmp_path / "s.jsonl", *DONE)

    async def test() -> None:
        async with console(path) as pilot:
            await press(pilot, "k")
            other = write_session(tmp_path / "other", user("Another task"), agent(call("d", command="pwd")))
            other.replace(path)
            await until(pilot, lambda: "Another task" in on_screen(pilot) and watched(pilot).is_up_to_date)
            await press(pilot, "G")
            assert "Find out why" not in on_screen(pilot)
            assert "pwd" in chosen(pilot)
            path.write_text("")
            await until(pilot, lambda: "Another task" not in on_screen(pilot))
            assert "Nothing has happened in this session yet." in on_screen(pilot)
            await press(pilot, "j", "k", "G", "g", "enter", "escape")
            write_session(path, *DONE)
            await until(pilot, lambda: "Find out why" in on_screen(pilot))

    run(test)


def test_no_session_file(tmp_path: Path) -> None:
    """A folder, or a file without any record, is said to be what it is."""
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "noise.jsonl").write_bytes(b"\x1b[2J\x00 noise\n" * 3)

    async def test() -> None:
        for name, words in (
            ("folder", "The session cannot be read: a folder, not a session file."),
            ("noise", "This is no session: none of its 3 lines holds a record."),
        ):
            async with console(tmp_path / f"{name}.jsonl", is_read=False) as pilot:
                await until(pilot, lambda words=words: words in on_screen(pilot))  # type: ignore[misc]

    run(test)


def test_host_killed_in_the_middle(tmp_path: Path, data: Path) -> None:
    """A call without a result runs while the file is fresh, and is unanswered once it is not."""
    path = tmp_path / "s.jsonl"
    path.write_bytes((data / "killed.jsonl").read_bytes())
    written = path.stat().st_mtime

    async def test() -> None:
        clock = Clock(written + 60)
        async with console(path, clock=clock) as pilot:
            assert "running" in chosen(pilot)
            assert chosen(pilot).startswith("*")
            assert "no result yet" in on_screen(pilot)
            clock.now = written + 600
            await until(pilot, lambda: "unanswered" in chosen(pilot))
            assert chosen(pilot).startswith("?")
            assert bar(pilot, "head").endswith("idle 10 min")
            await until(pilot, lambda: "no result, and none will come" in on_screen(pilot))

    run(test)


def test_an_old_file_has_nothing_running(data: Path, tmp_path: Path) -> None:
    """In a file of yesterday a call without a result is unanswered from the first."""
    path = tmp_path / "s.jsonl"
    path.write_bytes((data / "killed.jsonl").read_bytes())

    async def test() -> None:
        async with console(path, clock=Clock(path.stat().st_mtime + 90_000)) as pilot:
            assert "unanswered" in chosen(pilot)
            assert bar(pilot, "head").endswith("idle 25 h")

    run(test)


def test_two_live_sessions(cwd: Path, begin: Callable[..., Path]) -> None:
    """Of two live sessions in one folder the first stays watched while it is at work, and the other is said."""
    begin("ours", *AT_WORK)

    async def test() -> None:
        async with console(None, cwd=cwd, size=(80, 24), clock=time.time) as pilot:
            await until(pilot, lambda: "Find out why" in on_screen(pilot))
            begin("theirs", user("Something else"))
            await until(pilot, lambda: "also live: theirs" in bar(pilot, "foot"))
            assert "Something else" not in on_screen(pilot)

    run(test)


def test_the_hosts_next_session(cwd: Path, begin: Callable[..., Path]) -> None:
    """When ours has come to rest and a new session begins, the console moves along, and follows its end."""
    begin("ours", *DONE)

    async def test() -> None:
        async with console(None, cwd=cwd, clock=time.time) as pilot:
            await until(pilot, lambda: "Find out why" in on_screen(pilot))
            await press(pilot, "g", "slash", "enter")
            path = begin("next", user("The next task"))
            await until(pilot, lambda: "The next task" in on_screen(pilot))
            assert "Find out why" not in on_screen(pilot)
            assert "also live" not in bar(pilot, "foot")
            assert "following" in bar(pilot, "foot")
            await grow(pilot, path, "".join(lines_of([user(), agent(call("n", command="ls -la"))])[1:]))
            assert "ls -la" in chosen(pilot)

    run(test)


def test_named_session_stays(cwd: Path, begin: Callable[..., Path]) -> None:
    """A session that was named is watched whatever else begins in its folder."""
    path = begin("ours", *DONE)

    async def test() -> None:
        async with console(path, cwd=cwd, clock=time.time) as pilot:
            begin("next", user("The next task"))
            assert watched(pilot)._feed._chooser is None
            await grow(pilot, path, "".join(lines_of([*DONE, user("More")])[4:]))
            assert "More" in chosen(pilot)

    run(test)


def test_a_clock_that_runs_backwards(tmp_path: Path) -> None:
    """A clock that is set back does no harm: ages are none, and the order of rows is that of the file."""
    entries = user("one", timestamp="2026-01-05T09:00:30.000Z"), user("two", timestamp="2026-01-05T08:00:00.000Z")
    path = write_session(tmp_path / "s.jsonl", *entries, agent(call("c", command="x")))

    async def test() -> None:
        clock = Clock()
        async with console(path, clock=clock) as pilot:
            lines = [line.split()[-1] for line in shown(watched(pilot).listing)[:2]]
            assert lines == ["one", "two"]
            clock.now = 0.0
            await until(pilot, lambda: "running 0 s" in chosen(pilot))
            assert bar(pilot, "head").endswith("live")

    run(test)


def test_a_damaged_file(tmp_path: Path) -> None:
    """What is lost and what was recovered is said at the foot, while all that is whole is shown."""
    path = write_session(tmp_path / "s.jsonl", *DONE)
    lines = path.read_text().split("\n")
    path.write_text("\n".join([*lines[:2], '{"type": "mess', lines[2] + lines[3], lines[4], ""]))

    async def test() -> None:
        async with console(path, size=(160, 30)) as pilot:
            assert "1 skipped · 1 recovered" in bar(pilot, "foot")
            assert "ls" in on_screen(pilot)

    run(test)


def test_a_line_that_is_written_in_two(tmp_path: Path) -> None:
    """Half a line is no record, and no damage: it is shown when the rest has come."""
    path = write_session(tmp_path / "s.jsonl", *DONE[:3])

    async def test() -> None:
        async with console(path, size=(160, 30)) as pilot:
            line = lines_of([*DONE[:3], user("In two halves")])[3]
            with path.open("a") as file:
                file.write(line[:40])
                file.flush()
                await pilot.pause(0.2)
                assert "skipped" not in bar(pilot, "foot")
                file.write(line[40:])
            await until(pilot, lambda: "In two halves" in on_screen(pilot))
            assert "skipped" not in bar(pilot, "foot")

    run(test)


def test_a_session_of_many_portions(tmp_path: Path) -> None:
    """A session that is read in many portions ends up with all its rows, its cursor at the end, and nothing behind."""
    entries = [agent(call(f"c{number}", command="x" * 3000, intent=f"call {number}")) for number in range(1000)]
    path = write_session(tmp_path / "s.jsonl", user("one"), *entries)
    assert path.stat().st_size > 4 * PORTION

    async def test() -> None:
        async with console(path, size=(160, 30)) as pilot:
            assert "call 999" in chosen(pilot)
            assert watched(pilot).listing.count == 1001
            assert "0 behind" in bar(pilot, "foot")
            assert "x" * 40 in "\n".join(shown(watched(pilot).detail))

    run(test)


def test_many_sessions_one_after_another(cwd: Path, begin: Callable[..., Path]) -> None:
    """Old sessions of the folder are no live ones: the newest is watched, and no other is named."""
    for number in range(3):
        old = begin(f"old{number}", *DONE)
        os.utime(old, (time.time() - 9000 + number, time.time() - 9000 + number))

    async def test() -> None:
        async with console(None, cwd=cwd, clock=time.time) as pilot:
            await until(pilot, lambda: "Find out why" in on_screen(pilot))
            timeline = watched(pilot).timeline
            assert timeline is not None
            assert timeline.session.path.stem == "old2"
            assert "also live" not in bar(pilot, "foot")

    run(test)
