"""Ask the servers of a configuration from a process of its own, and print the catalog as JSON.

`python -m tests.catalog.ask AGENT CWD CACHE LIMIT`. What a server may bring to a terminal would come to this
process's, where a test sees it.
"""

import sys
from pathlib import Path

import msgspec

from pilotage.catalog.mcp_cache import ListingCache
from pilotage.catalog.mcp_config import read_servers
from tests.catalog.running import list_servers_now

if __name__ == "__main__":
    agent, cwd, cache = map(Path, sys.argv[1:4])
    configured = read_servers(agent, cwd, trusted=True)
    catalog = list_servers_now(configured, ListingCache(cache), limit=float(sys.argv[4]))
    sys.stdout.buffer.write(msgspec.json.encode(catalog))
