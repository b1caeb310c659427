"""Whether Pi trusts a project, and so reads what lies in its `.pi` (spec G4)."""

import os
from enum import StrEnum
from pathlib import Path

from pilotage.jsonfiles import load_object

_NEEDS_TRUST = (
    "settings.json",
    "mcp.json",
    "extensions",
    "skills",
    "prompts",
    "themes",
    "SYSTEM.md",
    "APPEND_SYSTEM.md",
)
"""What in a project's `.pi` Pi takes only from a project that it trusts."""


class Trust(StrEnum):
    """How Pi stands to a project."""

    NOTHING = "nothing"
    """There is nothing in it that would need trust."""
    TRUSTED = "trusted"
    """It is trusted."""
    REFUSED = "refused"
    """It is not."""
    ASKED = "asked"
    """Pi asks at its terminal, and takes it for not trusted where it has none."""


def find_trust(cwd: Path, agent: Path) -> Trust:
    """How Pi stands to the project in a folder; a decision on a folder holds for those below it.

    Raises FaultyFile.
    """
    if not any((cwd / ".pi" / name).exists() for name in _NEEDS_TRUST):
        return Trust.NOTHING
    decisions = load_object(agent / "trust.json")
    here = Path(os.path.realpath(cwd))
    for folder in (here, *here.parents):
        decision = decisions.get(str(folder))
        if isinstance(decision, bool):
            return Trust.TRUSTED if decision else Trust.REFUSED
    by_default = load_object(agent / "settings.json").get("defaultProjectTrust")
    return {"always": Trust.TRUSTED, "never": Trust.REFUSED}.get(str(by_default), Trust.ASKED)
