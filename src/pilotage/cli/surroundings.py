"""Where a search by hand looks from a project, and which model it may ask: what Pi's files say (spec G1, G4)."""

from pathlib import Path

from pilotage.hosts.pi.configuration import BLOCK, FaultyConfiguration, read_configuration
from pilotage.hosts.pi.trust import Trust, find_trust
from pilotage.jsonfiles import FaultyFile, load_object
from pilotage.paths import agent_dir
from pilotage.search.surroundings import Surroundings


def surroundings_of(cwd: Path) -> Surroundings:
    """The surroundings of a project. A faulty file is said as the model's fault, and nobody is trusted by it."""
    agent = agent_dir()
    try:
        is_trusted = find_trust(cwd, agent) is Trust.TRUSTED
        user = load_object(agent / "settings.json")
        project = load_object(cwd / ".pi" / "settings.json") if is_trusted else {}
    except FaultyFile as fault:
        return Surroundings(cwd, agent, configuration=None, fault=f"{fault}; mend the file")
    try:
        configuration = read_configuration(user, project)
    except FaultyConfiguration as faults:
        words = f"{agent / 'settings.json'}: {BLOCK} is void: {faults}"
        return Surroundings(cwd, agent, is_trusted=is_trusted, configuration=None, fault=words, names_model=True)
    return Surroundings(cwd, agent, is_trusted=is_trusted, configuration=configuration, names_model=BLOCK in user)
