import asyncio
import contextlib
import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilotage.inference.values import Unresolved, fill_in, output_of, resolve_value

ENVIRON = {"A": "one", "B_2": "two", "EMPTY": ""}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("plain", "plain"),
        ("$A", "one"),
        ("${A}", "one"),
        ("x$A-$B_2!", "xone-two!"),
        ("$$A", "$A"),
        ("$!A", "!A"),
        ("a!b", "a!b"),
        ("$", "$"),
        ("$1", "$1"),
        ("${1}", "${1}"),
        ("${A", "${A"),
        ("${}", "${}"),
        ("$$$A", "$one"),
        ("", ""),
    ],
)
def test_variables(text: str, value: str) -> None:
    """Variables are filled in anywhere, escapes are taken off, and the rest stays (pi/HOST.md f)."""
    assert fill_in(text, ENVIRON) == value


def test_own_variables_come_first() -> None:
    """What is set for the provider alone counts before the environment, unless it is empty."""
    assert fill_in("$A$B_2", ENVIRON, {"A": "mine", "B_2": ""}) == "minetwo"


@pytest.mark.parametrize("name", ["GONE", "EMPTY"])
def test_unset_variable(name: str) -> None:
    """A variable that is not set or empty is named."""
    with pytest.raises(Unresolved, match=f"the variable {name} is not set"):
        fill_in(f"x${name}", ENVIRON)


@given(st.text())
def test_any_text(text: str) -> None:
    """Whatever a file holds is a value or names what is missing."""
    with contextlib.suppress(Unresolved):
        assert isinstance(fill_in(text, {}), str)


def run(text: str, patience: float = 5) -> str:
    """Resolve a value with this machine's environment."""
    return asyncio.run(resolve_value(text, os.environ, None, patience))


def test_command() -> None:
    """A command is run by the shell, without input, and what it writes is the value."""
    assert run("!printf ' k-%s \\n' $((40+2)); echo noise >&2") == "k-42"
    assert run("!cat; echo done") == "done"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("!exit 3", "`exit` ended with 3"),
        ("!true", "`true` said nothing"),
        ("!echo hidden-s3cret; exit 1", "`echo` ended with 1"),
        ("!'", "ended with"),
        ("!", "said nothing"),
    ],
)
def test_command_that_fails(command: str, words: str) -> None:
    """A command that fails or says nothing is named by its first word; what it said is not told."""
    with pytest.raises(Unresolved) as raised:
        run(command)
    assert words in str(raised.value)
    assert "s3cret" not in str(raised.value)


def test_program_that_is_not_there() -> None:
    """A program that cannot be run is named."""
    with pytest.raises(Unresolved, match="cannot be run"):
        asyncio.run(output_of(["/no/such/program"], {}, 1))


def alive(folder: Path) -> bool:
    """Tell whether the process that wrote its id is still there."""
    try:
        os.kill(int((folder / "pid").read_text()), 0)
    except ProcessLookupError:
        return False
    return True


def is_soon_gone(folder: Path) -> bool:
    """Wait for the process to go."""
    for _ in range(200):
        if not alive(folder):
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize("start", ["sleep 60", "sleep 60 & echo $! > pid; exit 0"])
def test_command_that_takes_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: str) -> None:
    """A command has its time and no more, and nothing of it stays, in the background neither."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Unresolved, match=r"took longer than 0\.3 s"):
        run(f"!echo $$ > pid; {start}", 0.3)
    assert is_soon_gone(tmp_path)


def test_cancelled_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cancelling ends the command."""
    monkeypatch.chdir(tmp_path)

    async def cancel() -> None:
        task = asyncio.create_task(resolve_value("!echo $$ > pid; sleep 60", os.environ))
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert is_soon_gone(tmp_path)
