import json

import pytest
from pydantic import ValidationError

from pilotage.contract.check import Accepted, check_text
from pilotage.contract.models import MODELS, Replacement, shortest_form
from pilotage.contract.provenance import PROVENANCE_TOOLS
from tests.contract.examples import BARE, call


def test_one_model_for_each_tool() -> None:
    """There is one model for each tool of the contract."""
    assert tuple(MODELS) == PROVENANCE_TOOLS


@pytest.mark.parametrize(
    ("tool", "required", "optional"),
    [
        ("bash", {"command", "intent"}, {"timeout", "rationale"}),
        ("write", {"path", "content", "intent"}, {"rationale"}),
        ("edit", {"path", "edits", "intent"}, {"rationale"}),
        ("read", {"path", "intent"}, {"offset", "limit", "rationale"}),
    ],
)
def test_fields_of_each_tool(tool: str, required: set[str], optional: set[str]) -> None:
    """Each tool has the fields of the contract: intent mandatory, rationale optional."""
    schema = MODELS[tool].model_json_schema()
    assert set(schema["required"]) == required
    assert set(schema["properties"]) == required | optional


def test_schema_of_an_edit_carries_no_provenance() -> None:
    """An edit has an old and a new text and nothing else, under the names that the host uses."""
    schema = Replacement.model_json_schema()
    assert schema["required"] == ["oldText", "newText"]
    assert set(schema["properties"]) == {"oldText", "newText"}


@pytest.mark.parametrize("tool", list(MODELS))
def test_schema_asks_for_an_intent_of_some_length_and_for_no_pattern(tool: str) -> None:
    """A schema demands an intent of one character at least, and has no pattern for a host to choke on."""
    schema = MODELS[tool].model_json_schema()
    assert schema["properties"]["intent"]["minLength"] == 1
    assert "pattern" not in json.dumps(schema)


@pytest.mark.parametrize("model", [*MODELS.values(), Replacement])
def test_descriptions_are_one_line(model: type) -> None:
    """A field's description is one line with its name, whether it is mandatory, and what it means."""
    for name, field in model.model_fields.items():  # type: ignore[attr-defined]
        demand = "MANDATORY" if field.is_required() else "optional"
        assert field.description.startswith(f"{field.alias or name}, {demand}: ")
        assert field.description.endswith(".")
        assert "\n" not in field.description
        assert "{" not in field.description


@pytest.mark.parametrize("tool", list(MODELS))
def test_shortest_form_is_accepted(tool: str) -> None:
    """The form that refusals show is itself a valid call with nothing to spare."""
    form = shortest_form(tool)
    assert isinstance(check_text(tool, form), Accepted)
    for name in json.loads(form):
        shorter = {key: value for key, value in json.loads(form).items() if key != name}
        assert not isinstance(check_text(tool, json.dumps(shorter)), Accepted)


def test_shortest_forms_read_as_a_person_would_write_them() -> None:
    """The forms name the fields in the order of the contract, with intent last."""
    assert shortest_form("bash") == '{"command": "…", "intent": "…"}'
    assert shortest_form("edit") == '{"path": "…", "edits": [{"oldText": "…", "newText": "…"}], "intent": "…"}'


@pytest.mark.parametrize("tool", list(MODELS))
def test_models_are_strict(tool: str) -> None:
    """A model turns nothing into anything else: that is for repair."""
    MODELS[tool].model_validate(call(tool))
    for name in BARE[tool]:
        with pytest.raises(ValidationError):
            MODELS[tool].model_validate(call(tool, **{name: 5}))
