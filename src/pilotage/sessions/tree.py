"""The forest of entries and its active branch (spec F5).

Edges go by id. A child whose parent is not there attaches to the nearest earlier entry, a cycle is cut, a
duplicate is kept once, and all of it takes linear time.
"""

from array import array

from msgspec import Struct

from pilotage.records.entry import Entry

NO_PARENT = -1


class Switch(Struct, frozen=True):
    """The leaf moved to another branch. What was left is told on demand, as it may be long."""

    before: int
    """The leaf that was left."""
    after: int
    """The leaf from then on."""
    parents: "array[int]"
    """For each entry the index of its parent."""

    @property
    def left(self) -> tuple[int, ...]:
        """The entries of the branch that was left, in order."""
        kept = set(_path(self.parents, self.after))
        return tuple(index for index in _path(self.parents, self.before) if index not in kept)

    @property
    def fork(self) -> int:
        """The entry at which the branches part; -1 when they have no entry in common."""
        return self.parents[self.left[0]]


class Tree:
    """Entries in the order of the file, each with its parent, and the path to the last one."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        """Each entry once, in the order of the file."""
        self.parents = array("i")
        """For each entry the index of its parent, -1 for a root."""
        self.leaf = NO_PARENT
        """The index of the last entry of the file; -1 when there is none."""
        self.duplicates = 0
        """How many entries stand in the file more than once."""
        self.attached = 0
        """How many entries lost their parent and hang under the one before them."""
        self._by_id: dict[str, int] = {}
        self._awaited: set[str] = set()
        self._active = bytearray()
        self._active_leaf = NO_PARENT
        self._depths = array("i")
        self._jumps = array("i")

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def active(self) -> bytearray:
        """For each entry 1 if it lies on the path to the leaf."""
        if self._active_leaf == self.leaf and len(self._active) == len(self.entries):
            return self._active
        self._active.extend(bytes(len(self.entries) - len(self._active)))
        fresh = self.leaf
        while fresh != NO_PARENT and not self._active[fresh]:
            self._active[fresh] = 1
            fresh = self.parents[fresh]
        while self._active_leaf not in (fresh, NO_PARENT):
            self._active[self._active_leaf] = 0
            self._active_leaf = self.parents[self._active_leaf]
        self._active_leaf = self.leaf
        return self._active

    def find(self, entry_id: str) -> int | None:
        """The index of the entry with this id."""
        return self._by_id.get(entry_id)

    def is_awaited(self, entry: Entry) -> bool:
        """Whether an earlier entry named this one as its parent, so that `reconnect` is due."""
        return entry.id in self._awaited

    def append(self, entry: Entry) -> Switch | None:
        """Add the next entry of the file; says when the active branch is another one from now on."""
        index = len(self.entries)
        known = self._by_id.setdefault(entry.id, index)
        if known != index and self._is_copy(known, entry):
            self.duplicates += 1
            return self._move_to(known)
        self.entries.append(entry)
        parent = self._parent_of(entry, index)
        self.parents.append(parent)
        self._depths.append(0)
        self._jumps.append(0)
        self._measure(index, parent)
        return self._move_to(index)

    def reconnect(self) -> None:
        """Set all edges anew, now that parents are there which stood after their children."""
        self._awaited.clear()
        self.attached = 0
        wanted = [self._wanted_parent(entry, index) for index, entry in enumerate(self.entries)]
        self.parents = array("i", _without_cycles(wanted))
        self._active, self._active_leaf = bytearray(), NO_PARENT
        self._measure_all()

    def path(self) -> list[int]:
        """The active branch, from its root to the leaf."""
        return self.path_to(self.leaf)

    def path_to(self, index: int) -> list[int]:
        """The entries from a root to `index`."""
        return _path(self.parents, index)

    def _is_copy(self, known: int, entry: Entry) -> bool:
        """Whether an entry of a known id is that entry again: an id alone may clash, id and time do not."""
        first = self.entries[known]
        return first.time == entry.time and first.type == entry.type

    def _parent_of(self, entry: Entry, index: int) -> int:
        """The parent among the entries that are there; a cycle cannot arise."""
        if entry.chained:
            return index - 1
        if entry.parent_id is None:
            return NO_PARENT
        parent = self._by_id.get(entry.parent_id, index)
        if parent < index:
            return parent
        self._awaited.add(entry.parent_id)
        self.attached += 1
        return index - 1

    def _wanted_parent(self, entry: Entry, index: int) -> tuple[int, bool]:
        """The parent among all entries, and whether the file really names it."""
        if entry.chained or entry.parent_id is None:
            return (index - 1 if entry.chained else NO_PARENT), True
        parent = self._by_id.get(entry.parent_id)
        if parent is None or parent == index:
            self._awaited.add(entry.parent_id)
            self.attached += 1
            return index - 1, False
        return parent, True

    def _move_to(self, leaf: int) -> Switch | None:
        """Make `leaf` the end of the active branch."""
        before, self.leaf = self.leaf, leaf
        if before == NO_PARENT or self._is_above(before, leaf):
            return None
        return Switch(before, leaf, self.parents)

    def _is_above(self, upper: int, lower: int) -> bool:
        """Whether `upper` is `lower` or one of those above it; a jump goes far up, so that few are looked at."""
        depth = self._depths[upper]
        while self._depths[lower] > depth:
            jump = self._jumps[lower]
            lower = jump if self._depths[jump] >= depth else self.parents[lower]
        return lower == upper

    def _measure(self, index: int, parent: int) -> None:
        """Note how deep an entry lies and the entry far above it that a jump leads to (a skew-binary ladder)."""
        if parent == NO_PARENT:
            self._depths[index], self._jumps[index] = 0, index
            return
        depths, jump = self._depths, self._jumps[parent]
        further = self._jumps[jump]
        depths[index] = depths[parent] + 1
        self._jumps[index] = further if depths[parent] - depths[jump] == depths[jump] - depths[further] else parent

    def _measure_all(self) -> None:
        """As `_measure` for every entry, parents first, wherever in the file they stand."""
        measured = bytearray(len(self.entries))
        for index in range(len(self.entries)):
            waiting = []
            while index != NO_PARENT and not measured[index]:
                measured[index] = 1
                waiting.append(index)
                index = self.parents[index]
            for entry in reversed(waiting):
                self._measure(entry, self.parents[entry])


def _path(parents: "array[int]", index: int) -> list[int]:
    """The entries from a root to `index`."""
    path = []
    while index != NO_PARENT:
        path.append(index)
        index = parents[index]
    path.reverse()
    return path


def _without_cycles(wanted: list[tuple[int, bool]]) -> list[int]:
    """The parents with one edge of every cycle cut: one that is only a guess, else that of the earliest entry."""
    parents = [parent for parent, _ in wanted]
    seen = [0] * len(parents)
    for start in range(len(parents)):
        walk, index = start + 1, start
        while index != NO_PARENT and not seen[index]:
            seen[index] = walk
            index = parents[index]
        if index != NO_PARENT and seen[index] == walk:
            cycle = [index]
            while parents[cycle[-1]] != index:
                cycle.append(parents[cycle[-1]])
            guessed = [node for node in cycle if not wanted[node][1]]
            parents[min(guessed or cycle)] = NO_PARENT
    return parents
