"""The search itself, and what it prints."""

import argparse
import asyncio
from pathlib import Path

from pilotage.catalog.file import read_catalog
from pilotage.cli.open import open_session, this_folder
from pilotage.cli.output import DONE, FOUND, print_object, print_row, say
from pilotage.cli.surroundings import surroundings_of
from pilotage.cli.waiting import waiting
from pilotage.figures import age
from pilotage.jsonfiles import FaultyFile
from pilotage.plain import plain_line
from pilotage.records.capability import Capability, Catalog
from pilotage.search.answer import LIMIT, Answer, Mode
from pilotage.search.index import Index, build_index, by_id
from pilotage.search.lookup import (
    ask_model,
    asked_catalog,
    by_words,
    found_catalog,
    said_catalog,
    servers_of,
    together,
)
from pilotage.search.surroundings import Surroundings
from pilotage.sessions.read import Session

LONGEST_NAME = 48
LONGEST_WHY = 48
LONGEST_TEXT = 100


def search(arguments: argparse.Namespace) -> int:
    """Search, print; the exit status."""
    session = open_session(arguments.session) if arguments.session else None
    surroundings = surroundings_of(_project(arguments, session))
    try:
        catalog = _catalog(arguments, session, surroundings)
    except FaultyFile as fault:
        say(f"pilotage: {fault}")
        return FOUND
    index = build_index(catalog)
    everything = max(1, len(catalog.entries))
    answer = _answer(arguments, index, surroundings)
    if answer.mode is Mode.LIST and arguments.limit is None:
        answer = by_words(index, arguments.query, everything)
    if arguments.json:
        print_object(answer.to_json())
    else:
        _print_table(answer, by_id(catalog))
    _say_words(answer, catalog)
    return DONE if answer.total else FOUND


def _project(arguments: argparse.Namespace, session: Session | None) -> Path:
    if arguments.cwd:
        return Path(arguments.cwd).absolute()
    header = session.header if session else None
    return Path(header.cwd) if header and header.cwd else this_folder()


def _catalog(arguments: argparse.Namespace, session: Session | None, surroundings: Surroundings) -> Catalog:
    """What there is. Raises FaultyFile."""
    if arguments.catalog:
        return read_catalog(Path(arguments.catalog))
    said = said_catalog(session) if session else Catalog(())
    if arguments.no_servers or not servers_of(surroundings).servers:
        return together(said, found_catalog(surroundings))
    return together(said, asyncio.run(_asked(arguments, surroundings)))


async def _asked(arguments: argparse.Namespace, surroundings: Surroundings) -> Catalog:
    counts = [0, 0]

    def tell(_: Catalog, *come: int) -> None:
        counts[:] = come

    async with waiting("asking MCP servers", lambda: "{} of {} done, ".format(*counts) if counts[1] else ""):
        return await asked_catalog(surroundings, run_commands=arguments.run_commands, tell=tell)


def _answer(arguments: argparse.Namespace, index: Index, surroundings: Surroundings) -> Answer:
    limit = arguments.limit or LIMIT
    if arguments.no_model or not surroundings.names_model:
        return by_words(index, arguments.query, limit)
    return asyncio.run(_asked_model(arguments.query, index, surroundings, limit))


async def _asked_model(query: str, index: Index, surroundings: Surroundings, limit: int) -> Answer:
    async with waiting(f"asking {plain_line(surroundings.model, 60)}"):
        return await ask_model(index, query, surroundings, limit)


def _print_table(answer: Answer, entries: dict[str, Capability]) -> None:
    """Name, kind, state, why and one line of each."""
    found = [(entries[one.id], one) for one in answer.suggestions if one.id in entries]
    names = [plain_line(entry.name, LONGEST_NAME) for entry, _ in found]
    whys = ["" if answer.mode is Mode.LIST else plain_line(one.why, LONGEST_WHY) for _, one in found]
    wide = max(map(len, names), default=0)
    wide_why = max(map(len, whys), default=0)
    for (entry, _), name, why in zip(found, names, whys, strict=True):
        text = plain_line(entry.short or entry.description, LONGEST_TEXT)
        print_row([f"{name:<{wide}}", f"{entry.kind:<5}", f"{entry.state:<13}", f"{why:<{wide_why}}", text])


def _say_words(answer: Answer, catalog: Catalog) -> None:
    """What was not as it should be, and what was not shown."""
    for fault in catalog.faults:
        mend = f"; {fault.mend}" if fault.mend else ""
        say(f"{plain_line(fault.where)}: {plain_line(fault.what)}{plain_line(mend)}")
    for name, seconds in catalog.ages.items():
        say(f"{plain_line(name)}: listed {age(seconds)} ago")
    if answer.routing_error:
        say(f"no answer of a model: {plain_line(answer.routing_error)}")
    if answer.more:
        say(f"{answer.more:,} more; --limit shows more of them")
    if not answer.total:
        say("nothing found")
