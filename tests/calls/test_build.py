import shutil
from pathlib import Path

import pytest

from pilotage.calls.build import Calls
from pilotage.records.call import Outcome
from pilotage.sessions.read import Session, UnreadableSession, read_session
from tests.calls.opened import by_id, grown, opened
from tests.handmade import agent, call, lines_of, ran, refused, user, write_session

RECORDINGS = sorted(path.stem for path in (Path(__file__).parents[1] / "data").glob("*.jsonl"))


def places(path: Path) -> dict[str, tuple[int, int | None]]:
    """Give each call's turn and step."""
    return {name: (found.turn, found.step) for name, found in by_id(path).items()}


def test_steps_count_messages(data: Path) -> None:
    """Each message with its calls is one step, counted from 1 within the turn (spec W)."""
    assert [found.step for found in opened(data / "rejects.jsonl").items] == list(range(1, 16))


def test_parallel_batch_is_one_step(data: Path) -> None:
    """Calls of one message share a step and know their place in the batch (spec W)."""
    calls = opened(data / "parallel.jsonl").items
    assert [(found.turn, found.step, found.batch, found.position) for found in calls] == [
        (1, 1, 4, 0),
        (1, 1, 4, 1),
        (1, 1, 4, 2),
        (1, 1, 4, 3),
    ]


def test_steer_begins_a_turn(data: Path) -> None:
    """A steer is an input: it begins a turn and resets the steps (spec W)."""
    assert list(places(data / "steer.jsonl").values()) == [(1, 1), (2, 1)]


def test_inputs_without_an_answer_between_them_are_one_turn(tmp_path: Path) -> None:
    """User messages that follow one another with no assistant message between them belong to one turn (spec W)."""
    path = write_session(
        tmp_path / "s.jsonl",
        *(user("One."), user("Two."), {"type": "label"}, user("Three."), agent(call("c1", command="ls")), ran("c1")),
        *(user("Four."), agent(call("c2", command="ls"))),
    )
    assert places(path) == {"c1": (1, 1), "c2": (2, 1)}


@pytest.mark.parametrize("stop", ["error", "aborted"])
def test_message_that_came_to_nothing_is_no_step(tmp_path: Path, stop: str) -> None:
    """A message that was aborted or ended in an error is no step, and its calls are in none (spec W)."""
    lost = agent(call("c1", command="ls"), stop=stop)
    path = write_session(tmp_path / "s.jsonl", user(), lost, agent(call("c2", command="ls")), ran("c2"))
    assert places(path) == {"c1": (1, None), "c2": (1, 1)}


def test_calls_before_the_first_input(tmp_path: Path) -> None:
    """A call before any input is of turn 0."""
    path = write_session(tmp_path / "s.jsonl", agent(call("c", command="ls")), ran("c"))
    assert places(path) == {"c": (0, 1)}


def test_compaction_begins_no_turn(data: Path) -> None:
    """Turns go on over a compaction."""
    assert [found.turn for found in opened(data / "compaction.jsonl").items] == [1, 2, 3]


def test_turns_of_branches(data: Path) -> None:
    """Each branch counts its turns by itself, and only the last is active (spec F5)."""
    calls = opened(data / "resume_branch.jsonl").items
    assert [(found.target, found.turn, found.active) for found in calls] == [
        ("echo right: bittern", 2, False),
        ("echo middle: rail", 2, False),
        ("pwd | xargs basename", 3, True),
    ]


def test_target_and_brief(data: Path) -> None:
    """A call's target is its path or its command's first line; else its first arguments stand for it (spec K1)."""
    calls = opened(data / "rejects.jsonl").items
    assert (calls[1].target, calls[1].brief) == ("report.md", "")
    assert (calls[0].target, calls[0].brief) == (None, "file=report.md")
    assert (calls[13].target, calls[13].brief) == ("git push origin main", "")


def test_provenance_of_calls(data: Path) -> None:
    """Calls of the contract's tools carry intent and rationale; null and absent are none (spec K1)."""
    calls = opened(data / "intents.jsonl").items
    assert calls[5].intent == "Raise the limit as asked"
    assert calls[5].rationale == "settings.ini:2 holds it, once"
    assert (calls[0].intent, calls[3].intent, calls[6].rationale) == (None, None, None)


def test_unshadowed_tool_has_no_provenance(tmp_path: Path) -> None:
    """What another tool calls `intent` is an argument like any other (spec K3)."""
    path = write_session(tmp_path / "s.jsonl", user(), agent(call("c", "mcp__mail__sort", intent="spam")))
    assert by_id(path)["c"].intent is None


def test_calls_of_other_tools_are_calls(data: Path) -> None:
    """Calls of MCP tools and of `tool_search` are calls all the same (spec K3)."""
    tools = [found.tool for found in opened(data / "deferred.jsonl").items]
    assert tools == ["tool_search", "mcp__tides__high_water", "tool_search"]


def test_nested_calls_hang_under_their_parent(data: Path) -> None:
    """Calls made in codemode name the call that made them and stand behind it, in its turn and step (spec K3)."""
    calls = opened(data / "codemode.jsonl")
    nested = [calls.items[number] for number in calls.nested_in(1)]
    assert [found.id for found in nested] == [f"call_2_0/{n}" for n in (1, 2, 3, 4)]
    assert {found.parent_id for found in nested} == {"call_2_0"}
    assert {(found.turn, found.step) for found in nested} == {(1, 2)}
    assert nested[3].target == "echo tides"
    assert list(calls.in_order()) == [0, 1, 2, 3, 4, 5]


def test_nested_in_nested(tmp_path: Path) -> None:
    """A nested call of a nested call names the nearer one."""
    nested = {"calls": [{"id": "c/1", "name": "x", "status": "ok"}, {"id": "c/1/1", "name": "y", "status": "ok"}]}
    path = write_session(tmp_path / "s.jsonl", user(), agent(call("c", "codemode")), ran("c", nestedCalls=nested))
    assert {name: found.parent_id for name, found in by_id(path).items()} == {"c": None, "c/1": "c", "c/1/1": "c/1"}


def test_nested_call_follows_its_parent_in_a_batch(tmp_path: Path) -> None:
    """Nested calls come right behind their parent, though the file tells of them after the whole batch."""
    nested = {"calls": [{"id": "c1/1", "name": "x", "status": "ok"}]}
    path = write_session(
        tmp_path / "s.jsonl",
        *(user(), agent(call("c1", "codemode"), call("c2", command="ls")), ran("c1", nestedCalls=nested), ran("c2")),
    )
    calls = opened(path)
    assert [calls.items[number].id for number in calls.in_order()] == ["c1", "c1/1", "c2"]


def test_ids_that_come_again(tmp_path: Path) -> None:
    """A result answers the call of the nearest message above it, though an earlier one had the same id."""
    path = write_session(
        tmp_path / "s.jsonl",
        *(user(), agent(call("c", command="one")), ran("c"), agent(call("c", command="two"))),
        *(ran("c", "no", is_error=True), ran("c", "twice")),
    )
    assert [(found.target, str(found.outcome)) for found in opened(path).items] == [("one", "ok"), ("two", "failed")]


def test_results_on_two_branches(tmp_path: Path) -> None:
    """Branches with the same ids have a result each, and each only its own."""
    one, two = agent(call("c", command="one"), parentId="e1"), agent(call("c", command="two"), parentId="e1")
    calls = opened(write_session(tmp_path / "s.jsonl", user(), one, ran("c"), two, ran("c", "no", is_error=True)))
    assert [(found.active, str(found.outcome)) for found in calls.items] == [(False, "ok"), (True, "failed")]


def test_result_without_a_call(tmp_path: Path) -> None:
    """A result that answers no call makes none."""
    assert opened(write_session(tmp_path / "s.jsonl", user(), ran("x"), agent(text="Hm."), ran("y"))).items == []


def test_late_result_counts(tmp_path: Path) -> None:
    """A result that comes after the user spoke is the call's result still."""
    path = write_session(tmp_path / "s.jsonl", user(), agent(call("c", command="ls")), user("Well?"), ran("c"))
    assert by_id(path)["c"].outcome is Outcome.OK


def test_long_run_of_results(tmp_path: Path) -> None:
    """Ten thousand results in a row, and as many inputs while a call waits, are read in one go."""
    path = write_session(
        tmp_path / "s.jsonl",
        *(user(), agent(call("c", command="ls")), *(ran("x") for _ in range(10_000))),
        *(user() for _ in range(10_000)),
    )
    assert by_id(path)["c"].outcome is Outcome.UNANSWERED


@pytest.mark.parametrize("name", RECORDINGS)
def test_growing_file_gives_the_same_calls(data: Path, tmp_path: Path, name: str) -> None:
    """A session that is followed line by line ends with the calls that it has when it is read at once."""
    session = Session(tmp_path / "s.jsonl")
    session.path.touch()
    calls = Calls(session)
    for reading in grown(session, data / f"{name}.jsonl"):
        calls.take(session.take(reading))
    assert calls.items == opened(data / f"{name}.jsonl").items


@pytest.mark.parametrize("name", RECORDINGS)
def test_growth_names_what_changed(data: Path, tmp_path: Path, name: str) -> None:
    """Each growth names exactly the calls that are new or are other than before."""
    session = Session(tmp_path / "s.jsonl")
    session.path.touch()
    calls = Calls(session)
    for reading in grown(session, data / f"{name}.jsonl"):
        before = list(calls.items)
        changed = calls.take(session.take(reading))
        now = enumerate(calls.items)
        assert {number for number, found in now if before[number : number + 1] != [found]} == changed


def test_rewritten_file_begins_anew(data: Path, tmp_path: Path) -> None:
    """After a file was replaced its calls are those of the new one, and the old ones' numbers have changed."""
    path = tmp_path / "s.jsonl"
    shutil.copy(data / "rejects.jsonl", path)
    session = Session(path)
    calls = Calls(session)
    calls.take(session.take(session.follower.read()))
    shutil.copy(data / "plain.jsonl", path)
    assert calls.take(session.take(session.follower.read())) == set(range(15))
    assert calls.items == opened(data / "plain.jsonl").items


def test_lost_parent_found_later(tmp_path: Path) -> None:
    """An entry whose parent comes after it sets all calls anew, without a call twice."""
    path = tmp_path / "s.jsonl"
    write_session(path, user(), agent(call("c1", command="ls"), id="late", parentId="soon"), ran("c1", id="r"))
    session = read_session(path)
    calls = Calls(session)
    with path.open("a") as file:
        file.writelines(lines_of([{"id": "soon", "parentId": "e1"}, agent(call("c2", command="ls"))], first=4))
    calls.take(session.take(session.follower.read()))
    assert [found.id for found in calls.items] == ["c1", "c2"]


def test_arguments_are_read_from_the_file(data: Path) -> None:
    """Arguments come whole and as they were sent, provenance included, nested ones too."""
    calls = opened(data / "intents.jsonl")
    assert calls.raw_arguments(calls.items[3]) == {
        "intent": None,
        "path": "settings.ini",
        "edits": [{"oldText": "limit = 10", "newText": "limit = 20"}],
    }
    nested = opened(data / "codemode.jsonl")
    assert nested.raw_arguments(nested.items[4]) == {"harbour": "Tönning"}


def test_arguments_of_a_file_that_changed(data: Path, tmp_path: Path) -> None:
    """Arguments that are no longer in the file are an error with a sentence, not another call's."""
    path = Path(shutil.copy(data / "plain.jsonl", tmp_path / "s.jsonl"))
    calls = opened(path)
    path.write_text("nothing\n" * 3)
    with pytest.raises(UnreadableSession, match="line 6 is no longer what it was"):
        calls.raw_arguments(calls.items[0])


def test_chain_of_a_file_that_vanished(tmp_path: Path) -> None:
    """A retry whose arguments cannot be compared any more is no identical one, and no crash."""
    path = write_session(
        tmp_path / "s.jsonl",
        *(user(), agent(call("c1", "read", path="a")), refused("c1", "read"), agent(call("c2", "read", path="a"))),
    )
    session = Session(path)
    reading = session.follower.read()
    path.unlink()
    calls = Calls(session)
    calls.take(session.take(reading))
    chain = calls.items[1].chain
    assert chain is not None
    assert (chain.attempt, chain.identical) == (2, False)
