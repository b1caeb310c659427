"""The contract as one JSON value, for a host whose extension cannot run Python: schemas, the rule, the words.

With it an extension refuses a call in exactly the words that `check` has for it, and writes none of its own.
"""

from pilotage import __version__
from pilotage.contract import wording
from pilotage.contract.models import MODELS, shortest_form
from pilotage.contract.provenance import visible_pattern
from pilotage.contract.schema import tool_schema

HALVES = ("intent", "rationale")
"""The halves of provenance in the order in which their faults are told (spec C7)."""

_KINDS: dict[str, object] = {"null": None, "true": True, "false": False, "number": 0, "array": [], "object": {}}
"""For every JSON type that is no text a value of it."""


def handout() -> dict[str, object]:
    """Give all that an extension needs to show the contract to a model and to hold calls to it.

    `visible` is the pattern that a text with a visible character matches. Of each tool, `faults` holds the
    message for each half of provenance that is `missing`, `empty` or of a type that is no text.
    """
    return {
        "pilotage": __version__,
        "visible": visible_pattern(),
        "sentence": {"opening": wording.OPENING, "between": wording.BETWEEN, "end": wording.END},
        "tools": {tool: _tool(tool) for tool in MODELS},
    }


def _tool(tool: str) -> dict[str, object]:
    schema = tool_schema(tool)
    faults = {half: _faults(half, shortest_form(tool)) for half in HALVES}
    return {"description": schema.description, "parameters": schema.parameters, "faults": faults}


def _faults(half: str, form: str) -> dict[str, str]:
    kinds = {name: wording.wrong_type(half, value, "text") for name, value in _KINDS.items()}
    faults = {"missing": wording.MISSING, "empty": wording.EMPTY, **kinds}
    return {name: wording.fault_message(half, fault, form) for name, fault in faults.items()}
