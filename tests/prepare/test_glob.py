import pytest

from pilotage.prepare.glob import Unmatchable, translate


def matches(pattern: bytes, path: bytes, *, ignore_case: bool = False) -> bool:
    """Say whether a pattern is for a path."""
    return translate(pattern, ignore_case=ignore_case).fullmatch(path) is not None


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        (b"*.c", [b"a.c", b".c"], [b"a.cc", b"d/a.c"]),
        (b"a?c", [b"abc", b"a\xffc"], [b"a/c", "aéc".encode()]),
        (b"a??c", ["aéc".encode()], [b"abc"]),
        (b"[a-c]x", [b"ax", b"cx"], [b"dx", b"-x"]),
        (b"[!a-c]x", [b"dx"], [b"ax", b"/x"]),
        (b"[^a]x", [b"bx"], [b"ax"]),
        (b"[]a]", [b"]", b"a"], [b"b"]),
        (b"[a\\]b]", [b"]", b"b"], [b"\\"]),
        (b"[a-]", [b"-", b"a"], [b"b"]),
        (b"[z-a]", [b"z"], [b"a", b"m"]),
        (b"[[:digit:]_]", [b"7", b"_"], [b"x", b":"]),
        (b"[[:alpha:][:space:]]", [b"x", b" "], [b"1", b"\x0b"]),
        (b"[[:]", [b"[", b":"], [b"x"]),
        (b"\\*\\?", [b"*?"], [b"ab"]),
        (b"**", [b"a", b"a/b"], []),
        (b"**/a", [b"a", b"x/a", b"x/y/a"], [b"xa"]),
        (b"a/**", [b"a/b", b"a/b/c"], [b"a"]),
        (b"a/**/b", [b"a/b", b"a/x/b", b"a/x/y/b"], [b"a/xb", b"ab"]),
        (b"a**b", [b"ab", b"axxb"], [b"a/b"]),
        (b"a***/b", [b"ax/b"], [b"a/x/b"]),
        (b"***/b", [b"b", b"x/y/b"], []),
        (b"**\\/b", [b"x/b", b"x/y/b"], [b"b"]),
        (b"*a*b*", [b"ab", b"xaybz"], [b"ba"]),
        (b"*/x*y/**/z", [b"a/xy/z", b"a/x1y/q/r/z"], [b"xy/z", b"a/xz"]),
        (b"**/a*/**/b*c", [b"a/bc", b"q/a1/r/b2c"], [b"q/b2c"]),
    ],
)
def test_patterns(pattern: bytes, yes: list[bytes], no: list[bytes]) -> None:
    """A pattern is for these paths and not for those, byte by byte, as git's wildmatch has it."""
    assert [path for path in yes if not matches(pattern, path)] == []
    assert [path for path in no if matches(pattern, path)] == []


@pytest.mark.parametrize("pattern", [b"[", b"[a", b"[!", b"[]", b"a\\", b"[\\", b"[[:nope:]]", b"[a-\\", b"[[:alpha:"])
def test_malformed_patterns(pattern: bytes) -> None:
    """A malformed pattern matches nothing and says so."""
    with pytest.raises(Unmatchable):
        translate(pattern)


def test_case() -> None:
    """Where git takes names that differ in case for the same, so does a pattern."""
    assert matches(b"Re[a-z]d*", b"READme", ignore_case=True)
    assert not matches(b"Re[a-z]d*", b"READme")


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        (b"*a" * 60 + b"*b", b"a" * 255),
        (b"*[a-z]*?" * 300, b"a" * 250 + b"/"),
        (b"/".join([b"**/*a"] * 30) + b"/**/b", b"a/" * 500),
        (b"**\\/" * 100 + b"x", b"a/" * 500),
    ],
    ids=["stars", "sets", "folders", "escaped folders"],
)
def test_hostile_patterns_end(pattern: bytes, path: bytes) -> None:
    """A pattern made to keep a matcher busy for ever is answered like any other."""
    assert not matches(pattern, path)
