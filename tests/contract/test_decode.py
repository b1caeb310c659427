import contextlib
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilotage.contract.decode import Digits, NotJson, decode, load_arguments
from tests.contract.examples import unhurried


def test_plain_arguments() -> None:
    """Ordinary JSON comes out as itself, without notes."""
    assert load_arguments('{"path": "a.py", "limit": 3, "offset": 1.5}') == (
        {"path": "a.py", "limit": 3, "offset": 1.5},
        (),
    )


def test_last_of_two_keys_counts() -> None:
    """Of a key that is given twice the last counts, and the key is named."""
    assert load_arguments('{"path":"safe.txt","path":"/etc/x"}') == (
        {"path": "/etc/x"},
        ("path is given twice; the last counts",),
    )


def test_each_doubled_key_is_noted_once() -> None:
    """Every doubled key has one note, wherever it stands and however often."""
    edits = '[{"oldText":"x","oldText":"y"},{"oldText":"x","oldText":"z"}]'
    text = f'{{"a":1,"b":2,"a":3,"a":4,"edits":{edits},"b":5}}'
    value, notes = load_arguments(text)
    assert value == {"a": 4, "b": 5, "edits": [{"oldText": "y"}, {"oldText": "z"}]}
    assert sorted(notes) == [f"{key} is given twice; the last counts" for key in ("a", "b", "oldText")]


def test_note_on_a_hostile_key_is_plain_and_short() -> None:
    """A key's name reaches a note without anything that could steer a terminal, and not at length."""
    key = "\u001b]0;x" + "k" * 500
    _, (note,) = load_arguments(json.dumps({key: 1})[:-1] + f", {json.dumps(key)}: 2}}")
    assert "\x1b" not in note
    assert len(note) < 150


def test_large_integers_are_exact() -> None:
    """Integers beyond 2^53 keep every digit."""
    value, _ = load_arguments('{"id": 2512292042121000001, "n": -9007199254740993}')
    assert value == {"id": 2512292042121000001, "n": -9007199254740993}


@pytest.mark.parametrize("text", ["1" * 5000, "-" + "7" * 6000, "1e999", "-1e400"])
def test_numbers_beyond_the_machine_stay_as_written(text: str) -> None:
    """A number that Python cannot hold is kept as it was written, neither infinite nor plain text."""
    value, notes = load_arguments(f'{{"n": {text}}}')
    assert value == {"n": text}
    assert isinstance(value, dict)
    assert isinstance(value["n"], Digits)
    assert notes == ()


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{"a": NaN}', "NaN is no JSON number, line 1 column 7"),
        ('{"NaN": "Infinity",\n "b": -Infinity}', "-Infinity is no JSON number, line 2 column 7"),
        ('["\\"NaN", Infinity]', "Infinity is no JSON number, line 1 column 11"),
    ],
)
def test_constants_that_are_no_json(text: str, where: str) -> None:
    """NaN and Infinity are not JSON, and the message says where they stand."""
    with pytest.raises(NotJson) as caught:
        load_arguments(text)
    assert str(caught.value) == where


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "line 1 column 1"),
        ("not json at all", "line 1 column 1"),
        ('{"command": "echo trunc', "line 1 column 13"),
        ('{"a": 1,\n "b" 2}', "line 2 column 6"),
        ('{"a": 1} {"b": 2}', "line 1 column 10"),
        ("\ufeff{}", "line 1 column 1"),
        ("{'a': 1}", "line 1 column 2"),
    ],
)
def test_bad_json_says_where(text: str, where: str) -> None:
    """Text that is not JSON is refused with the line and the column of what is wrong."""
    with pytest.raises(NotJson) as caught:
        load_arguments(text)
    assert str(caught.value).endswith(where)
    assert " at," not in str(caught.value)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "[" * 100_000 + "]" * 100_000])
def test_deep_nesting(text: str) -> None:
    """A hundred thousand brackets are refused with how deep they go and where."""
    with pytest.raises(NotJson, match=r"^brackets are nested 100000 deep, line 1 column \d+$"):
        load_arguments(text)


def test_brackets_in_strings_are_not_nested() -> None:
    """Brackets within strings do not count as nesting."""
    assert load_arguments(json.dumps({"command": "[" * 100_000}))[0] == {"command": "[" * 100_000}


@pytest.mark.parametrize("unit", ['"', '\\"', '"\\', "[", '["'])
def test_hostile_text_costs_linear_time(unit: str) -> None:
    """No text makes the search for the place of a fault slow."""
    began = time.perf_counter()
    with pytest.raises(NotJson):
        load_arguments("[" * 5000 + '"' + unit * 100_000)
    assert time.perf_counter() - began < 5


def test_raw_control_characters_in_strings() -> None:
    """Raw line breaks and tabs in a string are read as they stand, as the host reads them."""
    value, notes = load_arguments('{"content": "l1\nl2\tx"}')
    assert value == {"content": "l1\nl2\tx"}
    assert notes == ("raw line breaks or stray backslashes in a JSON string were taken as they stand",)


def test_stray_backslashes_in_strings() -> None:
    """A backslash that begins no escape is a backslash, as the host has it."""
    value, notes = load_arguments('{"command": "grep \\d \\u12 \\n \\\\ x"}')
    assert value == {"command": "grep \\d \\u12 \n \\ x"}
    assert len(notes) == 1


def test_fault_of_the_text_as_it_came_is_told() -> None:
    """Where mending does not help, the place of the first fault is that in the text as it was sent."""
    with pytest.raises(NotJson, match=r"line 1 column 3$"):
        load_arguments('["\\d", nope]')


def test_strict_decoding_refuses_raw_control_characters() -> None:
    """Decoding alone takes control characters only where it is told to."""
    with pytest.raises(NotJson):
        decode('"a\nb"', strict=True)
    assert decode('"a\nb"', strict=False) == ("a\nb", ())


def test_lone_surrogates_come_through() -> None:
    """Half of a cut emoji is no reason to lose a call."""
    assert load_arguments('{"content": "ok \\ud83d"}')[0] == {"content": "ok \ud83d"}


@unhurried
@given(st.text(st.characters()))
def test_no_text_crashes(text: str) -> None:
    """Any text either decodes or is refused as no JSON."""
    with contextlib.suppress(NotJson):
        load_arguments(text)


@unhurried
@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner)))
def test_decoding_undoes_encoding(value: object) -> None:
    """What was written as JSON is read back as it was."""
    assert load_arguments(json.dumps(value)) == (value, ())
