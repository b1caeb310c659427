import stat
from pathlib import Path

import pytest

from pilotage.catalog.mcp_cache import ListingCache
from pilotage.catalog.mcp_server import McpServer, server_of
from pilotage.catalog.mcp_tools import Listing, McpTool

LISTING = Listing((McpTool("a", "d", {"type": "object", "big": 10**400, "half": 0.5}),), "潮汐")


def server(**fields: object) -> McpServer:
    """Give a server."""
    return server_of("s", {"command": "x", **fields}, "mcp.json")


def test_what_is_kept_is_found(tmp_path: Path) -> None:
    """A list comes back as it was, with the time when it was given."""
    cache = ListingCache(tmp_path / "new" / "cache")
    cache.keep(server(), tmp_path, LISTING, 100.0)
    kept = cache.find(server(), tmp_path)
    assert kept is not None
    assert (kept.listing, kept.since) == (LISTING, 100.0)


def test_a_list_belongs_to_its_configuration(tmp_path: Path) -> None:
    """Another command, folder or project has no list; another value of a variable has the same one."""
    cache = ListingCache(tmp_path)
    cache.keep(server(env={"K": "one"}), tmp_path, LISTING, 0)
    assert cache.find(server(env={"K": "two"}), tmp_path) is not None
    assert cache.find(server(env={"L": "one"}), tmp_path) is None
    assert cache.find(server(env={"K": "one"}, args=["y"]), tmp_path) is None
    assert cache.find(server(env={"K": "one"}), tmp_path / "other") is None


def test_the_folder_is_the_persons_own(tmp_path: Path) -> None:
    """Nobody else may read the lists."""
    cache = ListingCache(tmp_path / "cache")
    cache.keep(server(), tmp_path, LISTING, 0)
    [file] = cache.folder.iterdir()
    assert stat.S_IMODE(cache.folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"version": 2, "since": 0, "listing": {}}', b'{"version": 1}', b"[" * 100_000]
)
def test_a_broken_file_is_none(tmp_path: Path, content: bytes) -> None:
    """A file that is damaged or of another version counts as no list."""
    cache = ListingCache(tmp_path)
    cache.keep(server(), tmp_path, LISTING, 0)
    [file] = tmp_path.iterdir()
    file.write_bytes(content)
    assert cache.find(server(), tmp_path) is None


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    """Where the cache cannot be written, nothing is kept and nothing fails."""
    (tmp_path / "file").touch()
    cache = ListingCache(tmp_path / "file")
    cache.keep(server(), tmp_path, LISTING, 0)
    assert cache.find(server(), tmp_path) is None
