"""A call's provenance: its intent and its rationale, apart from the arguments that the tool gets."""

import unicodedata
from collections.abc import Mapping

from msgspec import UNSET, Struct

from pilotage.contract.decode import Digits

PROVENANCE_TOOLS = ("bash", "write", "edit", "read")
"""The tools of the contract, in the order of spec C1; no other tool's calls carry provenance."""

_BLANK_LETTERS = frozenset("\u115f\u1160\u3164\uffa0\u2800")
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zs", "Zl", "Zp", "Mn", "Me"})


class Provenance(Struct, frozen=True, gc=False):
    """Why a call is made (spec C2, C3)."""

    intent: str
    """Where the action is heading."""
    rationale: str | None
    """The evidence that set it off, where it was given."""


def has_visible_character(text: str) -> bool:
    """Whether a reader would see anything at all (spec C2).

    Unicode spaces, controls, zero-width characters, lone combining marks and the blank letters of Hangul and
    Braille do not count.
    """
    return any(unicodedata.category(char) not in _INVISIBLE and char not in _BLANK_LETTERS for char in text)


def visible_pattern() -> str:
    r"""Write the rule of `has_visible_character` as a pattern of ECMAScript with the flag `u`, for hosts."""
    categories = "".join(rf"\p{{{name}}}" for name in sorted(_INVISIBLE))
    letters = "".join(rf"\u{ord(letter):04x}" for letter in sorted(_BLANK_LETTERS))
    return f"[^{categories}{letters}]"


def split_provenance(tool: str, arguments: Mapping[str, object]) -> tuple[dict[str, object], object, object]:
    """Split off the provenance: the other arguments, the intent and the rationale as they came.

    What is absent is `UNSET`, to tell it from null. A tool outside the contract keeps all that it was given:
    its own `intent` is an argument like any other.
    """
    bare = dict(arguments)
    if tool not in PROVENANCE_TOOLS:
        return bare, UNSET, UNSET
    return bare, bare.pop("intent", UNSET), bare.pop("rationale", UNSET)


def recorded_provenance(tool: str, arguments: object) -> tuple[str | None, str | None]:
    """Give the intent and the rationale of a recorded call, whatever its arguments are; only text counts."""
    if not isinstance(arguments, Mapping):
        return None, None
    _, intent, rationale = split_provenance(tool, arguments)
    return _text(intent), _text(rationale)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and not isinstance(value, Digits) else None
