"""Git's patterns as regular expressions over bytes that match exactly what git's own `wildmatch` does.

Apart because it is a language of its own: a name's bytes, not its characters, are what `?` and a set stand for. No
pattern, however hostile, costs more than a few passes over a name: what stands between two stars is taken at its
first place and never looked for again, which loses no match.
"""

import re
from collections.abc import Iterator

SPECIAL = frozenset(b"*?[\\")
"""The bytes that make a pattern more than a literal."""

_SLASH = ord("/")
_CLASSES = {
    b"alnum": rb"0-9A-Za-z",
    b"alpha": rb"A-Za-z",
    b"blank": rb"\t ",
    b"cntrl": rb"\x00-\x1f\x7f",
    b"digit": rb"0-9",
    b"graph": rb"!-~",
    b"lower": rb"a-z",
    b"print": rb" -~",
    b"punct": rb"!-/:-@\[-`{-~",
    b"space": rb"\t\n\r ",
    b"upper": rb"A-Z",
    b"xdigit": rb"0-9A-Fa-f",
}
_STAR = b"[^/]*"
_FOLDERS = b"(?:.*/)?"


class Unmatchable(Exception):
    """The pattern is malformed and matches nothing, as in git."""


def translate(pattern: bytes, *, ignore_case: bool = False) -> re.Pattern[bytes]:
    """Compile a pattern; use it with `fullmatch` on a path without a slash at its end.

    Raises Unmatchable.
    """
    flags = re.DOTALL | (re.IGNORECASE if ignore_case else 0)
    return re.compile(_joined(list(_tokens(pattern))), flags)


def _joined(tokens: list[bytes]) -> bytes:
    """One expression: each wild token but the last of its kind is bound to what follows it."""
    parts = _split(tokens, _FOLDERS)
    whole = _segments(parts[0], is_last=len(parts) == 1)
    for number, part in enumerate(parts[1:], 2):
        if number == len(parts):
            return whole + _FOLDERS + _segments(part, is_last=True)
        whole += b"(?>(?:.*?/)??" + _segments(part, is_last=False) + b")"
    return whole


def _segments(tokens: list[bytes], *, is_last: bool) -> bytes:
    """What stands between two `**/`; one that another follows ends in a slash, so its stars have no choice left."""
    parts = _split(tokens, _STAR)
    whole = b"".join(parts[0])
    for number, part in enumerate(parts[1:], 2):
        piece = b"".join(part)
        whole += _STAR + piece if is_last and number == len(parts) else b"(?>[^/]*?" + piece + b")"
    return whole


def _split(tokens: list[bytes], mark: bytes) -> list[list[bytes]]:
    parts: list[list[bytes]] = [[]]
    for token in tokens:
        if token == mark:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _tokens(pattern: bytes) -> Iterator[bytes]:
    """The expression for each thing in the pattern, in order."""
    at, end = 0, len(pattern)
    while at < end:
        char = pattern[at]
        if char == ord("*"):
            tokens, at = _stars(pattern, at)
            yield from tokens
        elif char == ord("["):
            token, at = _set(pattern, at + 1)
            yield token
        elif char == ord("?"):
            yield b"[^/]"
            at += 1
        else:
            if char == ord("\\"):
                at += 1
                if at == end:
                    raise Unmatchable
            yield re.escape(pattern[at : at + 1])
            at += 1


def _stars(pattern: bytes, at: int) -> tuple[tuple[bytes, ...], int]:
    """A run of stars: two or more that fill a segment cross slashes, any others stay within it."""
    end = at
    while pattern[end : end + 1] == b"*":
        end += 1
    rest = pattern[end : end + 2]
    if end - at < 2 or (at and pattern[at - 1] != _SLASH):
        return (_STAR,), end
    if not rest:
        return (b".*",), end
    if rest[:1] == b"/":
        return (_FOLDERS,), end + 1
    return ((_FOLDERS, _STAR) if rest == b"\\/" else (_STAR,)), end


def _set(pattern: bytes, at: int) -> tuple[bytes, int]:
    """A set of bytes in brackets, read from behind the opening one; it never holds a slash."""
    negated = pattern[at : at + 1] in (b"!", b"^")
    at += negated
    members: list[bytes] = []
    before: int | None = None
    is_first = True
    while is_first or pattern[at : at + 1] != b"]":
        is_first = False
        char = _byte(pattern, at)
        after = pattern[at + 1 : at + 2]
        if char == ord("\\"):
            before = _byte(pattern, at + 1)
            members.append(_range(before, before))
            at += 2
        elif char == ord("-") and before is not None and after not in (b"", b"]"):
            is_escaped = after == b"\\"
            members.append(_range(before, _byte(pattern, at + 1 + is_escaped)))
            before = None
            at += 2 + is_escaped
        elif (char == ord("[") and after == b":") and (found := _class(pattern, at + 2)):
            name, at = found
            members.append(name)
            before = None
        else:
            before = char
            members.append(_range(char, char))
            at += 1
    inside = b"".join(members)
    if negated:
        return b"[^/" + inside + b"]", at + 1
    return (b"(?!/)[" + inside + b"]") if inside else b"(?!)", at + 1


def _class(pattern: bytes, at: int) -> tuple[bytes, int] | None:
    """A class like `alpha:]` and the place behind it; none where there is no `:]`, and then `[` is a member."""
    end = pattern.find(b"]", at)
    if end < 0:
        raise Unmatchable
    if end == at or pattern[end - 1 : end] != b":":
        return None
    name = pattern[at : end - 1]
    if name not in _CLASSES:
        raise Unmatchable
    return _CLASSES[name], end + 1


def _byte(pattern: bytes, at: int) -> int:
    if at >= len(pattern):
        raise Unmatchable
    return pattern[at]


def _range(first: int, last: int) -> bytes:
    """Members of a set; none where the range runs backwards."""
    return b"\\x%02x-\\x%02x" % (first, last) if first <= last else b""
