"""MCP servers as a part of the catalog, asked now and all at the same time; each costs only itself (spec D9)."""

import os
from collections.abc import Callable, Mapping
from time import time

import anyio

from pilotage.catalog.mcp_cache import ListingCache
from pilotage.catalog.mcp_client import Answer, ask_server
from pilotage.catalog.mcp_config import Configured
from pilotage.catalog.mcp_remembered import catalog_of
from pilotage.catalog.mcp_server import McpServer
from pilotage.catalog.mcp_tools import Listed
from pilotage.records.capability import Catalog, CatalogFault

LIMIT = 10.0
"""Seconds that each server has in all."""

Tell = Callable[[int, int], None]
"""Hears how many servers are done, and of how many."""


async def list_servers(
    configured: Configured,
    cache: ListingCache | None = None,
    *,
    limit: float = LIMIT,
    run_commands: bool = False,
    environment: Mapping[str, str] | None = None,
    tell: Tell | None = None,
) -> Catalog:
    """Ask every server for its tools, each within `limit` seconds; give what they said and what they did wrong.

    What a server said in full is kept in `cache`. Where it fails, the list that it gave last stands in, with its age.
    `run_commands` is whether values of the form `!command` are run; `environment` is what variables are taken from
    and what programs are run with: this process's own where it is none.
    """
    variables = dict(os.environ if environment is None else environment)
    answers: dict[str, Answer] = {}

    async def ask(server: McpServer) -> None:
        answers[server.name] = await ask_server(
            server, configured.cwd, variables, limit=limit, run_commands=run_commands
        )
        if tell:
            tell(len(answers), len(configured.servers))

    async with anyio.create_task_group() as tasks:
        for server in configured.servers:
            tasks.start_soon(ask, server)
    return _catalog(configured, answers, cache, time())


def _catalog(configured: Configured, answers: Mapping[str, Answer], cache: ListingCache | None, now: float) -> Catalog:
    listed, ages, faults = [], {}, []
    for server in configured.servers:
        answer = answers[server.name]
        faults += [CatalogFault(server.name, failure.what, failure.mend) for failure in answer.failures]
        if answer.is_complete and answer.listing:
            if cache:
                cache.keep(server, configured.cwd, answer.listing, now)
            listed.append(Listed(server, answer.listing, is_connected=True))
            continue
        kept = cache.find(server, configured.cwd) if cache else None
        if kept:
            ages[server.name] = max(0.0, now - kept.since)
            listed.append(Listed(server, kept.listing))
        else:
            listed.append(Listed(server, answer.listing))
    return catalog_of(configured, listed, ages, faults)
