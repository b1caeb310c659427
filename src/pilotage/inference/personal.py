"""The configured model asked with the person's own files, where no host is there to be asked for a key (spec M2)."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from importlib import import_module
from pathlib import Path

from pilotage.inference.question import Question, Reply, Sent
from pilotage.inference.resolve import resolve
from pilotage.records.configuration import Configuration


def personal_asker(
    configuration: Configuration, agent: Path, environ: Mapping[str, str], level: str
) -> Callable[[Question, float, Sent], Awaitable[Reply]]:
    """Asks the configured model at a thinking level, within so many seconds. It raises RequestFailed.

    `agent` is Pi's own folder. The model is looked up anew each time: a person may have logged in meanwhile.
    """

    async def ask_configured(question: Question, seconds: float, sent: Sent) -> Reply:
        # Loading takes a quarter of a second, in which whoever waits should go on.
        await asyncio.to_thread(import_module, "pilotage.inference.request")
        from pilotage.inference.request import ask

        target = await resolve(configuration, agent, environ)
        return await ask(target, question, level=level, deadline=seconds, environ=environ, sent=sent)

    return ask_configured
