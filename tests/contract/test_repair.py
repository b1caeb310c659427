import copy
import json
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilotage.contract.decode import Digits
from pilotage.contract.models import MODELS, Replacement
from pilotage.contract.repair import EDIT_FIELDS, FIELDS, Repaired, repair
from tests.contract.examples import BARE, JSON, NAMES, TOOLS, call, unhurried

ONE = {"oldText": "a", "newText": "b"}


@pytest.mark.parametrize("tool", list(BARE))
def test_sound_arguments_stay(tool: str) -> None:
    """Arguments without fault are not touched and not noted."""
    for arguments in (call(tool), call(tool, rationale="r")):
        assert repair(tool, arguments) == Repaired(arguments, ())


@pytest.mark.parametrize("tool", list(MODELS))
def test_repair_knows_the_fields_of_the_models(tool: str) -> None:
    """The fields that are repaired are those of the models: required texts and optional numbers."""
    fields = FIELDS[tool]
    model = MODELS[tool].model_fields
    known = [*fields.texts, *fields.numbers, *fields.untouched]
    assert sorted(known) == sorted(model)
    assert all(model[name].is_required() for name in fields.texts)
    assert not any(model[name].is_required() for name in fields.numbers)


def test_repair_knows_the_fields_of_an_edit() -> None:
    """The fields of one edit are those of its model."""
    assert list(EDIT_FIELDS.texts) == [field.alias for field in Replacement.model_fields.values()]


@pytest.mark.parametrize(
    ("edits", "notes"),
    [
        (json.dumps([ONE]), ("edits was a JSON string and was parsed",)),
        (
            json.dumps(ONE),
            ("edits was a JSON string and was parsed", "edits was a single edit and was put in a list"),
        ),
        (ONE, ("edits was a single edit and was put in a list",)),
    ],
)
def test_shapes_of_edits(edits: object, notes: tuple[str, ...]) -> None:
    """Edits as a JSON string, of a list or of one edit, and a single edit become a list."""
    repaired = repair("edit", {"path": "f", "edits": edits})
    assert repaired.arguments == {"path": "f", "edits": [ONE]}
    assert repaired.notes == notes


def test_raw_line_breaks_in_a_string_of_edits() -> None:
    """A string of edits may hold raw line breaks and tabs."""
    edits = '[{"oldText":"a","newText":"l1\nl2\t"}]'
    assert repair("edit", {"path": "f", "edits": edits}).arguments["edits"] == [{"oldText": "a", "newText": "l1\nl2\t"}]


@pytest.mark.parametrize(
    "edits",
    [
        *("", "replace a by b", "[", "5", '"x"', "null", "[NaN]", "[" * 100_000),
        *('{"oldText":"a"}', '{"oldText":1,"newText":"b"}'),
    ],
)
def test_a_string_without_edits_stays(edits: str) -> None:
    """A string that holds no list and no whole edit stays a string, without a note."""
    repaired = repair("edit", {"path": "f", "edits": edits})
    assert repaired.arguments == {"path": "f", "edits": edits}
    assert repaired.notes == ()


def test_doubled_keys_in_a_string_of_edits_are_noted() -> None:
    """Keys that are given twice in a string of edits are noted as well."""
    repaired = repair("edit", {"path": "f", "edits": '[{"oldText":"x","oldText":"a","newText":"b"}]'})
    assert repaired.arguments["edits"] == [ONE]
    assert "oldText is given twice; the last counts" in repaired.notes


def test_top_level_texts_become_an_edit() -> None:
    """An edit that stands at the top level becomes the last of the edits."""
    legacy = {"oldText": "c", "newText": "d"}
    moved = "top-level oldText and newText were moved into edits"
    assert repair("edit", {"path": "f", **legacy}).arguments == {"path": "f", "edits": [legacy]}
    repaired = repair("edit", {"path": "f", "edits": [ONE], **legacy})
    assert repaired.arguments == {"path": "f", "edits": [ONE, legacy]}
    assert repaired.notes == (moved,)


def test_top_level_texts_replace_edits_that_are_none() -> None:
    """Where edits are no list, the edit at the top level takes their place, as in the host, with a note."""
    repaired = repair("edit", {"path": "f", "edits": "nope", "oldText": "c", "newText": "d"})
    assert repaired.arguments["edits"] == [{"oldText": "c", "newText": "d"}]
    assert repaired.notes[0] == "edits was no list and gave way to the top-level oldText and newText"


@pytest.mark.parametrize("half", [{"oldText": "c"}, {"newText": "d"}, {"oldText": 1, "newText": "d"}])
def test_half_an_edit_at_the_top_level_is_ignored(half: dict[str, object]) -> None:
    """Less than a whole edit at the top level is an extra key."""
    repaired = repair("edit", {"path": "f", "edits": [ONE], **half})
    assert repaired.arguments == {"path": "f", "edits": [ONE]}
    assert repaired.notes == tuple(f"ignored {name}" for name in half)


@pytest.mark.parametrize(("value", "word"), [(None, "null"), ("", "empty"), (" \t", "empty"), ("\ufeff", "empty")])
@pytest.mark.parametrize(("tool", "field"), [("bash", "timeout"), ("read", "offset"), ("read", "limit")])
def test_optional_fields_that_say_nothing_go(tool: str, field: str, value: object, word: str) -> None:
    """Null and blank text in an optional field count as absent."""
    repaired = repair(tool, call(tool, **{field: value}))
    assert repaired.arguments == call(tool)
    assert repaired.notes == (f"{field} was {word} and was left out",)


@pytest.mark.parametrize(
    ("value", "number", "was"),
    [("10", 10, "text"), ("2.5", 2.5, "text"), (" 7 ", 7, "text"), (True, 1, "true"), (False, 0, "false")],
)
def test_numbers_as_text(value: object, number: float, was: str) -> None:
    """A number as text, or a truth value, becomes the number that the host takes it for."""
    repaired = repair("bash", call("bash", timeout=value))
    assert repaired.arguments["timeout"] == number
    assert type(repaired.arguments["timeout"]) is type(number)
    assert repaired.notes == (f"timeout was {was} and was read as a number",)


@pytest.mark.parametrize("value", ["ten", "0x10", [], {}, Digits("9" * 5000), Digits("1e999")])
def test_what_is_no_number_stays(value: object) -> None:
    """What stands for no finite number stays for the check to refuse."""
    assert repair("read", call("read", limit=value)).arguments["limit"] == value


@pytest.mark.parametrize(
    ("tool", "field"),
    [("bash", "command"), ("write", "path"), ("write", "content"), ("edit", "path"), ("read", "path")],
)
@pytest.mark.parametrize(
    ("value", "text", "was"),
    [
        (5, "5", "a number"),
        (1.0, "1", "a number"),
        (True, "true", "true"),
        (Digits("1e999"), "1e999", "text"),
    ],
)
def test_scalars_for_texts(tool: str, field: str, value: object, text: str, was: str) -> None:
    """A number or truth value where text is required becomes its text."""
    repaired = repair(tool, call(tool, **{field: value}))
    assert repaired.arguments[field] == text
    assert type(repaired.arguments[field]) is str
    assert len(repaired.notes) == 1
    assert repaired.notes[0].startswith(f"{field} was ")


def test_scalars_for_texts_in_edits() -> None:
    """The texts of an edit are repaired as well, and noted by their dotted path."""
    repaired = repair("edit", {"path": "f", "edits": [ONE, {"oldText": 1, "newText": False}]})
    assert repaired.arguments["edits"] == [ONE, {"oldText": "1", "newText": "false"}]
    assert repaired.notes == (
        "edits.1.oldText was a number and was read as text",
        "edits.1.newText was false and was read as text",
    )


@pytest.mark.parametrize("tool", list(BARE))
def test_null_in_a_required_field_is_never_repaired(tool: str) -> None:
    """Null stays null where a value is required, in edits too."""
    for field in BARE[tool]:
        assert repair(tool, call(tool, **{field: None})).arguments[field] is None
    assert repair("edit", {"edits": [{"oldText": None}]}).arguments["edits"] == [{"oldText": None}]


@pytest.mark.parametrize("value", [None, 5, True, "", [], {}, 1.5])
def test_provenance_is_never_repaired(value: object) -> None:
    """Whatever stands for intent and rationale stays as it is."""
    repaired = repair("bash", call("bash", intent=value, rationale=value))
    assert repaired.arguments["intent"] is value
    assert repaired.arguments["rationale"] is value
    assert repaired.notes == ()


def test_empty_texts_are_legal() -> None:
    """Empty content and an empty replacement are values, not absences."""
    assert repair("write", call("write", content="")).arguments["content"] == ""
    edits = [{"oldText": "a", "newText": ""}]
    assert repair("edit", call("edit", edits=edits)).arguments["edits"] == edits


def test_extra_keys_are_left_out_and_named() -> None:
    """Extra keys, those in edits and per-edit provenance among them, go and are named by their path."""
    edit = {**ONE, "newText_note": "", "intent": "i", "rationale": "r"}
    repaired = repair("edit", {"path": "f", "_i": "x", "edits": [ONE, edit], "offset": 3})
    assert repaired.arguments == {"path": "f", "edits": [ONE, ONE]}
    assert repaired.notes == (
        "ignored _i",
        "ignored offset",
        "ignored edits.1.newText_note",
        "ignored edits.1.intent",
        "ignored edits.1.rationale",
    )


def test_hostile_keys_are_named_plainly_and_briefly() -> None:
    """The note on an extra key holds nothing that could steer a terminal, and is short."""
    (note,) = repair("read", {"path": "f", "\x1b[2J" + "k" * 9000: 1}).notes
    assert note.isprintable()
    assert len(note) < 120


@pytest.mark.parametrize("tool", ["mcp__rig__find", "grep", ""])
def test_unknown_tools_are_left_alone(tool: str) -> None:
    """Nothing is repaired and nothing stripped for a tool outside the contract."""
    given_arguments = {"edits": "[]", "limit": "3", "path": None, "intent": 5}
    assert repair(tool, given_arguments).arguments == given_arguments
    assert repair(tool, given_arguments).notes == ()


def test_read_only_arguments_can_be_repaired() -> None:
    """Repair needs no right to change what it is given."""
    frozen = MappingProxyType({"path": 5, "edits": MappingProxyType(ONE)})
    assert repair("edit", frozen).arguments == {"path": "5", "edits": [ONE]}


@unhurried
@given(TOOLS, st.dictionaries(NAMES, JSON))
def test_input_is_never_changed(tool: str, arguments: dict[str, object]) -> None:
    """Whatever is repaired, what was passed in stays as it was."""
    before = repr(copy.deepcopy(arguments))
    repair(tool, arguments)
    assert repr(arguments) == before


@unhurried
@given(TOOLS, st.dictionaries(NAMES, JSON))
def test_repair_is_done_once(tool: str, arguments: dict[str, object]) -> None:
    """What was repaired needs no further repair."""
    repaired = repair(tool, arguments)
    again = repair(tool, repaired.arguments)
    assert repr(again.arguments) == repr(repaired.arguments)
    assert again.notes == ()
