"""The one judgement of the contract: a call is accepted, or refused with every reason (spec C6)."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from pilotage.contract import wording
from pilotage.contract.decode import Digits, NotJson, load_arguments
from pilotage.contract.kinds import field_kind, rank
from pilotage.contract.models import MODELS, shortest_form
from pilotage.contract.provenance import Provenance, split_provenance
from pilotage.contract.repair import repair
from pilotage.records.call import Kind

MOST_MESSAGES = 20
"""The most violations that the sentence for an agent tells; the rest are counted."""

_WANTED = {"string_type": "text", "list_type": "a list", "model_type": "an object"}


class Accepted(Struct, frozen=True):
    """A call that may run."""

    arguments: dict[str, object]
    """The repaired arguments, without provenance and extra keys: ready to delegate."""
    provenance: Provenance
    """Why the call is made."""
    notes: tuple[str, ...]
    """What was repaired or ignored, a short sentence each."""


class Violation(Struct, frozen=True, gc=False):
    """One reason against a call."""

    kind: Kind
    """Which of the closed list it is."""
    field: str
    """The field's dotted path; empty for the call as a whole."""
    message: str
    """What is wrong and how to mend it, in one sentence without its full stop."""


class Refused(Struct, frozen=True, gc=False):
    """A call that must not run."""

    violations: tuple[Violation, ...]
    """Every reason, in the order of spec C7; at least one."""

    @property
    def kind(self) -> Kind:
        """The kind that stands for the call: the first."""
        return self.violations[0].kind


def check(tool: str, arguments: object, *, cut_off: bool = False, notes: Iterable[str] = ()) -> Accepted | Refused:
    """Whether a call with these decoded arguments may run.

    Arguments that are None count as an empty object. A call that the output limit ended (`cut_off`) never
    runs. `notes` are those of whoever decoded the arguments; they come first in the accepted call. Nothing
    that is passed in is changed.
    """
    if cut_off:
        return _refused(Kind.CUT_OFF, wording.cut_off_message(_form(tool)))
    if tool not in MODELS:
        return _refused(Kind.UNKNOWN_TOOL, wording.unknown_tool_message(tool))
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, Mapping):
        return _refused(Kind.STRUCTURE, wording.no_object_message(arguments, shortest_form(tool)))
    repaired = repair(tool, arguments)
    violations = _violations(tool, repaired.arguments)
    return Refused(violations) if violations else _accepted(tool, repaired.arguments, (*notes, *repaired.notes))


def check_text(tool: str, text: str, *, cut_off: bool = False) -> Accepted | Refused:
    """Whether a call with this JSON text as its arguments may run; text that is not JSON is a violation."""
    if cut_off or tool not in MODELS:
        return check(tool, None, cut_off=cut_off)
    try:
        arguments, notes = load_arguments(text)
    except NotJson as error:
        return _refused(Kind.NOT_JSON, wording.not_json_message(str(error), shortest_form(tool)))
    return check(tool, arguments, notes=notes)


def sentence(violations: Sequence[Violation]) -> str:
    """Write what an agent reads: the messages in order, a sentence each; beyond the 20th their number."""
    told = [violation.message for violation in violations[:MOST_MESSAGES]]
    if len(violations) > MOST_MESSAGES:
        told.append(f"{len(violations) - MOST_MESSAGES} more faults like these")
    return f"{wording.OPENING}{wording.BETWEEN.join(told)}{wording.END}"


def _form(tool: str) -> str | None:
    return shortest_form(tool) if tool in MODELS else None


def _refused(kind: Kind, message: str) -> Refused:
    return Refused((Violation(kind, "", message),))


def _accepted(tool: str, repaired: dict[str, object], notes: tuple[str, ...]) -> Accepted:
    arguments, intent, rationale = split_provenance(tool, repaired)
    return Accepted(
        arguments,
        # The model has proved that the intent is text, and the rationale too where there is one.
        Provenance(str(intent), rationale if isinstance(rationale, str) else None),
        notes,
    )


def _violations(tool: str, arguments: dict[str, object]) -> tuple[Violation, ...]:
    """List every violation of the tool's model, in the order of spec C7 and then of the model's fields."""
    try:
        MODELS[tool].model_validate({**arguments, **_numbers(arguments)})
    except ValidationError as error:
        form = shortest_form(tool)
        found = [_violation(tool, fault, form) for fault in error.errors(include_url=False)]
        return tuple(sorted(found, key=lambda violation: rank(violation.kind)))
    return ()


def _numbers(arguments: dict[str, object]) -> dict[str, object]:
    """Pick the halves of provenance that are numbers too long to hold: they must not pass for text."""
    return {name: 0 for name in ("intent", "rationale") if isinstance(arguments.get(name), Digits)}


def _violation(tool: str, error: ErrorDetails, form: str) -> Violation:
    field = ".".join(map(str, error["loc"]))
    fault = _fault(field, error)
    return Violation(field_kind(tool, field, fault), field, wording.fault_message(field, fault, form))


def _fault(field: str, error: ErrorDetails) -> str:
    if error["type"] == "missing":
        return wording.MISSING
    if error["type"] in ("empty", "too_short"):
        return wording.EMPTY
    return wording.wrong_type(field, error["input"], _WANTED.get(error["type"], "a number"))
