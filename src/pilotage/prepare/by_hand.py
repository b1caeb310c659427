"""A preparation that a person asks for: as in a served session, but nothing is written into any session (spec P2).

The console and the command line share it.
"""

import asyncio
import os
import uuid
from collections.abc import Mapping

from msgspec import Struct

from pilotage.evidence.diagnostics import Data, Subject
from pilotage.prepare.confine import Confinement, confinement
from pilotage.prepare.predict import Halves
from pilotage.prepare.run import Doing, Material, Preparation, run_preparation
from pilotage.records.attempt import Purpose
from pilotage.records.capability import Catalog
from pilotage.records.configuration import Configuration
from pilotage.redaction import secret_values
from pilotage.search.lookup import found_catalog, said_catalog, together
from pilotage.search.surroundings import Surroundings
from pilotage.sessions.read import Session


class ByHand(Struct, frozen=True):
    """What came of it."""

    done: Preparation
    """How it ended and what it brought."""
    catalog: Catalog
    """What could be suggested."""
    confinement: Confinement | None
    """Whether commands could be confined; none where there was no command to run."""


async def prepare_by_hand(
    request: str,
    surroundings: Surroundings,
    session: Session | None = None,
    *,
    runs: bool,
    confined_only: bool = False,
    environ: Mapping[str, str] = os.environ,
) -> ByHand:
    """Prepare for a request that would come next in a session, or first in none; it can be cancelled.

    Both halves are wanted, whatever is switched on for agents. With `runs` the actions are done, else only predicted.
    A failure is in what is given back; the evidence is written as for any other.
    """
    configuration = surroundings.configuration
    tried: list[Confinement] = []

    def confine() -> Confinement:
        tried.append(confinement())
        return tried[-1]

    attempt = uuid.uuid4().hex
    catalog = await asyncio.to_thread(_catalog, surroundings, session)
    done = await run_preparation(
        Subject(attempt, Purpose.PREPARATION, uuid.uuid4().hex, None, preparation_id=attempt),
        Material(
            session.path if session else None,
            surroundings.cwd,
            catalog,
            request=request,
            secrets=secret_values(environ),
        ),
        Halves(True, (configuration or Configuration()).max_suggested_actions),
        configuration=configuration or Configuration(),
        ask=surroundings.asker(environ, lambda chosen: chosen.auto_recommend_thinking_level),
        note=_forget,
        doing=Doing(confine, confined_only) if runs else None,
    )
    return ByHand(done, catalog, tried[-1] if tried else None)


def _catalog(surroundings: Surroundings, session: Session | None) -> Catalog:
    found = found_catalog(surroundings)
    return together(said_catalog(session), found) if session else found


async def _forget(_: Data) -> None:
    """An observed session is written by its host alone."""
