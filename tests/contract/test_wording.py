import pytest

from pilotage.contract.models import MODELS, Replacement
from pilotage.contract.wording import (
    FAULT,
    described,
    fault_message,
    no_object_message,
    unknown_tool_message,
    wrong_type,
)

FIELDS = sorted({name for model in MODELS.values() for name in model.model_fields})


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (0, "a number"),
        (1.5, "a number"),
        ("", "text"),
        ([], "a list"),
        ((), "a list"),
        ({}, "an object"),
    ],
)
def test_values_are_named_by_type(value: object, words: str) -> None:
    """A value is told by its type, never by what it holds."""
    assert described(value) == words


@pytest.mark.parametrize("field", [*FIELDS, *(f"edits.7.{name}" for name in ("oldText", "newText")), "edits.7"])
def test_every_field_has_its_own_mend(field: str) -> None:
    """For each field of the models there is advice of its own, and the message can be read back."""
    message = fault_message(field, "missing", "{}")
    other = "give an object with oldText and newText"
    assert (other in message) == (field == "edits.7")
    match = FAULT.match(message)
    assert match is not None
    assert (match["field"], match["fault"]) == (field, "missing")


def test_fields_of_an_edit_have_their_mends() -> None:
    """The fields of one edit are told apart."""
    messages = {fault_message(f"edits.0.{f.alias}", "missing", "") for f in Replacement.model_fields.values()}
    assert len(messages) == 2


@pytest.mark.parametrize("wanted", ["text", "a number", "a list", "an object"])
@pytest.mark.parametrize("value", [None, True, 5, "x", [], {}])
def test_every_fault_can_be_read_back(value: object, wanted: str) -> None:
    """Whatever is wrong with a type, its words are among those that are understood."""
    for field in ("intent", "edits"):
        assert FAULT.match(fault_message(field, wrong_type(field, value, wanted), "{}"))


def test_messages_are_sentences_without_their_full_stop() -> None:
    """A message ends without a full stop: whoever puts several together sets them."""
    for message in (
        no_object_message([], "{}"),
        unknown_tool_message("x"),
        fault_message("path", "missing", "{}"),
    ):
        assert not message.endswith(".")
        assert "\n" not in message
