from pathlib import Path

import pytest

from pilotage.calls.timeline import Timeline, TimelineChange
from pilotage.records.row import RowKind
from pilotage.sessions.read import WHOLE, Session, read_session
from tests.calls.opened import grown
from tests.calls.test_build import RECORDINGS
from tests.handmade import agent, call, lines_of, ran, user, write_session


def timeline(path: Path) -> Timeline:
    """Read a session at once, as a line of time."""
    read = Timeline(read_session(path))
    read.take(WHOLE)
    return read


def told(line: Timeline) -> list[str]:
    """Give the rows in words: the call's id, or the row's own text."""
    return [line.calls.items[row.call].id if row.call >= 0 else f"{row.kind}: {row.text}" for row in line.rows]


def test_inputs_calls_and_nothing_else(data: Path) -> None:
    """Rows are inputs and calls; answers without a call and results have none."""
    assert told(timeline(data / "parallel.jsonl")) == [
        "input: Compare the two counts.",
        "call_1_0",
        "call_1_1",
        "call_1_2",
        "call_1_3",
        "input: And the weather?",
    ]


def test_reminder(data: Path) -> None:
    """A reminder has a row with the deviations of all its pairs."""
    line = timeline(data / "intents.jsonl")
    assert told(line)[-1] == (
        "reminder: The limit was raised without a look at who reads it: search for its readers.; "
        "The task is nearly done and nothing was tested."
    )
    assert line.totals.reminders == 1


def test_change_of_branch(data: Path) -> None:
    """A change of branch has a row, and how much was left is known; the branch itself has no rows (spec F5)."""
    line = timeline(data / "branch.jsonl")
    fork = next(row for row in line.rows if row.kind is RowKind.BRANCH)
    assert line.left_at(fork.entry) == (4, 1)
    assert told(line) == [
        "input: Which bird is on the left?",
        "branch: went back and took another way",
        "input: And behind them?",
    ]


def test_all_branches(data: Path) -> None:
    """On demand abandoned branches have rows as well, in the order of the file, and the totals stay."""
    line = timeline(data / "branch.jsonl")
    assert line.row_of_call(0) is None
    line.show_branches(all_branches=True)
    assert [text for text in told(line) if text.startswith("call_")] == ["call_2_0", "call_4_0"]
    assert line.row_of_call(0) is not None
    assert line.totals.calls == 0
    line.show_branches(all_branches=False)
    assert told(line) == told(timeline(data / "branch.jsonl"))


def test_compaction_and_shell(data: Path) -> None:
    """A compaction says how much it put away; a command of the person's has a row of its own."""
    assert "compaction: conversation of 1,591 tokens put into a summary" in told(timeline(data / "compaction.jsonl"))
    assert "shell: echo '[by hand]'; exit 3" in told(timeline(data / "notes.jsonl"))


def test_errors_and_interruptions(data: Path) -> None:
    """A failed request and a stop by the person have a row where they happened."""
    assert told(timeline(data / "retry.jsonl")) == [
        "input: Greet the wardens.",
        'error: 503: {"message":"overloaded"}',
        "error: Stream ended without finish_reason",
        "input: Again.",
        'error: 400: {"message":"this request cannot be served"}',
    ]
    assert told(timeline(data / "abort_tool.jsonl"))[3] == "interruption: stopped by the person"


def test_picture_leaves_a_placeholder(data: Path) -> None:
    """An input with a picture says so."""
    assert told(timeline(data / "image.jsonl"))[0].endswith("Which colour is this? [1 image]")


def test_nested_calls_have_rows(data: Path) -> None:
    """Nested calls have rows right behind the call that made them (spec K3)."""
    line = timeline(data / "codemode.jsonl")
    assert told(line)[2:] == ["call_2_0", *(f"call_2_0/{n}" for n in (1, 2, 3, 4))]
    assert [line.row_of_call(number) for number in range(6)] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("name", "findings"),
    [("plain", 0), ("failures", 7), ("rejects", 12), ("intents", 4), ("codemode", 1), ("retry", 3), ("version2", 1)],
)
def test_findings(data: Path, name: str, findings: int) -> None:
    """Failed, rejected and blocked calls of the active branch and failed requests are findings."""
    assert timeline(data / f"{name}.jsonl").count_findings() == findings


def test_findings_of_a_branch_go_with_it(data: Path, tmp_path: Path) -> None:
    """A failed call is no finding any more once its branch is abandoned."""
    path = write_session(tmp_path / "s.jsonl", user(), agent(call("c", command="ls")), ran("c", is_error=True))
    line = Timeline(Session(path))
    line.take(line.session.take(line.session.follower.read()))
    assert line.count_findings() == 1
    with path.open("a") as file:
        file.writelines(lines_of([user("Otherwise.", parentId="e1")], first=4))
    line.take(line.session.take(line.session.follower.read()))
    assert line.count_findings() == 0


def test_totals(data: Path) -> None:
    """Totals are of the active branch: calls with nested ones, tokens, cost, the last model, the first words."""
    totals = timeline(data / "codemode.jsonl").totals
    assert (totals.calls, totals.tokens, totals.model) == (6, 2414, "glm-5.3")
    assert totals.cost == pytest.approx(0.00209352)
    assert totals.first_words == "When is high water in both harbours?"
    assert timeline(data / "version1.jsonl").totals.calls == 9


@pytest.mark.parametrize("name", RECORDINGS)
def test_growing_file_gives_the_same_rows(data: Path, tmp_path: Path, name: str) -> None:
    """A line of time that grew line by line is the one that is read at once."""
    session = Session(tmp_path / "s.jsonl")
    session.path.touch()
    line, whole = Timeline(session), timeline(data / f"{name}.jsonl")
    for reading in grown(session, data / f"{name}.jsonl"):
        line.take(session.take(reading))
    assert told(line) == told(whole)
    assert line.rows == whole.rows
    assert line.totals == whole.totals
    assert line.count_findings() == whole.count_findings()
    numbers = range(len(whole.calls.items))
    assert [line.row_of_call(number) for number in numbers] == [whole.row_of_call(number) for number in numbers]


@pytest.mark.parametrize("name", RECORDINGS)
def test_change_names_every_row_that_is_other_than_before(data: Path, tmp_path: Path, name: str) -> None:
    """Rows before `moved_from` that are not named in a change look as they did."""
    session = Session(tmp_path / "s.jsonl")
    session.path.touch()
    line = Timeline(session)
    for reading in grown(session, data / f"{name}.jsonl"):
        rows, calls = list(line.rows), list(line.calls.items)
        change = line.take(session.take(reading))
        for at in set(range(change.moved_from)) - set(change.changed):
            assert line.rows[at] == rows[at]
            number = rows[at].call
            assert number < 0 or line.calls.items[number] == calls[number]


def test_result_changes_its_row_only(tmp_path: Path) -> None:
    """A result changes the row of its call and moves none."""
    path = write_session(tmp_path / "s.jsonl", user(), agent(call("c", command="ls")))
    line = Timeline(Session(path))
    line.take(line.session.take(line.session.follower.read()))
    with path.open("a") as file:
        file.writelines(lines_of([ran("c")], first=3))
    assert line.take(line.session.take(line.session.follower.read())) == TimelineChange(2, (1,))


def test_emptied_file_has_no_rows(data: Path, tmp_path: Path) -> None:
    """A file that was emptied has no rows and no totals."""
    path = tmp_path / "s.jsonl"
    path.write_bytes((data / "rejects.jsonl").read_bytes())
    line = Timeline(Session(path))
    line.take(line.session.take(line.session.follower.read()))
    path.write_bytes(b"")
    line.take(line.session.take(line.session.follower.read()))
    assert (line.rows, line.totals.calls, line.count_findings()) == ([], 0, 0)


def test_every_row_knows_its_turn(data: Path) -> None:
    """A row's turn is the entry that began it: an input's is its own."""
    line = timeline(data / "steer.jsonl")
    inputs = [row for row in line.rows if row.kind is RowKind.INPUT]
    assert [row.turn for row in inputs] == [row.entry for row in inputs]
    assert [row.turn for row in line.rows if row.call >= 0] == [row.entry for row in inputs[:2]]
