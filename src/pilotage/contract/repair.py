"""Arguments in the shapes that models send by mistake, repaired as the host repairs them (spec C5).

It stands apart from the models, and names the fields again, because whoever reads recorded calls pays for no
pydantic; a test holds the two together.
"""

from collections.abc import Mapping

from msgspec import Struct

from pilotage.contract.decode import NotJson, decode
from pilotage.contract.scalars import number_of, text_of
from pilotage.plain import plain_line

_PROVENANCE = ("intent", "rationale")
_BLANK = "\ufeff"


class Repaired(Struct, frozen=True, gc=False):
    """Arguments after repair."""

    arguments: dict[str, object]
    """The arguments, provenance included, without what the contract does not know."""
    notes: tuple[str, ...]
    """One short sentence for each thing that was repaired or ignored."""


class Fields(Struct, frozen=True, gc=False):
    """The names that one object of a call may have, by what is repaired alike."""

    texts: tuple[str, ...]
    """Required texts: a number or truth value becomes its text."""
    numbers: tuple[str, ...] = ()
    """Optional numbers: null goes, text becomes a number."""
    untouched: tuple[str, ...] = ()
    """Fields that stay as they are."""


FIELDS = {
    "bash": Fields(("command",), ("timeout",), _PROVENANCE),
    "write": Fields(("path", "content"), (), _PROVENANCE),
    "edit": Fields(("path",), (), ("edits", *_PROVENANCE)),
    "read": Fields(("path",), ("offset", "limit"), _PROVENANCE),
}
"""The fields of each tool's call (spec C1)."""

EDIT_FIELDS = Fields(("oldText", "newText"))
"""The fields of one edit."""


def repair(tool: str, arguments: Mapping[str, object]) -> Repaired:
    """Repair arguments as the host would, with notes; those of an unknown tool stay as they are.

    Extra keys are left out and noted by their dotted path (spec C4). Provenance is never repaired, nor is a
    null in a required field. What is passed in stays unchanged.
    """
    fields = FIELDS.get(tool)
    if fields is None:
        return Repaired(dict(arguments), ())
    notes: list[str] = []
    gathered = _gathered(arguments, notes) if tool == "edit" else arguments
    repaired = _repaired(gathered, fields, "", notes)
    edits = repaired.get("edits")
    if isinstance(edits, list):
        repaired["edits"] = [_repaired_edit(edit, at, notes) for at, edit in enumerate(edits)]
    return Repaired(repaired, tuple(notes))


def _gathered(arguments: Mapping[str, object], notes: list[str]) -> dict[str, object]:
    """Gather the edits of a call in one list, wherever they were (`pi/HOST.md` b)."""
    gathered = dict(arguments)
    edits = gathered.get("edits")
    if isinstance(edits, str):
        edits = _parsed(edits, notes)
    if isinstance(edits, Mapping):
        notes.append("edits was a single edit and was put in a list")
        edits = [edits]
    if _is_edit(gathered):
        edits = _with_legacy(edits, gathered, notes)
    if "edits" in gathered or edits is not None:
        gathered["edits"] = edits
    return gathered


def _parsed(text: str, notes: list[str]) -> object:
    """Parse the edits in a JSON string; give the string itself where it holds none."""
    try:
        value, odd = decode(text, strict=False)
    except NotJson:
        return text
    if not isinstance(value, list) and not _is_edit(value):
        return text
    notes.extend(("edits was a JSON string and was parsed", *odd))
    return value


def _with_legacy(edits: object, gathered: dict[str, object], notes: list[str]) -> list[object]:
    """Put the edit that stood at the top level behind the others, as the host does."""
    legacy = {name: gathered.pop(name) for name in EDIT_FIELDS.texts}
    if edits is not None and not isinstance(edits, list):
        notes.append("edits was no list and gave way to the top-level oldText and newText")
    notes.append("top-level oldText and newText were moved into edits")
    return [*edits, legacy] if isinstance(edits, list) else [legacy]


def _is_edit(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(value.get(name), str) for name in EDIT_FIELDS.texts)


def _repaired_edit(edit: object, at: int, notes: list[str]) -> object:
    return _repaired(edit, EDIT_FIELDS, f"edits.{at}.", notes) if isinstance(edit, Mapping) else edit


def _repaired(given: Mapping[str, object], fields: Fields, where: str, notes: list[str]) -> dict[str, object]:
    """One object with every field repaired; `where` is the dotted path before its names."""
    kept: dict[str, object] = {}
    for name, value in given.items():
        if name in fields.texts:
            kept[name] = _as_text(where + name, value, notes)
        elif name in fields.untouched:
            kept[name] = value
        elif name not in fields.numbers:
            notes.append(f"ignored {where}{plain_line(name, 80)}")
        elif not _is_nothing(where + name, value, notes):
            kept[name] = _as_number(where + name, value, notes)
    return kept


def _as_text(field: str, value: object, notes: list[str]) -> object:
    text = text_of(value)
    if text is None:
        return value
    notes.append(f"{field} was {_described(value)} and was read as text")
    return text


def _as_number(field: str, value: object, notes: list[str]) -> object:
    number = int(value) if isinstance(value, bool) else number_of(value) if isinstance(value, str) else None
    if number is None:
        return value
    notes.append(f"{field} was {_described(value)} and was read as a number")
    return number


def _is_nothing(field: str, value: object, notes: list[str]) -> bool:
    """Whether an optional field says nothing and is left out (cases D4)."""
    if value is None:
        notes.append(f"{field} was null and was left out")
    elif isinstance(value, str) and not value.strip().strip(_BLANK):
        notes.append(f"{field} was empty and was left out")
    else:
        return False
    return True


def _described(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "text" if isinstance(value, str) else "a number"
