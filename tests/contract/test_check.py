import copy
import json
import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilotage.contract.check import (
    MOST_MESSAGES,
    Accepted,
    Refused,
    Violation,
    check,
    check_text,
    sentence,
)
from pilotage.contract.decode import Digits
from pilotage.contract.kinds import rank, refusal
from pilotage.contract.provenance import PROVENANCE_TOOLS, Provenance, has_visible_character
from pilotage.contract.repair import EDIT_FIELDS, FIELDS
from pilotage.records.call import Kind
from tests.contract.examples import BARE, INTENT, JSON, NAMES, TOOLS, call, unhurried

ONE = {"oldText": "a", "newText": "b"}
FORM = '{"command": "…", "intent": "…"}'


def refused(tool: str, arguments: object, *, cut_off: bool = False) -> Refused:
    """Check a call that must be refused."""
    outcome = check(tool, arguments, cut_off=cut_off)
    assert isinstance(outcome, Refused)
    return outcome


def faults(outcome: Refused) -> list[tuple[str, str]]:
    """Give the kinds and fields of a refusal."""
    return [(violation.kind.value, violation.field) for violation in outcome.violations]


@pytest.mark.parametrize("tool", PROVENANCE_TOOLS)
def test_valid_call_is_accepted(tool: str) -> None:
    """A valid call is accepted, its provenance apart from the arguments."""
    assert check(tool, call(tool, rationale="The user asked.")) == Accepted(
        BARE[tool], Provenance(INTENT, "The user asked."), ()
    )


@pytest.mark.parametrize("tool", PROVENANCE_TOOLS)
@pytest.mark.parametrize("rationale", [{}, {"rationale": None}])
def test_rationale_may_be_left_out(tool: str, rationale: dict[str, object]) -> None:
    """An absent or null rationale is fine, and is none."""
    outcome = check(tool, call(tool, **rationale))
    assert isinstance(outcome, Accepted)
    assert outcome.provenance == Provenance(INTENT, None)
    assert outcome.notes == ()


@pytest.mark.parametrize("tool", PROVENANCE_TOOLS)
def test_missing_intent(tool: str) -> None:
    """A call without an intent is refused, and the message shows the shortest call that has one."""
    outcome = refused(tool, BARE[tool])
    assert faults(outcome) == [("missing-intent", "intent")]
    assert outcome.violations[0].message.startswith("intent is missing: say where this action is heading, as in {")


def test_message_on_a_missing_intent() -> None:
    """The message says what is missing, where, and how to mend it."""
    assert refused("bash", BARE["bash"]).violations == (
        Violation(
            Kind.MISSING_INTENT,
            "intent",
            f"intent is missing: say where this action is heading, as in {FORM}",
        ),
    )


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "null"),
        (5, "a number"),
        (1.5, "a number"),
        (math.nan, "a number"),
        (Digits("9" * 5000), "a number"),
        (True, "true"),
        ([], "a list"),
        ({"text": "x"}, "an object"),
    ],
)
def test_intent_that_is_no_text(value: object, words: str) -> None:
    """An intent that is anything but text is never repaired."""
    outcome = refused("bash", call("bash", intent=value))
    assert faults(outcome) == [("missing-intent", "intent")]
    assert outcome.violations[0].message.startswith(f"intent is {words}, not text: ")


BLANKS = ["", " ", " \t\u200b\u3000", "\u2800", "\u3164", "\u202e", "\ud83d", "\u0301"]


@pytest.mark.parametrize("value", BLANKS)
def test_intent_without_a_visible_character(value: str) -> None:
    """An intent that nobody can see is empty."""
    assert faults(refused("read", call("read", intent=value))) == [("empty-intent", "intent")]


@pytest.mark.parametrize("value", [*BLANKS, 5, True, [], {}, Digits("1e999")])
def test_rationale_that_says_nothing(value: object) -> None:
    """A rationale that is there must be text with something to see."""
    assert faults(refused("read", call("read", rationale=value))) == [("empty-rationale", "rationale")]


@pytest.mark.parametrize(
    ("tool", "changes", "field", "fault"),
    [
        ("bash", {"command": None}, "command", "null, not text"),
        ("bash", {"command": ["ls"]}, "command", "a list, not text"),
        ("bash", {"timeout": "ten"}, "timeout", "text, not a number"),
        ("bash", {"timeout": [1]}, "timeout", "a list, not a number"),
        ("bash", {"timeout": math.inf}, "timeout", "out of range"),
        ("bash", {"timeout": math.nan}, "timeout", "out of range"),
        ("bash", {"timeout": 10**400}, "timeout", "out of range"),
        ("bash", {"timeout": Digits("1e999")}, "timeout", "out of range"),
        ("write", {"content": {}}, "content", "an object, not text"),
        ("write", {"path": None}, "path", "null, not text"),
        ("read", {"offset": {}}, "offset", "an object, not a number"),
        ("edit", {"edits": []}, "edits", "empty"),
        ("edit", {"edits": None}, "edits", "null, not a list"),
        ("edit", {"edits": 5}, "edits", "a number, not a list"),
        ("edit", {"edits": "a to b"}, "edits", "text that holds no JSON list of edits"),
        ("edit", {"edits": ["a to b"]}, "edits.0", "text, not an object"),
        ("edit", {"edits": [ONE, {"newText": ""}]}, "edits.1.oldText", "missing"),
        ("edit", {"edits": [{"oldText": "", "newText": "x"}]}, "edits.0.oldText", "empty"),
        ("edit", {"edits": [{"oldText": "x", "newText": None}]}, "edits.0.newText", "null, not text"),
    ],
)
def test_structure(tool: str, changes: dict[str, object], field: str, fault: str) -> None:
    """A structural fault is named by its dotted path, with what is wrong there."""
    outcome = refused(tool, call(tool, **changes))
    assert faults(outcome) == [("structure", field)]
    assert outcome.violations[0].message.startswith(f"{field} is {fault}: ")
    assert ", as in {" in outcome.violations[0].message


@pytest.mark.parametrize("tool", PROVENANCE_TOOLS)
def test_every_violation_is_reported_in_order(tool: str) -> None:
    """An empty call is told everything that it lacks at once, provenance first."""
    outcome = refused(tool, {"rationale": ""})
    assert faults(outcome) == [
        ("missing-intent", "intent"),
        ("empty-rationale", "rationale"),
        *(("structure", field) for field in BARE[tool]),
    ]
    assert outcome.kind is Kind.MISSING_INTENT


def test_legal_oddities_are_accepted() -> None:
    """Empty content, an empty replacement, a blank old text and a fractional timeout are legal."""
    assert isinstance(check("write", call("write", content="")), Accepted)
    assert isinstance(check("edit", call("edit", edits=[{"oldText": " ", "newText": ""}])), Accepted)
    assert isinstance(check("bash", call("bash", timeout=0.5)), Accepted)
    assert isinstance(check("read", call("read", offset=2, limit=2.0)), Accepted)


def test_lone_surrogates_are_accepted() -> None:
    """Half an emoji in a text is the host's business, and no reason to refuse."""
    edits = [{"oldText": "\ud83d", "newText": "\udcb2"}]
    outcome = check("edit", call("edit", path="\ud800", edits=edits, intent="x \ud83d"))
    assert isinstance(outcome, Accepted)
    assert outcome.arguments["edits"] == edits


def test_repairs_and_extras_are_noted_after_the_callers_notes() -> None:
    """An accepted call carries the notes of its decoding, then those of its repair."""
    outcome = check(
        "edit",
        call("edit", edits=json.dumps([{**ONE, "rationale": "r"}]), newText_note=1),
        notes=["path is given twice; the last counts"],
    )
    assert outcome == Accepted(
        {"path": "src/retry.py", "edits": [ONE]},
        Provenance(INTENT, None),
        (
            "path is given twice; the last counts",
            "edits was a JSON string and was parsed",
            "ignored newText_note",
            "ignored edits.0.rationale",
        ),
    )


def test_per_edit_provenance_does_not_stand_in_for_the_calls() -> None:
    """An intent in an edit is ignored: the call still needs its own."""
    outcome = refused("edit", {"path": "f", "edits": [{**ONE, "intent": "i"}]})
    assert faults(outcome) == [("missing-intent", "intent")]


def test_no_arguments_count_as_an_empty_object() -> None:
    """Null arguments are an empty object, and lack what that lacks."""
    assert check("bash", None) == check("bash", {})


@pytest.mark.parametrize("arguments", [[], [1], "ls", 5, True, 1.5, ""])
def test_arguments_that_are_no_object(arguments: object) -> None:
    """Arguments that are no object are one structural fault of the whole call."""
    outcome = refused("bash", arguments)
    assert faults(outcome) == [("structure", "")]
    assert outcome.violations[0].message.endswith(f"send one object, as in {FORM}")


@pytest.mark.parametrize("tool", ["grep", "Bash", "", "mcp__rig__find", "bash "])
def test_unknown_tool(tool: str) -> None:
    """A tool outside the contract is refused with the tools that there are."""
    outcome = refused(tool, call("bash"))
    assert faults(outcome) == [("unknown-tool", "")]
    assert outcome.violations[0].message.endswith("use bash, write, edit or read")


@pytest.mark.parametrize("tool", [*PROVENANCE_TOOLS, "grep"])
def test_cut_off_call_is_never_accepted(tool: str) -> None:
    """A call that the output limit ended is refused for that alone, even if it is whole."""
    arguments = call(tool) if tool in BARE else {}
    assert faults(refused(tool, arguments, cut_off=True)) == [("cut-off", "")]
    outcome = check_text(tool, json.dumps(arguments), cut_off=True)
    assert isinstance(outcome, Refused)
    assert faults(outcome) == [("cut-off", "")]


def test_text_that_is_not_json() -> None:
    """Text that is not JSON is refused with the place of its fault."""
    outcome = check_text("bash", '{"command": "echo trunc')
    assert isinstance(outcome, Refused)
    assert faults(outcome) == [("not-json", "")]
    assert "line 1 column 13" in outcome.violations[0].message
    assert outcome.violations[0].message.endswith(f"as in {FORM}")


def test_text_with_doubled_keys() -> None:
    """The last of two equal keys is what is checked and what will run, and the call says so."""
    outcome = check_text("read", '{"path": "safe.txt", "path": "/etc/x", "intent": "Look."}')
    assert outcome == Accepted({"path": "/etc/x"}, Provenance("Look.", None), ("path is given twice; the last counts",))


def test_number_of_five_thousand_digits_is_no_intent() -> None:
    """A number too long to hold is still a number, and no intent."""
    outcome = check_text("read", f'{{"path": "a", "intent": {"1" * 5000}}}')
    assert isinstance(outcome, Refused)
    assert faults(outcome) == [("missing-intent", "intent")]


def test_text_of_an_unknown_tool_is_not_read() -> None:
    """Where the tool is unknown, that is the whole answer."""
    outcome = check_text("grep", "{")
    assert isinstance(outcome, Refused)
    assert faults(outcome) == [("unknown-tool", "")]


def test_messages_never_repeat_values() -> None:
    """A message is short however long the values of the call are."""
    long = "x" * 1_000_000
    for arguments in (
        {"path": [long], "edits": [{"oldText": [long]}], "intent": {long: long}},
        {"path": {long: 1}, "edits": long},
    ):
        assert len(sentence(refused("edit", arguments).violations)) < 1500
    assert len(refused(long, {}).violations[0].message) < 200


def test_sentence() -> None:
    """An agent reads one opening and then a sentence for each violation."""
    outcome = refused("bash", {"timeout": "ten", "command": "ls"})
    assert sentence(outcome.violations) == (
        f"Contract: intent is missing: say where this action is heading, as in {FORM}. "
        f"timeout is text, not a number: give seconds, or leave it out, as in {FORM}."
    )


def test_long_sentence_is_cut_and_counted() -> None:
    """Of very many violations an agent is told the first and the number of the others."""
    outcome = refused("edit", call("edit", edits=[{}] * 500))
    assert len(outcome.violations) == 1000
    told = sentence(outcome.violations)
    assert told.endswith(f". {1000 - MOST_MESSAGES} more faults like these.")
    assert len(told) < 4000


MUTATIONS: list[Callable[[dict[str, object]], object]] = [
    lambda arguments: arguments.pop("intent"),
    lambda arguments: arguments.update(intent=""),
    lambda arguments: arguments.update(intent=3),
    lambda arguments: arguments.update(rationale=" "),
    lambda arguments: arguments.update(path=None, command=None),
]


@pytest.mark.parametrize("tool", PROVENANCE_TOOLS)
@pytest.mark.parametrize("mutate", MUTATIONS)
def test_one_fault_is_enough(tool: str, mutate: Callable[[dict[str, object]], object]) -> None:
    """Any one fault in an otherwise valid call refuses it."""
    arguments = call(tool)
    mutate(arguments)
    assert isinstance(check(tool, arguments), Refused)


ARGUMENTS = JSON | st.dictionaries(NAMES, JSON, max_size=8)

NEARLY = st.sampled_from(PROVENANCE_TOOLS).flatmap(
    lambda tool: st.tuples(
        st.just(tool), st.dictionaries(NAMES, JSON, max_size=3).map(lambda changes: call(tool, **changes))
    )
)
"""Valid calls with a few arguments changed or added."""


@unhurried
@given(TOOLS, ARGUMENTS, st.booleans())
def test_nothing_crashes_the_check(tool: str, arguments: object, cut_off: bool) -> None:
    """Any value at all is accepted or refused, with a reason and in the order of the kinds."""
    outcome = check(tool, arguments, cut_off=cut_off)
    if isinstance(outcome, Refused):
        ranks = [rank(violation.kind) for violation in outcome.violations]
        assert ranks
        assert ranks == sorted(ranks)
        assert outcome.kind is outcome.violations[0].kind


@unhurried
@given(NEARLY)
def test_accepted_arguments_hold_nothing_but_the_tools_own(drawn: tuple[str, dict[str, object]]) -> None:
    """Accepted arguments hold neither provenance nor extra keys, and the intent can be seen."""
    tool, arguments = drawn
    outcome = check(tool, arguments)
    if isinstance(outcome, Accepted):
        own = {*FIELDS[tool].texts, *FIELDS[tool].numbers} | ({"edits"} if tool == "edit" else set())
        assert set(outcome.arguments) <= own
        edits = outcome.arguments.get("edits", [])
        assert isinstance(edits, list)
        assert all(set(edit) == set(EDIT_FIELDS.texts) for edit in edits)
        assert has_visible_character(outcome.provenance.intent)


@unhurried
@given(NEARLY)
def test_checking_changes_nothing_that_it_is_given(drawn: tuple[str, dict[str, object]]) -> None:
    """A check leaves the call as it was, accepted or refused."""
    tool, arguments = drawn
    before = repr(copy.deepcopy(arguments))
    check(tool, arguments)
    assert repr(arguments) == before


@unhurried
@given(NEARLY)
def test_accepted_calls_are_accepted_again(drawn: tuple[str, dict[str, object]]) -> None:
    """What was accepted is accepted again with its provenance, unchanged and without notes."""
    tool, arguments = drawn
    outcome = check(tool, arguments)
    if isinstance(outcome, Accepted):
        again = check(
            tool,
            {
                **outcome.arguments,
                "intent": outcome.provenance.intent,
                "rationale": outcome.provenance.rationale,
            },
        )
        assert again == Accepted(outcome.arguments, outcome.provenance, ())


@unhurried
@given(TOOLS, ARGUMENTS, st.booleans())
def test_refusals_are_read_back(tool: str, arguments: object, cut_off: bool) -> None:
    """The sentence that an agent reads gives back the kind and the fields of the refusal."""
    outcome = check(tool, arguments, cut_off=cut_off)
    if isinstance(outcome, Refused):
        told = refusal(tool, sentence(outcome.violations))
        assert told is not None
        assert told.kind is outcome.kind
        shown = [violation.field for violation in outcome.violations[:MOST_MESSAGES] if violation.field]
        assert told.fields == tuple(dict.fromkeys(shown))


@unhurried
@given(st.sampled_from(PROVENANCE_TOOLS), st.text(st.characters()))
def test_refusals_of_any_text_are_read_back(tool: str, text: str) -> None:
    """That holds for text that is not JSON as well."""
    outcome = check_text(tool, text)
    if isinstance(outcome, Refused):
        told = refusal(tool, sentence(outcome.violations))
        assert told is not None
        assert told.kind is outcome.kind


@pytest.mark.parametrize("tool", ["x. intent is missing:", '"', "\n", "a. b is empty: c"])
def test_names_of_tools_do_not_deceive(tool: str) -> None:
    """A tool whose name reads like a message is an unknown tool still."""
    told = refusal(tool, sentence(refused(tool, {}).violations))
    assert told is not None
    assert (told.kind, told.fields) == (Kind.UNKNOWN_TOOL, ())
