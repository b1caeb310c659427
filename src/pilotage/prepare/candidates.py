"""The paths that may be read for one input, and where each really lies (spec P3, P4)."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePath

from msgspec import Struct

from pilotage.prepare.index import PREFIX, Index
from pilotage.records.capability import Capability, CapabilityKind


class Place(Struct, frozen=True):
    """Where a candidate lies."""

    folder: str
    """The allowed folder that it must not leave: the main task's, or a skill's own."""
    parts: tuple[str, ...]
    """The way to it from there."""
    path: str
    """Its path as the host's own read takes it: relative to the main task's folder, or absolute for a skill."""


class Candidates(Struct, frozen=True):
    """What may be read for one input; nothing else is, whatever its path looks like."""

    places: Mapping[str, Place]
    """By the id that the model is given."""

    def __contains__(self, path: object) -> bool:
        """Whether a path is one of them, letter for letter."""
        return path in self.places


def candidates(folder: Path, index: Index, catalog: Iterable[Capability]) -> Candidates:
    """Give the files of an index of this folder and the entry file of each skill (spec P3)."""
    places = {path: _project_place(folder, path) for path in index.paths if not path.endswith("/")}
    skills = (entry.path for entry in catalog if entry.kind is CapabilityKind.SKILL and entry.path)
    return Candidates(places | {path: _skill_place(path) for path in skills if PurePath(path).is_absolute()})


def _project_place(folder: Path, path: str) -> Place:
    relative = path.removeprefix(PREFIX)
    # The host takes a leading @ away and ~ for the home folder (`HOST.md` b).
    named = f"./{relative}" if relative.startswith(("@", "~")) else relative
    return Place(os.path.realpath(folder), tuple(relative.split("/")), named)


def _skill_place(path: str) -> Place:
    file = PurePath(path)
    return Place(os.path.realpath(file.parent), (file.name,), path)
