from hypothesis import given
from hypothesis import strategies as st

from pilotage.sessions.lines import BOM, Framer, Line, framed
from tests.sessions.raw import unhurried


def split(*chunks: bytes) -> tuple[list[Line], Line]:
    """Give the lines of these chunks, and the tail as a line."""
    framer = Framer()
    lines = [line for chunk in chunks for line in framer.feed(chunk)]
    return lines, framer.tail_line()


def test_lines_have_numbers_and_offsets() -> None:
    """A line knows its number from 1 and the byte at which it begins; the tail is the line after the last."""
    lines, tail = split(b"one\n\nthree\nfour")
    assert lines == [Line(1, 0, b"one"), Line(2, 4, b""), Line(3, 5, b"three")]
    assert tail == Line(4, 11, b"four")


def test_only_line_feeds_end_a_line() -> None:
    """U+2028, U+2029, U+0085, form feed, file separator and a lone carriage return are content (cases A8)."""
    data = "a\u2028b\u2029c\u0085d\x0ce\x1cf\rg\x0bh".encode()
    assert split(data + b"\n")[0] == [Line(1, 0, data)]


def test_one_carriage_return_is_dropped() -> None:
    """A line that ends in CRLF loses one carriage return, and offsets still count it (cases A9)."""
    lines, tail = split(b"a\r\nb\r\r\n\r\nc\r")
    assert lines == [Line(1, 0, b"a"), Line(2, 3, b"b\r"), Line(3, 7, b"")]
    assert tail == Line(4, 9, b"c")


def test_byte_order_mark_is_dropped_at_byte_0_only() -> None:
    """A byte order mark begins no line but the first, whose offset is then the byte after it (cases A10)."""
    lines, _ = split(BOM + b"a\n" + BOM + b"b\n")
    assert lines == [Line(1, 3, b"a"), Line(2, 5, BOM + b"b")]
    assert split(BOM)[1] == Line(1, 3, b"")
    assert split(BOM + BOM + b"\n")[0] == [Line(1, 3, BOM)]


def test_framed() -> None:
    """A line is the same with its newline as without it, and as the framer gives it."""
    for data in (b"a\r\n", b"a\r\r\n", b"\n", b"a", BOM + b"a\n", BOM + b"\r\n", b""):
        (line,) = split(data)[0] or [split(data)[1]]
        assert framed(1, 0, data) == framed(1, 0, data.removesuffix(b"\n")) == line
    assert framed(7, 9, BOM + b"a\n") == Line(7, 9, BOM + b"a")


def test_byte_order_mark_in_pieces() -> None:
    """A byte order mark that comes in two chunks is dropped all the same."""
    assert split(BOM[:1], BOM[1:] + b"a\n")[0] == [Line(1, 3, b"a")]


def test_nothing() -> None:
    """No bytes make no line and an empty tail."""
    assert split() == ([], Line(1, 0, b""))
    assert split(b"", b"") == ([], Line(1, 0, b""))


def test_tail_stays_bytes_until_its_newline() -> None:
    """A character that is cut by the end of a chunk is whole in its line (cases A4)."""
    framer = Framer()
    data = "漢".encode()
    assert framer.feed(b"a\n" + data[:1]) == [Line(1, 0, b"a")]
    assert (framer.tail, framer.offset) == (data[:1], 2)
    assert framer.feed(data[1:]) == []
    assert (framer.tail, framer.offset) == (data, 2)
    assert framer.feed(b"\n") == [Line(2, 2, data)]
    assert (framer.tail, framer.offset) == (b"", 6)


def test_looking_at_the_tail_changes_nothing() -> None:
    """The tail may be looked at as often as one likes."""
    framer = Framer()
    framer.feed(b"a")
    assert framer.tail_line() == framer.tail_line() == Line(1, 0, b"a")
    assert framer.feed(b"b\n") == [Line(1, 0, b"ab")]


@unhurried
@given(st.lists(st.binary(max_size=12) | st.sampled_from([b"\n", b"\r\n", BOM, BOM[:2], b"\r"]), max_size=12))
def test_chunks_do_not_matter(chunks: list[bytes]) -> None:
    """However the bytes are cut into chunks, the lines and the tail are the same."""
    assert split(*chunks) == split(b"".join(chunks))


@unhurried
@given(st.binary(max_size=60) | st.lists(st.sampled_from([b"a", b"\n", b"\r", BOM])).map(b"".join))
def test_every_byte_is_where_its_line_says(data: bytes) -> None:
    """A line's bytes are the file's bytes at its offset."""
    lines, tail = split(data)
    assert len(lines) == data.count(b"\n")
    for line in [*lines, tail]:
        assert data[line.offset : line.offset + len(line.data)] == line.data
