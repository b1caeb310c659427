"""The index of the main task's folder: the files that a model may ask for (spec P3).

Breadth first and bounded in every way, as a person waits for it. What it lists, git would list: it reads ignore files
at every level as git does. That it does not list a file proves nothing.
"""

import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path

from msgspec import Struct

from pilotage.figures import counted
from pilotage.prepare.beneath import open_beneath, open_root
from pilotage.prepare.ignore import IgnoreFile, TooLarge, read_beside, read_standing
from pilotage.prepare.names import can_be_told, is_closed_folder, is_credential
from pilotage.prepare.repository import find_repository, is_work_tree, standing_rules

PREFIX = "project:"
"""How the id of a file in the main task's folder begins."""


class Bound(StrEnum):
    """What can end an index before the folder does."""

    LEVELS = "levels"
    """There are folders deeper down."""
    ENTRIES = "entries"
    """It holds as many entries as it may."""
    CHARACTERS = "characters"
    """Its paths are as long together as they may be."""
    VISITS = "visits"
    """It has looked at as much as it may."""
    TIME = "time"
    """Its time was over."""


class Limits(Struct, frozen=True):
    """How far an index goes (spec P3)."""

    levels: int = 3
    """Names in the longest path."""
    entries: int = 200
    """Paths."""
    characters: int = 6000
    """Characters of all ids, with one more for each to stand apart."""
    visits: int = 2000
    """Names that are looked at, listed or not."""
    seconds: float = 0.1
    """Time by the clock."""


class Index(Struct, frozen=True):
    """What a folder holds, as far as it was looked at."""

    paths: tuple[str, ...]
    """`project:` and the path relative to the folder, the nearest first; a repository of its own ends in a slash."""
    stopped: Bound | None
    """What ended it; none where it holds everything that it may."""
    visited: int
    """Names that were looked at."""
    seconds: float
    """How long it took."""

    @property
    def words(self) -> str:
        """How far it reaches, in words."""
        told = f"{counted(len(self.paths), 'entry', 'entries')} from {counted(self.visited, 'name')}"
        return told if self.stopped is None else f"{told}; stopped by its bound on {self.stopped}"


NOTHING = Index((), None, 0, 0.0)
"""The index where none was wanted: nothing was looked at (spec P2)."""


class _Stopped(Exception):
    """A bound was reached."""

    def __init__(self, bound: Bound) -> None:
        super().__init__(bound)
        self.bound = bound


class _Ignoring(Struct, frozen=True):
    """An ignore file and where its folder is."""

    above: int
    """Bytes of a path, from the top of the repository, that come before what the file's rules are about."""
    file: IgnoreFile
    """Its rules."""


_Rules = tuple[_Ignoring, ...]


class _Folder(Struct, frozen=True):
    """A folder that waits for its turn."""

    parts: tuple[str, ...]
    """The way to it."""
    rules: _Rules
    """The rules that hold in it, the strongest last, without its own."""


def build_index(folder: Path, clock: Callable[[], float] = time.monotonic, limits: Limits | None = None) -> Index:
    """List the folder; `clock` gives seconds.

    A folder that cannot be read, or whose rules cannot, has an empty index.
    """
    walk = _Walk(folder, clock, limits or Limits())
    try:
        walk.run()
    except _Stopped as reached:
        walk.stopped = reached.bound
    except (OSError, TooLarge):
        walk.paths.clear()
    return Index(tuple(walk.paths), walk.stopped, walk.visited, clock() - walk.start)


class _Walk:
    """One walk through a folder, level by level."""

    def __init__(self, folder: Path, clock: Callable[[], float], limits: Limits) -> None:
        self.folder = Path(os.path.realpath(folder))
        self.clock = clock
        self.limits = limits
        self.start = clock()
        self.paths: list[str] = []
        self.characters = 0
        self.visited = 0
        self.stopped: Bound | None = None
        self.above = b""
        self.ignore_case = False

    def run(self) -> None:
        """Walk; raises _Stopped at a bound, and OSError where the folder itself cannot be read."""
        with open_root(str(self.folder)) as root:
            rules = self._rules_above()
            if rules is None:
                return
            waiting = deque([_Folder((), rules)])
            while waiting:
                waiting.extend(self._taken(root, waiting.popleft()))

    def tick(self) -> None:
        """Stop where the time is over."""
        if self.clock() - self.start >= self.limits.seconds:
            raise _Stopped(Bound.TIME)

    def _rules_above(self) -> _Rules | None:
        """The rules that hold from outside the folder; none where git would ignore the folder itself."""
        repository = find_repository(self.folder)
        standing = standing_rules(self.folder, repository)
        self.ignore_case = standing.ignore_case
        self.tick()
        rules: _Rules = ()
        for file in standing.files:
            rules = self._with(rules, 0, read_standing(file))
        parts = self.folder.relative_to(repository.root).parts if repository else ()
        for number, part in enumerate(parts):
            with open_root(str(self.folder.parents[len(parts) - number - 1])) as above:
                rules = self._with(rules, len(self.above), read_beside(above))
            if self._ignored(rules, os.fsencode(part), is_folder=True):
                return None
            self.above += os.fsencode(part) + b"/"
        return rules

    def _with(self, rules: _Rules, above: int, text: bytes) -> _Rules:
        file = IgnoreFile(text, self.tick, ignore_case=self.ignore_case)
        return (*rules, _Ignoring(above, file)) if file else rules

    def _ignored(self, rules: _Rules, path: bytes, *, is_folder: bool) -> bool:
        """Whether git ignores a path below the folder, or a part of the way to it."""
        whole = self.above + path
        for rule in reversed(rules):
            said = rule.file.ignores(whole[rule.above :], self.tick, is_folder=is_folder)
            if said is not None:
                return said
        return False

    def _taken(self, root: int, folder: _Folder) -> Iterator[_Folder]:
        """List what a folder holds; give the folders in it. What cannot be read costs itself alone (cases B6)."""
        try:
            with open_beneath(root, folder.parts) as here:
                before = os.fsencode("".join(f"{part}/" for part in folder.parts))
                rules = self._with(folder.rules, len(self.above) + len(before), read_beside(here))
                names, bound = self._names(here)
        except (OSError, TooLarge):
            return
        for name, is_folder in names:
            self.tick()
            if self._ignored(rules, before + os.fsencode(name), is_folder=is_folder):
                continue
            parts = (*folder.parts, name)
            if not is_folder:
                self._add(parts)
            elif is_work_tree(self.folder.joinpath(*parts)):
                self._add((*parts, ""))
            elif len(parts) < self.limits.levels:
                yield _Folder(parts, rules)
            else:
                self.stopped = Bound.LEVELS
        if bound is not None:
            raise _Stopped(bound)

    def _names(self, here: int) -> tuple[list[tuple[str, bool]], Bound | None]:
        """The names in an open folder that may be listed, in order, and whether each is a folder."""
        names = []
        bound = None
        with os.scandir(here) as entries:
            for entry in entries:
                self.tick()
                if self.visited >= self.limits.visits:
                    bound = Bound.VISITS
                    break
                self.visited += 1
                kind = _kind(entry)
                if kind is not None:
                    names.append((entry.name, kind))
        return sorted(names, key=lambda name: os.fsencode(name[0])), bound

    def _add(self, parts: tuple[str, ...]) -> None:
        path = PREFIX + "/".join(parts)
        if len(self.paths) >= self.limits.entries:
            raise _Stopped(Bound.ENTRIES)
        if self.characters + len(path) + 1 > self.limits.characters:
            raise _Stopped(Bound.CHARACTERS)
        self.characters += len(path) + 1
        self.paths.append(path)


def _kind(entry: os.DirEntry[str]) -> bool | None:
    """Whether the entry is a folder; none where it is never listed: by its name, or as neither file nor folder.

    A link is a file where it leads to one, and nothing where it leads to a folder, to itself or nowhere.
    """
    if entry.name == ".git" or not can_be_told(entry.name):
        return None
    try:
        if entry.is_dir(follow_symlinks=False):
            return None if is_closed_folder(entry.name) else True
        return False if entry.is_file() and not is_credential(entry.name) else None
    except OSError:
        return None
