"""Where a search by hand looks, and which model it may ask; apart from the search, which costs more to load."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from msgspec import Struct, field

from pilotage.inference.personal import personal_asker
from pilotage.inference.question import Failure, Question, Reply, RequestFailed, Sent
from pilotage.paths import agent_dir
from pilotage.records.configuration import Configuration


class Surroundings(Struct, frozen=True):
    """Where a search by hand looks, and which model it may ask."""

    cwd: Path
    """The project."""
    agent: Path = field(default_factory=agent_dir)
    """Pi's own folder."""
    is_trusted: bool = False
    """Whether Pi trusts the project, so that what lies in its `.pi` counts (spec G4)."""
    configuration: Configuration | None = Configuration()
    """Which model; none where the configuration is faulty."""
    fault: str = ""
    """What is wrong with the configuration."""
    names_model: bool = False
    """Whether the person has a configuration: else the model is the default, which may not be there."""

    @property
    def model(self) -> str:
        """The model that is asked, as in `openrouter/glm-5.3`; not yet fit for a terminal."""
        return f"{self.configuration.provider}/{self.configuration.model}" if self.configuration else ""

    @property
    def known_configuration(self) -> Configuration:
        """The configuration. Raises RequestFailed where it is faulty."""
        if self.configuration is None:
            raise RequestFailed(Failure.NO_MODEL, self.fault)
        return self.configuration

    def asker(
        self, environ: Mapping[str, str], level: Callable[[Configuration], str]
    ) -> Callable[[Question, float, Sent], Awaitable[Reply]]:
        """Asks the model that the person configured, within so many seconds. It raises RequestFailed.

        `level` says how much the model thinks.
        """

        async def ask(question: Question, seconds: float, sent: Sent) -> Reply:
            configuration = self.known_configuration
            return await personal_asker(configuration, self.agent, environ, level(configuration))(
                question, seconds, sent
            )

        return ask
