import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilotage.search.schema_text import MOST_CHARACTERS, schema_text


def test_names_and_descriptions_at_any_depth() -> None:
    """Properties of objects, of items and of alternatives are all read."""
    schema = {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "Where."},
            "days": {"type": "array", "items": {"anyOf": [{"properties": {"hour": {"title": "Full hour"}}}]}},
        },
    }
    read = schema_text(schema)
    assert read.names == "city days hour"
    assert read.descriptions == "Where.\nFull hour"


def test_a_circle_is_read_once() -> None:
    """A schema that refers to itself ends, with all that is in it (`cases.md` F5)."""
    schema = {
        "type": "object",
        "properties": {"n": {"$ref": "#/$defs/N"}},
        "$defs": {
            "N": {
                "type": "object",
                "description": "A node.",
                "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/N"}}},
            }
        },
    }
    read = schema_text(schema)
    assert read.names == "n kids"
    assert read.descriptions == "A node."


def test_a_circle_of_objects_is_read_once() -> None:
    """An object that holds itself ends as well."""
    schema: dict[str, object] = {"description": "Me."}
    schema["items"] = schema
    assert schema_text(schema).descriptions == "Me."


@pytest.mark.parametrize(
    "reference",
    ["#/$defs/Gone", "#/$defs/N/0/x", "#gone", "http://127.0.0.1/x.json", "", "#/", "#/$defs/~2", 5, None, "#/%zz"],
)
def test_a_dangling_reference_costs_its_words_only(reference: object) -> None:
    """What a reference does not find is left out; the rest is read."""
    schema = {"properties": {"a": {"$ref": reference}, "b": {"description": "Kept."}}, "$defs": {"N": []}}
    read = schema_text(schema)
    assert read.names == "a b"
    assert read.descriptions == "Kept."


def test_signs_in_a_reference_may_be_escaped() -> None:
    """A pointer's own escapes and a percent sign's are undone."""
    schema = {"items": {"$ref": "#/$defs/a~1b%20c"}, "$defs": {"a/b c": {"description": "Found."}}}
    assert schema_text(schema).descriptions == "Found."


def test_a_deep_schema_ends() -> None:
    """Ten thousand levels are no failure."""
    schema: dict[str, object] = {"description": "bottom"}
    for _ in range(10_000):
        schema = {"description": "level", "items": schema}
    assert schema_text(schema).descriptions.startswith("level")


def test_a_huge_schema_is_cut() -> None:
    """Of a schema with too many words some are read."""
    wide = {"properties": {f"p{n}": {"description": "d" * 1000} for n in range(5000)}}
    read = schema_text(wide)
    assert 0 < len(read.names) <= 2 * MOST_CHARACTERS
    assert 0 < len(read.descriptions) <= 2 * MOST_CHARACTERS


KEYS = st.sampled_from(
    ["properties", "items", "anyOf", "allOf", "$ref", "$defs", "description", "title", "additionalProperties", "x"]
) | st.text(max_size=3)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(KEYS, VALUES, max_size=5))
def test_any_object_is_read(schema: dict[str, object]) -> None:
    """No object is too odd to be a schema, as nobody promises that it is one."""
    json.dumps(schema)
    schema_text(schema)
