"""The forest of entries and its active branch (spec F5).

Edges go by id. A child whose parent is not there attaches to the nearest earlier entry, a cycle is cut, a
duplicate is kept once, and all of it takes linear time.
"""

from array import array

from msgspec import Struct

from pilotage.records.entry import Entry

NO_PARENT = -1


class Switch(Struct, frozen=True):
    """The leaf moved to another branch."""

    fork: int
    """The entry at which the branches part; -1 when they have no entry in common."""
    left: tuple[int, ...]
    """The entries of the branch that was left, in order."""


class Tree:
    """Entries in the order of the file, each with its parent, and the path to the last one."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        """Each entry once, in the order of the file."""
        self.parents = array("i")
        """For each entry the index of its parent, -1 for a root."""
        self.active = bytearray()
        """For each entry 1 if it lies on the path to the leaf."""
        self.leaf = NO_PARENT
        """The index of the last entry of the file; -1 when there is none."""
        self.duplicates = 0
        """How many entries stand in the file more than once."""
        self.attached = 0
        """How many entries lost their parent and hang under the one before them."""
        self._by_id: dict[str, int] = {}
        self._awaited: set[str] = set()

    def __len__(self) -> int:
        return len(self.entries)

    def find(self, entry_id: str) -> int | None:
        """The index of the entry with this id."""
        return self._by_id.get(entry_id)

    def is_awaited(self, entry: Entry) -> bool:
        """Whether an earlier entry named this one as its parent, so that `reconnect` is due."""
        return entry.id in self._awaited

    def append(self, entry: Entry) -> Switch | None:
        """Add the next entry of the file; says when the active branch is another one from now on."""
        known = self._by_id.get(entry.id)
        if known is not None and self._is_copy(known, entry):
            self.duplicates += 1
            return self._move_to(known)
        index = len(self.entries)
        self.entries.append(entry)
        self._by_id.setdefault(entry.id, index)
        self.parents.append(self._parent_of(entry, index))
        self.active.append(0)
        return self._move_to(index)

    def reconnect(self) -> None:
        """Set all edges anew, now that parents are there which stood after their children."""
        self._awaited.clear()
        self.attached = 0
        wanted = [self._wanted_parent(entry, index) for index, entry in enumerate(self.entries)]
        self.parents = array("i", _without_cycles(wanted))
        self.active = bytearray(len(self.entries))
        leaf, self.leaf = self.leaf, NO_PARENT
        self._move_to(leaf)

    def path(self) -> list[int]:
        """The active branch, from its root to the leaf."""
        return self.path_to(self.leaf)

    def path_to(self, index: int) -> list[int]:
        """The entries from a root to `index`."""
        path = []
        while index != NO_PARENT:
            path.append(index)
            index = self.parents[index]
        path.reverse()
        return path

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
        fresh = leaf
        while fresh != NO_PARENT and not self.active[fresh]:
            self.active[fresh] = 1
            fresh = self.parents[fresh]
        left = []
        while before not in (fresh, NO_PARENT):
            self.active[before] = 0
            left.append(before)
            before = self.parents[before]
        return Switch(fresh, tuple(reversed(left))) if left else None


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
