"""Why a recorded call never ran, read back from the words of its refusal (spec K2, C7)."""

import re
from collections.abc import Iterable, Iterator

from pilotage.contract.provenance import PROVENANCE_TOOLS
from pilotage.contract.wording import CUT_OFF, EMPTY, FAULT, MISSING, NO_TOOL, NOT_JSON, OPENING
from pilotage.records.call import Kind, Rejection

MESSAGE_LIMIT = 2000
"""The most characters that a rejection's message has."""

_RANK = {kind: place for place, kind in enumerate(Kind)}
_RECEIVED = re.compile(r"^Received arguments:", re.MULTILINE)
_RAN = re.compile(r"Command (?:exited with code -?\d+|timed out after \S+ seconds|aborted)\s*\Z")
_LINE = re.compile(r"^ *- ([^:\n]*): (.*)$", re.MULTILINE)
_NAMED = re.compile(r"must have required propert(?:y|ies) (.+)")
_TOO_SHORT = re.compile(
    r"fewer than|length greater|at least \d+ char|match (?!a schema|exactly)|pattern", re.IGNORECASE
)
_EXTRA = re.compile(r"additional propert|unknown field|unexpected propert", re.IGNORECASE)
_PER_EDIT = re.compile(r"edits\.\d+\.(?:intent|rationale)")


def rank(kind: Kind) -> int:
    """Give a kind's place in the order of spec C7, from 0."""
    return _RANK[kind]


def field_kind(tool: str, field: str, fault: str) -> Kind:
    """Name the kind of a fault at a field; `fault` is what the field's message says about it."""
    if tool not in PROVENANCE_TOOLS or _EXTRA.search(fault):
        return Kind.STRUCTURE
    if field == "intent":
        return Kind.EMPTY_INTENT if fault == EMPTY or _TOO_SHORT.search(fault) else Kind.MISSING_INTENT
    if field == "rationale":
        return Kind.EMPTY_RATIONALE
    return Kind.PER_EDIT_PROVENANCE if _PER_EDIT.fullmatch(field) else Kind.STRUCTURE


def refusal(tool: str, text: str) -> Rejection | None:
    """Read the rejection that an error result tells of; None where its words are those of no refusal.

    The refusal must begin the text and name this very tool. Words of Pi 1.6 (`pi/HOST.md` a), of the
    validators that it had before, and of the contract itself are known.
    """
    if _RAN.search(text, max(0, len(text) - 80)):
        # A command that ran and failed may print anything, a refusal too.
        return None
    if text.startswith(OPENING):
        return _own(tool, text)
    if text.startswith(f'Validation failed for tool "{tool}":'):
        return _validation(tool, text)
    if text.startswith(f'Invalid arguments for tool "{tool}":'):
        return _rejection(Kind.NOT_JSON, (), _head(text))
    if text.startswith(f'Tool call "{tool}" was not executed: the response hit the output token limit'):
        return _rejection(Kind.CUT_OFF, (), text)
    if text.strip() in (f"Tool {tool} not found", f'Tool "{tool}" not found'):
        return _rejection(Kind.UNKNOWN_TOOL, (), text)
    return None


def _own(tool: str, text: str) -> Rejection:
    body = text.removeprefix(OPENING)
    for beginning, kind in (
        (NOT_JSON, Kind.NOT_JSON),
        (NO_TOOL, Kind.UNKNOWN_TOOL),
        (CUT_OFF, Kind.CUT_OFF),
    ):
        if body.startswith(beginning):
            return _rejection(kind, (), text)
    return _judged(tool, ((match["field"], match["fault"]) for match in FAULT.finditer(body)), text)


def _validation(tool: str, text: str) -> Rejection:
    head = _head(text)
    return _judged(tool, (fault for line in _LINE.finditer(head) for fault in _faults(*line.groups())), head)


def _faults(path: str, words: str) -> Iterator[tuple[str, str]]:
    """Give every field that one line of a validator speaks of, with what it says about it.

    Older validators name the properties that an object lacks; their path is the object's, or the first
    property's.
    """
    field = _dotted(path)
    named = _NAMED.match(words)
    if named is None:
        yield field, words
        return
    names = [name.strip(" '\"`") for name in named[1].split(",")]
    parent, _, last = field.rpartition(".")
    base = parent if last in names else field
    for name in names:
        yield (f"{base}.{name}" if base else name), MISSING


def _dotted(path: str) -> str:
    """Write `/edits/0/intent` and `edits[0].intent` as `edits.0.intent`, and the whole object as nothing."""
    dotted = re.sub(r"\[(\d+)\]", r".\1", path.strip()).replace("/", ".").strip(".")
    return "" if dotted == "root" else dotted


def _judged(tool: str, faults: Iterable[tuple[str, str]], message: str) -> Rejection:
    found = list(faults)
    kinds = [field_kind(tool, field, fault) for field, fault in found]
    fields = tuple(dict.fromkeys(field for field, _ in found if field))
    return _rejection(min(kinds, key=rank, default=Kind.STRUCTURE), fields, message)


def _head(text: str) -> str:
    received = _RECEIVED.search(text)
    return text[: received.start()] if received else text


def _rejection(kind: Kind, fields: tuple[str, ...], message: str) -> Rejection:
    return Rejection(kind, fields, message.strip()[:MESSAGE_LIMIT])
