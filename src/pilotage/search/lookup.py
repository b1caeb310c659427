"""A search by hand: what there is, from the session and the disk, and a query answered, by a model too (spec D2, D6).

The console and the command line share it. What costs dear is loaded when it is needed: the MCP client when servers
are asked, the HTTP client when a model is.
"""

import asyncio
import os
import time
from collections.abc import Callable, Mapping

from msgspec.structs import replace

from pilotage.catalog.declared import session_catalog
from pilotage.catalog.mcp_cache import ListingCache
from pilotage.catalog.mcp_config import Configured, read_servers
from pilotage.catalog.mcp_remembered import remembered_servers
from pilotage.catalog.mcp_server import McpServer
from pilotage.catalog.merge import merge
from pilotage.catalog.skills import find_skills
from pilotage.inference.question import Question, Reply
from pilotage.paths import tool_lists_dir
from pilotage.records.capability import Catalog, CatalogFault
from pilotage.search.answer import LIMIT, Answer, answer
from pilotage.search.asked import answer_asked
from pilotage.search.index import Index
from pilotage.search.surroundings import Surroundings as Surroundings
from pilotage.sessions.read import Session, UnreadableSession

PATIENCE = 60.0
"""Seconds that a model has in all (spec M4)."""


def servers_of(surroundings: Surroundings) -> Configured:
    """The MCP servers of the person and of the project; nothing is started."""
    return read_servers(surroundings.agent, surroundings.cwd, trusted=surroundings.is_trusted)


def said_catalog(session: Session) -> Catalog:
    """What a session's file tells. A file that changed meanwhile is a fault."""
    try:
        return session_catalog(session)
    except UnreadableSession as error:
        return Catalog((), (CatalogFault(str(session.path), str(error), "search again"),))


def found_catalog(surroundings: Surroundings) -> Catalog:
    """What lies on the disk: skills, and the servers with the tools that they listed last; nobody is asked."""
    skills = find_skills(surroundings.agent, surroundings.cwd, trusted=surroundings.is_trusted)
    return merge(skills, remembered_servers(servers_of(surroundings), _cache()))


async def asked_catalog(
    surroundings: Surroundings, *, run_commands: bool = False, tell: Callable[[Catalog, int, int], None] | None = None
) -> Catalog:
    """The same with every server asked now, 10 seconds each and all at once (spec D9).

    `tell` hears after each server what is known then, how many servers are done, and of how many. `run_commands` is
    whether values of the form `!command` are run.
    """
    found, servers = found_catalog(surroundings), servers_of(surroundings)
    if not servers.servers:
        return found
    from pilotage.catalog.mcp_servers import list_servers

    catalogs: list[Catalog] = []
    old = dict(found.ages)

    async def ask(server: McpServer) -> None:
        catalogs.append(await list_servers(replace(servers, servers=(server,)), _cache(), run_commands=run_commands))
        old.pop(server.name, None)
        if tell:
            tell(merge(*catalogs, replace(found, ages=dict(old))), len(catalogs), len(servers.servers))

    async with asyncio.TaskGroup() as tasks:
        for server in servers.servers:
            tasks.create_task(ask(server))
    skills = find_skills(surroundings.agent, surroundings.cwd, trusted=surroundings.is_trusted)
    told = merge(*catalogs)
    if len(told.entries) < sum(len(catalog.entries) for catalog in catalogs):
        # Two servers claim one name: only who sees them all at once can tell them apart.
        told = await list_servers(servers, _cache(), run_commands=run_commands)
    return merge(skills, told)


def together(said: Catalog, found: Catalog) -> Catalog:
    """What the session tells and what lies on the disk as one; what the session says of a thing counts first."""
    return merge(said, found)


async def ask_model(
    index: Index, typed: str, surroundings: Surroundings, limit: int = LIMIT, *, environ: Mapping[str, str] = os.environ
) -> Answer:
    """Answer a query over an indexed catalog by a model where it is a wish, by words where that fails (spec D6).

    It takes at most 60 seconds, and can be cancelled. A failure is in the answer; nothing is loaded for an agent.
    """
    started = time.monotonic()

    asking = surroundings.asker(environ, lambda configuration: configuration.tool_search_thinking_level)

    async def ask_once(question: Question) -> Reply:
        return await asking(question, PATIENCE - (time.monotonic() - started), lambda _: None)

    return await answer_asked(index, typed, limit, ask=ask_once, loading=False)


def by_words(index: Index, typed: str, limit: int = LIMIT) -> Answer:
    """Answer a query by names and words, for a person: nothing is loaded."""
    return answer(index.catalog, index, typed, limit, loading=False)


def _cache() -> ListingCache:
    return ListingCache(tool_lists_dir())
