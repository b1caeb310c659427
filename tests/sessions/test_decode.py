from itertools import count

import pytest
from hypothesis import given

from pilotage.records.call import Place
from pilotage.records.entry import AgentMessage, Header, UserMessage
from pilotage.sessions.decode import Damage, DecodedLine, LineState, Tally, decode_line
from pilotage.sessions.lines import Framer, Line
from tests.sessions.raw import FILES, HEADER, TORN, TORN_BLOCKS, decoded, entries, ids, packed, said, unhurried

ENTRY = said("a2", "a0")
BIG = b"9" * 400


def test_clean_line() -> None:
    """A line that is one record knows the record's place, and has no damage."""
    line = decoded(ENTRY)
    assert (line.state, ids(line.records), line.damages) == (LineState.CLEAN, ["a2"], ())
    assert line.records[0].place == Place(7, 1000, len(ENTRY))


@pytest.mark.parametrize("data", [b"", b" ", b"\t \r"])
def test_blank_line(data: bytes) -> None:
    """A line of white space is blank and no damage."""
    assert decoded(data) == DecodedLine(LineState.BLANK)


@pytest.mark.parametrize(
    "data",
    [
        *(b"x", b"[]", b"1", b'"a"', b"null", b"\x00" * 512, b"\xff\xfe", b"{", b"[{}]"),
        TORN,
        TORN_BLOCKS,
        packed({"type": "message"})[:-1],
        rb'{"type":"message","id":"r","parentId":"q","message":{"role":"user","content":"mail:\***@***"}}',
        rb'{"type":"custom","id":"r","parentId":"q","data":"mail:\***@***"}',
        b'{"type":"message","message":{"role":"user","content":see http://x}}',
        b'{"type":"message","x":' + b"[" * 100_000 + b"}" * 100_000 + b"}",
        b'{"type":"message","x":' + b"[" * 100_000 + b"]" * 100_000 + b" garbage}",
        b"[" * 100_000 + b"]" * 100_000,
        b"[" * 100_000,
        b'{"type":"' * 100_000,
    ],
    ids=count(),
)
def test_damaged_line(data: bytes) -> None:
    """A line without a whole record costs itself, is told with its place, and nothing is raised (cases A14, A17)."""
    assert decoded(data) == DecodedLine(LineState.DAMAGED, (), (Damage(7, 1000, len(data)),))


def test_record_with_white_space_around_it() -> None:
    """White space around a record is no damage."""
    line = decoded(b"  " + ENTRY + b" \r")
    assert (ids(line.records), line.damages) == (["a2"], ())


def test_nul_padding_before_a_record() -> None:
    """Of a record behind 512 NUL bytes nothing is lost, and the padding is told (cases A7)."""
    line = decoded(b"\x00" * 512 + ENTRY)
    assert (line.state, ids(line.records)) == (LineState.RECOVERED, ["a2"])
    assert line.records[0].place == Place(7, 1512, len(ENTRY))
    assert line.damages == (Damage(7, 1000, 512),)


def test_two_records_on_one_line() -> None:
    """Both records of a line that lost its newline are there, each with its own place (cases A1)."""
    line = decoded(HEADER + ENTRY)
    assert (line.state, ids(line.records), line.damages) == (LineState.RECOVERED, ["s1", "a2"], ())
    assert [record.place for record in line.records] == [
        Place(7, 1000, len(HEADER)),
        Place(7, 1000 + len(HEADER), len(ENTRY)),
    ]


def test_records_without_ids_on_one_line() -> None:
    """Records without an id are named for their line, and the second on it for its number as well."""
    assert ids(decoded(b'{"type":"a"}{"type":"b"}{"type":"c"}').records) == ["L7", "L7.2", "L7.3"]


@pytest.mark.parametrize("torn", [TORN, TORN_BLOCKS], ids=["names", "blocks"])
def test_entry_behind_a_torn_one(torn: bytes) -> None:
    """The entry appended to a torn one is kept, the torn bytes are told, and no part becomes an entry (cases A1)."""
    line = decoded(torn + ENTRY)
    assert (line.state, ids(line.records)) == (LineState.RECOVERED, ["a2"])
    assert line.damages == (Damage(7, 1000, len(torn)),)
    assert line.records[0].place == Place(7, 1000 + len(torn), len(ENTRY))


def test_torn_schemas_do_not_become_entries() -> None:
    """A torn prompt with schemas of tools leaves damage only."""
    schema = {"type": "object", "properties": {"path": {"type": "string"}}}
    tools = [{"name": "read", "description": "", "parameters": schema}] * 3
    prompt = packed(
        {"type": "message", "id": "p", "timestamp": "t", "message": {"role": "system", "toolsAdded": tools}}
    )
    line = decoded(prompt[:-4] + ENTRY)
    assert ids(line.records) == ["a2"]
    assert decoded(prompt[:-4]).state is LineState.DAMAGED


def test_byte_order_mark_in_the_middle() -> None:
    """A byte order mark before a later line is damage of three bytes, and the entry is kept."""
    line = decoded(b"\xef\xbb\xbf" + ENTRY)
    assert (ids(line.records), line.damages) == (["a2"], (Damage(7, 1000, 3),))


def test_separators_inside_a_text() -> None:
    """Line separators in a text are content (cases A8)."""
    line = decoded(said("a", None, "a\u2028b\u0085c\u2029d"))
    assert entries(line)[0].content == UserMessage("a\u2028b\u0085c\u2029d", 0)


def test_raw_control_characters_inside_a_text() -> None:
    """Control characters that were not escaped cost nothing (cases A8)."""
    line = decoded(ENTRY.replace(b"hi", b"a\tb\x1cc\x00d"))
    assert line.state is LineState.CLEAN
    assert entries(line)[0].content == UserMessage("a\tb\x1cc\x00d", 0)


def test_lone_surrogates_inside_a_text() -> None:
    """A text with half an emoji is a clean line (cases A12)."""
    line = decoded(ENTRY.replace(b"hi", rb"ok \ud83d and \udcb2"))
    assert line.state is LineState.CLEAN
    assert entries(line)[0].content == UserMessage("ok \ud83d and \udcb2", 0)


def test_invalid_utf8_inside_a_text() -> None:
    """Bytes that are no UTF-8 are replaced, and the line is a clean one."""
    line = decoded(ENTRY.replace(b"hi", b"a\xff\xe6\xbc"))
    assert line.state is LineState.CLEAN
    assert entries(line)[0].content == UserMessage("a\ufffd\ufffd", 0)


@pytest.mark.parametrize("number", [b"1" * 5000, b"-" + BIG, b"1e999", b"-1e999", b"NaN", b"Infinity", b"1.5e308"])
@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"message","id":"a","message":{"role":"toolResult","isError":true,"durationMs":%s,"content":"x"}}',
        b'{"type":"message","id":"a","message":{"role":"assistant","content":[],"usage":{"input":%s,"output":1}}}',
        b'{"type":"message","id":"a","message":{"role":"assistant","content":[],"usage":{"cost":{"total":%s}}}}',
        b'{"type":"message","id":"a","message":{"role":"user","content":"x","timestamp":%s}}',
        b'{"type":"message","id":"a","message":{"role":"bashExecution","command":"x","exitCode":%s}}',
        b'{"type":"compaction","id":"a","summary":"x","tokensBefore":%s}',
        b'{"type":"custom","id":"a","data":{"n":[%s]}}',
        b'{"type":"message","id":"a","message":{"role":"assistant","content":[{"type":"toolCall","arguments":{"n":%s}}]}}',
    ],
    ids=["duration", "tokens", "cost", "time", "exit", "compaction", "data", "arguments"],
)
def test_numbers_that_cannot_be(line: bytes, number: bytes) -> None:
    """A number that is too long, too great or none costs its own field at most (cases A13)."""
    result = decoded(line % number)
    assert (result.state, ids(result.records)) == (LineState.CLEAN, ["a"])
    content = entries(result)[0].content
    if isinstance(content, AgentMessage):
        assert isinstance(content.usage.cost + 0.5, float)


def test_nesting_inside_an_entry() -> None:
    """An otherwise good entry is read although something in it nests 100,000 levels deep (cases A14)."""
    deep = b"[" * 100_000 + b"]" * 100_000
    call = b'{"type":"toolCall","id":"c","name":"grep","arguments":{"x":' + deep + b',"path":"p"}}'
    line = decoded(b'{"type":"message","id":"a","message":{"role":"assistant","content":[' + call + b"]}}")
    content = entries(line)[0].content
    assert line.state is LineState.CLEAN
    assert isinstance(content, AgentMessage)
    assert [(request.id, request.target) for request in content.calls] == [("c", "p")]
    assert ids(decoded(TORN + ENTRY[:-1] + b',"x":' + deep + b"}").records) == ["a2"]


@pytest.mark.parametrize("depth", [150, 199, 200, 201, 300, *range(880, 1010, 3), 3000])
def test_nesting_of_any_depth(depth: int) -> None:
    """There is no depth at which a line is lost, alone or with a torn record behind it."""
    for opening, closing in ((b"[", b"]"), (b'{"a":', b"}")):
        deep = opening * depth + b"1" + closing * depth
        call = b'{"type":"toolCall","id":"c","name":"n","arguments":{"z":' + deep + b"}}"
        data = b'{"type":"message","id":"a","message":{"role":"assistant","content":[' + call + b"]}}"
        assert ids(decoded(data).records) == ["a"]
        assert ids(decoded(data + TORN).records) == ["a"]


def test_doubled_keys() -> None:
    """Of keys given twice the last counts (cases A15)."""
    line = decoded(b'{"type":"message","id":"a","id":"b","message":{"role":"user","content":"x","content":"y"}}')
    assert (line.state, ids(line.records)) == (LineState.CLEAN, ["b"])
    assert entries(line)[0].content == UserMessage("y", 0)


@pytest.mark.parametrize("name", ["id", "parentId", "timestamp", "message", "type", "cwd", "version", "details"])
@pytest.mark.parametrize("value", [b"5", b"null", b"true", b"[]", b"{}", b'"x"', b"[[1]]", b"1.5"])
def test_fields_of_other_types(name: str, value: bytes) -> None:
    """A field of a type that Pi never writes counts as absent; it costs neither the line nor the rest (spec F1)."""
    line = decoded(b'{"type":"message","id":"a","parentId":"p","%s":%s}' % (name.encode(), value))
    assert (line.state, len(line.records)) == (LineState.CLEAN, 1)


def test_tally() -> None:
    """The account of a file has each line once, and each record."""
    tally = Tally()
    for data in (HEADER, ENTRY, b"", TORN, HEADER + ENTRY, TORN + b'{"type":"x","timestamp":"t"}'):
        tally.add(decoded(data))
    assert tally == Tally(clean=2, recovered=2, damaged=1, blank=1, headers=2, entries=3, unknown=1)
    assert tally.lines == 6


def test_unknown_types_and_roles_are_counted() -> None:
    """Types and roles that no version of Pi writes are entries that are counted apart (spec F1)."""
    tally = Tally()
    for data in (
        b'{"type":"tomorrow","id":"a"}',
        b'{"type":"message","id":"b","message":{"role":"tomorrow"}}',
        b'{"type":"message","id":"c"}',
        b'{"id":"d"}',
        b'{"type":"label","id":"e"}',
        b'{"type":"message","id":"f","message":{"role":"system"}}',
    ):
        tally.add(decoded(data))
    assert (tally.clean, tally.entries, tally.unknown) == (6, 6, 4)


@unhurried
@given(FILES)
def test_any_bytes_are_accounted_for(data: bytes) -> None:
    """Any bytes at all are decoded without an error, and each byte is in a record, in a damage, or white."""
    framer = Framer()
    lines = framer.feed(data + b"\n")
    tally = Tally()
    for line in lines:
        result = decode_line(line)
        tally.add(result)
        spans = [(record.place.offset, record.place.length) for record in result.records]
        spans += [(damage.offset, damage.length) for damage in result.damages]
        told = [at for start, length in spans for at in range(start, start + length)]
        assert len(told) == len(set(told))
        untold = set(range(line.offset, line.offset + len(line.data))) - set(told)
        assert all(data[at] in b" \t\r\n\x0b\x0c" for at in untold)
        assert (result.state is LineState.DAMAGED) == (not result.records and bool(line.data.strip()))
        assert not (result.state is LineState.CLEAN and (result.damages or len(result.records) != 1))
    assert tally.lines == len(lines)
    assert tally.lines == tally.clean + tally.recovered + tally.damaged + tally.blank


@unhurried
@given(FILES)
def test_records_are_decoded_alike_wherever_they_stand(data: bytes) -> None:
    """A record recovered from a broken line is the one that it would be alone on a line."""
    for record in decode_line(Line(1, 0, data.replace(b"\n", b" "))).records:
        start = record.place.offset
        alone = decode_line(Line(1, start, data.replace(b"\n", b" ")[start : start + record.place.length]))
        assert alone.state is LineState.CLEAN
        assert alone.records[0].place == record.place
        assert isinstance(alone.records[0], Header) == isinstance(record, Header)
