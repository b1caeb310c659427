"""Where a search by hand looks, and which model it may ask; apart from the search, which costs more to load."""

from pathlib import Path

from msgspec import Struct, field

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
