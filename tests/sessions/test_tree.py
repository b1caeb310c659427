import time
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilotage.records.call import Place
from pilotage.records.entry import Entry
from pilotage.sessions.follow import FileState, Reading
from pilotage.sessions.read import Session
from pilotage.sessions.tree import NO_PARENT, Switch, Tree
from tests.sessions.raw import ids, unhurried

CHAINED = "<chained>"
"""Stands for an entry that names no parent at all."""


def node(entry_id: str, parent_id: str | None = CHAINED, moment: float = 0.0) -> Entry:
    """Give an entry of which only its place in the forest matters."""
    chained = parent_id == CHAINED
    return Entry(entry_id, None if chained else parent_id, chained, "custom", "", moment, Place(1, 0, 1), None)


def nodes(*edges: str) -> list[Entry]:
    """Give entries by edges such as `B<A`, or `A` for a root."""
    pairs = [edge.partition("<") for edge in edges]
    return [node(entry_id, parent_id or None) for entry_id, _, parent_id in pairs]


def planted(entries: Iterable[Entry]) -> Tree:
    """Give the tree of these entries, read at once."""
    tree = Tree()
    late = False
    for entry in entries:
        late = late or tree.is_awaited(entry)
        tree.append(entry)
    if late:
        tree.reconnect()
    return tree


def streamed(entries: Iterable[Entry]) -> Tree:
    """Give the tree of these entries, each in a reading of its own."""
    session = Session(Path("none"))
    for entry in entries:
        session.take(Reading(FileState.PRESENT, (entry,)))
    return session.tree


def path_of(tree: Tree) -> str:
    """Give the ids on the active branch."""
    return " ".join(ids(tree.entries[index] for index in tree.path()))


def marked(tree: Tree) -> list[int]:
    """Give the entries that are marked as active."""
    return [index for index, active in enumerate(tree.active) if active]


def test_nothing() -> None:
    """A tree without entries has no leaf and an empty path."""
    tree = Tree()
    assert (len(tree), tree.leaf, tree.path(), list(tree.active)) == (0, NO_PARENT, [], [])


def test_chain() -> None:
    """Entries that follow one another are one branch."""
    tree = planted(nodes("A", "B<A", "C<B"))
    assert (path_of(tree), list(tree.parents), list(tree.active)) == ("A B C", [-1, 0, 1], [1, 1, 1])
    assert tree.find("B") == 1
    assert tree.find("X") is None


def test_entries_that_name_no_parent() -> None:
    """Entries of version 1 follow the one before them."""
    tree = planted([node("A"), node("B"), node("C")])
    assert (path_of(tree), tree.attached) == ("A B C", 0)


def test_several_roots() -> None:
    """Every entry without a parent is a root, and only the tree of the last entry is active."""
    tree = planted(nodes("A", "B<A", "C", "D<C"))
    assert path_of(tree) == "C D"
    assert list(tree.active) == [0, 0, 1, 1]


def test_two_branches() -> None:
    """The active branch is the path to the last entry; what was left is marked as such (spec F5)."""
    tree = planted(nodes("A", "B<A", "C<B", "D<A"))
    assert path_of(tree) == "A D"
    assert list(tree.active) == [1, 0, 0, 1]


def test_path_to_any_entry() -> None:
    """Each entry has a path, active or not."""
    tree = planted(nodes("A", "B<A", "C<B", "D<A"))
    assert tree.path_to(2) == [0, 1, 2]
    assert tree.path_to(NO_PARENT) == []


def test_switch() -> None:
    """A switch tells where the branches part and what was left, in order."""
    tree = planted(nodes("A", "B<A", "C<B"))
    switch = tree.append(node("D", "A"))
    assert switch is not None
    assert (switch.fork, switch.left) == (0, (1, 2))
    assert tree.append(node("E", "D")) is None
    back = tree.append(node("F", "C"))
    assert back is not None
    assert (back.fork, back.left) == (0, (3, 4))


def test_switch_to_another_root() -> None:
    """Branches without a common entry part at none."""
    tree = planted(nodes("A", "B<A"))
    switch = tree.append(node("C", None))
    assert switch is not None
    assert (switch.fork, switch.left) == (NO_PARENT, (0, 1))


def test_no_switch_without_a_branch_that_is_left() -> None:
    """The first entry and one that goes on switch nothing."""
    tree = Tree()
    assert tree.append(node("A", None)) is None
    assert tree.append(node("B", "A")) is None


def test_missing_parent() -> None:
    """The child of a lost line hangs under the nearest earlier entry, and that is counted (cases A17)."""
    tree = planted(nodes("A", "B<A", "C<lost", "D<C"))
    assert (path_of(tree), tree.attached) == ("A B C D", 1)


def test_missing_parent_of_the_first_entry() -> None:
    """Where there is no earlier entry, the child of a lost line is a root."""
    assert path_of(planted(nodes("A<lost", "B<A"))) == "A B"


def test_parent_that_stands_later() -> None:
    """An entry whose parent follows it in the file is put under it once it is there."""
    tree = planted(nodes("A", "C<B", "B<A"))
    assert list(tree.parents) == [-1, 2, 0]
    assert (path_of(tree), tree.attached) == ("A B", 0)
    assert path_of(planted(nodes("A", "C<B", "B<A", "D<C"))) == "A B C D"


def test_duplicates_are_kept_once() -> None:
    """A header and prefix written twice leave each entry once (cases C1)."""
    tree = planted(nodes("A", "B<A", "A", "B<A", "C<B"))
    assert (ids(tree.entries), tree.duplicates, path_of(tree)) == (["A", "B", "C"], 2, "A B C")


def test_one_line_four_times() -> None:
    """The first of equal lines is the one that counts (cases C5)."""
    tree = planted(nodes("A", "B<A", "B<A", "B<A", "B<A", "C<B"))
    assert (ids(tree.entries), tree.duplicates, path_of(tree)) == (["A", "B", "C"], 3, "A B C")


def test_prefix_written_twice_is_gone_on_with() -> None:
    """What follows a repeated prefix goes on with the branch, and nothing counts as left."""
    tree = planted(nodes("A", "B<A", "C<B"))
    assert tree.append(node("A", None)) is not None
    assert path_of(tree) == "A"
    assert tree.append(node("B", "A")) is None
    assert tree.append(node("D", "C")) is None
    assert path_of(tree) == "A B C D"


def test_duplicate_as_the_last_entry() -> None:
    """A copy in the last line makes its first occurrence the leaf (spec F5)."""
    tree = planted(nodes("A", "B<A", "C<A", "B<A"))
    assert (path_of(tree), list(tree.active)) == ("A B", [1, 1, 0])


def test_equal_ids_of_different_entries() -> None:
    """Two entries whose ids clash are both kept, and edges lead to the first."""
    tree = planted([node("A", None), node("A", "A", 1.0), node("B", "A")])
    assert (len(tree), tree.duplicates, list(tree.parents)) == (3, 0, [-1, 0, 0])


def test_parent_of_itself() -> None:
    """An entry that names itself as its parent hangs under the one before it."""
    tree = planted(nodes("A", "B<B", "C<B"))
    assert (path_of(tree), tree.attached) == ("A B C", 1)


@pytest.mark.parametrize(
    ("edges", "path"),
    [
        (("A<B", "B<A"), "A B"),
        (("A", "B<A", "A<B"), "A"),
        (("A<C", "B<A", "C<B"), "A B C"),
        (("X", "A<C", "B<A", "C<B"), "A B C"),
        (("A<B", "B<A", "C<B"), "A B C"),
    ],
)
def test_cycles(edges: tuple[str, ...], path: str) -> None:
    """A cycle is cut at its earliest entry, so that every walk ends (cases C2)."""
    assert path_of(planted(nodes(*edges))) == path


def test_guessed_edge_in_a_cycle() -> None:
    """A cycle that only a guess has closed is cut at the guess."""
    tree = planted(nodes("A<C", "B<lost", "C<B"))
    assert path_of(tree) == "B C"
    assert list(tree.parents) == [2, -1, 1]


SIZE = 10_000
GREAT: dict[str, Callable[[int], tuple[str, str | None]]] = {
    "chain": lambda n: (f"{n}", f"{n - 1}" if n else None),
    "backwards": lambda n: (f"{-n}", f"{-n - 1}"),
    "one cycle": lambda n: (f"{n}", f"{(n + 1) % SIZE}"),
    "small cycles": lambda n: (f"{n}", f"{n ^ 1}"),
    "all roots": lambda n: (f"{n}", None),
    "star": lambda n: (f"{n}", "0" if n else None),
    "all lost": lambda n: (f"{n}", f"lost {n}"),
    "one id": lambda _: ("0", None),
    "two writers": lambda n: (f"{n}", f"{n - 2}" if n > 1 else None),
    "copies of the first": lambda n: (f"{n}" if n % 2 == 0 else "0", f"{max(0, n - 2)}" if n > 1 else None),
    "every line twice": lambda n: (f"{n // 2}", f"{n // 2 - 1}" if n > 1 else None),
    "prefix twice": lambda n: (f"{n % (SIZE // 2)}", f"{n % (SIZE // 2) - 1}" if n % (SIZE // 2) else None),
}


@pytest.mark.parametrize("shape", GREAT)
def test_great_forests_take_linear_time(shape: str) -> None:
    """A forest of 10,000 entries of any shape is built, and its branch marked, in no time to speak of (spec F5)."""
    entries = [node(*GREAT[shape](number)) for number in range(SIZE)]
    began = time.perf_counter()
    tree = planted(entries)
    assert marked(tree) == sorted(tree.path())
    assert time.perf_counter() - began < 2


FORESTS = st.lists(
    st.builds(
        node,
        st.sampled_from("ABCDEFGH"),
        st.sampled_from([*"ABCDEFGH", None, "lost", CHAINED]),
        st.sampled_from([0.0, 0.0, 0.0, 1.0]),
    ),
    max_size=16,
)
"""Forests with missing parents, duplicates, clashes, cycles, several roots and parents that stand later."""


def leaf_of(tree: Tree, last: Entry) -> int:
    """Give where the last entry of a file stands in its tree."""
    alike = [n for n, entry in enumerate(tree.entries) if (entry.id, entry.time) == (last.id, last.time)]
    first = tree.find(last.id)
    return first if first in alike else alike[-1]


@unhurried
@given(FORESTS)
def test_any_forest_is_survived(entries: list[Entry]) -> None:
    """In any forest every path ends at a root, and the active branch is the path to the last entry."""
    tree = planted(entries)
    for index in range(len(tree)):
        path = tree.path_to(index)
        assert len(path) == len(set(path))
        assert tree.parents[path[0]] == NO_PARENT
        assert path[-1] == index
    assert marked(tree) == sorted(tree.path())
    if entries:
        assert tree.leaf == leaf_of(tree, entries[-1])
    assert len(tree) + tree.duplicates == len(entries)


@unhurried
@given(FORESTS)
def test_streaming_equals_reading_at_once(entries: list[Entry]) -> None:
    """A forest that came entry by entry is the one that is read at once."""
    slow, fast = streamed(entries), planted(entries)
    assert ids(slow.entries) == ids(fast.entries)
    assert slow.parents == fast.parents
    assert (slow.leaf, slow.active) == (fast.leaf, fast.active)
    assert (slow.duplicates, slow.attached) == (fast.duplicates, fast.attached)


@unhurried
@given(FORESTS, FORESTS)
def test_switches_tell_what_was_left(before: list[Entry], after: list[Entry]) -> None:
    """A switch is told if and only if a branch was left, and it tells which, also after edges were set anew."""
    tree = planted(before)
    tree.reconnect()
    for entry in after:
        left = tree.path()
        switch: Switch | None = tree.append(entry)
        kept = set(tree.path())
        gone = [index for index in left if index not in kept]
        assert list(switch.left if switch else ()) == gone
        if switch:
            assert switch.fork == tree.parents[gone[0]]
        assert marked(tree) == sorted(kept)


@unhurried
@given(FORESTS)
def test_edges_are_the_files_own(entries: list[Entry]) -> None:
    """Whoever's parent is in the file hangs under it, but for one entry of each cycle."""
    tree = planted(entries)
    for index, entry in enumerate(tree.entries):
        named = None if entry.chained or entry.parent_id is None else tree.find(entry.parent_id)
        if named is None or named == index or tree.parents[index] == named:
            continue
        assert tree.parents[index] == NO_PARENT
        assert index in tree.path_to(named)
