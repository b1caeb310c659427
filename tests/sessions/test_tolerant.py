import json
import time
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilotage.sessions.tolerant import DEEPEST, TOO_DEEP, DoubledKeys, find_objects, gaps, load_object
from tests.sessions.raw import FILES, HEADER, TORN, TORN_BLOCKS, packed, said, unhurried

ENTRY = said("a2", "a0")


def found(data: bytes) -> list[bytes]:
    """Give the bytes of each object that is found."""
    return [data[item.start : item.end] for item in find_objects(data)]


def depth_of(value: object) -> int:
    """Give how many lists or objects lie in one another."""
    depth = 0
    while isinstance(value, list | dict):
        depth += 1
        members = list(value.values()) if isinstance(value, dict) else value
        value = members[0] if members else None
    return depth


@pytest.mark.parametrize("data", [b'{"a":1}', b' \t{"a":1}\r\n', b'{ "a" : 1 }'])
def test_one_object(data: bytes) -> None:
    """One object is loaded, with white space around it or without."""
    assert load_object(data) == {"a": 1}


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b" ", b"[]", b"1", b'"a"', b"null", b"{", b'{"a":1', b"}", b'{"a":1}{"a":1}', b'{"a":1} x'),
        *(b'\x00{"a":1}', b'\xef\xbb\xbf{"a":1}', b"{'a':1}", b'{"a":01}', b'{"a":1,}', rb'{"a":"\*"}'),
    ],
)
def test_what_is_not_one_object(data: bytes) -> None:
    """Anything else is a ValueError, and nothing but that."""
    with pytest.raises(ValueError, match="not one JSON object"):
        load_object(data)


def test_lone_surrogates_are_kept() -> None:
    """Half an emoji is loaded as it was written, and never joined with the other half in another text (cases A12)."""
    assert load_object(rb'{"a":"x\ud83d","b":"\udcb2x"}') == {"a": "x\ud83d", "b": "\udcb2x"}
    assert load_object(rb'{"a":"\ud83d\udcb2"}') == {"a": "\U0001f4b2"}


def test_integers_are_exact() -> None:
    """An integer beyond 2^53 is not rounded (cases A13)."""
    assert load_object(b'{"id":2512292042121000001,"big":' + b"9" * 4000 + b"}") == {
        "id": 2512292042121000001,
        "big": int("9" * 4000),
    }


@pytest.mark.parametrize("number", ["1" * 5000, "-" + "7" * 5000, "1e999", "-1e999", "NaN", "Infinity", "-Infinity"])
def test_numbers_that_python_cannot_hold(number: str) -> None:
    """A number that is too long, too great or none stays the text that was written, and can be written again."""
    value = load_object(f'{{"n":{number}}}'.encode())
    assert value == {"n": number}
    assert json.loads(json.dumps(value, allow_nan=False)) == value


def test_raw_control_characters_are_taken() -> None:
    """A newline or a tab that was not escaped is part of its text."""
    assert load_object(b'{"a":"1\t2\x003\r\n"}') == {"a": "1\t2\x003\r\n"}


def test_invalid_utf8_is_replaced() -> None:
    """Bytes that are no UTF-8 become U+FFFD and cost nothing else."""
    assert load_object(b'{"a":"x\xff\xe6\xbc","b":1}') == {"a": "x\ufffd\ufffd", "b": 1}


def test_last_of_doubled_keys_counts() -> None:
    """Of keys given twice the last counts, and the object knows which they were (cases A15)."""
    value = load_object(b'{"path":"safe.txt","b":1,"path":"/etc/x","a":2,"b":3}')
    assert value == {"path": "/etc/x", "b": 3, "a": 2}
    assert isinstance(value, DoubledKeys)
    assert value.names == ("path", "b")


def test_doubled_keys_deep_inside() -> None:
    """Only the object that has a doubled key is marked."""
    value = load_object(b'{"in":{"a":1,"a":2},"out":{"a":1}}')
    assert not isinstance(value, DoubledKeys)
    assert isinstance(value["in"], DoubledKeys)
    assert not isinstance(value["out"], DoubledKeys)


def test_very_many_keys_with_one_doubled() -> None:
    """An object of 100,000 keys, one of them doubled, costs no more than its length."""
    began = time.perf_counter()
    value = load_object(b'{"x":0,' + b",".join(b'"k%d":0' % number for number in range(100_000)) + b',"x":1}')
    assert isinstance(value, DoubledKeys)
    assert value.names == ("x",)
    assert time.perf_counter() - began < 5


@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_deep_nesting_is_cut_off(opening: bytes, closing: bytes) -> None:
    """Of 100,000 levels the upper ones are kept and a sign stands for the rest; what follows is there (cases A14)."""
    data = b'{"x":' + opening * 100_000 + b"1" + closing * 100_000 + b',"y":"]}","z":[[2]]}'
    value = load_object(data)
    assert depth_of(value) == DEEPEST
    assert TOO_DEEP in json.dumps(value)
    assert (value["y"], value["z"]) == ("]}", [[2]])


@pytest.mark.parametrize("depth", [*range(DEEPEST - 2, DEEPEST + 3), 500, *range(900, 1010, 7), 1200])
def test_nesting_of_any_depth_is_loaded(depth: int) -> None:
    """There is no depth at which an object is lost, however near to the end of the parser's stack."""
    value = load_object(b'{"x":' + b"[" * depth + b"]" * depth + b',"y":1}')
    assert value["y"] == 1
    assert depth_of(value) >= min(depth, DEEPEST - 1)


def test_siblings_below_the_deepest_level() -> None:
    """Several deep branches are each cut, and what lies between them stays."""
    deep = b"[" * 2000 + b"]" * 2000
    value = load_object(b'{"a":' + deep + b',"b":1,"c":' + deep + b"}")
    assert list(value) == ["a", "b", "c"]
    assert value["b"] == 1
    assert depth_of(value["a"]) == depth_of(value["c"])


@pytest.mark.parametrize(
    "data",
    [
        b'{"x":' + b"[" * 100_000 + b"}" * 100_000 + b"}",
        b'{"x":' + b"[" * 100_000 + b"]" * 100_000 + b" garbage}",
        b'{"x":' + b"[" * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b'{"x":"' + b"[" * 100_000,
    ],
    ids=count(),
)
def test_deep_nonsense_is_no_object(data: bytes) -> None:
    """Brackets that only look like an object are none."""
    with pytest.raises(ValueError, match=r"not one JSON object|Expecting"):
        load_object(data)
    assert find_objects(data) == []


@pytest.mark.parametrize("between", [b"", b" ", b",", b"\x00\x00", b"\t, \x00"])
def test_objects_that_follow_one_another(between: bytes) -> None:
    """Two objects on one line are both found, whatever a lost newline left between them (cases A1)."""
    assert found(ENTRY + between + b'{"a":1}') == [ENTRY, b'{"a":1}']


def test_object_after_nul_padding() -> None:
    """An object behind 512 NUL bytes is found, and so is one before them (cases A7)."""
    padding = b"\x00" * 512
    assert found(padding + b'{"b":2}') == [b'{"b":2}']
    assert found(b'{"b":2}' + padding) == [b'{"b":2}']


def test_entry_behind_a_torn_one() -> None:
    """An entry that was appended to half of another is found (cases A1)."""
    assert found(TORN + ENTRY) == [ENTRY]
    assert found(TORN + ENTRY + TORN + HEADER) == [ENTRY, HEADER]


def test_fragment_and_the_same_record_in_full() -> None:
    """Of a record cut in the middle and then written whole, the whole one is found (cases A2)."""
    image = packed(
        {"type": "message", "timestamp": "t", "message": {"content": [{"type": "image", "data": "A" * 900}]}}
    )
    assert found(image[:400] + image) == [image]


def test_parts_of_a_torn_record_are_no_records() -> None:
    """Content blocks and schemas in a torn record are objects with a type, and still no entries."""
    schema = b'{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}'
    for torn in (
        TORN_BLOCKS,
        b'{"type":"message","message":{"toolsAdded":[{"name":"a","parameters":' + schema + b'},{"name":"b","par',
        b'{"type":"message","list":[{"type":"text"},{"type":"text"},{"x":1},{"type":',
    ):
        assert found(torn) == []
        assert found(torn + ENTRY) == [ENTRY]


def test_parts_after_a_found_entry_are_no_records_either() -> None:
    """Once a line is torn, nothing on it is taken that does not look like an entry."""
    torn = b'{"list":[' + ENTRY + b',{"a":1},{"a":2},{"type":"text"}'
    assert found(torn) == [ENTRY]


def test_long_torn_record_full_of_parts() -> None:
    """However many parts a torn record has, the entry behind it is found."""
    assert found(b'{"type":"message","x":[' + b'{"type":"string"},' * 50_000 + ENTRY) == [ENTRY]
    assert found(b'{"type":"message","x":[' + b'{"type":"a",x},' * 20_000 + ENTRY) == [ENTRY]


HOSTILE = [
    b'{"type":"' * 100_000,
    b'{"type":"a","k":' * 100_000,
    b'{"type":"a","k":[["' * 100_000,
    b'{"type":"a",' * 100_000,
    b'{"type":"a","k":"\\' * 100_000,
    b'{"type"' * 100_000,
    b"{" * 500_000,
    b'{"type":"a","k":' + b"[" * 500_000,
    (b'{"type":"a","k":' + b"[" * 990) * 500,
    b'{"type":"a","t":1' + b"1" * 500_000,
    b'{"type":"' + b"a" * 1_000_000,
    b"{" + b" " * 500_000 + b'"type":"a",' * 10_000,
]


@pytest.mark.parametrize("data", HOSTILE, ids=count())
def test_hostile_lines_end_quickly(data: bytes) -> None:
    """A line made to be looked at again and again costs a few times its length."""
    began = time.perf_counter()
    assert find_objects(data) == []
    assert time.perf_counter() - began < 5


def test_gaps() -> None:
    """What belongs to no object is told by its span, white space left out."""
    data = b"  " + ENTRY + b" \t" + ENTRY + b"\x00y"
    assert gaps(data, find_objects(data)) == [(len(data) - 2, len(data))]
    torn = b"  xx" + ENTRY
    assert gaps(torn, find_objects(torn)) == [(0, 4)]
    assert gaps(b" \t", []) == []
    assert gaps(b" x ", []) == [(0, 3)]


@unhurried
@given(FILES)
def test_nothing_crashes_the_search(data: bytes) -> None:
    """In any bytes objects are found in order, apart from one another, and each can be loaded alone."""
    items = find_objects(data)
    edges = [edge for item in items for edge in (item.start, item.end)]
    assert edges == sorted(edges)
    for item in items:
        assert load_object(data[item.start : item.end]) == item.value
    spans = sorted([*((item.start, item.end) for item in items), *gaps(data, items)])
    told = {at for start, end in spans for at in range(start, end)}
    assert len(told) == sum(end - start for start, end in spans)
    assert all(data[at] in b" \t\r\n" for at in set(range(len(data))) - told)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
)


@unhurried
@given(st.dictionaries(st.text(max_size=5), JSON, max_size=5), st.booleans())
def test_loading_equals_json(value: dict[str, object], ascii_only: bool) -> None:
    """What JSON writes is loaded as it was."""
    assert load_object(json.dumps(value, ensure_ascii=ascii_only).encode()) == value
