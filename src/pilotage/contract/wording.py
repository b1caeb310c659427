"""The words of a refusal, in one place so that they can be read back from a session."""

import re
from collections.abc import Mapping

from pilotage.contract.decode import Digits
from pilotage.contract.provenance import PROVENANCE_TOOLS
from pilotage.plain import plain_line

OPENING = "Contract: "
"""How the contract's own sentence begins (spec K2)."""

BETWEEN = ". "
"""What stands between two messages of a sentence."""

END = "."
"""How a sentence ends."""

NOT_JSON = "the arguments are not JSON"
"""How the message of a `not-json` violation begins."""

NO_TOOL = "no tool "
"""How the message of an `unknown-tool` violation begins."""

CUT_OFF = "the output limit ended this call"
"""How the message of a `cut-off` violation begins."""

MISSING = "missing"
"""The fault of a field that is not there."""

EMPTY = "empty"
"""The fault of a field that is there and says nothing."""

_VALUE = "null|true|false|text|a number|a list|an object"
_WANTED = "text|a number|a list|an object"
_NO_EDITS = "text that holds no JSON list of edits"
_OUT_OF_RANGE = "out of range"

FAULT = re.compile(
    r"(?:\A|\. )(?P<field>[A-Za-z]+(?:\.(?:\d+|[A-Za-z]+))*) is "
    rf"(?P<fault>{MISSING}|{EMPTY}|{_OUT_OF_RANGE}|{_NO_EDITS}|(?:{_VALUE}), not (?:{_WANTED})):"
)
"""One message on a field, within the contract's own sentence."""

_MENDS = {
    "intent": "say where this action is heading",
    "rationale": "point at the evidence that set this off, or leave it out",
    "command": "give the command to run",
    "path": "give the path of the file",
    "content": "give the whole text of the file",
    "edits": "give a list of at least one edit",
    "oldText": "give the exact text to replace",
    "newText": "give the text that takes its place",
    "timeout": "give seconds, or leave it out",
    "offset": "give the line to start at, or leave it out",
    "limit": "give the most lines to read, or leave it out",
}
_MEND_EDIT = "give an object with oldText and newText"


def fault_message(field: str, fault: str, form: str) -> str:
    """Tell what is wrong with a field, how to mend it, and the shortest valid call."""
    mend = _MENDS.get(field.rpartition(".")[2], _MEND_EDIT)
    return f"{field} is {fault}: {mend}, as in {form}"


def wrong_type(field: str, value: object, wanted: str) -> str:
    """Name the fault of a value of the wrong type; `wanted` is one of text, a number, a list, an object."""
    if wanted == "a number" and (isinstance(value, Digits) or described(value) == wanted):
        return _OUT_OF_RANGE
    if field == "edits" and described(value) == "text":
        return _NO_EDITS
    return f"{described(value)}, not {wanted}"


def described(value: object) -> str:
    """Name a value's type in a word or two; the value itself is never repeated."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float | Digits):
        return "a number"
    if isinstance(value, str):
        return "text"
    return "an object" if isinstance(value, Mapping) else "a list"


def no_object_message(value: object, form: str) -> str:
    """Tell what is wrong with arguments that are no object."""
    return f"the arguments are {described(value)}, not an object: send one object, as in {form}"


def not_json_message(reason: str, form: str) -> str:
    """Tell what is wrong with arguments that cannot be decoded; `reason` says where."""
    return f"{NOT_JSON} ({reason}): send one object, as in {form}"


def unknown_tool_message(tool: str) -> str:
    """Which tool is not there, and which are."""
    *others, last = PROVENANCE_TOOLS
    return f'{NO_TOOL}"{plain_line(tool, 80)}" is in the contract: use {", ".join(others)} or {last}'


def cut_off_message(form: str | None) -> str:
    """Tell what became of a call that was cut off; `form` is None for a tool outside the contract."""
    shown = f", as in {form}" if form else ""
    return f"{CUT_OFF} before it was whole: send it again in full, in smaller parts if need be{shown}"
