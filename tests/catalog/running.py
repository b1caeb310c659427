"""Configurations of the servers beside this file, and what came of asking them."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import msgspec

from pilotage.catalog.mcp_cache import ListingCache
from pilotage.catalog.mcp_config import Configured, read_servers
from pilotage.catalog.mcp_servers import list_servers
from pilotage.records.capability import Capability, Catalog

SERVERS = Path(__file__).parent / "servers"
ROOT = Path(__file__).parents[2]


def list_servers_now(configured: Configured, cache: ListingCache | None = None, **how: Any) -> Catalog:
    """List the servers from outside an event loop."""
    return anyio.run(partial(list_servers, **how), configured, cache)


def script(name: str, *args: str, **fields: Any) -> dict[str, Any]:
    """Give the entry of a server that runs as a program."""
    return {"command": sys.executable, "args": [str(SERVERS / f"{name}.py"), *args], **fields}


def shell(words: str, **fields: Any) -> dict[str, Any]:
    """Give the entry of a server that is a line of shell."""
    return {"command": "/bin/sh", "args": ["-c", words], **fields}


class Setting:
    """A folder with Pi's configuration, a project and a cache."""

    def __init__(self, root: Path, **servers: dict[str, Any]) -> None:
        self.root = root
        self.agent = root / "agent"
        self.project = root / "project"
        self.cache = root / "cache"
        for folder in (self.agent, self.project):
            folder.mkdir(parents=True, exist_ok=True)
        self.configure(**servers)

    def configure(self, **servers: dict[str, Any]) -> None:
        """Write the servers into Pi's own file."""
        (self.agent / "mcp.json").write_text(json.dumps({"mcpServers": servers}))

    @property
    def configured(self) -> Configured:
        """The servers as they are read."""
        return read_servers(self.agent, self.project, trusted=True)

    def ask(self, limit: float = 30, **variables: str) -> "Asked":
        """Ask all servers from another process, with these variables beside our own."""
        command = [sys.executable, "-W", "default", "-m", "tests.catalog.ask"]
        arguments = [str(self.agent), str(self.project), str(self.cache), str(limit)]
        done = subprocess.run(
            [*command, *arguments], cwd=ROOT, env=os.environ | variables, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode()
        catalog = msgspec.json.decode(done.stdout, type=Catalog)
        return Asked(catalog, done.stdout.decode(), done.stderr.decode())


class Asked:
    """A catalog, and all that the asking process brought out."""

    def __init__(self, catalog: Catalog, output: str, errors: str) -> None:
        self.catalog = catalog
        self.output = output
        self.errors = errors

    def tools(self, server: str) -> dict[str, Capability]:
        """Give the entries of one server by name."""
        return {entry.name: entry for entry in self.catalog.entries if entry.server == server}

    def faults(self, server: str) -> list[str]:
        """Give what is said of one server."""
        return [fault.what for fault in self.catalog.faults if fault.where == server]


def is_group_gone(path: Path) -> bool:
    """Whether there is no process left in the group whose head wrote its id into a file."""
    for _ in range(100):
        try:
            os.killpg(int(path.read_text()), 0)
        except ProcessLookupError:
            return True
        # The dead are in the group until the system's first process has taken note of them.
        time.sleep(0.02)
    return False


@contextmanager
def served_over_http(key: str) -> Iterator[str]:
    """Run the HTTP server and give its address."""
    with subprocess.Popen(
        [sys.executable, str(SERVERS / "over_http.py")], stdout=subprocess.PIPE, env={**os.environ, "HTTP_KEY": key}
    ) as server:
        try:
            assert server.stdout
            yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        finally:
            server.kill()
