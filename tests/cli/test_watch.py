import pytest

from tests.cli.conftest import Pilotage, Store


@pytest.mark.parametrize("name", ["missing.jsonl", ".", "nosuchid"])
def test_nothing_to_watch(pilotage: Pilotage, store: Store, name: str) -> None:
    """A session that cannot be watched is said before the console opens, and is wrong use (spec L1)."""
    done = pilotage("watch", name)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("pilotage: ")


def test_ambiguous_session(pilotage: Pilotage, store: Store) -> None:
    """An ambiguous prefix lists the candidates (spec J4)."""
    store.add("plain", "01a2-one")
    store.add("plain", "01a2-two")
    done = pilotage("watch", "01a2")
    assert done.status == 2
    assert done.err.startswith("pilotage: '01a2' is ambiguous, 2 sessions begin so:\n")
