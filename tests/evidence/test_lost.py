"""Children of attempts that were broken off, found by the attempt that they name."""

import time
from pathlib import Path

from pilotage.evidence.child import Child
from pilotage.evidence.lost import LOOKED_AT, find_child, folders_of
from pilotage.records.attempt import Attempt, ChildSession, Purpose

LOST = Attempt("attempt-1", Purpose.TRAJECTORY, "", "e1")


def test_found_by_its_attempt(child: Child) -> None:
    """A child is found by the attempt that it names, where Pilotage keeps children (spec E1)."""
    assert find_child(LOST, folders_of([])) == child.session
    assert find_child(Attempt("attempt-2", Purpose.TRAJECTORY, "", "e1"), folders_of([])) is None


def test_only_where_it_can_be(child: Child, tmp_path: Path) -> None:
    """Files that are older than the attempt are not looked into, nor is what stands far behind their beginning."""
    later = Attempt("attempt-1", Purpose.TRAJECTORY, "", "e1", started=time.time() + 60)
    assert find_child(later, folders_of([])) is None
    far = tmp_path / "far"
    far.mkdir()
    (far / "2026_x.jsonl").write_text(" " * LOOKED_AT + '"attempt-1"')
    assert find_child(LOST, [far, tmp_path / "none"]) is None
    (far / "2026_y.jsonl").write_text('{"attempt": "attempt-1"}')
    assert find_child(LOST, [far]) == ChildSession(str(far / "2026_y.jsonl"), "y")


def test_what_cannot_be_read_is_passed_over(child: Child, tmp_path: Path) -> None:
    """A folder with a session's name and a link to nowhere are passed over."""
    (tmp_path / "z.jsonl").mkdir()
    (tmp_path / "y.jsonl").symlink_to("nowhere")
    assert find_child(LOST, [tmp_path]) is None


def test_beside_the_others(child: Child) -> None:
    """The children of a session lie together, wherever that is."""
    other = Attempt("attempt-2", Purpose.TRAJECTORY, "", "e2", child=ChildSession("/somewhere/c.jsonl", "c"))
    assert folders_of([other, LOST])[0] == Path("/somewhere")
