"""The skills that an agent here is given, from their files (spec D1, D2, D3; `HOST.md` e)."""

from pathlib import Path

from msgspec import Struct

from pilotage.catalog.frontmatter import MOST_BYTES, FaultyFront, Front, parse_front
from pilotage.catalog.names import id_of
from pilotage.catalog.skill_places import find_skill_files, skill_places
from pilotage.jsonfiles import FaultyFile, load_object
from pilotage.records.capability import Capability, CapabilityKind, CapabilityState, Catalog, CatalogFault


class _Read(Struct, frozen=True):
    """A file as it was when it was read."""

    identity: tuple[int, int]
    """When it was changed, in nanoseconds, and its size."""
    front: Front | None
    """What it says; none where it is faulty."""
    fault: CatalogFault | None = None
    """What is wrong with it."""


class SkillCache:
    """Skill files as they were read: one that has not changed is not read again."""

    def __init__(self) -> None:
        self._read: dict[Path, _Read] = {}
        self.reads = 0
        """How many files were read."""

    def get(self, path: Path) -> tuple[Front | None, CatalogFault | None]:
        """What a file says, and what is wrong with it."""
        try:
            status = path.stat()
            identity = (status.st_mtime_ns, status.st_size)
            known = self._read.get(path)
            if known is None or known.identity != identity:
                self.reads += 1
                known = self._read[path] = _read(path, identity)
        except OSError as error:
            self._read.pop(path, None)
            return None, CatalogFault(str(path), f"cannot be read: {error.strerror}", "mend its rights")
        return known.front, known.fault


def find_skills(agent: Path, cwd: Path, *, trusted: bool, cache: SkillCache | None = None) -> Catalog:
    """Every skill that Pi would give an agent in `cwd`, in Pi's order; those that only a person may call are not.

    `agent` is Pi's folder, `trusted` whether Pi trusts the project. What is left out for a reason that its author
    can mend is a fault.
    """
    files = cache or SkillCache()
    faults: list[CatalogFault] = []
    user = _settings(agent / "settings.json", faults)
    project = _settings(cwd / ".pi" / "settings.json", faults) if trusted else {}
    if not trusted and (cwd / ".pi" / "skills").exists():
        what = "is not looked at: Pi does not trust the project"
        faults.append(CatalogFault(str(cwd / ".pi" / "skills"), what, "trust it in Pi"))
    found = find_skill_files(skill_places(agent, cwd, user, project, trusted=trusted))
    faults += found.faults
    named: dict[str, tuple[Path, Front]] = {}
    for path in found.paths:
        front, fault = files.get(path)
        if fault:
            faults.append(fault)
        if front is None:
            continue
        name = front.name or path.parent.name
        first = named.setdefault(name, (path, front))[0]
        if first != path:
            what = f"its name {name} is taken: Pi gives the agent {first}"
            faults.append(CatalogFault(str(path), what, "rename one of them"))
    entries = (_entry(name, *one) for name, one in named.items() if not one[1].is_disabled)
    return Catalog(tuple(entries), tuple(faults))


def _settings(path: Path, faults: list[CatalogFault]) -> dict[str, object]:
    try:
        return load_object(path)
    except FaultyFile as fault:
        what = str(fault).removeprefix(f"{path}: ")
        faults.append(CatalogFault(str(path), what, "mend the file: skills that it names are not found"))
        return {}


def _entry(name: str, path: Path, front: Front) -> Capability:
    return Capability(
        id_of(CapabilityKind.SKILL, name),
        CapabilityKind.SKILL,
        name,
        front.description,
        CapabilityState.LOADABLE,
        path=str(path),
        short=front.catalog_description,
        origin=str(path),
    )


def _read(path: Path, identity: tuple[int, int]) -> _Read:
    """Read the head of a file. Raises OSError."""
    with path.open("rb") as file:
        head = file.read(MOST_BYTES)
    try:
        front = parse_front(head.decode("utf-8", "replace"))
    except FaultyFront as faulty:
        fault = CatalogFault(f"{path}:{faulty.line}", str(faulty), faulty.mend)
        # Any Markdown file may lie beside skills; only one that says it is a skill can be a bad one.
        return _Read(identity, None, fault if path.name == "SKILL.md" else None)
    if front.description:
        return _Read(identity, front)
    if path.name != "SKILL.md":
        return _Read(identity, None)
    what = (
        "it has no description" if len(head) < MOST_BYTES else f"it has no description in its first {MOST_BYTES} bytes"
    )
    return _Read(identity, None, CatalogFault(f"{path}:1", what, "write `description:` between two lines of ---"))
