"""The search itself, and what it prints."""

import argparse
import asyncio
import sys
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import TypeVar

from pilotage.cli.open import open_session, this_folder
from pilotage.cli.output import DONE, FOUND, print_object, print_row, say
from pilotage.cli.surroundings import surroundings_of
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
    catalog_in_file,
    found_catalog,
    said_catalog,
    servers_of,
    together,
)
from pilotage.search.surroundings import Surroundings
from pilotage.sessions.read import Session

T = TypeVar("T")

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
        return catalog_in_file(arguments.catalog)
    said = said_catalog(session) if session else Catalog(())
    if arguments.no_servers or not servers_of(surroundings).servers:
        return together(said, found_catalog(surroundings))
    waiting = _Waiting("asking MCP servers")
    asked = asked_catalog(surroundings, run_commands=arguments.run_commands, tell=waiting.tell)
    return together(said, asyncio.run(waiting.until(asked)))


def _answer(arguments: argparse.Namespace, index: Index, surroundings: Surroundings) -> Answer:
    limit = arguments.limit or LIMIT
    if arguments.no_model or not surroundings.names_model:
        return by_words(index, arguments.query, limit)
    asked = ask_model(index, arguments.query, surroundings, limit)
    return asyncio.run(_Waiting(f"asking {plain_line(surroundings.model, 60)}").until(asked))


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


class _Waiting:
    """Says after a second, and then now and again, how long something has been going on (spec L4)."""

    def __init__(self, doing: str) -> None:
        self._doing = doing
        self._count = ""
        self._since = time.monotonic()

    def tell(self, _: Catalog, done: int, total: int) -> None:
        """So many are done."""
        self._count = f" {done} of {total} done,"

    async def until(self, awaited: Coroutine[object, object, T]) -> T:
        """Wait for something."""
        saying = asyncio.create_task(self._say_on())
        try:
            return await awaited
        finally:
            saying.cancel()
            if sys.stderr.isatty():
                print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    async def _say_on(self) -> None:
        in_place = sys.stderr.isatty()
        while True:
            await asyncio.sleep(1)
            words = f"{self._doing}:{self._count} {age(time.monotonic() - self._since)}"
            print(f"\r{words}" if in_place else words, end="" if in_place else "\n", file=sys.stderr, flush=True)
            await asyncio.sleep(0 if in_place else 4)
