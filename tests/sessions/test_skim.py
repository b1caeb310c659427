import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilotage.records.call import Place
from pilotage.records.entry import Entry, Header
from pilotage.sessions.read import UnreadableSession, read_session
from pilotage.sessions.skim import WHOLE_FILE, Skimmed, Stretch, find_stretches, skim_line, skim_session
from tests.handmade import header, lines_of, user
from tests.sessions.raw import FILES, packed, unhurried

RECORDINGS = sorted(path.stem for path in (Path(__file__).parents[1] / "data").glob("*.jsonl"))

Way = tuple[str | int, ...]

ANYTHING: tuple[object, ...] = (
    None,
    True,
    0,
    1,
    -7,
    0.5,
    1e300,
    10**400,
    "",
    "x",
    "5",
    "true",
    "\ud800",
    [],
    {},
    [1],
    {"a": 1},
)
"""What a field may hold that should hold something else."""

ARGUMENTS = {"path": "a.md", "command": 'say "it" \\', "intent": "\u2028漢", "rationale": "so"}
CALL = {"type": "toolCall", "id": "c", "name": "bash", "arguments": ARGUMENTS}
NESTED = {"id": "n", "name": "read", "status": "ok", "error": "", "durationMs": 5, "arguments": ARGUMENTS}
ANSWER = {"role": "assistant", "content": [{"type": "text", "text": 'a "b"'}, CALL], "stopReason": "stop"}
ANSWERED = {"role": "toolResult", "toolCallId": "c", "content": [{"type": "text", "text": "x"}], "isError": True}
PLACE = {"id": "e1", "parentId": "e0", "timestamp": "2026-01-01T00:00:01.000Z"}
RECORDS: tuple[dict[str, object], ...] = (
    {"type": "session", "id": "s1", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/w"},
    {"type": "session_info", **PLACE, "name": "N"},
    {"type": "message", **PLACE, "message": {"role": "user", "content": "hi", "timestamp": 5}},
    {"type": "message", **PLACE, "message": {**ANSWER, "durationMs": 7, "usage": {"input": 3, "output": 4.5}}},
    {"type": "message", **PLACE, "message": {**ANSWERED, "durationMs": 7, "nestedCalls": {"calls": [NESTED]}}},
)
"""A record of each kind, with every field that is looked at."""


def places_in(value: object, above: Way = ()) -> list[Way]:
    """Give the ways to all fields and items below a value."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for key, inner in pairs for place in ((*above, key), *places_in(inner, (*above, key)))]


def changed(value: object, place: Way, new: object) -> object:
    """Give a value with another one at a place, if it still has that place."""
    if not place:
        return new
    if isinstance(value, dict):
        return {key: changed(inner, place[1:], new) if key == place[0] else inner for key, inner in value.items()}
    if isinstance(value, list):
        return [changed(inner, place[1:], new) if at == place[0] else inner for at, inner in enumerate(value)]
    return value


@st.composite
def odd_lines(draw: st.DrawFn) -> bytes:
    """Draw a line with a record in which a few fields are of any type and a few bytes are damaged."""
    record: object = draw(st.sampled_from(RECORDS))
    for _ in range(draw(st.sampled_from([0, 1, 1, 2]))):
        record = changed(record, draw(st.sampled_from(places_in(record) or [()])), draw(st.sampled_from(ANYTHING)))
    line = packed(record)
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
        start, end = sorted(draw(st.tuples(*[st.integers(0, len(line))] * 2)))
        strays = [b"", b'"', b"\\", b"\\u12", b"\x00", b"\xff", b"\r", b"}", b',"id":"z"', line[start:end] * 2]
        line = line[:start] + draw(st.sampled_from(strays)) + line[end:]
    return line


def in_full(data: bytes) -> list[Skimmed]:
    """Give the records of a file, each line taken the long way."""
    records, offset = [], 0
    for number, line in enumerate(data.split(b"\n"), 1):
        ended = line + b"\n" if offset + len(line) < len(data) else line
        records += skim_line(number, offset, ended)
        offset += len(ended)
    return records


@unhurried
@given(st.lists(odd_lines(), min_size=20, max_size=30).map(b"\n".join))
def test_at_once_and_in_full(data: bytes) -> None:
    """A line that is decoded at once says what it says when all of it is looked at, whatever is wrong with it."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "s.jsonl"
        path.write_bytes(data)
        assert list(skim_session(path)) == in_full(data)


@unhurried
@given(FILES)
def test_broken_files_in_full(data: bytes) -> None:
    """Of a broken file, too, each line says what it says when all of it is looked at."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "s.jsonl"
        path.write_bytes(data)
        assert list(skim_session(path)) == in_full(data)


def skimmed(path: Path) -> list[tuple[str, str, Place]]:
    """Give id, type and place of each entry."""
    return [(record.id, record.entry.type, record.place) for record in skim_session(path)]


def read(path: Path) -> list[tuple[str, str, Place]]:
    """Give the same as the reader has it, the header first."""
    session = read_session(path)
    heads: list[Header | Entry] = [session.header] if session.header else []
    records = [*heads, *session.tree.entries]
    return [(record.id, record.type if isinstance(record, Entry) else "session", record.place) for record in records]


@pytest.mark.parametrize("name", RECORDINGS)
def test_recordings(data: Path, name: str) -> None:
    """Every record that the reader finds is skimmed, at the same place and under the same id."""
    assert skimmed(data / f"{name}.jsonl") == read(data / f"{name}.jsonl")


@pytest.mark.parametrize("tail", [b"", b"\n", b"\r\n", b'{"type":"mess', b"\0\0\0", b"\xff\n"])
def test_damaged_lines(tmp_path: Path, tail: bytes) -> None:
    """Two objects on a line, a byte order mark, torn lines and bytes that are no text are read as the reader does."""
    one, two, three = (line.strip().encode() for line in lines_of([user(), user(), user("\u2028")]))
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + header().encode() + one + two + b"\r\n\n" + b"[1]\n" + three + tail)
    assert skimmed(path) == read(path)


def test_fields_of_other_types(tmp_path: Path) -> None:
    """A field of another type than Pi's counts as absent and costs nothing else (spec F1)."""
    path = tmp_path / "s.jsonl"
    path.write_text('{"type":"message","id":7,"parentId":[],"message":{"role":"user","content":5,"usage":"x"}}\n')
    (record,) = skim_session(path)
    assert (record.id, record.entry.message and record.entry.message.role) == ("L1", "user")


def test_content_of_any_shape(tmp_path: Path) -> None:
    """Blocks that are none cost themselves only, and a call's arguments are there as the file has them."""
    call = {"type": "toolCall", "id": "c", "name": "bash", "arguments": {"command": 5, "intent": "why"}}
    path = tmp_path / "s.jsonl"
    path.write_bytes(packed({"type": "message", "message": {"role": "assistant", "content": [7, call, "x"]}}))
    (record,) = skim_session(path)
    assert record.entry.message
    assert isinstance(record.entry.message.content, list)
    (block,) = record.entry.message.content
    assert block.arguments
    assert (block.arguments.command, block.arguments.intent) == (None, "why")
    assert json.loads(bytes(record.content)) == [7, call, "x"]


def test_long_line(tmp_path: Path) -> None:
    """A line of 20 MB is one record, and those around it stay what they are (spec F4)."""
    path = tmp_path / "s.jsonl"
    path.write_text(header() + "".join(lines_of([user("x" * 20_000_000), user("y")])))
    assert [record.place.line for record in skim_session(path)] == [1, 2, 3]


def test_stretch_that_ends_early(tmp_path: Path) -> None:
    """A stretch ends with the line in which it ends, though more follows."""
    one, two = lines_of([user("a"), user("b")])
    path = tmp_path / "s.jsonl"
    path.write_text(one + two)
    assert [record.entry.id for record in skim_session(path, stretch=Stretch(0, len(one)))] == ["e1"]
    assert [record.entry.id for record in skim_session(path, stretch=Stretch(len(one)))] == ["e2"]


def test_progress(data: Path) -> None:
    """Who asks hears how far the file was read."""
    told: list[tuple[int, int]] = []
    list(skim_session(data / "plain.jsonl", lambda done, total: told.append((done, total))))
    size = (data / "plain.jsonl").stat().st_size
    assert told == [(size, size)]


@pytest.mark.parametrize(("name", "why"), [("missing", "No such file"), (".", "a folder")])
def test_unreadable(tmp_path: Path, name: str, why: str) -> None:
    """What cannot be read raises, with the file and the reason."""
    with pytest.raises(UnreadableSession, match=why):
        list(skim_session(tmp_path / name))
    with pytest.raises(UnreadableSession, match=why):
        find_stretches(tmp_path / name, 2)


def test_stretches_begin_with_inputs(data: Path) -> None:
    """The stretches of a file follow one another without a gap, and each but the first begins with an input."""
    path = data / "steer.jsonl"
    stretches = find_stretches(path, 3)
    assert len(stretches) > 1
    assert [stretch.start for stretch in stretches[1:]] == [stretch.end for stretch in stretches[:-1]]
    whole = skimmed(path)
    for stretch in stretches[1:]:
        first = next(skim_session(path, stretch=stretch))
        assert first.entry.message
        assert first.entry.message.role == "user"
        assert first.entry.parent_id == stretch.parent_id
    parts = [record.place.offset for stretch in stretches for record in skim_session(path, stretch=stretch)]
    assert parts == [place.offset for _, _, place in whole]


def test_input_after_a_long_line(tmp_path: Path) -> None:
    """The next input is found behind a line of several megabytes."""
    parts = [{"type": "message", "id": f"e{number}", "parentId": f"e{number - 1}"} for number in (1, 2, 3)]
    said = [{"timestamp": "t", "message": {"role": "user", "content": text}} for text in ("a", "x" * 5_000_000, "b")]
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"".join(packed(part | more) + b"\n" for part, more in zip(parts, said, strict=True)))
    first, last = find_stretches(path, 2)
    assert (first.end, last.parent_id) == (last.start, "e2")
    assert [record.entry.id for record in skim_session(path, stretch=last)] == ["e3"]


def test_file_without_inputs(data: Path, tmp_path: Path) -> None:
    """A file in which no place to cut is found stays in one piece."""
    (tmp_path / "s.jsonl").write_text("x\n" * 100)
    assert find_stretches(tmp_path / "s.jsonl", 4) == [WHOLE_FILE]
    assert find_stretches(data / "version1.jsonl", 4) == [WHOLE_FILE]
