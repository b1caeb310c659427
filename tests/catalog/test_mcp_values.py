from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest

from pilotage.catalog.mcp_server import server_of
from pilotage.catalog.mcp_values import Unresolved, Values, resolve_values
from tests.catalog.running import is_group_gone

VARIABLES = {"KEY": "k3y-value-1", "EMPTY": "", "PATH": "/usr/bin:/bin"}


def resolve(
    entry: Mapping[str, Any], environment: Mapping[str, str] = VARIABLES, *, run_commands: bool = False
) -> Values:
    """Resolve the values of one entry."""
    server = server_of("a", dict(entry), "mcp.json")
    return anyio.run(partial(resolve_values, server, environment, run_commands=run_commands))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("plain", "plain"),
        ("$KEY", "k3y-value-1"),
        ("${KEY}", "k3y-value-1"),
        ("Bearer ${KEY}.$KEY-", "Bearer k3y-value-1.k3y-value-1-"),
        ("$$KEY", "$KEY"),
        ("$!x", "!x"),
        ("a!b", "a!b"),
        ("5$ and ${no name} and ${", "5$ and ${no name} and ${"),
        ("", ""),
    ],
)
def test_values(text: str, value: str) -> None:
    """Variables are filled in as Pi does it; doubled signs are signs."""
    assert resolve({"command": "x", "env": {"A": text}}).env == {"A": value}
    assert resolve({"url": "https://x", "headers": {"A": text}}).headers == {"A": value}


@pytest.mark.parametrize("text", ["$GONE", "x${GONE}y", "${EMPTY}${GONE}"])
def test_what_is_not_set_is_named(text: str) -> None:
    """A variable that is not set or empty is named, with what it is for; its value is nobody's."""
    with pytest.raises(Unresolved, match=r"header A needs .*GONE, which is not set"):
        resolve({"url": "https://x", "headers": {"A": text}})


def test_commands(tmp_path: Path) -> None:
    """A command is run only when that is asked for; what it prints is the value, trimmed."""
    entry = {"command": "x", "env": {"A": f'!touch {tmp_path / "ran"}; echo " $KEY "; echo noise >&2'}}
    with pytest.raises(Unresolved, match="env A is a command, and nobody asked to run it"):
        resolve(entry)
    assert not (tmp_path / "ran").exists()
    assert resolve(entry, run_commands=True).env == {"A": "k3y-value-1"}
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize("command", ["!exit 1", "!true", "!echo x; exit 3"])
def test_a_command_that_gives_nothing(command: str) -> None:
    """A command that fails or prints nothing leaves its value unresolved, and is not told."""
    with pytest.raises(Unresolved) as caught:
        resolve({"command": "x", "env": {"A": command}}, run_commands=True)
    assert str(caught.value) == "the command of env A gave nothing"


def test_a_command_does_not_outlive_its_time(tmp_path: Path) -> None:
    """A command that hangs is ended with its whole group when the caller's time is up."""
    file = tmp_path / "pid"
    server = server_of("a", {"command": "x", "env": {"A": f"!echo $$ > {file}; sleep 60; echo x"}}, "mcp.json")

    async def run() -> None:
        with anyio.move_on_after(0.3):
            await resolve_values(server, VARIABLES, run_commands=True)

    anyio.run(run)
    assert is_group_gone(file)


def test_values_are_taken_out_of_words() -> None:
    """Every value, and every piece of a header, is hidden in what a server says; so is what its address holds."""
    entry = {"url": "https://u:pass-1@x/?q=q9q", "headers": {"A": "Bearer ${KEY}", "B": "abc"}}
    values = resolve(entry)
    said = values.without("no k3y-value-1, no abc, no pass-1, no q9q, no Bearer k3y-value-1; but on x")
    assert not [word for word in ("k3y", "abc", "pass-1", "q9q") if word in said]
    assert said.endswith("; but on x")


def test_secrets_are_taken_out_of_descriptions() -> None:
    """In descriptions only secrets are hidden: a mode or a folder that a server is given may well be its subject."""
    entry = {
        "command": "x",
        "args": ["--api-key", "s3cr3t-arg"],
        "env": {"MODE": "read", "DIR": "/srv/tides", "K": "$KEY"},
    }
    words = resolve(entry).without_secrets("read /srv/tides with k3y-value-1 and s3cr3t-arg")
    assert words.startswith("read /srv/tides with [secret")
    assert "s3cr3t" not in words


def test_values_do_not_show_themselves() -> None:
    """Whoever prints resolved values prints none."""
    assert "k3y" not in f"{resolve({'command': 'x', 'env': {'A': '$KEY'}})!r}"
