import json
import os
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilotage.calls.study import study_session, study_stretch
from pilotage.calls.study_counts import Counting, as_object
from pilotage.calls.study_facts import SessionFacts
from pilotage.calls.study_files import WORTH_PROCESSES, Unread, study_files
from pilotage.calls.study_join import join
from pilotage.sessions.skim import find_stretches
from tests.calls.planned import Plan
from tests.contract.examples import unhurried
from tests.handmade import agent, call, header, lines_of, ran, refused, user

randoms = st.randoms(use_true_random=False)


def joined(path: Path, count: int) -> SessionFacts | None:
    """Study a file in stretches and put them together."""
    return join([study_stretch(path, stretch) for stretch in find_stretches(path, count)])


def counts(facts: SessionFacts) -> dict[str, object]:
    """Give all that a study of one session says."""
    counting = Counting(with_children=True)
    counting.add(facts)
    return as_object(counting.study())


def packed(path: Path, *turns: str) -> Path:
    """Write a session as Pi does, without a space between its fields."""
    path.write_text((header() + "".join(turns)).replace('": ', '":').replace(', "', ',"'))
    return path


def turns_of(count: int) -> list[str]:
    """Give the lines of so many turns, each with a rejection and its correction."""
    entries = [
        entry
        for number in range(count)
        for entry in (
            user("Go on."),
            agent(call(f"a{number}", "read", path="a.md")),
            refused(f"a{number}", "read"),
            agent(call(f"b{number}", "read", path="a.md")),
            ran(f"b{number}"),
        )
    ]
    return [ordered(line) for line in lines_of(entries)]


def ordered(line: str) -> str:
    """Give a line with its fields in the order in which Pi writes them."""
    fields = json.loads(line)
    return json.dumps({name: fields[name] for name in ("type", "id", "parentId", "timestamp", "message")}) + "\n"


@pytest.mark.parametrize("count", [1, 2, 3, 7, 50])
def test_stretches_of_a_straight_session(tmp_path: Path, count: int) -> None:
    """A session without branches comes to the same, however many stretches it is studied in."""
    path = packed(tmp_path / "s.jsonl", *turns_of(20))
    assert len(find_stretches(path, count)) == min(count, 20)
    whole = joined(path, count)
    assert whole
    assert counts(whole) == counts(study_session(path))
    assert whole.chains == study_session(path).chains


@unhurried
@given(randoms, st.integers(1, 8), st.integers(2, 9))
def test_stretches_of_any_session(random: Random, turns: int, count: int) -> None:
    """Whatever its branches, a session in stretches comes to the same, or is not studied in stretches."""
    plan = Plan(random)
    for _ in range(turns):
        plan.turn()
    with TemporaryDirectory() as folder:
        path = packed(Path(folder) / "s.jsonl", *map(ordered, plan.lines))
        whole = joined(path, count)
        assert whole is None or counts(whole) == counts(study_session(path))


@pytest.mark.parametrize(
    "reach",
    [
        user("Back.") | {"parentId": "e3"},
        agent(call("c")) | {"parentId": "e3"},
        ran("a1") | {"parentId": "e3"},
        user("Anew.") | {"parentId": None},
    ],
    ids=["branch", "answer", "result", "root"],
)
def test_reference_to_an_earlier_stretch(tmp_path: Path, reach: dict[str, object]) -> None:
    """A stretch that refers to what stands before it is not studied by itself."""
    last = lines_of([reach], 101)
    path = packed(tmp_path / "s.jsonl", *turns_of(20), *map(ordered, last))
    assert joined(path, 1) is not None
    assert joined(path, 2) is None


def test_reference_to_the_end_of_the_stretch_before(tmp_path: Path) -> None:
    """What hangs under the last entry of the stretch before and is no input belongs to that one's turn."""
    parent = find_stretches(packed(tmp_path / "s.jsonl", *turns_of(20)), 2)[1].parent_id
    last = lines_of([agent(call("c")) | {"parentId": parent}], 101)
    assert joined(packed(tmp_path / "s.jsonl", *turns_of(20), *map(ordered, last)), 2) is None


def test_answer_in_two_stretches(tmp_path: Path) -> None:
    """An answer that stands in two stretches is counted once, so they are not studied apart."""
    second = json.loads(turns_of(1)[1])
    last = json.dumps(second | {"parentId": "e100"}) + "\n"
    assert joined(packed(tmp_path / "s.jsonl", *turns_of(20), last), 2) is None


def test_input_that_follows_an_input(tmp_path: Path) -> None:
    """Inputs with no answer between them are one turn and stay together."""
    entries = [user("x" * 500), user("y"), agent(call("c")), ran("c")]
    path = packed(tmp_path / "s.jsonl", *map(ordered, lines_of(entries)))
    assert len(find_stretches(path, 2)) == 2
    assert joined(path, 2) is None


def test_durations_that_come_late(tmp_path: Path) -> None:
    """Where only the first stretch shows that the host writes durations, none is judged without knowing that."""
    blocked = ran("b9", "Not here.", is_error=True, ms=None)
    lines = turns_of(1) + lines_of([user(), agent(call("b9"), timed=False), blocked, user(), agent(timed=False)] * 1, 6)
    path = packed(tmp_path / "s.jsonl", *map(ordered, lines))
    assert joined(path, 2) is None


def test_many_files_at_once(tmp_path: Path) -> None:
    """Files that are worth it are studied by several processes, and told in the order in which they began."""
    padding = user("x" * (WORTH_PROCESSES // 2))
    for number in range(3):
        lines = [*lines_of([padding]), *turns_of(3)]
        text = header(id=f"s{number}", timestamp=f"2026-01-0{9 - number}T09:00:00.000Z")
        (tmp_path / f"{number}.jsonl").write_text(text + "".join(lines))
    told: list[tuple[int, int]] = []
    found = list(study_files(tmp_path.glob("*.jsonl"), tell=lambda done, total: told.append((done, total))))
    assert [facts.id for facts in found if isinstance(facts, SessionFacts)] == ["s2", "s1", "s0"]
    assert told[-1][0] == told[-1][1]
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """A file that cannot be read says why, and costs itself only."""
    os.mkfifo(tmp_path / "pipe.jsonl")
    packed(tmp_path / "s.jsonl", *turns_of(1))
    (tmp_path / "x.jsonl").write_text("x")
    names = ("pipe", "missing", "x", "s")
    found = list(study_files(tmp_path / f"{name}.jsonl" for name in names))
    reasons = sorted(facts.reason.removeprefix(f"{tmp_path}/") for facts in found if isinstance(facts, Unread))
    assert reasons == [
        "missing.jsonl: No such file or directory",
        "pipe.jsonl: not a regular file",
        "x.jsonl: not a session: it holds neither a header nor a message",
    ]
    assert len(found) == 4


def test_file_under_two_names(tmp_path: Path) -> None:
    """A file that is named twice, or by a link as well, is one session."""
    path = packed(tmp_path / "s.jsonl", *turns_of(1))
    (tmp_path / "link.jsonl").symlink_to(path)
    assert len(list(study_files([path, path, tmp_path / "link.jsonl"]))) == 1
