"""A person's marks: the last one counts, and nothing that stands in the file can break it."""

import json
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilotage.evidence.marks import Precision, mark, marks_file, precision, read_marks
from pilotage.paths import data_dir

ONE, OTHER, ELSEWHERE = ("s", "a", 0), ("s", "a", 1), ("t", "b", 0)


def test_the_last_mark_counts() -> None:
    """A reminder is right or wrong as was said last; what was taken back is not marked (spec R7)."""
    assert read_marks() == {}
    mark(ONE, True)
    mark(OTHER, True)
    mark(ONE, False)
    mark(ELSEWHERE, True)
    mark(ELSEWHERE, None)
    assert read_marks() == {ONE: False, OTHER: True}


def test_nothing_is_lost() -> None:
    """Lines are added and never changed, in a file of this person alone."""
    mark(ONE, True)
    before = marks_file().read_bytes()
    mark(ONE, None)
    assert marks_file().read_bytes().startswith(before)
    assert marks_file().is_relative_to(data_dir())
    assert stat.S_IMODE(marks_file().stat().st_mode) == 0o600


def test_precision() -> None:
    """Precision is told over all marked reminders, or over those of some sessions; without any there is none."""
    marks = {ONE: True, OTHER: False, ELSEWHERE: True}
    assert precision(marks) == Precision(2, 1)
    assert precision(marks, {"s"}) == Precision(1, 1)
    assert precision(marks, {"s"}).share == 0.5
    assert precision(marks, {"other"}).share is None


@pytest.mark.parametrize("torn", [b'{"session": "s", "attem', b"\xff\xfe", b"[1]", b"null", b"[" * 100_000])
def test_a_torn_line(torn: bytes) -> None:
    """A line that is no mark, and one without an end, cost themselves and no other."""
    mark(ONE, True)
    with marks_file().open("ab") as file:
        file.write(torn)
    mark(OTHER, False)
    assert read_marks() == {ONE: True, OTHER: False}


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """Where a mark cannot be kept, that is an error."""
    (tmp_path / "marks.jsonl").mkdir()
    with pytest.raises(OSError, match="marks"):
        mark(ONE, True, tmp_path)
    with pytest.raises(OSError, match="marks"):
        read_marks(tmp_path)


ODD = st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.lists(st.integers(), max_size=2)


@given(st.dictionaries(st.sampled_from(["session", "attempt", "index", "right"]), ODD))
def test_odd_lines(tmp_path_factory: pytest.TempPathFactory, fields: dict[str, object]) -> None:
    """Whatever a line holds, reading gives marks or nothing."""
    folder = tmp_path_factory.mktemp("marks")
    (folder / "marks.jsonl").write_text(json.dumps(fields) + "\n")
    assert len(read_marks(folder)) <= 1
