import json
from pathlib import Path

import pytest

from pilotage.calls.build import Calls
from pilotage.calls.detail import NOT_TEXT, Detail, as_object, as_seen, iso_time, read_detail
from pilotage.records.call import Mark, Outcome
from pilotage.sessions.read import UnreadableSession
from tests.calls.opened import opened
from tests.handmade import Fields, agent, call, ran, refused, user, write_session

KEYS = [
    *("id", "parent_id", "turn", "step", "tool", "target", "intent", "rationale", "arguments", "notes", "marks"),
    *("time", "duration_ms", "outcome", "rejection", "chain", "active"),
]
"""The fields of a call, in their order."""


def detail_of(calls: Calls, call_id: str) -> Detail:
    """Give the detail of the call with this id."""
    return read_detail(calls, [found.id for found in calls.items].index(call_id))


def of_arguments(folder: Path, tool: str, **arguments: object) -> Detail:
    """Give the detail of one call with these arguments."""
    path = write_session(folder / "s.jsonl", user(), agent(call("c", tool, **arguments)), ran("c"))
    return detail_of(opened(path), "c")


def test_arguments_as_the_file_has_them(data: Path) -> None:
    """Arguments are those of the file, unrepaired and without provenance (spec K5)."""
    rejects, intents = opened(data / "rejects.jsonl"), opened(data / "intents.jsonl")
    assert detail_of(rejects, "call_3_0").arguments == {"path": "report.md", "limit": "2", "why": "to see the title"}
    assert detail_of(intents, "call_6_0").arguments == {
        "path": "settings.ini",
        "edits": [{"oldText": "limit = 10", "newText": "limit = 20", "intent": "the only edit"}],
    }
    assert detail_of(intents, "call_4_0").arguments.keys() == {"path", "edits"}


def test_arguments_of_unshadowed_tools_stay_whole(tmp_path: Path) -> None:
    """An `intent` of a tool outside the contract stays among its arguments (spec K3)."""
    found = of_arguments(tmp_path, "mcp__mail__sort", intent="spam", rationale=None)
    assert found == Detail({"intent": "spam", "rationale": None}, (), ())


def test_notes_of_repairs(data: Path) -> None:
    """What the contract repairs or ignores is noted on the call (spec C4, C5)."""
    rejects, edits = opened(data / "rejects.jsonl"), opened(data / "edits.jsonl")
    assert detail_of(rejects, "call_3_0").notes == ("limit was text and was read as a number", "ignored why")
    assert detail_of(rejects, "call_8_0").notes == ("timeout was null and was left out",)
    assert [read_detail(edits, number).notes for number in range(4)] == [
        (),
        ("top-level oldText and newText were moved into edits",),
        ("edits was a JSON string and was parsed",),
        ("edits was a single edit and was put in a list",),
    ]


def test_note_of_per_edit_provenance(data: Path) -> None:
    """Provenance inside an edit is ignored and noted (spec C4)."""
    assert detail_of(opened(data / "intents.jsonl"), "call_6_0").notes == ("ignored edits.0.intent",)


@pytest.mark.parametrize(("intent", "notes"), [(None, ()), ("why", ()), (7, (NOT_TEXT,)), ({"a": 1}, (NOT_TEXT,))])
def test_note_of_an_intent_that_is_no_text(tmp_path: Path, intent: object, notes: tuple[str, ...]) -> None:
    """An intent that is there and no text is noted, as the call shows none."""
    assert of_arguments(tmp_path, "bash", command="ls", intent=intent).notes == notes


def test_keys_given_twice(tmp_path: Path) -> None:
    """A key that an object of the arguments gives twice is noted, however deep it stands (spec F3)."""
    line = json.dumps(agent(call("c", "edit", path="a", edits=[{"oldText": "x", "newText": "y"}])))
    twice = line.replace('"path": "a"', '"path": "b", "path": "a"').replace('"newText"', '"newText": 1, "newText"')
    path = write_session(tmp_path / "s.jsonl", user())
    path.write_text(path.read_text() + twice + "\n")
    found = detail_of(opened(path), "c")
    assert found.notes == ("path is given twice; the last counts", "newText is given twice; the last counts")
    assert found.arguments == {"path": "a", "edits": [{"oldText": "x", "newText": "y"}]}


def test_arguments_that_are_no_object(tmp_path: Path) -> None:
    """Arguments that are a list are given as they are."""
    block = call("c") | {"arguments": ["ls"]}
    path = write_session(tmp_path / "s.jsonl", user(), agent(block), ran("c"))
    assert detail_of(opened(path), "c") == Detail(["ls"], (), ())


def test_nested_arguments(data: Path) -> None:
    """A nested call has the arguments that the host kept, and neither notes nor marks."""
    assert detail_of(opened(data / "codemode.jsonl"), "call_2_0/4") == Detail({"command": "echo tides"}, (), ())


def test_marks(tmp_path: Path) -> None:
    """Marks compare an intent with its target, the request and the call before (spec C8)."""
    intent, command = "Count the reeds in every bed", "wc -l reeds.txt"
    made = [call(f"c{n}", command=command, intent=text) for n, text in enumerate((intent, intent, command, "go on"))]
    answered = [part for block in made for part in (agent(block), ran(str(block["id"])))]
    calls = opened(write_session(tmp_path / "s.jsonl", user(f"{intent}!"), *answered))
    assert [read_detail(calls, number).marks for number in range(4)] == [
        (Mark.COPIES_REQUEST,),
        (Mark.REPEATS_PREVIOUS, Mark.COPIES_REQUEST),
        (Mark.REPEATS_TARGET,),
        (Mark.HOLLOW,),
    ]


def test_correction_may_repeat_its_intent(tmp_path: Path) -> None:
    """A try may say what the rejected try before it said; the call after a chain may not."""

    def read(call_id: str, path: str) -> Fields:
        return agent(call(call_id, "read", path=path, intent="See where the limit stands"))

    path = write_session(
        tmp_path / "s.jsonl",
        *(user(), read("c1", "a"), refused("c1", "read"), read("c2", "a"), ran("c2"), read("c3", "b"), ran("c3")),
    )
    calls = opened(path)
    assert [read_detail(calls, number).marks for number in range(3)] == [(), (), (Mark.REPEATS_PREVIOUS,)]


def test_intent_of_another_turn_is_not_the_previous(tmp_path: Path) -> None:
    """An intent may come again in another turn."""
    made = [agent(call(name, command="ls", intent="See what is there now")) for name in ("c1", "c2")]
    path = write_session(tmp_path / "s.jsonl", user(), made[0], ran("c1"), user(), made[1])
    assert detail_of(opened(path), "c2").marks == ()


def test_record_of_a_call(data: Path) -> None:
    """A call as a JSON object has exactly the fields that are promised, in their order (spec K5)."""
    calls = opened(data / "intents.jsonl")
    record = as_object(calls.items[1], read_detail(calls, 1))
    assert list(record) == KEYS
    assert record["id"] == "call_2_0"
    assert record["chain"] == {"id": "call_1_0", "try": 2, "identical": True}
    rejection = record["rejection"]
    assert isinstance(rejection, dict)
    assert list(rejection) == ["kind", "fields", "message"]
    assert json.loads(json.dumps(rejection))["kind"] == "missing-intent"


def test_record_of_every_recorded_call_is_json(data: Path) -> None:
    """Every recorded call can be written as JSON and has each field."""
    for path in sorted(data.glob("*.jsonl")):
        calls = opened(path)
        for number in calls.in_order():
            record = as_object(calls.items[number], read_detail(calls, number))
            assert list(json.loads(json.dumps(record))) == KEYS


def test_running_is_for_readers_that_follow(data: Path) -> None:
    """Whoever reads once calls no call running; whoever follows does, on the active branch (spec K1)."""
    running = opened(data / "killed.jsonl").items[1]
    assert as_seen(running, live=True).outcome is Outcome.RUNNING
    assert as_seen(running, live=False).outcome is Outcome.UNANSWERED
    ended = opened(data / "killed.jsonl").items[0]
    assert as_seen(ended, live=False) is ended


def test_nothing_runs_on_an_abandoned_branch(tmp_path: Path) -> None:
    """A call without a result on a branch that was left is unanswered for everybody."""
    made = agent(call("c", command="ls"))
    path = write_session(tmp_path / "s.jsonl", user(), made, user("Otherwise.", parentId="e1"))
    assert as_seen(opened(path).items[0], live=True).outcome is Outcome.UNANSWERED


def test_detail_of_a_file_that_vanished(tmp_path: Path) -> None:
    """Details of a file that is gone are an error with a sentence."""
    path = write_session(tmp_path / "s.jsonl", user(), agent(call("c", command="ls")))
    calls = opened(path)
    path.unlink()
    with pytest.raises(UnreadableSession, match="read the session again"):
        read_detail(calls, 0)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, None),
        (0.0, "1970-01-01T00:00:00.000Z"),
        (1767607200.25, "2026-01-05T10:00:00.250Z"),
        (-62135596800.0, "0001-01-01T00:00:00.000Z"),
    ],
)
def test_time_in_utc(seconds: float | None, text: str | None) -> None:
    """Times are ISO 8601 in UTC, to the millisecond."""
    assert iso_time(seconds) == text
