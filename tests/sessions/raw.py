"""Lines of session files as bytes, whole and broken, and how to draw them."""

import json
from collections.abc import Iterable

from hypothesis import settings
from hypothesis import strategies as st

from pilotage.records.entry import Entry, Header
from pilotage.sessions.decode import DecodedLine, decode_line
from pilotage.sessions.follow import Follower, Reading
from pilotage.sessions.lines import Line

unhurried = settings(deadline=None)
"""For drawn examples: a busy machine is no reason to fail."""

TIME = "2026-01-01T00:00:01.000Z"
HEADER = b'{"type":"session","version":3,"id":"s1","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}'


def said(entry_id: str, parent_id: str | None = None, text: str = "hi", time: str = TIME) -> bytes:
    """Give one entry with the user's words, as Pi writes it but for the newline."""
    message = {"role": "user", "content": text}
    return packed({"type": "message", "id": entry_id, "parentId": parent_id, "timestamp": time, "message": message})


def packed(value: object) -> bytes:
    """Give a value as JSON without needless spaces."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")


def joined(lines: Iterable[bytes]) -> bytes:
    """Give a file of these lines."""
    return b"".join(line + b"\n" for line in lines)


def decoded(data: bytes) -> DecodedLine:
    """Decode the bytes as the seventh line, at byte 1000 of a file."""
    return decode_line(Line(7, 1000, data))


def entries(line: DecodedLine) -> list[Entry]:
    """Give the entries on a line."""
    return [record for record in line.records if isinstance(record, Entry)]


def ids(records: Iterable[Header | Entry]) -> list[str]:
    """Give the ids of records."""
    return [record.id for record in records]


def drained(follower: Follower, step: int = 4 << 20) -> list[Reading]:
    """Read until nothing is left behind."""
    readings = [follower.read(step)]
    while readings[-1].behind:
        readings.append(follower.read(step))
    return readings


TORN = b'{"type":"message","id":"a1","par'
TORN_BLOCKS = b'{"type":"message","id":"a1","message":{"content":[{"type":"text","text":"x"},{"type":"toolCall","id":"'

PIECES = st.sampled_from(
    [
        HEADER,
        said("a2", "a0"),
        said("a3", "a2", "é\u2028漢"),
        packed({"type": "session_info", "id": "n1", "parentId": "a2", "name": "N"}),
        b'{"a":1}',
        b'{"b":',
        TORN,
        TORN_BLOCKS,
        b'{"type":"string"}',
        b'{"type":"x","timestamp":"t"}',
        b"\x00" * 9,
        b"\xef\xbb\xbf",
        b"\xff",
        "漢".encode()[:2],
        b"\r",
        b" ",
        b",",
        b"[1]",
        b'"',
        b"}",
        b"\\",
        b"[" * 1200,
        b"]" * 1200,
        b'{"deep":' + b"[" * 1200 + b"]" * 1200 + b"}",
        b"1" * 5000,
        b"NaN",
    ]
)
"""Pieces of lines: good ones, and what crashes, redactors and file systems leave."""

FILES = st.lists(PIECES | st.just(b"\n") | st.just(b"\n") | st.binary(max_size=6), max_size=14).map(b"".join)
"""Whole files made of such pieces."""
