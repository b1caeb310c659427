"""The preparation of an input in a served session; Pi's first request of that input waits for it (spec P1, P8)."""

from functools import cache
from pathlib import Path

from pilotage.catalog.host import host_catalog
from pilotage.engine.directives import Prepare
from pilotage.engine.events import SessionBegan
from pilotage.evidence.diagnostics import Data, Subject
from pilotage.hosts.pi.channel import Params
from pilotage.hosts.pi.parent import Parent
from pilotage.prepare.confine import confinement
from pilotage.prepare.messages import Speaker
from pilotage.prepare.run import Doing, Material, Preparation, run_preparation, wanted
from pilotage.records.attempt import PREPARATION_TYPE, Purpose
from pilotage.records.configuration import Configuration
from pilotage.records.fields import as_dict, as_text
from pilotage.settings import Settings


class Preparing:
    """What one session's preparations have in common."""

    def __init__(self, parent: Parent) -> None:
        self._parent = parent
        self._confine = cache(confinement)

    async def prepare(
        self, due: Prepare, session: SessionBegan, asked: Params, configuration: Configuration, settings: Settings
    ) -> Preparation:
        """Prepare for an input; `asked` is what Pi said of it: the main model, and the catalog as it is now."""
        if not session.file:
            return Preparation(due.attempt, "skipped", failure="trajectory", words="this session is kept in no file")
        parent = self._parent
        leaf = await parent.leaf()
        subject = Subject(due.attempt, Purpose.PREPARATION, due.input_id, leaf, preparation_id=due.attempt)
        model = as_dict(asked.get("model"))
        material = Material(
            Path(session.file),
            Path(session.cwd),
            host_catalog(as_dict(asked.get("catalog"))),
            user_entry=due.user_entry,
            speaker=Speaker(as_text(model.get("provider")), as_text(model.get("id")), as_text(model.get("api"))),
            secrets=parent.secrets,
        )
        return await run_preparation(
            subject,
            material,
            wanted(configuration),
            configuration=configuration,
            ask=parent.asker(configuration, configuration.auto_recommend_thinking_level),
            note=parent.note,
            append=self._append,
            doing=Doing(self._confine, settings.confined_only),
        )

    async def _append(self, record: Data) -> None:
        await self._parent.append(PREPARATION_TYPE, record)
