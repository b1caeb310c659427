"""The tool lists that servers gave once, by configuration, with their age (spec D9)."""

import hashlib
import json
import os
import tempfile
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from pilotage.catalog.mcp_server import McpServer
from pilotage.catalog.mcp_tools import Listing

_VERSION = 1
_LARGEST = 64 << 20


class Kept(Struct, frozen=True):
    """A list that a server gave once."""

    listing: Listing
    """The list."""
    since: float
    """When it was given, in seconds since the epoch."""


class _File(Struct):
    version: int
    since: float
    listing: Listing


class ListingCache:
    """A folder of lists. It holds no values of variables or headers, and what is in it can be made anew."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        """The folder; made when something is kept."""

    def find(self, server: McpServer, cwd: Path) -> Kept | None:
        """The list that a server of this configuration gave last; none where there is none that can be read."""
        path = self._path(server, cwd)
        with suppress(OSError, ValueError, RecursionError, msgspec.ValidationError):
            if path.stat().st_size > _LARGEST:
                return None
            file = msgspec.convert(json.loads(path.read_bytes()), _File)
            return Kept(file.listing, file.since) if file.version == _VERSION else None
        return None

    def keep(self, server: McpServer, cwd: Path, listing: Listing, now: float) -> None:
        """Keep a list in place of the one before. A folder that cannot be written is no failure."""
        with suppress(OSError, ValueError, RecursionError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            content = json.dumps(msgspec.to_builtins(_File(_VERSION, now, listing)))
            handle, draft = tempfile.mkstemp(dir=self.folder)
            try:
                with os.fdopen(handle, "w") as file:
                    file.write(content)
                Path(draft).replace(self._path(server, cwd))
            except BaseException:
                Path(draft).unlink(missing_ok=True)
                raise

    def _path(self, server: McpServer, cwd: Path) -> Path:
        """The file of a configuration. Of variables and headers only the names count: a hash of a value tells of it."""
        configuration = [
            server.name,
            [server.command, *server.args, server.folder, str(cwd)] if server.command is not None else None,
            server.url,
            sorted(server.env),
            sorted(server.headers),
        ]
        digest = hashlib.sha256(json.dumps(configuration).encode()).hexdigest()
        return self.folder / f"{digest}.json"
