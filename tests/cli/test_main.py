import json
import os
import pty
import shlex
import subprocess
import termios
from pathlib import Path

import pytest

import pilotage as package
from tests.cli.conftest import Pilotage, Store
from tests.cli.program import COMMAND, PATIENCE, pipeline, run
from tests.handmade import HOSTILE, agent, call, ran, user, write_session

READING = [["calls"], ["calls", "--json"], ["snap"], ["snap", "--json"], ["snap", "--trace"], ["sessions", "--json"]]


def test_version(pilotage: Pilotage) -> None:
    """`--version` names the program and its version."""
    assert pilotage("--version").out == f"pilotage {package.__version__}\n"


def test_help_names_every_command(pilotage: Pilotage) -> None:
    """The help names each command with a line on it, and the exit statuses (spec L1)."""
    done = pilotage("--help")
    assert done.status == 0
    for command in ("watch", "sessions", "calls", "snap", "study", "check", "demo"):
        assert f"    {command} " in done.out
    assert "Exit status: 0 done, 1 a finding or failure, 2 wrong use." in done.out


@pytest.mark.parametrize("command", ["watch", "sessions", "calls", "snap", "study", "check", "demo"])
def test_every_command_has_help(pilotage: Pilotage, command: str) -> None:
    """Each command explains itself on stdout."""
    done = pilotage(command, "--help")
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith(f"usage: pilotage {command} ")


@pytest.mark.parametrize(
    "words",
    [["nonsense"], ["calls", "a", "b"], ["calls", "--nonsense"], ["snap", "--tail"], ["check"]],
    ids=" ".join,
)
def test_wrong_use(pilotage: Pilotage, words: list[str]) -> None:
    """Wrong use is 2, with words and no data (spec L1)."""
    done = pilotage(*words)
    assert (done.status, done.out) == (2, "")
    assert "error: " in done.err


def test_wrong_use_repeats_nothing_hostile(pilotage: Pilotage) -> None:
    """A complaint about an argument cannot steer a terminal: it may be a file's name (spec U8)."""
    done = pilotage("calls", "a", "x\x1b]52;c;ZXZpbA==\x07\u202e\udcff")
    assert all(line.isprintable() for line in done.err.splitlines())
    assert "␛]52;c;ZXZpbA==␇<U+202E>" in done.err


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["calls", "{data}/plain.jsonl"], 0),
        (["calls", "{data}/rejects.jsonl", "--json"], 0),
        (["snap", "{data}/plain.jsonl", "no-such-entry"], 2),
        (["sessions", "{data}/README.md"], 1),
        (["calls", "{data}"], 2),
        (["check", "bash"], 1),
        (["nonsense"], 2),
    ],
)
def test_exit_statuses(data: Path, words: list[str], status: int) -> None:
    """The program ends with 0, 1 or 2, and never with a traceback (spec L1)."""
    done = run(*(word.format(data=data) for word in words))
    assert done.returncode == status
    assert b"Traceback" not in done.stderr
    assert (done.stdout == b"") == (status == 2 or words[0] == "sessions")


@pytest.mark.parametrize("words", [*READING, ["sessions", "--all"]], ids=" ".join)
def test_reader_that_has_enough(store: Store, words: list[str]) -> None:
    """A reader that closes the pipe is no failure and leaves no traceback."""
    blocks = [call(f"c{number}", command="x" * 2000) for number in range(200)]
    write_session(store.root / "long.jsonl", user(), agent(*blocks, text="long " * 50_000), cwd=str(store.cwd))
    with pipeline(f"{shlex.join([*COMMAND, *words])} | true") as shell:
        out, err = shell.communicate(timeout=PATIENCE)
    assert (shell.returncode, out) == (0, "")
    assert "Traceback" not in err
    assert "Exception ignored" not in err


def test_first_line_only(data: Path) -> None:
    """`head` gets its line and the program says nothing."""
    session = shlex.quote(str(data / "rejects.jsonl"))
    with pipeline(f"{shlex.join(COMMAND)} calls {session} --json | head -1") as shell:
        out, err = shell.communicate(timeout=PATIENCE)
    assert (shell.returncode, err) == (0, "")
    assert json.loads(out)["id"] == "call_1_0"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device here that is always full")
@pytest.mark.parametrize("words", [*READING, ["sessions", "--all"]], ids=" ".join)
def test_full_disk(store: Store, words: list[str]) -> None:
    """Data that cannot be written are a failure with a sentence."""
    store.add("plain", "01a2")
    with pipeline(f"{shlex.join([*COMMAND, *words])} > /dev/full") as shell:
        _, err = shell.communicate(timeout=PATIENCE)
    assert shell.returncode == 1
    assert "pilotage: [Errno 28] No space left on device\n" in err
    assert "Traceback" not in err
    assert "Exception ignored" not in err


@pytest.mark.parametrize("words", READING, ids=" ".join)
@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_output_in_another_encoding(store: Store, words: list[str], encoding: str) -> None:
    """What the output's encoding lacks is a question mark for people and an escape in JSON, and no failure."""
    store.add("edits", "01a2")
    done = run(*words, PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr.count(b"Traceback")) == (0, 0)
    if "--json" in words:
        assert [json.loads(line) for line in done.stdout.decode(encoding).splitlines()] == [
            json.loads(line) for line in run(*words).stdout.splitlines()
        ]


@pytest.mark.parametrize("words", [["calls"], ["sessions"], ["snap", "01a2"], ["watch"]], ids=" ".join)
def test_folder_that_is_gone(
    pilotage: Pilotage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    """A command in a folder that was removed says so."""
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    done = pilotage(*words)
    monkeypatch.undo()
    assert (done.status, done.out) == (2, "")
    assert done.err == "pilotage: the folder that this runs in is gone; change into one that is there\n"


@pytest.mark.parametrize("words", [*READING, ["snap", "{}", "e2"], ["sessions"], ["calls", "--all-branches"]])
def test_nothing_hostile_is_printed(pilotage: Pilotage, tmp_path: Path, words: list[str]) -> None:
    """No command prints anything of a session but printable text and newlines (spec U8)."""
    nested = {"calls": [{"id": f"{HOSTILE}/1", "name": HOSTILE, "arguments": {HOSTILE: HOSTILE}, "error": HOSTILE}]}
    path = write_session(
        tmp_path / "s\x1b]52;c;x\x07\u202e.jsonl",
        user(HOSTILE),
        agent(
            call(HOSTILE, HOSTILE, **{HOSTILE: HOSTILE}),
            call("c2", "edit", path=HOSTILE, intent=HOSTILE, rationale=HOSTILE, edits=[{"oldText": HOSTILE}]),
            text=HOSTILE,
        ),
        ran(HOSTILE, HOSTILE, is_error=True, nestedCalls=nested),
        ran("c2", f'Validation failed for tool "edit":\n  - {HOSTILE}: missing', is_error=True, ms=None),
        {"type": "session_info", "name": HOSTILE},
        {"type": "custom_message", "customType": HOSTILE, "content": HOSTILE},
        {"type": "compaction", "summary": HOSTILE},
        {"type": HOSTILE, HOSTILE: HOSTILE},
        agent(stop="error", errorMessage=HOSTILE) | {"id": f"{HOSTILE}id"},
        id=HOSTILE,
        cwd=HOSTILE,
        parentSession=HOSTILE,
    )
    path.write_bytes(path.read_bytes() + HOSTILE.encode("utf-8", "replace"))
    done = pilotage(words[0], path, *(word for word in words[1:] if word != "{}"))
    assert done.status == 0
    for line in (done.out + done.err).split("\n"):
        assert line.isprintable()
    if "--json" in words:
        assert done.records


def test_lines_fit_the_terminal(data: Path) -> None:
    """In a terminal a call's line is cut to its width, counted in columns; into a pipe it is whole."""
    ours, its = pty.openpty()
    termios.tcsetwinsize(its, (24, 40))
    session = data / "codemode.jsonl"
    words = [*COMMAND, "calls", session]
    # Named, as the readline library leaves a width of its own in the unnamed one.
    environment = dict(os.environ)
    with subprocess.Popen(words, stdout=its, stderr=subprocess.DEVNULL, env=environment) as process:
        os.close(its)
        shown = b""
        while chunk := _read(ours):
            shown += chunk
        assert process.wait(PATIENCE) == 0
    os.close(ours)
    lines = shown.decode().splitlines()
    assert len(lines) == 6
    assert not [line for line in lines if len(line) > 40]
    assert lines[1].endswith("…")
    assert max(len(line) for line in run("calls", session).stdout.decode().splitlines()) > 40


def _read(terminal: int) -> bytes:
    """Read what a terminal shows; nothing when whoever wrote it is gone."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""
