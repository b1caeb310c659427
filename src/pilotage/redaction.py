r"""The one redactor: known shapes of secrets become visible marks, and it says how many (spec U9, M9).

It works on whatever text holds them: prose, code, JSON with its escapes, URLs with theirs. The time is linear: what
can repeat is bounded or taken in one piece, and a pattern is only tried where its needle occurs. What ends an escape
(the `n` of `\n`, the digits of `\u00e9` and `%20`) is no part of the word that follows it.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from urllib.parse import quote, quote_plus

from msgspec import Struct

OPENING = "[secret: "
"""How every mark begins."""

_ROUNDS = 5
"""How often a text is gone over at the most: a mark can uncover what stood right behind a secret."""


class Redacted(Struct, frozen=True):
    """A text without its secrets."""

    text: str
    """The text, with a mark such as `[secret: github token]` in place of each secret."""
    count: int
    """How many were replaced."""


def redact(text: str, values: Sequence[str] = ()) -> Redacted:
    """Replace what looks like a secret, and each of `values` wherever it stands.

    A text without secrets comes back as it is, and so does one that went through before.
    """
    total = 0
    for _ in range(_ROUNDS):
        found = replace_values(text, values)
        text, count = found.text, found.count
        for replace in (_without_private_keys, _without_shapes, _without_assigned):
            text, more = replace(text)
            count += more
        total += count
        if not count:
            break
    return Redacted(text, total)


def replace_values(text: str, values: Sequence[str]) -> Redacted:
    """Replace each of `values` wherever it stands, escaped or not, and nothing else."""
    total = 0
    for form in _forms(values):
        count = text.count(form)
        if count:
            text = text.replace(form, _mark("known value"))
            total += count
    return Redacted(text, total)


def secret_values(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The values of secret-looking environment variables, the longest first; no paths and no mere words."""
    named = {value.strip() for name, value in environ.items() if _SECRET_NAME.search(name)}
    in_urls = {found["secret"] for value in environ.values() for found in re.finditer(_URL_PASSWORD, value)}
    return tuple(sorted(filter(is_secret_value, named | in_urls), key=lambda value: (-len(value), value)))


def is_secret_value(value: str) -> bool:
    """Whether a value is worth hiding: long enough to be no word, and no path and no plain URL."""
    if len(value) < 8 or OPENING in value or _PLAIN_URL.fullmatch(value):
        return False
    if _PATH_START.match(value) and not _RANDOM.search(value):
        return False
    return len(value) >= 16 or bool(_DIGIT.search(value) and _LETTER.search(value))


_SECRET_NAME = re.compile(
    r"(?:^|_)(?:PASS|PASSPHRASE|PAT|JWT|BEARER|AUTH|CREDENTIALS?|(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)S?)(?:_|$)"
    r"|(?:APIKEY|ACCESSKEY|TOKEN|SECRET|PASSWORD|PASSWD)(?:_|$)",
    re.IGNORECASE,
)
_PLAIN_URL = re.compile(r"[a-z][a-z0-9+.-]*://[^@\s?#]*")
_PATH_START = re.compile(r"~|\.{0,2}/|[A-Za-z]:[\\/]")
_RANDOM = re.compile(r"(?=[A-Za-z]*[0-9])[A-Za-z0-9+]{20}")
_DIGIT = re.compile(r"[0-9]")
_LETTER = re.compile(r"[^\W\d_]")


def _mark(kind: str) -> str:
    return f"{OPENING}{kind}]"


def _forms(values: Sequence[str]) -> list[str]:
    """What the values look like in text, in JSON, in JSON within JSON and in a URL; the longest first."""
    forms: set[str] = set()
    for value in values:
        in_json = {json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}
        twice = {json.dumps(form, ensure_ascii=False)[1:-1] for form in in_json}
        encoded = value.encode("utf-8", "replace")
        forms |= {value, *in_json, *twice, quote(encoded, safe=""), quote_plus(encoded), quote(encoded)}
    return sorted((form for form in forms if form and form not in _EVERY_MARK), key=lambda form: (-len(form), form))


class _Shape(Struct, frozen=True):
    """One kind of secret."""

    kind: str
    """What the mark names."""
    needle: str
    """A text that occurs wherever such a secret does."""
    source: str
    """The pattern of what is replaced; where it has a group `secret`, that group alone."""


def _after(literal: str, before: str) -> str:
    """The literal where none of the characters `before` stands before it, unless they end an escape.

    The look back comes last, so that the literal itself is searched for fast.
    """
    return (
        rf"{literal}(?:(?<![{before}]{literal})|(?<=\\[bfnrt]{literal})"
        rf"|(?<=\\u[0-9A-Fa-f]{{4}}{literal})|(?<=%[0-9A-Fa-f]{{2}}{literal}))"
    )


def _shapes(kind: str, literals: str, rest: str, before: str = "A-Za-z0-9") -> Iterator[_Shape]:
    for literal in literals.split():
        yield _Shape(kind, literal, _after(re.escape(literal), before) + rest)


_W = r"[A-Za-z0-9_-]"
_WITH_DIGIT = rf"(?={_W}{{0,200}}[0-9])"
_CREDENTIAL = r"[ ]{1,4}(?P<secret>[A-Za-z0-9._~+/=-]"
_QUOTE = r"\\{0,3}[\"'`]"
_URL_PASSWORD = r"://[^\s/:@\"'<>\\]{0,256}:(?![$<{]|\[secret: )(?P<secret>[^\s/\"'<>\\]{1,512})@"
_QUOTED_URL_PASSWORD = (
    r"(?i:%3A%2F%2F[^\s/:@%\"'<>\\]{0,256}%3A(?!\[secret: )(?P<secret>(?:(?!%40|%2F)[^\s\"'<>\\/]){1,512})%40)"
)
_SHAPES = (
    _Shape("url password", "://", _URL_PASSWORD),
    _Shape("url password", "%2F%2F", _QUOTED_URL_PASSWORD),
    _Shape("url password", "%2f%2f", _QUOTED_URL_PASSWORD),
    *_shapes("anthropic key", "sk-ant-", rf"{_W}{{16,}}+"),
    *_shapes("openrouter key", "sk-or-", rf"{_W}{{16,}}+"),
    *_shapes("openai key", "sk-", rf"(?!ant-|or-){_WITH_DIGIT}{_W}{{20,}}+"),
    *_shapes("github token", "ghp_ gho_ ghu_ ghs_ ghr_", r"[A-Za-z0-9]{30,}+", "_"),
    *_shapes("github token", "github_pat_", r"[A-Za-z0-9_]{22,}+", "_"),
    *_shapes("gitlab token", "glpat- gldt- glptt- glrt- glcbt- glft- glagent- glimt- glsoat-", rf"{_W}{{20,}}+"),
    *_shapes("aws key", "AKIA ASIA AROA AIDA", r"[A-Z0-9]{16}(?![A-Za-z0-9])", "A-Za-z0-9/+"),
    *_shapes("google key", "AIza", rf"{_W}{{35}}(?!{_W})", "A-Za-z0-9/+"),
    *_shapes("google token", "ya29.", rf"{_W}{{20,}}+"),
    *_shapes("google secret", "GOCSPX-", rf"{_W}{{20,}}+"),
    *_shapes("slack token", "xoxa- xoxb- xoxc- xoxd- xoxe- xoxe. xoxp- xoxr- xoxs- xapp-", r"[A-Za-z0-9%.-]{10,}+"),
    *_shapes("slack webhook", "hooks.slack.com/services/", r"(?P<secret>[A-Za-z0-9/]{20,}+)", "_"),
    *_shapes("stripe key", "sk_live_ sk_test_ rk_live_ rk_test_ whsec_", r"[A-Za-z0-9]{10,}+"),
    *_shapes("npm token", "npm_", r"[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
    *_shapes("pypi token", "pypi-", rf"AgE{_W}{{30,}}+"),
    *_shapes("hugging face token", "hf_", r"[A-Za-z0-9]{30,}+"),
    *_shapes("groq key", "gsk_", r"[A-Za-z0-9]{20,}+"),
    *_shapes("xai key", "xai-", rf"{_WITH_DIGIT}{_W}{{40,}}+"),
    *_shapes("sendgrid key", "SG.", rf"{_W}{{16,32}}\.{_W}{{16,}}+"),
    *_shapes("digitalocean token", "dop_v1_ doo_v1_ dor_v1_", r"[a-f0-9]{64}"),
    *_shapes("docker token", "dckr_pat_", rf"{_W}{{20,}}+"),
    *_shapes("age key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{40,}+"),
    *_shapes("vault token", "hvs. hvb.", rf"{_W}{{20,}}+"),
    *_shapes("jwt", "eyJ", rf"{_W}{{6,}}+\.eyJ{_W}{{6,}}+(?:\.{_W}*+)?", "A-Za-z0-9_-"),
    _Shape(
        "zhipu key",
        ".",
        r"\.(?P<secret>[A-Za-z0-9]{16})(?![A-Za-z0-9])(?<=(?<![0-9A-Za-z])[0-9a-f]{32}\.[A-Za-z0-9]{16})",
    ),
    _Shape(
        "authorization",
        "uthorization",
        rf"uthorization(?:{_QUOTE})?\s{{0,4}}[:=,]\s{{0,4}}(?:{_QUOTE})?(?:[Bb]earer|[Bb]asic|[Tt]oken)"
        rf"(?=[ ]{{1,4}}(?:[^\s]{{0,200}}[0-9]|[^\s]{{16}})){_CREDENTIAL}{{6,}}+)",
    ),
    _Shape("bearer token", "earer ", rf"earer(?<=[Bb]earer)(?=[ ]{{1,4}}[^\s]{{0,200}}[0-9]){_CREDENTIAL}{{16,}}+)"),
)


@cache
def _compiled(source: str) -> re.Pattern[str]:
    """The pattern; it is compiled when it is needed, as most texts need few."""
    return re.compile(source)


def _without_shapes(text: str) -> tuple[str, int]:
    """Replace every key that is known by its shape."""
    total = 0
    for shape in _SHAPES:
        if shape.needle in text:
            text, count = _compiled(shape.source).subn(_marker(shape.kind), text)
            total += count
    return text, total


def _marker(kind: str) -> Callable[[re.Match[str]], str]:
    """Give what replaces a match: the mark, with what stands around the secret kept."""
    mark = _mark(kind)

    def replaced(match: re.Match[str]) -> str:
        if "secret" not in match.re.groupindex:
            return mark
        start, end = (place - match.start() for place in match.span("secret"))
        return f"{match[0][:start]}{mark}{match[0][end:]}"

    return replaced


# Atomic groups, and no possessive repetition of a group: that one is broken in Python 3.11.0 to 3.11.4 (gh-106052).
_HEAD = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_TAIL = r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_BETWEEN = r"(?:\s|\\+[nrt]|[\"'+,>|*#`])"
_WHOLE_KEY = (
    rf"{_HEAD}(?:(?=[^-]{{0,200}}[A-Za-z0-9+/=]{{8}})(?>(?:[A-Za-z0-9+/=:,.()\s\\\"'`>|*#]|-(?!----))*){_TAIL}"
    rf"|(?>(?:(?>{_BETWEEN}*)[A-Za-z0-9+/=]{{16,}}+)+)(?:(?>{_BETWEEN}{{1,8}})[A-Za-z0-9+/=]{{1,15}}+(?![\w ]))?)"
)
_BACK = r"(?>(?:\n\r?|[nrt]\\++|[ \t\"'+,>|*#`])+)(?:[A-Za-z0-9+/=](?!\\))"
_LINES_BACKWARD = rf"(?:(?>{_BACK}{{1,15}})(?![A-Za-z0-9+/= ]))?(?>(?:(?>{_BACK}{{16,}}))+)(?:(?>{_BACK}{{1,15}})\Z)?"


def _without_private_keys(text: str) -> tuple[str, int]:
    """Replace private keys, those too of which the beginning or the end was cut off."""
    if "PRIVATE KEY" not in text:
        return text, 0
    mark = _mark("private key")
    text, whole = _compiled(_WHOLE_KEY).subn(mark, text)
    pieces, done, cut = [], 0, 0
    for tail in _compiled(_TAIL).finditer(text):
        before = text[done : tail.start()]
        lines = _compiled(_LINES_BACKWARD).match(before[::-1])
        pieces += [before[: len(before) - lines.end()], mark] if lines else [before, tail[0]]
        done, cut = tail.end(), cut + bool(lines)
    return "".join([*pieces, text[done:]]), whole + cut


_NAME = re.compile(
    rb"(?:pass(?:word|wd|phrase)|pwd|secret(?:[_-]?(?:access)?[_-]?key)?|token"
    rb"|(?:api|access|auth|account|private|signing|encryption)[_-]?key|credentials?)(?![a-z0-9_])"
)
_SIGN = re.compile(
    rf"(?:{_QUOTE})?(?P<sign>\s{{0,4}}(?::|=>|:?=)\s{{0,4}}|%3[AD]|[ ])(?P<quote>{_QUOTE})?", re.IGNORECASE | re.ASCII
)
_QUOTED = re.compile(r"(?>(?:[^\s\"'`\\]|\\++(?![\"'`nrt]))*)")
_BARE = re.compile(r"[^\s\"'`\\,;&(){}\[\]<>]*+")
_OPTION = re.compile(r"--[A-Za-z-]{0,40}\Z")
_STAND_IN = re.compile(r"\$\{?\w+\}?|\$?[<{(\[].*|%\w+%|\*+|[xX]+|\.+", re.DOTALL)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|[a-z]+[a-z0-9]*(?:_[a-z0-9]+)+")
_NUMBERED_WORD = re.compile(r"[A-Za-z]+[0-9]{0,2}")
_SPECIAL = re.compile(r"[!@#$%^&*+?]")
_CODE = ("(", "[", "{", "<")
_LOOKED_AT = 256


def _without_assigned(text: str) -> tuple[str, int]:
    """Replace what is assigned to a name such as `password` or `api_key`, where it can be a secret."""
    pieces, done, count = [], 0, 0
    # Bytes of one length with the characters: case is folded without moving anything, and searched faster.
    for name in _NAME.finditer(text.encode("ascii", "replace").lower()):
        sign = _SIGN.match(text, name.end()) if name.start() >= done else None
        value = _assigned(text, name, sign) if sign else ""
        if sign and value:
            pieces += [text[done : sign.end()], _mark("assigned value")]
            done = sign.end() + len(value)
            count += 1
    return ("".join([*pieces, text[done:]]), count) if count else (text, 0)


def _assigned(text: str, name: re.Match[bytes], sign: re.Match[str]) -> str:
    """The secret that stands after a name; nothing where it is none."""
    if sign["sign"] == " " and not _OPTION.search(text, max(0, name.start() - 44), name.start()):
        return ""
    pattern = _QUOTED if sign["quote"] else _BARE
    seen = pattern.match(text, sign.end(), sign.end() + _LOOKED_AT)
    is_password = name[0].startswith((b"pas", b"pwd"))
    if seen is None or not _can_be_secret(seen[0], is_password=is_password, is_quoted=bool(sign["quote"])):
        return ""
    if not sign["quote"] and text[seen.end() : seen.end() + 1] in _CODE:
        return ""
    whole = pattern.match(text, sign.end())
    return whole[0] if whole else ""


def _can_be_secret(value: str, *, is_password: bool, is_quoted: bool) -> bool:
    """Whether an assigned value is a secret and no code, label, number or stand-in."""
    if len(value) < (6 if is_password else 8) or value.startswith(("/", "./", "~/", OPENING)):
        return False
    if _STAND_IN.fullmatch(value) or not _LETTER.search(value):
        return False
    is_mixed = bool(_DIGIT.search(value) or (is_password and _SPECIAL.search(value)))
    if is_quoted:
        return is_mixed or (len(value) >= 20 and value not in (value.lower(), value.upper()))
    return is_mixed and not _IDENTIFIER.fullmatch(value) and (is_password or not _NUMBERED_WORD.fullmatch(value))


_EVERY_MARK = " ".join(
    _mark(kind) for kind in ("known value", "private key", "assigned value", *(shape.kind for shape in _SHAPES))
)
