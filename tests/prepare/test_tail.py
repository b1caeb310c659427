import tracemalloc

from hypothesis import given, settings
from hypothesis import strategies as st

from pilotage.prepare.tail import Tail


def told(*pieces: bytes, ending: str = "", nothing: str = "(no output)") -> str:
    """Tell output that came in these pieces."""
    tail = Tail()
    for piece in pieces:
        tail.add(piece)
    return tail.text(ending, nothing)


def test_short_output() -> None:
    """Short output is told as it came, with what is said at its end below it."""
    assert told(b"a\n", b"b") == "a\nb"
    assert told(b"a\n", ending="Done") == "a\n\n\nDone"


def test_no_output() -> None:
    """No output is said to be none, or left out where something else is said."""
    assert told() == "(no output)"
    assert told(ending="Done") == "(no output)\n\nDone"
    assert told(ending="Done", nothing="") == "Done"


def test_many_lines() -> None:
    """Of many lines the last 2,000 are told, and that the others were not kept."""
    text = told(b"".join(b"%d\n" % number for number in range(1, 3001)))
    assert text.startswith("1001\n")
    assert text.endswith("\n3000\n\n[Showing lines 1001-3000 of 3000. The full output was not kept.]")


def test_many_bytes() -> None:
    """Of long lines as many whole ones as fit into 50 KB are told."""
    text = told(*[b"x" * 999 + b"\n"] * 300)
    assert text.endswith("x\n\n[Showing lines 250-300 of 300 (50.0KB limit). The full output was not kept.]")
    assert text.count("\n") == 52


def test_endless_line() -> None:
    """Of a line that is too long its end is told, from the start of a character."""
    text = told("é".encode() * 100_000, b"x")
    assert text.startswith("éé")
    assert text.endswith("éx\n\n[Showing last 50.0KB of line 1. The full output was not kept.]")


def test_not_text() -> None:
    """Bytes that are no UTF-8 are replaced."""
    assert told(b"\xff\xfea") == "\ufffd\ufffda"


@settings(deadline=None)
@given(
    st.lists(st.sampled_from([b"x" * 20_000, b"\n" * 700, b"a\n", b"", "é".encode() * 9000]), max_size=40),
    st.integers(1, 9999),
)
def test_pieces_make_no_difference(parts: list[bytes], size: int) -> None:
    """However the output comes in, the same is told of it, and never more than fits."""
    output = b"".join(parts)
    text = told(*(output[at : at + size] for at in range(0, len(output), size)))
    assert text == told(output)
    assert len(text.encode()) <= 50 * 1024 + 100


def test_memory() -> None:
    """A gigabyte passes through a small window."""
    tail, piece = Tail(), b"x" * 65_535 + b"\n"
    tracemalloc.start()
    for _ in range(16_384):
        tail.add(piece)
    assert tracemalloc.get_traced_memory()[1] < 2 << 20
    tracemalloc.stop()
    assert "of line 16384. The full" in tail.text()
