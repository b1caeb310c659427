"""Where things lie on this machine: Pi's folders and Pilotage's own."""

import os
from pathlib import Path

import platformdirs

AGENT_DIR = "PI_CODING_AGENT_DIR"
SESSION_DIR = "PI_CODING_AGENT_SESSION_DIR"


def agent_dir() -> Path:
    """Pi's own folder (`HOST.md` a): `$PI_CODING_AGENT_DIR`, else `~/.pi/agent`."""
    named = os.environ.get(AGENT_DIR)
    # Path.expanduser raises for a user that there is not; Pi takes such a name as it is.
    return Path(os.path.expanduser(named)) if named else Path.home() / ".pi" / "agent"  # noqa: PTH111


def cache_dir() -> Path:
    """Pilotage's cache: whatever is in it can be made anew."""
    return Path(platformdirs.user_cache_dir("pilotage", appauthor=False))


def data_dir() -> Path:
    """What Pilotage itself keeps and nothing else tells again: notes on watched sessions, and the person's marks."""
    return Path(platformdirs.user_data_dir("pilotage", appauthor=False))


def tool_lists_dir() -> Path:
    """The tool lists that MCP servers gave once, a part of the cache."""
    return cache_dir() / "tool-lists"
