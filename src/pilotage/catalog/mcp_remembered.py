"""What MCP servers said once, as a part of the catalog: nothing is started and nobody is asked (spec D1)."""

from collections.abc import Iterable, Mapping
from time import time

from pilotage.catalog.mcp_cache import ListingCache
from pilotage.catalog.mcp_config import Configured
from pilotage.catalog.mcp_tools import Listed, capabilities_of
from pilotage.records.capability import Catalog, CatalogFault


def remembered_servers(configured: Configured, cache: ListingCache | None = None, now: float | None = None) -> Catalog:
    """All servers with the tools that they listed last, and how long ago that was; `now` in seconds since the epoch."""
    moment = time() if now is None else now
    listed, ages = [], {}
    for server in configured.servers:
        kept = cache.find(server, configured.cwd) if cache else None
        listed.append(Listed(server, kept.listing if kept else None))
        if kept:
            ages[server.name] = max(0.0, moment - kept.since)
    return catalog_of(configured, listed, ages)


def catalog_of(
    configured: Configured, listed: Iterable[Listed], ages: Mapping[str, float], faults: Iterable[CatalogFault] = ()
) -> Catalog:
    """The catalog of servers in the order of the configuration, with all that is wrong."""
    entries, claims = capabilities_of(listed)
    return Catalog(tuple(entries), (*configured.faults, *faults, *claims), ages)
