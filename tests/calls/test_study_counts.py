from pathlib import Path

import pytest

from pilotage.calls.study import study_session
from pilotage.calls.study_counts import Counting, Study, as_object, median
from tests.handmade import Fields, agent, call, ran, refused, user, write_session


def study_of(*paths: Path, with_children: bool = False) -> Study:
    """Study files in this order."""
    counting = Counting(with_children=with_children)
    for path in paths:
        counting.add(study_session(path))
    return counting.study()


def calls(prefix: str, good: int, bad: int) -> list[Fields]:
    """Give one turn with so many calls that ran and so many that were rejected."""
    names = [f"{prefix}{number}" for number in range(good + bad)]
    answers = [ran(name) if number < good else refused(name, "bash") for number, name in enumerate(names)]
    return [user(), agent(*(call(name, command=name) for name in names)), *answers]


def test_rates(tmp_path: Path) -> None:
    """Rates are those of sessions with calls: the lowest, the middle one, the worst and which that is (spec S1)."""
    numbers = [(10, 0), (9, 1), (2, 2), (6, 6), (0, 0)]
    paths = [
        write_session(
            tmp_path / f"{number}.jsonl",
            *calls(f"s{number}-", good, bad),
            id=f"s{number}",
        )
        for number, (good, bad) in enumerate(numbers)
    ]
    for number, path in enumerate(paths):
        path.write_text(path.read_text().replace("2026-01-05T09", f"2026-01-0{number + 1}T09"))
    found = as_object(study_of(*paths))
    assert (found["sessions"], found["sessions_with_calls"], found["calls"], found["rejected"]) == (5, 4, 36, 9)
    assert found["rate"] == {"lowest": 0.0, "median": 0.3, "worst": 0.5}
    worst = found["worst_session"]
    assert isinstance(worst, dict)
    assert (worst["id"], worst["calls"], worst["rejected"]) == ("s3", 12, 6)


def test_nothing_was_called(tmp_path: Path) -> None:
    """Without a call there is no rate, and every other figure is there."""
    found = as_object(study_of(write_session(tmp_path / "s.jsonl", user())))
    assert found["rate"] == {"lowest": None, "median": None, "worst": None}
    assert (found["sessions"], found["calls"], found["worst_session"]) == (1, 0, None)
    assert "replay" not in found


def test_same_file_twice(tmp_path: Path) -> None:
    """A copy of a whole file adds a session, and no call."""
    path = write_session(tmp_path / "s.jsonl", *calls("c", 2, 1))
    study = study_of(path, path)
    assert (study.sessions, study.calls, study.copied, len(study.rates), study.chains.count) == (2, 3, 1, 1, 1)


def test_same_id_at_another_time(tmp_path: Path) -> None:
    """An entry of the same id that was written at another time is another entry."""
    path = write_session(tmp_path / "a.jsonl", *calls("c", 2, 1))
    other = tmp_path / "b.jsonl"
    other.write_text(path.read_text().replace("2026-01-05T09", "2026-01-05T10"))
    assert study_of(path, other).calls == 6


def test_entries_without_time(tmp_path: Path) -> None:
    """An answer without a time cannot be told from another and is counted."""
    path = write_session(tmp_path / "a.jsonl", user(), agent(call("c"), timed=False) | {"timestamp": None}, ran("c"))
    assert study_of(path, path).calls == 2


@pytest.mark.parametrize(
    ("cwd", "name"),
    [
        ("/tmp/pilotage", ""),
        ("/tmp/pi-discovery", ""),
        ("/home/dev", "pilotage · trajectory · llama/iq3 · 7"),
        ("/home/dev", "pi-discovery · prefetch · 7"),
    ],
)
def test_children(tmp_path: Path, cwd: str, name: str) -> None:
    """Sessions of evidence are left out and counted apart, unless they are asked for (spec E3)."""
    path = write_session(tmp_path / "s.jsonl", {"type": "session_info", "name": name}, *calls("c", 1, 1), cwd=cwd)
    assert (study_of(path).sessions, study_of(path).children, study_of(path).calls) == (0, 1, 0)
    asked = study_of(path, with_children=True)
    assert (asked.sessions, asked.children, asked.calls) == (1, 0, 2)


@pytest.mark.parametrize("cwd", ["/home/dev/pilotage", "/tmp/pilotage/deeper", "/tmp", ""])
def test_folder_of_the_same_name(tmp_path: Path, cwd: str) -> None:
    """A project that is called as we are is no evidence."""
    assert study_of(write_session(tmp_path / "s.jsonl", *calls("c", 1, 0), cwd=cwd)).sessions == 1


def test_name_that_was_given_up(tmp_path: Path) -> None:
    """The name that a session has at last says whether it is evidence."""
    names: list[Fields] = [{"type": "session_info", "name": name} for name in ("pilotage · x", "mine")]
    assert study_of(write_session(tmp_path / "s.jsonl", *names, *calls("c", 1, 0))).sessions == 1


def test_fields_of_edits(tmp_path: Path) -> None:
    """A field of several edits is counted once a call, and so is each other field that the refusal names."""
    path = write_session(
        tmp_path / "s.jsonl",
        *(user(), agent(call("c", "edit"))),
        refused("c", "edit", "edits.0.newText: missing\n  - edits.12.newText: missing\n  - path: missing"),
    )
    assert study_of(path).by_field == {"edits.*.newText": 1, "path": 1}


def test_nested_calls(data: Path) -> None:
    """Calls that a tool made while it ran are calls (spec K3)."""
    study = study_of(data / "codemode.jsonl")
    assert (study.calls, study.outcomes["failed"]) == (6, 1)
    assert study.calls_by_tool == {
        "mcp__tides__high_water": 3,
        "bash": 1,
        "codemode": 1,
        "mcp__tides__list_harbours": 1,
    }


def test_abandoned_branches(tmp_path: Path) -> None:
    """Calls of abandoned branches are counted: they cost as well (spec S1)."""
    back = user("Otherwise.") | {"parentId": "e1"}
    path = write_session(tmp_path / "s.jsonl", user(), agent(call("c1")), ran("c1"), back, agent(call("c2")), ran("c2"))
    assert study_of(path).outcomes["ok"] == 2


@pytest.mark.parametrize(("values", "middle"), [([3], 3), ([9, 1], 5), ([5, 1, 3], 3), ([4, 1, 2, 8], 3)])
def test_median(values: list[float], middle: float) -> None:
    """The median is the middle value, or the mean of the two in the middle."""
    assert median(values) == middle
