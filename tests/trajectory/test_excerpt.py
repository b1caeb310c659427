import asyncio
import os
import sys
from pathlib import Path

import pytest

from pilotage.calls.build import Calls
from pilotage.records.entry import UserMessage
from pilotage.sessions.read import WHOLE, Session, read_session
from pilotage.trajectory.command import MOST_BYTES
from pilotage.trajectory.excerpt import (
    CHARACTERS,
    ITEMS,
    REQUEST_END,
    Excerpt,
    ExcerptFailed,
    excerpt_of,
    read_excerpt,
    request_of,
)
from pilotage.trajectory.render import items, render
from tests.handmade import Fields, agent, call, ran, user, write_session

AS_ROOT = pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
KEY = "ghp_" + "a1B2" * 10


def read(path: Path | None, command: list[str] | None = None, **named: float) -> tuple[Session | None, Excerpt]:
    """Read the excerpt of a file."""
    return asyncio.run(read_excerpt(path, command, **named))  # type: ignore[arg-type]


def failed(path: Path, command: list[str] | None = None, **named: float) -> str:
    """Give the words with which no excerpt can be had."""
    with pytest.raises(ExcerptFailed) as caught:
        read(path, command, **named)
    return str(caught.value)


def python(program: str) -> list[str]:
    """Give a command that runs a program in Python; the session's path is its argument."""
    return [sys.executable, "-c", program]


def said(folder: Path, *entries: Fields) -> Excerpt:
    """Write a session and give its excerpt."""
    return excerpt_of(read_session(write_session(folder / "s.jsonl", *entries)))


@pytest.mark.parametrize("name", ["plain", "steer", "branch", "compaction", "version1", "version2", "intents"])
def test_short_sessions_are_given_whole(data: Path, name: str) -> None:
    """A session that fits in is told as always, without a mark (spec J5)."""
    path = data / f"{name}.jsonl"
    calls = Calls(read_session(path))
    calls.take(WHOLE)
    session, excerpt = read(path)
    assert session is not None
    assert excerpt.text == render(items(calls))
    assert (excerpt.characters, excerpt.left_out, excerpt.has_earlier) == (len(excerpt.text), 0, False)
    assert not excerpt.truncated


def test_only_the_last_characters_are_kept(tmp_path: Path) -> None:
    """Of a long trajectory the last 6,000 characters are kept, below a mark that says how many are missing (J5)."""
    excerpt = said(tmp_path, user("Go."), agent(text="a" * 4000), agent(text="b" * 4000))
    assert excerpt.characters == len("user: Go.\nagent: \nagent: ") + 8000
    mark, _, kept = excerpt.text.partition("\n")
    assert mark == "[… left out here: 2,025 characters before what follows]"
    assert len(kept) == CHARACTERS
    assert kept.endswith(f"a\nagent: {'b' * 4000}")
    assert (excerpt.left_out, excerpt.truncated) == (2025, True)


def test_only_the_last_items_are_told(tmp_path: Path) -> None:
    """Of many items the last 160 are told, and the mark says that there were more (spec J5)."""
    excerpt = said(tmp_path, user("Go."), *(agent(text=f"{number}.") for number in range(ITEMS)))
    assert excerpt.text.startswith("[… left out here: everything before the last 160 items]\nagent: 0.\nagent: 1.\n")
    assert (excerpt.items, excerpt.left_out, excerpt.has_earlier, excerpt.truncated) == (ITEMS, 0, True, True)


def test_exactly_so_many_items(tmp_path: Path) -> None:
    """A session of 160 items is whole."""
    excerpt = said(tmp_path, user("Go."), *(agent(text=f"{number}.") for number in range(ITEMS - 1)))
    assert (excerpt.items, excerpt.has_earlier, excerpt.truncated) == (ITEMS, False, False)


def test_the_request_is_kept_beside_it(tmp_path: Path) -> None:
    """The current request is given though it lies far above the end (spec J5)."""
    entries = [user("Count the nests."), *(agent(call(f"c{n}"), text="x" * 50) for n in range(300))]
    path = write_session(tmp_path / "s.jsonl", *entries)
    _, excerpt = read(path)
    assert excerpt.request == "Count the nests."
    assert "Count the nests." not in excerpt.text


def test_the_request_is_the_last_turns(tmp_path: Path) -> None:
    """The request is what the user said last, all of it where nothing was answered in between (spec W, turn)."""
    excerpt = said(tmp_path, user("One."), agent(text="Well."), user("Two."), user("Three."), agent(text="Yes."))
    assert excerpt.request == "Two.\n\nThree."


def test_a_long_request_keeps_both_ends(tmp_path: Path) -> None:
    """Of a long request the first and last 4,000 characters are kept, with a mark between them (spec J5)."""
    excerpt = said(tmp_path, user("a" * 5000 + "b" * 5000), agent(text="Yes."))
    assert excerpt.request == f"{'a' * REQUEST_END}\n[… left out here: 2,000 characters]\n{'b' * REQUEST_END}"
    assert (excerpt.request_characters, excerpt.request_left_out, excerpt.truncated) == (10_000, 2000, True)


@pytest.mark.parametrize("length", [2 * REQUEST_END, 2 * REQUEST_END + 1, 1 << 18])
def test_lengths_of_requests(tmp_path: Path, length: int) -> None:
    """What is kept and what is left out of a request make up the whole of it."""
    excerpt = said(tmp_path, user("z" * length))
    assert excerpt.request.count("z") + excerpt.request_left_out == length


def test_requests_in_full(data: Path) -> None:
    """A request is read from the file in full, with a sign for a picture."""
    assert request_of(read_session(data / "image.jsonl")).endswith("[image]")


def test_secrets_are_replaced_before_the_cut(tmp_path: Path) -> None:
    """No half of a secret is left where the trajectory or the request was cut (spec M9)."""
    end = "z" * (CHARACTERS - 15)
    asked = f"{'q' * (REQUEST_END - 10)} {KEY} {'r' * 5000}"
    excerpt = said(tmp_path, user(asked), agent(text=f"{KEY} {end}"))
    for text in (excerpt.text, excerpt.request):
        assert "a1B2" not in text
    # The trajectory tells the request as well.
    assert excerpt.replaced == 3


def test_values_of_variables_are_replaced(tmp_path: Path) -> None:
    """Values that the caller names are replaced too (spec M9)."""
    session = read_session(write_session(tmp_path / "s.jsonl", user("Say tulip-7.")))
    assert excerpt_of(session, ["tulip-7"]).text == "user: Say [secret: known value]."


def test_lone_surrogates(tmp_path: Path) -> None:
    """Text that UTF-8 cannot hold is given with the sign for it."""
    excerpt = said(tmp_path, user("a\ud800b"), agent(text="\udfff"))
    assert (excerpt.request, excerpt.text) == ("a\ufffdb", "user: a\ufffdb\nagent: \ufffd")


@pytest.mark.parametrize("path", [None, "absent.jsonl", "absent/s.jsonl"])
def test_no_history_yet(tmp_path: Path, path: str | None) -> None:
    """Before the first input there is no file, and that is normal (spec J5)."""
    assert read(tmp_path / path if path else None) == (None, Excerpt())


def test_nothing_was_said_yet(tmp_path: Path) -> None:
    """A branch on which nobody said anything has an empty excerpt, and a command is not asked either."""
    path = write_session(tmp_path / "s.jsonl", {"type": "custom", "customType": "capability-prefetch-diagnostic"})
    session, excerpt = read(path, ["/nowhere/no-such-command"])
    assert session is not None
    assert excerpt == Excerpt()


@pytest.mark.parametrize("content", ["", "\n", "not a session\n", "\x00" * 100])
def test_unreadable_histories(tmp_path: Path, content: str) -> None:
    """A file that holds no session is a failure that names it, and no empty history (spec J5)."""
    path = tmp_path / "s.jsonl"
    path.write_text(content)
    assert failed(path).startswith(f"{path}: ")


def test_a_folder_is_no_history(tmp_path: Path) -> None:
    """A folder in the place of the file is a failure."""
    assert str(tmp_path) in failed(tmp_path)


@AS_ROOT
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    """A file or folder that may not be read is a failure."""
    path = write_session(tmp_path / "s.jsonl", user("Go."))
    path.chmod(0)
    assert str(path) in failed(path)
    path.chmod(0o600)
    tmp_path.chmod(0)
    try:
        assert str(path) in failed(path)
    finally:
        tmp_path.chmod(0o700)


def test_empty_trajectory(tmp_path: Path) -> None:
    """A history of which nothing can be told is a failure (spec J5)."""
    path = write_session(tmp_path / "s.jsonl", agent(text=""))
    assert failed(path) == (f"{path}: the session has a history, but its trajectory is empty; look at it with --trace")


def test_too_large(tmp_path: Path) -> None:
    """A trajectory of more than 8 MiB is a failure (spec J5)."""
    path = write_session(tmp_path / "s.jsonl", user("x" * (MOST_BYTES + 1)))
    assert "more than 8 MiB" in failed(path)


def test_another_command(data: Path) -> None:
    """A command tells the trajectory in our place; the session's path is its last argument (spec J6)."""
    path = data / "plain.jsonl"
    session, excerpt = read(path, [*python("import sys; print(sys.argv[1:])"), "--tail", "$HOME; `id`"])
    assert session is not None
    assert excerpt.text == f"['--tail', '$HOME; `id`', '{path}']\n"
    assert excerpt.request == "How many nests does notes.txt list?"
    assert (excerpt.items, excerpt.characters) == (None, len(excerpt.text))


def test_what_a_command_tells_is_cut_as_well(data: Path) -> None:
    """Of a command's text, too, only the end is kept, without secrets."""
    _, excerpt = read(data / "plain.jsonl", python(f"print('{KEY}', 'x' * 5990, end='')"))
    assert excerpt.text.startswith("[… left out here: ")
    assert "a1B2" not in excerpt.text
    assert excerpt.replaced == 1


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["/nowhere/no-such-command"], "/nowhere/no-such-command: cannot be started"),
        (["a\0b"], "cannot be started"),
        (python("import sys; sys.exit('no such session')"), "ended with exit code 1 (no such session)"),
        (python("import os, signal; os.kill(os.getpid(), signal.SIGTERM)"), "ended with exit code -15"),
        (python("pass"), "wrote nothing"),
        (python("print('  ')"), "wrote nothing"),
        (python("print('x' * (9 << 20))"), "wrote more than 8 MiB"),
        (python(f"import sys; sys.exit('{KEY}')"), "([secret: github token])"),
        (python("import sys; sys.exit('\\x1b[31mred')"), "(␛[31mred)"),
    ],
)
def test_commands_that_fail(data: Path, command: list[str], words: str) -> None:
    """A command that fails or tells nothing is a failure with its reason; ours does not stand in for it (spec J6)."""
    assert words in failed(data / "plain.jsonl", command)


def test_complaints_do_not_stop_a_command(data: Path) -> None:
    """A command that complains much and goes on is listened to."""
    program = "import sys; sys.stderr.write('w' * (9 << 20)); print('told')"
    assert read(data / "plain.jsonl", python(program))[1].text == "told\n"


def processes(path: Path) -> list[int]:
    """Give the processes that a hanging program noted."""
    return [int(line) for line in path.read_text().split()] if path.exists() else []


async def is_gone(process: int) -> bool:
    """Wait until a process has ended; one that its parent has not looked at yet is no living one."""
    for _ in range(200):
        try:
            os.kill(process, 0)
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except ProcessLookupError:
            return True
        except FileNotFoundError:
            state = ""
        if state == "Z":
            return True
        await asyncio.sleep(0.05)
    return False


def test_a_command_that_hangs(data: Path, tmp_path: Path) -> None:
    """A command that takes too long is ended with all that it started (spec J5)."""
    noted = tmp_path / "noted"
    command = ["/bin/sh", "-c", 'echo $$ >"$0"; sleep 600 & echo $! >>"$0"; wait', str(noted)]
    assert "took longer than 0.5 s" in failed(data / "plain.jsonl", command, seconds=0.5)

    async def all_gone() -> bool:
        return all([await is_gone(process) for process in processes(noted)])

    assert len(processes(noted)) == 2
    assert asyncio.run(all_gone())


def test_calling_it_off(data: Path, tmp_path: Path) -> None:
    """Calling it off ends the command and all that it started at once (spec J5)."""
    noted = tmp_path / "noted"
    command = ["/bin/sh", "-c", 'sleep 600 & echo $! >"$0"; echo $$ >>"$0"; wait', str(noted)]

    async def call_off() -> bool:
        reading = asyncio.create_task(read_excerpt(data / "plain.jsonl", command, seconds=600))
        while len(processes(noted)) < 2:
            await asyncio.sleep(0.02)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        return all([await is_gone(process) for process in processes(noted)])

    assert asyncio.run(call_off())


def test_it_holds_the_last_input(tmp_path: Path) -> None:
    """The session that comes with the excerpt is enough to tell what the user said last."""
    path = write_session(tmp_path / "s.jsonl", user("Go."), agent(call("c")), ran("c", "out"))
    session, excerpt = read(path)
    assert session is not None
    assert any(isinstance(entry.content, UserMessage) for entry in session.tree.entries)
    assert excerpt.text == "user: Go.\ncall bash: no arguments"
