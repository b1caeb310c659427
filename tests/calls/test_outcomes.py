from pathlib import Path

import pytest

from pilotage.calls.outcomes import exit_code, judge, judge_nested
from pilotage.records.call import Kind, Outcome
from pilotage.records.entry import NestedCall, ToolResult
from tests.calls.opened import by_id, opened
from tests.handmade import agent, call, ran, refused, result, user, write_session


def told(text: str, *, is_error: bool = True, ms: int | None = None) -> ToolResult:
    """Give a result with this text."""
    return ToolResult("c", "bash", is_error, ms, text, ())


@pytest.mark.parametrize(
    ("call_id", "kind", "fields"),
    [
        ("call_1_0", Kind.STRUCTURE, ("path",)),
        ("call_2_0", Kind.STRUCTURE, ("limit",)),
        ("call_5_0", Kind.UNKNOWN_TOOL, ()),
        ("call_6_0", Kind.NOT_JSON, ()),
        ("call_9_0", Kind.STRUCTURE, ("edits",)),
        ("call_11_0", Kind.STRUCTURE, ("edits.0.newText",)),
        ("call_12_0", Kind.STRUCTURE, ("command",)),
        ("call_13_0", Kind.CUT_OFF, ()),
    ],
)
def test_refusals_of_pi(data: Path, call_id: str, kind: Kind, fields: tuple[str, ...]) -> None:
    """Each refusal of the real Pi is a rejection with its kind and its fields (spec K2, C7)."""
    found = by_id(data / "rejects.jsonl")[call_id]
    assert found.outcome is Outcome.REJECTED
    assert found.rejection is not None
    assert (found.rejection.kind, found.rejection.fields) == (kind, fields)


def test_message_is_what_the_agent_was_told(data: Path) -> None:
    """A rejection's message is Pi's own words, without the arguments that it repeats."""
    found = by_id(data / "rejects.jsonl")["call_1_0"]
    assert found.rejection is not None
    assert found.rejection.message == 'Validation failed for tool "read":\n  - path: missing'


@pytest.mark.parametrize(
    ("call_id", "reason"),
    [
        ("call_14_0", "Pushing needs a person: ask first."),
        ("call_15_0", "the address list could not be read"),
    ],
)
def test_guards_block(data: Path, call_id: str, reason: str) -> None:
    """A call that a guard stopped, or that never ran as the guard broke, is blocked and keeps the reason (spec K2)."""
    found = by_id(data / "rejects.jsonl")[call_id]
    assert found.outcome is Outcome.BLOCKED
    assert found.rejection is not None
    assert (found.rejection.kind, found.rejection.message) == (Kind.BLOCKED, reason)


def test_accepted_among_refusals(data: Path) -> None:
    """A surplus key, a number as a string and a null option reject nothing (spec C4, C5)."""
    calls = by_id(data / "rejects.jsonl")
    assert {calls[name].outcome for name in ("call_3_0", "call_4_0", "call_8_0")} == {Outcome.OK}


@pytest.mark.parametrize(
    ("call_id", "kind"),
    [
        ("call_1_0", Kind.MISSING_INTENT),
        ("call_2_0", Kind.MISSING_INTENT),
        ("call_4_0", Kind.MISSING_INTENT),
        ("call_5_0", Kind.EMPTY_INTENT),
    ],
)
def test_provenance_refused(data: Path, call_id: str, kind: Kind) -> None:
    """The contract's own sentence and the schema's words on an intent are rejections of the intent."""
    found = by_id(data / "intents.jsonl")[call_id]
    assert found.outcome is Outcome.REJECTED
    assert found.rejection is not None
    assert (found.rejection.kind, found.rejection.fields) == (kind, ("intent",))


@pytest.mark.parametrize("name", ["failures", "edits"])
def test_failures_are_no_rejections(data: Path, name: str) -> None:
    """A call that ran and failed is failed and has no rejection, whatever it says (spec K2)."""
    outcomes = {found.outcome for found in by_id(data / f"{name}.jsonl").values()}
    assert outcomes == {Outcome.OK, Outcome.FAILED}
    assert all(found.rejection is None for found in by_id(data / f"{name}.jsonl").values())


def test_exit_codes(data: Path) -> None:
    """A failed command has its exit code, a signal's too; what failed otherwise has none."""
    codes = [found.exit_code for found in opened(data / "failures.jsonl").items]
    assert codes == [1, 127, 143, None, None, None, None, None]


def test_part_of_a_batch_fails(data: Path) -> None:
    """Calls of one message have an outcome each, and each its own duration."""
    calls = opened(data / "parallel.jsonl").items
    assert [found.outcome for found in calls] == [Outcome.OK, Outcome.OK, Outcome.OK, Outcome.FAILED]
    assert [found.duration_ms for found in calls] == [311, 8, 8, 6]


def test_aborted_calls_ran_and_yet_did_not_fail(data: Path) -> None:
    """Commands that the person stopped are aborted, although their results have durations (spec K2)."""
    calls = opened(data / "abort_tool.jsonl").items
    assert [(found.outcome, found.duration_ms) for found in calls] == [(Outcome.ABORTED, 510)] * 2


def test_killed_host_leaves_a_call_without_result(data: Path) -> None:
    """A call at the end of a file has no result and keeps running until a reader knows better (spec K1)."""
    first, last = opened(data / "killed.jsonl").items
    assert (first.outcome, last.outcome) == (Outcome.OK, Outcome.RUNNING)
    assert last.result is None


def test_call_is_unanswered_once_the_talk_goes_on(tmp_path: Path) -> None:
    """A call without a result is unanswered as soon as the user or the agent speaks again (spec K1)."""
    made = agent(call("c1", command="sleep 9"), call("c2", command="ls"))
    for after in (user("Still there?"), agent(text="I go on.", stop="stop")):
        calls = by_id(write_session(tmp_path / "s.jsonl", user(), made, ran("c2"), after))
        assert (calls["c1"].outcome, calls["c2"].outcome) == (Outcome.UNANSWERED, Outcome.OK)


def test_bookkeeping_answers_nothing(tmp_path: Path) -> None:
    """Labels and custom entries behind a call do not end it."""
    path = write_session(tmp_path / "s.jsonl", user(), agent(call("c", command="ls")), {"type": "label"}, {})
    assert by_id(path)["c"].outcome is Outcome.RUNNING


def test_version_1_is_told_by_wording_alone(data: Path) -> None:
    """Where nothing has a duration, known words make a rejection or an abort and all else a failure (spec K2)."""
    outcomes = [str(found.outcome) for found in opened(data / "version1.jsonl").items]
    assert outcomes == ["ok", "failed", "failed", "rejected", "ok", "ok", "failed", "aborted", "ok"]


def test_version_2_knows_no_blocked(data: Path) -> None:
    """A guard's reason in a file without durations is a failure: nothing proves that the call never ran."""
    found = by_id(data / "version2.jsonl")["call_b3"]
    assert (found.outcome, found.rejection) == (Outcome.FAILED, None)


def test_one_duration_is_enough(tmp_path: Path) -> None:
    """A file in which one message or one result has a duration is told by structure."""
    made = agent(call("c", command="git push"), timed=False)
    stopped = result("c", "Ask first.", isError=True)
    seen = agent(call("b", command="ls"), timed=False)
    bare = by_id(write_session(tmp_path / "a.jsonl", user(), made, stopped))
    by_message = by_id(write_session(tmp_path / "b.jsonl", user(), made | {"id": "x"}, agent(), made, stopped))
    by_result = by_id(write_session(tmp_path / "c.jsonl", user(), seen, ran("b"), made, stopped))
    assert bare["c"].outcome is Outcome.FAILED
    assert by_message["c"].outcome is Outcome.BLOCKED
    assert by_result["c"].outcome is Outcome.BLOCKED


@pytest.mark.parametrize(
    "text",
    [
        "Command aborted",
        "counting\n\n\nCommand aborted",
        "Operation aborted",
        "This operation was aborted",
        "Request was aborted.",
        "  Operation aborted.\n",
    ],
)
def test_words_of_an_abort(text: str) -> None:
    """The last line's words of an abort decide before anything else, with and without a duration (spec K2)."""
    for ms in (None, 12):
        assert judge("bash", told(text, ms=ms), timed=True, stop_reason="toolUse") == (Outcome.ABORTED, None)


@pytest.mark.parametrize(
    "text",
    [
        "Operation aborted\n\nCommand exited with code 1",
        "make: Operation aborted by rule",
        "the tool said: Command aborted",
        "aborted",
        "\n" * 4000,
    ],
)
def test_text_that_only_speaks_of_an_abort(text: str) -> None:
    """Words of an abort within a failed command's output abort nothing."""
    assert judge("bash", told(text, ms=3), timed=True, stop_reason="toolUse") == (Outcome.FAILED, None)


def test_success_is_never_told_by_words() -> None:
    """A result that is no error is ok, whatever its text."""
    text = 'Validation failed for tool "bash":\n  - command: missing'
    assert judge("bash", told(text, is_error=False), timed=True, stop_reason="length") == (Outcome.OK, None)


def test_printed_refusal_of_a_call_that_ran() -> None:
    """A command that ran and printed a refusal is failed: a duration says that it ran."""
    text = 'Validation failed for tool "bash":\n  - command: missing'
    assert judge("bash", told(text, ms=0), timed=True, stop_reason="toolUse") == (Outcome.FAILED, None)


def test_refusal_of_another_tool(tmp_path: Path) -> None:
    """A refusal that names another tool is no rejection of this one."""
    path = write_session(tmp_path / "s.jsonl", user(), agent(call("c", command="ls")), refused("c", "read"))
    assert by_id(path)["c"].outcome is Outcome.BLOCKED


def test_output_limit_in_unknown_words() -> None:
    """An error of a message that the output limit ended is cut off, in whatever words."""
    outcome, rejection = judge("write", told("nothing was written"), timed=True, stop_reason="length")
    assert outcome is Outcome.REJECTED
    assert rejection is not None
    assert (rejection.kind, rejection.message) == (Kind.CUT_OFF, "nothing was written")
    assert judge("write", told("nothing was written"), timed=False, stop_reason="length") == (Outcome.FAILED, None)


def test_nested_outcomes(data: Path) -> None:
    """Nested calls have the outcome that the host noted for them."""
    nested = [found for found in opened(data / "codemode.jsonl").items if found.parent_id]
    assert [str(found.outcome) for found in nested] == ["ok", "ok", "failed", "ok"]
    assert [found.duration_ms for found in nested] == [7, 1, 1, 16]


@pytest.mark.parametrize(
    ("status", "error", "outcome"),
    [
        ("ok", "", Outcome.OK),
        ("unfinished", "", Outcome.UNANSWERED),
        ("error", "no table for Tönning", Outcome.FAILED),
        ("error", "Operation aborted", Outcome.ABORTED),
        ("error", 'Validation failed for tool "read":\n  - path: missing', Outcome.REJECTED),
        ("error", "Tool read not found", Outcome.REJECTED),
        ("a word of tomorrow", "", Outcome.FAILED),
    ],
)
def test_nested_status(status: str, error: str, outcome: Outcome) -> None:
    """A nested call is told by its status and by its error's words; a status that nobody knows is no success."""
    found, rejection = judge_nested(NestedCall("c/1", "read", None, "", status, 3, error))
    assert found is outcome
    assert (rejection is not None) == (outcome is Outcome.REJECTED)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Command exited with code 2", 2),
        ("x\n\nCommand exited with code 130\n", 130),
        ("Command exited with code 2\nand more", None),
        ("Command exited with code 99999999999999999999", None),
        ("", None),
    ],
)
def test_exit_code_in_the_last_line(text: str, code: int | None) -> None:
    """An exit code is read from the end of an error's text, and only one that can be a code."""
    assert exit_code(told(text)) == code
    assert exit_code(told(text, is_error=False)) is None
