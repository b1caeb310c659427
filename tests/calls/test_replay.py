from pathlib import Path

import pytest
from msgspec import Raw

from pilotage.calls.replay import refusal_today
from pilotage.calls.study import study_session
from pilotage.calls.study_counts import Counting, Replay
from tests.contract.examples import BARE
from tests.handmade import Fields, agent, call, ran, refused, result, user, write_session

EDITS = [{"oldText": "a", "newText": "b", "intent": "one", "rationale": "two"}, {"oldText": "c", "newText": "d"}]


def replayed(path: Path) -> Replay:
    """Study one file with replay."""
    counting = Counting()
    counting.add(study_session(path, refusal_today))
    found = counting.study(with_replay=True).replay
    assert found
    return found


def session(folder: Path, made: Fields, answered: Fields, stop: str = "toolUse") -> Path:
    """Write a session with one call."""
    return write_session(folder / "s.jsonl", user(), agent(made, stop=stop), answered)


@pytest.mark.parametrize("tool", BARE)
@pytest.mark.parametrize("fault", ["rationale: missing", "root: must have required property 'rationale'"])
def test_mandatory_rationale(tmp_path: Path, tool: str, fault: str) -> None:
    """Today's contract spares what an old one rejected for want of a rationale (seed 1)."""
    found = replayed(session(tmp_path, call("c", tool, intent="so", **BARE[tool]), refused("c", tool, fault)))
    assert (found.spared_by_kind, found.added) == ({"empty-rationale": 1}, 0)


@pytest.mark.parametrize("fault", ["edits.1.intent: missing", "edits/1: must have required property 'rationale'"])
def test_provenance_in_every_edit(tmp_path: Path, fault: str) -> None:
    """Today's contract spares what an old one rejected for want of provenance in an edit (seed 1)."""
    made = call("c", "edit", path="a", intent="so", edits=EDITS)
    assert replayed(session(tmp_path, made, refused("c", "edit", fault))).spared_by_kind == {"per-edit-provenance": 1}


def test_intent_only_in_the_edits(tmp_path: Path) -> None:
    """An old call with its intent in the edits alone is rejected today as well."""
    made = call("c", "edit", path="a", edits=EDITS)
    found = replayed(session(tmp_path, made, refused("c", "edit", "edits.1.intent: missing")))
    assert (found.judged, found.spared, found.added) == (1, 0, 0)


def test_accepted_call_without_intent(tmp_path: Path) -> None:
    """A call that ran without an intent would be rejected today, and its kind is told."""
    found = replayed(session(tmp_path, call("c", command="ls"), ran("c")))
    assert (found.spared, found.added_by_kind) == (0, {"missing-intent": 1})


def test_unanswered_call(tmp_path: Path) -> None:
    """A call without a result was never accepted, so nothing is added."""
    path = write_session(tmp_path / "s.jsonl", user(), agent(call("c", command="ls")))
    assert replayed(path).added == 0


def test_cut_off_call_that_parses(tmp_path: Path) -> None:
    """A call that the output limit ended is never accepted, even if it is whole (spec C7)."""
    words = 'Tool call "bash" was not executed: the response hit the output token limit.'
    made = call("c", command="ls", intent="so")
    found = replayed(session(tmp_path, made, result("c", words, isError=True), stop="length"))
    assert (found.judged, found.spared, found.added) == (1, 0, 0)


def test_other_tools_are_not_judged(tmp_path: Path) -> None:
    """The contract says nothing of an MCP tool, nor of calls that another tool made."""
    made = {"calls": [{"id": "c/1", "name": "bash", "arguments": {"command": "ls"}, "status": "ok"}]}
    found = replayed(session(tmp_path, call("c", "codemode", code="x"), ran("c", nestedCalls=made)))
    assert found.judged == 0


def test_text_that_was_not_json(data: Path) -> None:
    """What the host could not parse is not spared."""
    found = replayed(data / "rejects.jsonl")
    assert "not-json" not in found.spared_by_kind


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        (b'{"command": "ls", "intent": "so"}', None),
        (b'{"command": "ls", "intent": "so", "timeout": "5"}', None),
        (b'{"command": "ls", "intent": "so", "timeout": 1e999}', "structure"),
        (b'{"command": "ls", "intent": %s}' % (b"7" * 5000), "missing-intent"),
        (b'{"command": "ls", "intent": "\\ud83d so"}', None),
        (b'{"command": "ls", "intent": "\\u200b"}', "empty-intent"),
        (b'{"command": "ls", "intent": %s}' % (b"[" * 100_000 + b"]" * 100_000), "not-json"),
        (b"[]", "structure"),
        (b"", "missing-intent"),
        (b"null", "missing-intent"),
    ],
    ids=lambda value: str(value)[:50],
)
def test_arguments_of_any_kind(arguments: bytes, kind: str | None) -> None:
    """Whatever the file has for arguments is judged as the contract judges it, and never fails."""
    assert refusal_today("bash", Raw(arguments), False) == kind
