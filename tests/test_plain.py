import json
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pilotage.plain import TAB, plain, plain_line, safe_json

unhurried = settings(deadline=None)

BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
ZERO_WIDTH = (
    "\u034f\u115f\u1160\u17b4\u180b\u180e\u200b\u200c\u200d\u2060\u2064\u3164\ufe00\ufe0f\ufeff\uffa0\U000e0100"
)
TAGS = "\U000e0001\U000e0020\U000e0041\U000e007f"
SURROGATES = "\ud800\ud83d\udcb2\udfff"
STEERING = "\x00\x07\x08\x0b\x0c\x0d\x1b\x1c\x7f\x80\x85\x9b\x9d\x9f\u2028\u2029\u00ad\ufff9"
HARMLESS = "aé漢 ✅👍1\u0301\u20e3"


def is_unfit(char: str) -> bool:
    """Whether a character must not reach a terminal."""
    return (
        (unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") and char != "\n")
        or char in BIDI + ZERO_WIDTH
        or 0xFE00 <= ord(char) <= 0xFE0F
        or 0xE0000 <= ord(char) <= 0xE0FFF
    )


TEXTS = st.text(
    st.characters(exclude_categories=()) | st.sampled_from(f'{BIDI}{ZERO_WIDTH}{TAGS}{SURROGATES}{STEERING} \t\n\\"'),
    max_size=40,
)
"""Texts with everything in them, lone surrogates among it, and more of what is unfit than chance would give."""


@pytest.mark.parametrize("text", ["", "plain", "two\nlines", HARMLESS, "[bold]x[/bold]", "[/", "list[int]", "\\", "%s"])
def test_fit_text_stays(text: str) -> None:
    """Text without controls stays as it is; markup is text like any other (cases E1)."""
    assert plain(text) == text
    assert plain_line(text) == text.replace("\n", " ")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "␛[31mred"),
        ("\x1b]52;c;ZXZpbA==\x07", "␛]52;c;ZXZpbA==␇"),
        ("\x9b2J", "<U+009B>2J"),
        ("a\x85b", "a<U+0085>b"),
        ("\x00\x08\x7f", "␀␈␡"),
        ("evil\u202etxt.exe", "evil<U+202E>txt.exe"),
        ("a\u2028b\u2029", "a<U+2028>b<U+2029>"),
        ("a\u200bb\ufeff", "a<U+200B>b<U+FEFF>"),
        ("\U000e0041", "<U+E0041>"),
        ("\u3164\u115f\uffa0", "<U+3164><U+115F><U+FFA0>"),
        ("\ud83d and \udcb2", "\ufffd and \ufffd"),
        ("a\tb", f"a{TAB}b"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("50%\r100%\r\n", "50%␍100%\n"),
        ("a\r\r\nb", "a␍\nb"),
    ],
)
def test_signs(text: str, shown: str) -> None:
    """Whatever could steer a terminal or hide something is shown as a sign (spec U8, cases E3)."""
    assert plain(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("❤\ufe0f", "❤"),
        ("1\ufe0f\u20e3", "1\u20e3"),
        ("👨\u200d👩\u200d👧", "👨👩👧"),
        ("👍\U0001f3fd", "👍"),
        ("co\u00adoperate", "cooperate"),
        ("漢\ufe00", "漢"),
    ],
)
def test_dropped_characters(text: str, shown: str) -> None:
    """Joiners, selectors and skin tones, on whose width terminals disagree, are left out (cases E4)."""
    assert plain(text) == shown


def test_half_an_emoji_never_joins_another_half() -> None:
    """Two lone surrogates beside each other are two signs (cases A12)."""
    assert plain("\ud83d" + "\udcb2") == "\ufffd\ufffd"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (" a  b ", "a b"),
        ("a\n\n\tb\r\n", "a b"),
        ("a\u2028b\u3000c\u00a0d\x85e\x1cf\x0bg", "a b c d e f g"),
        ("a \u200d b", "a b"),
        ("\u200d a \ufe0f", "a"),
        ("\u200b a", "<U+200B> a"),
        ("\x1b[2J", "␛[2J"),
        ("\n", ""),
    ],
)
def test_one_line(text: str, shown: str) -> None:
    """On one line each run of white space is one space, and nothing stands before or after the words."""
    assert plain_line(text) == shown


def test_long_line() -> None:
    """Of a long text the beginning is shown, with an ellipsis for the rest."""
    assert plain_line("x" * 50, 10) == "x" * 10 + "…"
    assert plain_line("x" * 10, 10) == "x" * 10
    assert plain_line("x" * 9 + "   y", 10) == "x" * 9 + "…"
    assert plain_line("\u202e" * 10_000_000, 3) == "<U+202E>" * 3 + "…"


@unhurried
@given(TEXTS)
def test_nothing_unfit_leaves(text: str) -> None:
    """No control but the newline, no bidirectional, hidden or half character leaves, whatever comes (spec U8)."""
    assert not any(map(is_unfit, plain(text)))
    assert not any(map(is_unfit, plain_line(text)))
    assert "\n" not in plain_line(text)
    plain(text).encode()


def test_every_character() -> None:
    """That holds for each of all characters there are."""
    chars = "".join(map(chr, range(0x110000)))
    assert not any(map(is_unfit, plain(chars)))
    assert not any(map(is_unfit, safe_json(json.dumps(chars, ensure_ascii=False))))


@unhurried
@given(TEXTS)
def test_twice_is_once(text: str) -> None:
    """What is fit stays as it is when it is made fit again."""
    for fit in (plain, plain_line):
        assert fit(fit(text)) == fit(text)
    written = safe_json(json.dumps(text, ensure_ascii=False))
    assert safe_json(written) == written


@unhurried
@given(TEXTS)
def test_lines_stay_lines(text: str) -> None:
    """A text has as many lines as before, so that places in it can be told."""
    assert plain(text).count("\n") == text.count("\n")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=8,
)


def without_surrogates(value: object) -> object:
    """Give a value with U+FFFD for each lone surrogate."""
    if isinstance(value, str):
        return "".join("\ufffd" if unicodedata.category(char) == "Cs" else char for char in value)
    if isinstance(value, list):
        return [without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {without_surrogates(key): without_surrogates(item) for key, item in value.items()}
    return value


@unhurried
@given(VALUES)
def test_safe_json_means_the_same(value: object) -> None:
    """JSON made safe is one line of JSON that means the same, but for lone surrogates, and can be written anywhere."""
    written = safe_json(json.dumps(value, ensure_ascii=False))
    assert json.loads(written) == without_surrogates(value)
    assert not any(map(is_unfit, written))
    assert "\n" not in written
    written.encode()


def test_safe_json_escapes() -> None:
    """Unsafe characters are escaped, those beyond U+FFFF as a pair, and a lone surrogate is replaced."""
    value = {"\u202e": "\x7f\x9b\U000e0041\ufeff\u200d", "é漢": "\ud83d\\"}
    assert safe_json(json.dumps(value, ensure_ascii=False)) == (
        r'{"\u202e": "\u007f\u009b\udb40\udc41\ufeff\u200d", "é漢": "' + "\ufffd" + r'\\"}'
    )
