import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilotage.inference.question import Failure, RequestFailed
from pilotage.review.question import LONGEST, MOST_PAIRS
from pilotage.review.validate import pairs

ONE = ["The tests were not run; run them.", 'System prompt: "Run the tests."']


def refused(value: object) -> str:
    """Give the words with which an answer is refused."""
    with pytest.raises(RequestFailed) as caught:
        pairs(value)
    assert caught.value.failure is Failure.MALFORMED
    return str(caught.value)


@pytest.mark.parametrize("value", [[], {"reminders": []}])
def test_nothing_to_say(value: object) -> None:
    """An empty array is a whole answer, bare or in its object (spec R3)."""
    assert pairs(value) == ()


@pytest.mark.parametrize("value", [[ONE, ONE], {"reminders": [ONE, ONE]}])
def test_pairs(value: object) -> None:
    """Pairs come as they are written, bare or in their object, and nothing is taken out (spec R3)."""
    assert pairs(value) == (tuple(ONE), tuple(ONE))


def test_texts_are_not_repaired() -> None:
    """Texts keep their spaces (spec M6)."""
    assert pairs([[" a\n", "\tb"]]) == ((" a\n", "\tb"),)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({}, "no key"),
        ({"reminders": [], "observed": []}, "the keys `reminders`, `observed`"),
        ({"warnings": []}, "the keys `warnings`"),
        ({"reminders": {}}, "an object where an array"),
        ({"reminders": None}, "null where an array"),
        (None, "null where an array"),
        (True, "true or false where an array"),
        (0, "a number where an array"),
        ("[]", "a text where an array"),
        (ONE, "reminder 1 is a text and no array"),
        ([{"a": "b"}], "reminder 1 is an object and no array"),
        ([dict([ONE])], "reminder 1 is an object and no array"),
        ([ONE, ["alone"]], "reminder 2 has 1 parts and not two"),
        ([[]], "reminder 1 has 0 parts and not two"),
        ([[*ONE, "third"]], "reminder 1 has 3 parts and not two"),
        ([[ONE, ONE]], "reminder 1, first text is an array"),
        ([["a", 1]], "reminder 1, second text is a number"),
        ([["a", None]], "reminder 1, second text is null"),
        ([["", "b"]], "reminder 1, first text is empty"),
        ([["a", " \n\u200b\u3000"]], "reminder 1, second text is empty"),
        ([["a", "x" * (LONGEST + 1)]], "reminder 1, second text has 501 characters, and 500 are the most"),
        ([ONE] * (MOST_PAIRS + 1), "it has 5 reminders, and 4 are the most"),
    ],
)
def test_wrong_shapes(value: object, words: str) -> None:
    """Every other shape is refused by name, and the words say what is wrong and where (spec M6)."""
    assert words in refused(value)


def test_bounds_are_included() -> None:
    """As many reminders, and as long ones, as the schema allows."""
    assert len(pairs([["x" * LONGEST] * 2] * MOST_PAIRS)) == MOST_PAIRS


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.just("reminders"), inner),
)


@given(JSON)
def test_any_answer(value: object) -> None:
    """Whatever JSON comes, the answer is pairs of two texts as they are written, or a refusal."""
    try:
        found = pairs(value)
    except RequestFailed:
        found = ()
    array = value["reminders"] if found and isinstance(value, dict) else value
    assert found == () or [list(pair) for pair in found] == json.loads(json.dumps(array))
