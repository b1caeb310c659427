"""Where skills lie, and in which order Pi looks (`HOST.md` e): of two with one name the first counts.

The order is Pi's own: the project's settings, `.pi/skills`, `.agents/skills` from the working folder up; then the
user's settings, Pi's own folder, `~/.agents/skills`. Packages are left to Pi.
"""

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

import pathspec
from msgspec import Struct

from pilotage.catalog.skill_patterns import Entries, entries_of, is_found_by_itself, is_listed
from pilotage.records.capability import CatalogFault
from pilotage.records.fields import as_dict, as_list

MOST_VISITED = 20_000
"""Names that are looked at below one folder at the most."""

_IGNORE_FILES = (".gitignore", ".ignore", ".fdignore")
_LARGEST_IGNORE_FILE = 256 * 1024
_DEEPEST = 40


class Place(Struct, frozen=True):
    """A folder or file that may hold skills."""

    path: Path
    """Where it is."""
    entries: Entries
    """The settings that choose among what it holds."""
    is_named: bool = False
    """Whether the settings name it; the others are looked at always."""
    is_agents: bool = False
    """Whether it is an `.agents` folder: there a Markdown file counts below folders, not at the top."""


class Found(Struct, frozen=True):
    """The files that may be skills, in Pi's order."""

    paths: tuple[Path, ...]
    """Each once, by where it really is."""
    faults: tuple[CatalogFault, ...]
    """Folders that could not be looked through."""


def skill_places(
    agent: Path, cwd: Path, user: Mapping[str, object], project: Mapping[str, object], *, trusted: bool
) -> list[Place]:
    """Every place, in Pi's order; `user` and `project` are the two settings files' contents.

    Of a project that Pi does not trust nothing is looked at (spec G4).
    """
    home = Path.home()
    own = entries_of(_words(user), agent)
    places = []
    if trusted:
        theirs = entries_of(_words(project), cwd / ".pi")
        places += _named(theirs)
        places.append(Place(cwd / ".pi" / "skills", theirs))
        places += [_agents(folder, theirs) for folder in _up_to_root(cwd) if folder != home]
    places += _named(own)
    places.append(Place(agent / "skills", own))
    places.append(_agents(home, own))
    return places


def find_skill_files(places: list[Place], most_visited: int = MOST_VISITED) -> Found:
    """The files below the places; unreadable folders and loops of links cost only themselves.

    Below each place `most_visited` names are looked at.
    """
    switched: dict[Path, bool] = {}
    faults: list[CatalogFault] = []
    for place in places:
        walk = _Walk(place, most_visited)
        is_kept = is_listed if place.is_named else is_found_by_itself
        for path in walk.files():
            switched.setdefault(path, is_kept(path, place.entries))
        faults += walk.faults
    seen: set[str] = set()
    kept = []
    for path, is_on in switched.items():
        real = os.path.realpath(path)
        # A file that is switched off hides the same file under another name, as in Pi.
        if real not in seen and is_on:
            kept.append(path)
        seen.add(real)
    return Found(tuple(kept), tuple(faults))


def _words(settings: Mapping[str, object]) -> list[str]:
    """The settings' `skills`; older Pis kept them in an object."""
    given = settings.get("skills")
    words = as_dict(given).get("customDirectories") if isinstance(given, dict) else given
    return [word for word in as_list(words) if isinstance(word, str) and word.strip()]


def _named(entries: Entries) -> list[Place]:
    paths = (entries.base / os.path.expanduser(word.strip()) for word in entries.places)  # noqa: PTH111
    return [Place(Path(os.path.normpath(path)), entries, is_named=True) for path in paths]


def _agents(folder: Path, entries: Entries) -> Place:
    """The `.agents/skills` of a folder; words about what it holds start from its `.agents`."""
    base = folder / ".agents"
    return Place(base / "skills", Entries(base, (), entries.patterns), is_agents=True)


def _up_to_root(cwd: Path) -> Iterator[Path]:
    """The folder and those above it, up to the repository's root; without one, up to the top."""
    here = Path(os.path.normpath(cwd.absolute()))
    folders = (here, *here.parents)
    root = next((folder for folder in folders if (folder / ".git").exists()), None)
    for folder in folders:
        yield folder
        if folder == root:
            return


class _Walk:
    """One place looked through."""

    def __init__(self, place: Place, most_visited: int) -> None:
        self._place = place
        self._most_visited = most_visited
        self._rules: list[str] = []
        self._ignored = pathspec.GitIgnoreSpec.from_lines([])
        self._been: set[tuple[int, int]] = set()
        self._visited = 0
        self.faults: list[CatalogFault] = []

    def files(self) -> Iterator[Path]:
        """Every file that may be a skill."""
        path = self._place.path
        mode = _mode(path)
        if mode is None:
            if self._place.is_named:
                self.faults.append(CatalogFault(str(path), "is not there", "mend `skills` in settings.json"))
        elif stat.S_ISDIR(mode):
            yield from self._below(path, 0)
        elif stat.S_ISREG(mode) and path.suffix == ".md":
            yield path
        elif self._place.is_named:
            self.faults.append(CatalogFault(str(path), "is no Markdown file", "mend `skills` in settings.json"))

    def _below(self, folder: Path, depth: int) -> Iterator[Path]:
        """A folder with a SKILL.md is a skill and nothing below it is looked at; other folders are gone into."""
        names = self._names_in(folder)
        self._add_rules(folder, names)
        if "SKILL.md" in names and _is_file(folder / "SKILL.md") and not self._is_ignored(folder / "SKILL.md"):
            yield folder / "SKILL.md"
            return
        for name in names:
            if name.startswith(".") or name == "node_modules":
                continue
            path = folder / name
            mode = _mode(path)
            if mode is None:
                continue
            is_folder = stat.S_ISDIR(mode)
            if not is_folder and not (name.endswith(".md") and stat.S_ISREG(mode) and self._counts_at(depth)):
                continue
            if self._is_ignored(path, is_folder=is_folder):
                continue
            if not is_folder:
                yield path
            elif depth < _DEEPEST:
                yield from self._below(path, depth + 1)

    def _counts_at(self, depth: int) -> bool:
        """Whether a Markdown file of any name may be a skill at this depth."""
        return depth > 0 if self._place.is_agents else depth == 0

    def _names_in(self, folder: Path) -> list[str]:
        """The names in a folder, sorted as Node gives them; none where it was looked at before."""
        try:
            status = folder.stat()
            if (status.st_dev, status.st_ino) in self._been or self._visited > self._most_visited:
                return []
            self._been.add((status.st_dev, status.st_ino))
            names = [path.name for path in folder.iterdir()]
        except OSError as error:
            self.faults.append(
                CatalogFault(str(folder), f"cannot be looked through: {error.strerror}", "mend its rights")
            )
            return []
        self._visited += len(names)
        if self._visited > self._most_visited:
            what = f"holds more than {self._most_visited} names: the rest is not looked at"
            self.faults.append(CatalogFault(str(self._place.path), what, "move what is no skill elsewhere"))
        return sorted(names, key=os.fsencode)

    def _add_rules(self, folder: Path, names: list[str]) -> None:
        """Take a folder's ignore files as Pi takes them: their rules count from that folder on."""
        before = len(self._rules)
        prefix = "" if folder == self._place.path else f"{folder.relative_to(self._place.path).as_posix()}/"
        for name in _IGNORE_FILES:
            if name in names:
                self._rules += [rule for line in _lines(folder / name) if (rule := _rule(line, prefix))]
        if len(self._rules) > before:
            self._ignored = pathspec.GitIgnoreSpec.from_lines(self._rules)

    def _is_ignored(self, path: Path, *, is_folder: bool = False) -> bool:
        if not self._rules:
            return False
        name = path.relative_to(self._place.path).as_posix().lower()
        return self._ignored.match_file(f"{name}/" if is_folder else name)


def _rule(line: str, prefix: str) -> str | None:
    """One rule, moved below its folder; none where it is a comment or no rule at all."""
    if not line.strip() or line.strip().startswith("#"):
        return None
    sign = "!" if line.startswith("!") else ""
    pattern = line[1:] if line.startswith(("!", "\\!")) else line
    # Pi's matcher looks at neither case nor, at the top, a leading slash.
    rule = f"{sign}{prefix}{pattern.removeprefix('/')}".lower()
    try:
        pathspec.GitIgnoreSpec.from_lines([rule])
    except ValueError:
        return None
    return rule


def _lines(path: Path) -> list[str]:
    try:
        if not _is_file(path) or path.stat().st_size > _LARGEST_IGNORE_FILE:
            return []
        return path.read_text("utf-8", "replace").splitlines()
    except OSError:
        return []


def _mode(path: Path) -> int | None:
    """What a path leads to, links followed; none where it leads nowhere."""
    try:
        return path.stat().st_mode
    except (OSError, ValueError):
        return None


def _is_file(path: Path) -> bool:
    mode = _mode(path)
    return mode is not None and stat.S_ISREG(mode)
