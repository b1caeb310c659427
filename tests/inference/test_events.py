from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from pilotage.inference.events import EventStream

FIELDS = [b"data: a", b"data:b", b"data:  c", b"data", b"event: e", b"datax: d", b"data: \xe2\x80\xa8"]
LINES = st.lists(st.sampled_from([*FIELDS, b": x", b"", b"\xe6\xbc\xa2"]))


def taken(chunks: list[bytes]) -> list[str]:
    """Give the data of a stream that comes in these pieces."""
    stream = EventStream()
    return [data for chunk in chunks for data in stream.feed(chunk)] + stream.finish()


def test_events() -> None:
    """Data lines of one event are one text, the space after the colon is no part of it, other lines are passed over."""
    stream = b"data: one\n\n: hi\ndata: a\r\ndata:  b\r\n\r\nevent: x\n\ndata: l\xe2\x80\xa8s\n\ndata\n\ndata: end"
    assert taken([stream]) == ["one", "a\n b", "l\u2028s", "", "end"]


@given(lines=LINES, ends=st.sampled_from([b"\n", b"\r\n"]), cuts=st.lists(st.integers(0, 200)))
def test_pieces(lines: list[bytes], ends: bytes, cuts: list[int]) -> None:
    """However a stream is cut, its events are the same."""
    stream = ends.join(lines)
    places = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    pieces = [stream[start:end] for start, end in pairwise(places)]
    assert taken(pieces) == taken([stream])


@given(st.binary())
def test_any_bytes(data: bytes) -> None:
    """Whatever bytes come, they are events or nothing."""
    assert all(isinstance(event, str) for event in taken([data]))
