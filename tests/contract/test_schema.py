import json
import shutil
import subprocess
from pathlib import Path

import pytest

from pilotage.contract.check import Refused, check, sentence
from pilotage.contract.handout import HALVES, handout
from pilotage.contract.kinds import refusal
from pilotage.contract.models import MODELS
from pilotage.contract.schema import describe_tool, tool_schema
from pilotage.records.call import Kind
from tests.contract.examples import BARE, INTENT

DESCRIPTIONS = Path(__file__).parents[2] / "src" / "pilotage" / "contract" / "descriptions"


@pytest.mark.parametrize(
    ("tool", "order", "required"),
    [
        ("bash", ["intent", "rationale", "command", "timeout"], ["intent", "command"]),
        ("write", ["intent", "rationale", "path", "content"], ["intent", "path", "content"]),
        ("edit", ["intent", "rationale", "path", "edits"], ["intent", "path", "edits"]),
        ("read", ["intent", "rationale", "path", "offset", "limit"], ["intent", "path"]),
    ],
)
def test_properties(tool: str, order: list[str], required: list[str]) -> None:
    """A schema has the fields of the model, provenance first, so that a model says why before it acts (spec C1)."""
    parameters = tool_schema(tool).parameters
    assert parameters["type"] == "object"
    assert list(parameters["properties"]) == order  # type: ignore[call-overload]
    assert parameters["required"] == required
    assert set(order) == {field.alias or name for name, field in MODELS[tool].model_fields.items()}


@pytest.mark.parametrize("tool", list(MODELS))
def test_schemas_are_plain(tool: str) -> None:
    """A schema has no pattern, reference, title or union: nothing that a host or a grammar chokes on (spec H2)."""
    text = json.dumps(tool_schema(tool).parameters)
    assert [
        word for word in ("pattern", "$ref", "$defs", "title", "anyOf", "null", "default") if f'"{word}' in text
    ] == []


def test_texts_have_a_least_length() -> None:
    """Provenance and the text to replace are one character long at least; an edit has one replacement at least."""
    edit = tool_schema("edit").parameters
    properties = edit["properties"]
    assert isinstance(properties, dict)
    assert [properties[half]["minLength"] for half in HALVES] == [1, 1]
    assert properties["edits"]["minItems"] == 1
    assert properties["edits"]["items"] == {
        "type": "object",
        "properties": {
            "oldText": {
                "type": "string",
                "minLength": 1,
                "description": "oldText, MANDATORY: the text to replace; it occurs exactly once in the file.",
            },
            "newText": {
                "type": "string",
                "description": "newText, MANDATORY: the text that takes its place.",
            },
        },
        "required": ["oldText", "newText"],
    }


def test_descriptions_carry_the_sentence_on_investigations() -> None:
    """Each tool's description ends with the sentence on investigations, its paragraphs a line each (spec C9)."""
    sentence_on_it = describe_tool("bash").split("\n\n")[-1]
    assert sentence_on_it.startswith("For an investigation, `intent` names the claim or doubt under test")
    for tool in MODELS:
        own, last = describe_tool(tool).split("\n\n")
        assert last == sentence_on_it
        assert "\n" not in own
        assert "$" not in own


def test_every_description_is_used() -> None:
    """Descriptions are Markdown files beside the code, one a tool and the sentence they share."""
    assert {file.name for file in DESCRIPTIONS.iterdir()} == {f"{name}.md" for name in (*MODELS, "investigation")}


def test_other_tools_have_no_schema() -> None:
    """A tool outside the contract has none."""
    with pytest.raises(KeyError):
        tool_schema("grep")


def test_handout_has_the_words_of_check() -> None:
    """The messages that a host is given make the sentences of `check`, and are read back as what they are (spec H2)."""
    told = json.loads(json.dumps(handout()))
    opening, between, end = (told["sentence"][part] for part in ("opening", "between", "end"))
    for tool, bare in BARE.items():
        faults = told["tools"][tool]["faults"]
        absent = check(tool, {**bare, "rationale": " "})
        assert isinstance(absent, Refused)
        words = opening + between.join([faults["intent"]["missing"], faults["rationale"]["empty"]]) + end
        assert words == sentence(absent.violations)
        found = refusal(tool, words)
        assert found is not None
        assert (found.kind, found.fields) == (Kind.MISSING_INTENT, HALVES)


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("empty", "", Kind.EMPTY_INTENT),
        ("null", None, Kind.MISSING_INTENT),
        ("true", True, Kind.MISSING_INTENT),
        ("false", False, Kind.MISSING_INTENT),
        ("number", 5, Kind.MISSING_INTENT),
        ("array", ["x"], Kind.MISSING_INTENT),
        ("object", {"x": 1}, Kind.MISSING_INTENT),
    ],
)
def test_handout_names_every_type(name: str, value: object, kind: Kind) -> None:
    """For whatever JSON has in place of a text there is a message, the one of `check`."""
    told = json.loads(json.dumps(handout()))
    for half, other in ("intent", {}), ("rationale", {"intent": INTENT}):
        verdict = check("read", {"path": "a", **other, half: value})
        if half == "rationale" and value is None:
            continue
        assert isinstance(verdict, Refused)
        assert told["tools"]["read"]["faults"][half][name] == verdict.violations[0].message
        assert verdict.kind is (kind if half == "intent" else Kind.EMPTY_RATIONALE)


@pytest.mark.skipif(shutil.which("node") is None, reason="no Node on the search path")
def test_pattern_is_one_that_javascript_takes() -> None:
    """The pattern compiles with the flag `u` and tells a visible text from an invisible one."""
    pattern = json.dumps(handout()["visible"])
    code = f"const p = new RegExp({pattern}, 'u'); console.log(p.test('x'), p.test(' \\u200b\\u2800'))"
    assert subprocess.run(["node", "-e", code], capture_output=True, text=True, check=True).stdout == "true false\n"
