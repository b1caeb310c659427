from pathlib import Path
from typing import Any

import pytest

from pilotage.catalog.mcp_config import Configured, read_servers
from pilotage.catalog.mcp_server import Exposure
from tests.catalog.written import write_json


def read(tmp_path: Path, own: object, project: object = None, *, trusted: bool = True) -> Configured:
    """Read these two files' servers."""
    write_json(tmp_path / "agent" / "mcp.json", {"mcpServers": own})
    if project is not None:
        write_json(tmp_path / "project" / ".pi" / "mcp.json", {"mcpServers": project})
    return read_servers(tmp_path / "agent", tmp_path / "project", trusted=trusted)


def names(configured: Configured) -> list[str]:
    """Give the names in order."""
    return [server.name for server in configured.servers]


def whats(configured: Configured) -> list[str]:
    """Give what is said in the faults."""
    return [fault.what for fault in configured.faults]


def test_both_kinds_of_server(tmp_path: Path) -> None:
    """A program and an address are read with all that Pi reads of them."""
    own = {
        "a": {"command": "x", "args": ["-y"], "env": {"K": "${V}"}, "cwd": "sub", "description": " About. "},
        "b-c": {"url": "https://example.org/mcp", "headers": {"H": "v"}, "exposure": "codemode-deferred"},
    }
    first, second = read(tmp_path, own).servers
    assert (first.command, first.args, first.env, first.folder) == ("x", ("-y",), {"K": "${V}"}, "sub")
    assert (first.description, first.namespace, first.exposure) == ("About.", "mcp__a", Exposure.CODEMODE)
    assert (second.url, second.headers, second.namespace) == ("https://example.org/mcp", {"H": "v"}, "mcp__b_c")
    assert second.exposure is Exposure.CODEMODE


def test_no_files(tmp_path: Path) -> None:
    """Without files there are no servers and no faults."""
    assert read_servers(tmp_path, tmp_path, trusted=True) == Configured((), tmp_path)


def test_a_project_replaces_a_server(tmp_path: Path) -> None:
    """A project's entry with a command takes the place of the user's, in that place."""
    configured = read(tmp_path, {"a": {"command": "x"}, "b": {"command": "y"}}, {"a": {"command": "z"}})
    assert [server.command for server in configured.servers] == ["z", "y"]


def test_a_project_overrides_a_server(tmp_path: Path) -> None:
    """A project's entry of switches alone leaves the rest of the user's server as it is."""
    own = {"a": {"command": "x", "env": {"K": "v"}}, "b": {"command": "y"}, "off": {"command": "w", "enabled": False}}
    project = {"a": {"exposure": "direct", "toolExposure": {"t": "hidden"}}, "b": {"enabled": False}}
    configured = read(tmp_path, own, project | {"off": {"enabled": True}})
    assert names(configured) == ["a", "off"]
    server = configured.servers[0]
    assert (server.exposure, server.tool_exposure, server.env) == (Exposure.DIRECT, {"t": "hidden"}, {"K": "v"})
    assert server.source == str(tmp_path / "agent" / "mcp.json")


def test_a_project_that_is_not_trusted(tmp_path: Path) -> None:
    """The file of a project that Pi does not trust is not read, and that is told (spec G4)."""
    configured = read(tmp_path, {"a": {"command": "x"}}, {"b": {"command": "evil"}}, trusted=False)
    assert names(configured) == ["a"]
    assert whats(configured) == ["is not read: Pi does not trust the project"]


def test_hidden_servers(tmp_path: Path) -> None:
    """A server with nothing but hidden tools is left out; one exception brings it back."""
    hidden: dict[str, Any] = {"command": "x", "exposure": "hidden"}
    own = {
        "a": hidden,
        "b": hidden | {"toolExposure": {"t": "deferred"}},
        "c": hidden | {"toolExposure": {"t": "hidden"}},
    }
    assert names(read(tmp_path, own)) == ["b"]


def test_exposure_of_one_tool(tmp_path: Path) -> None:
    """A tool's own word counts first, then the first pattern that fits, then the server's."""
    exceptions = {"get_*": "direct", "get_secret": "hidden", "*": "deferred", "a.b": "hidden"}
    server = read(tmp_path, {"a": {"command": "x", "toolExposure": exceptions}}).servers[0]
    tools = ["get_secret", "get_all", "axb", "a.b"]
    assert [server.exposure_of(tool) for tool in tools] == ["hidden", "direct", "deferred", "hidden"]


@pytest.mark.parametrize(
    ("entry", "what"),
    [
        (5, "is no object"),
        ({}, "needs a command or a url"),
        ({"type": "sse", "url": "https://x"}, "Pi does not know the old SSE transport"),
        ({"command": "x", "args": "y"}, "args must be a list of texts"),
        ({"command": "x", "args": [1]}, "args must be a list of texts"),
        ({"command": "x", "env": {"K": 1}}, "env must hold names and texts"),
        ({"command": "x", "cwd": 1}, "cwd must be text"),
        ({"command": "x", "enabled": "no"}, "enabled must be true or false"),
        ({"command": "x", "timeout": 0}, "timeout must be a number of seconds above 0"),
        ({"command": "x", "timeout": True}, "timeout must be a number of seconds above 0"),
        ({"command": "x", "description": []}, "description must be text"),
        ({"command": "x", "exposure": []}, "exposure must be one of codemode, deferred, direct, hidden"),
        (
            {"command": "x", "toolExposure": {"t": "x"}},
            "each toolExposure must be one of codemode, deferred, direct, hidden",
        ),
        ({"url": "ftp://x"}, "url must be an http or https address"),
        ({"url": "http://[x"}, "url must be an http or https address"),
        ({"url": "https://x", "auth": {}}, "auth.provider must be a provider's name"),
    ],
)
def test_a_faulty_entry_costs_itself(tmp_path: Path, entry: object, what: str) -> None:
    """An entry that Pi does not take is told with its file and name; the others are there."""
    configured = read(tmp_path, {"bad": entry, "good": {"command": "x"}})
    assert names(configured) == ["good"]
    assert [(fault.where, fault.what) for fault in configured.faults] == [
        (f"{tmp_path / 'agent' / 'mcp.json'}: bad", what)
    ]


def test_names_that_clash(tmp_path: Path) -> None:
    """Of two names that differ in - and _ only the second is refused, as both would be one in Pi."""
    configured = read(tmp_path, {"a-b": {"command": "x"}, "a_b": {"command": "y"}, "a b": {"command": "z"}})
    assert names(configured) == ["a-b"]
    assert whats(configured) == [
        "clashes with a-b: the names differ in - and _ only",
        "a server's name has letters, digits, _ and - only",
    ]


def test_what_a_project_may_not(tmp_path: Path) -> None:
    """A project cannot override what is not there, set more than switches, or choose who gets a credential."""
    project = {
        "gone": {"enabled": True},
        "a": {"env": {"K": "v"}},
        "mine": {"url": "https://x", "auth": {"provider": "p"}},
    }
    configured = read(tmp_path, {"a": {"command": "x"}}, project)
    assert names(configured) == ["a"]
    assert whats(configured) == [
        "needs a command or a url, or a server of this name in the user's file",
        "may only set enabled, exposure, toolExposure of the server in the user's file",
        "auth may stand in the user's file only",
    ]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ('{"mcpServers": {', "Expecting property name enclosed in double quotes, line 1 column 17"),
        ('{"mcpServers": []}', "mcpServers is no object"),
        ("[]", "not an object"),
    ],
)
def test_a_file_that_pi_cannot_use(tmp_path: Path, content: str, what: str) -> None:
    """A file that does not parse, or is something else, is told with line and column where that helps."""
    (tmp_path / "mcp.json").write_text(content)
    configured = read_servers(tmp_path, tmp_path, trusted=False)
    assert [(fault.where, fault.what) for fault in configured.faults] == [(str(tmp_path / "mcp.json"), what)]


def test_a_byte_order_mark(tmp_path: Path) -> None:
    """A byte order mark is taken, as Pi takes it."""
    (tmp_path / "mcp.json").write_bytes(b'\xef\xbb\xbf{"mcpServers": {"a": {"command": "x"}}}')
    assert names(read_servers(tmp_path, tmp_path, trusted=False)) == ["a"]


def test_a_server_does_not_show_its_values(tmp_path: Path) -> None:
    """Whoever prints a server prints no secret."""
    server = read(tmp_path, {"a": {"command": "x", "env": {"K": "canary"}, "args": ["canary"]}}).servers[0]
    assert "canary" not in f"{server} {server!r}"
