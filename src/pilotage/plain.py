"""Session text made fit for a terminal (spec U8).

Whatever a session holds may be hostile. Nothing that could steer a terminal leaves this module: what was there is
shown as a visible sign instead. Text is never markup for whoever prints it.
"""

import re

TAB = "    "

_JOINERS = "\u00ad\u200c\u200d\ufe00-\ufe0f"
_SKIN_TONES = "\U0001f3fb-\U0001f3ff"
_DROPPED = _JOINERS + _SKIN_TONES
"""Soft hyphen, joiners, variation selectors, skin tones: terminals disagree about their width."""

_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_SEPARATORS = "\u2028\u2029"
_HIDDEN = (
    "\u034f\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u2065"
    "\u206a-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Format and filler characters: what Unicode wants shown as nothing."""

_SPECIAL = re.compile(f"[\x00-\x09\x0b-\x1f\x7f-\x9f{_DROPPED}{_BIDI}{_SEPARATORS}{_HIDDEN}\ud800-\udfff]")
_DROP = re.compile(f"[{_DROPPED}]")
_BLANK = re.compile(r"\s+")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_UNSAFE_IN_JSON = re.compile(f"[\x7f-\x9f{_JOINERS}{_BIDI}{_SEPARATORS}{_HIDDEN}]")


def _sign(match: re.Match[str]) -> str:
    """The visible sign for one character that must not reach a terminal."""
    char = match.group()
    code = ord(char)
    if char == "\t":
        return TAB
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    if _DROP.match(char):
        return ""
    return f"<U+{code:04X}>"


def plain(text: str) -> str:
    r"""The text with every control, bidirectional and hidden character shown as a sign; newlines stay.

    A carriage return before a newline is dropped, as it only ends the line.
    """
    if _SPECIAL.search(text) is None:
        return text
    return _SPECIAL.sub(_sign, text.replace("\r\n", "\n"))


def plain_line(text: str, limit: int = 2000) -> str:
    """The text on one line: runs of white space become one space, the rest is as in `plain`.

    Only the first `limit` characters are looked at; what was cut is shown as an ellipsis.
    """
    cut = len(text) > limit
    line = plain(_BLANK.sub(" ", _DROP.sub("", text[:limit])).strip())
    return f"{line}…" if cut else line


def safe_json(text: str) -> str:
    r"""JSON text whose risky characters are escaped as `\uXXXX`; lone surrogates become U+FFFD.

    `text` is what `json.dumps(..., ensure_ascii=False)` gives: there such characters stand inside strings only.
    """
    text = _LONE_SURROGATE.sub("\ufffd", text)
    return _UNSAFE_IN_JSON.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
