"""The question of a preparation and the strict reading of its answer (spec P2, M5 to M7).

Pure: what goes in is given, and nothing here asks anybody.
"""

import json
from collections.abc import Iterable
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from pilotage.contract.provenance import has_visible_character
from pilotage.figures import counted
from pilotage.inference.question import Failure, Question, RequestFailed
from pilotage.plain import plain_line
from pilotage.prepare.candidates import Candidates
from pilotage.prepare.execute import LONGEST_COMMAND, command_fault
from pilotage.prepare.index import Index
from pilotage.prepare.templates import marked, rendered
from pilotage.records.capability import Capability, CapabilityKind, Catalog
from pilotage.records.preparation import Action, Bash, Prediction, Read, Suggestion
from pilotage.trajectory.excerpt import REQUEST_END

PURPOSE = "preparation"

MOST_ACTIONS = 8
"""The largest budget for actions (spec P2); the schema's bound whatever the budget is (spec M7)."""

MOST_SUGGESTIONS = 8
"""The most capabilities of an answer."""

MOST_TOKENS = 4_096
"""The most tokens of an answer, what the model thinks before it included."""

_LONGEST_WHY = 240
# Three names of 255 characters, and what stands before and between them.
_LONGEST_NAME = 800
_NEVER = "not wanted: there is no such list in the schema"

# llama.cpp unrolls every repetition of a grammar and refuses one of exactly 2,000 (ggml-org/llama.cpp#27087).
_COMMAND_IN_SCHEMA = 1_000


class Halves(Struct, frozen=True):
    """Which halves of a preparation are wanted; one at the least."""

    capabilities: bool
    """Whether capabilities are to be suggested."""
    budget: int
    """The most actions; 0 where none are wanted."""

    @property
    def actions(self) -> bool:
        """Whether actions are wanted."""
        return self.budget > 0


def question(
    halves: Halves,
    *,
    catalog: Catalog,
    candidates: Candidates,
    index: Index,
    system_prompt: str,
    trajectory: str,
    request: str,
) -> Question:
    """Ask what the agent will need for this request.

    `trajectory` is cut already (spec J5), and empty before the first request; `request` is whole. What seldom
    changes stands first, so that a server can keep it from one question to the next.
    """
    listed = catalog.entries if halves.capabilities else tuple(filter(_is_skill, catalog.entries))
    parts = [("the agent's instructions", system_prompt), ("catalog", _catalog_lines(listed))]
    if halves.actions:
        parts.append(("candidate paths", _path_lines(candidates, index)))
    parts.append(("trajectory", trajectory or "Nothing was said or done before this request."))
    parts.append(("request", both_ends(request)))
    shape = schema(halves)
    user = rendered(
        "user",
        wanted=_wanted(halves),
        schema=json.dumps(shape, ensure_ascii=False),
        parts="\n\n".join(marked(name, text) for name, text in parts),
    )
    return Question(PURPOSE, rendered("system"), user, shape, MOST_TOKENS)


def schema(halves: Halves) -> dict[str, object]:
    """The schema of the answer: its shape is of the wanted halves, and of nothing else (spec M7)."""
    lists: dict[str, object] = {}
    if halves.capabilities:
        suggestion = _object(id=_text(_LONGEST_NAME), why=_text(_LONGEST_WHY))
        lists["capabilities"] = {"type": "array", "maxItems": MOST_SUGGESTIONS, "items": suggestion}
    if halves.actions:
        why = _text(_LONGEST_WHY)
        kinds = [
            _object(kind={"const": "read"}, path=_text(_LONGEST_NAME), why=why),
            _object(kind={"const": "bash"}, command=_text(_COMMAND_IN_SCHEMA), why=why),
        ]
        lists["actions"] = {"type": "array", "maxItems": MOST_ACTIONS, "items": {"anyOf": kinds}}
    return _object(**lists)


def both_ends(request: str) -> str:
    """The first and last 4,000 characters of a long request, with what is missing between them said (spec J5)."""
    missing = len(request) - 2 * REQUEST_END
    if missing <= 0:
        return request
    return f"{request[:REQUEST_END]}\n[… {counted(missing, 'character')} left out …]\n{request[-REQUEST_END:]}"


def validate(value: object, halves: Halves, *, catalog: Catalog, candidates: Candidates) -> Prediction:
    """Read an answer that is JSON; nothing in it is repaired or guessed (spec M6).

    Raises RequestFailed: an id or path that was not in the question is an unknown name, anything else that is
    not of the schema, or more than was wanted, is malformed.
    """
    try:
        answer = msgspec.convert(value, _ANSWERS[halves.capabilities, halves.actions])
    except msgspec.ValidationError as error:
        raise _malformed(str(error)) from error
    suggestions = tuple(Suggestion(one.id, one.why) for one in getattr(answer, "capabilities", ()))
    actions: tuple[Action, ...] = tuple(map(_action, getattr(answer, "actions", ())))
    if len(actions) > halves.budget:
        raise _malformed(f"{counted(len(actions), 'action')}, and {halves.budget} may be done")
    _check_sentences(one.why for one in (*suggestions, *actions))
    _check_names("capability", [one.id for one in suggestions], {entry.id for entry in catalog.entries})
    _check_names("path", [one.path for one in actions if isinstance(one, Read)], candidates)
    for one in actions:
        if isinstance(one, Bash) and (fault := command_fault(one.command)):
            raise _malformed(fault)
    return Prediction(suggestions, actions)


_Why = Annotated[str, Meta(min_length=1, max_length=_LONGEST_WHY)]
_Name = Annotated[str, Meta(min_length=1, max_length=_LONGEST_NAME)]


class _Suggested(Struct, forbid_unknown_fields=True):
    id: _Name
    why: _Why


class _ReadTold(Struct, forbid_unknown_fields=True, tag_field="kind", tag="read"):
    path: _Name
    why: _Why


class _BashTold(Struct, forbid_unknown_fields=True, tag_field="kind", tag="bash"):
    command: Annotated[str, Meta(max_length=LONGEST_COMMAND)]
    why: _Why


_Suggestions = Annotated[list[_Suggested], Meta(max_length=MOST_SUGGESTIONS)]
_Actions = Annotated[list[_ReadTold | _BashTold], Meta(max_length=MOST_ACTIONS)]


class _Capabilities(Struct, forbid_unknown_fields=True):
    capabilities: _Suggestions


class _ActionsAlone(Struct, forbid_unknown_fields=True):
    actions: _Actions


class _Both(Struct, forbid_unknown_fields=True):
    capabilities: _Suggestions
    actions: _Actions


_ANSWERS: dict[tuple[bool, bool], type[Struct]] = {
    (True, True): _Both,
    (True, False): _Capabilities,
    (False, True): _ActionsAlone,
}


def _action(told: _ReadTold | _BashTold) -> Action:
    return Read(told.path, told.why) if isinstance(told, _ReadTold) else Bash(told.command, told.why)


def _check_sentences(sentences: Iterable[str]) -> None:
    """Each `why` becomes an intent, and an empty one would be refused there (spec C2)."""
    if not all(map(has_visible_character, sentences)):
        raise _malformed("a `why` without a visible character")


def _check_names(kind: str, names: list[str], known: Candidates | set[str]) -> None:
    for name in names:
        if name not in known:
            msg = f"the answer names a {kind} that was not in the question: {plain_line(name, 200)}"
            raise RequestFailed(Failure.UNKNOWN_NAME, msg)
    if len(set(names)) < len(names):
        raise _malformed(f"a {kind} that is named twice")


def _malformed(fault: str) -> RequestFailed:
    return RequestFailed(Failure.MALFORMED, f"the answer is not of the schema's shape: {plain_line(fault, 300)}")


def _wanted(halves: Halves) -> str:
    capabilities = f"at most {MOST_SUGGESTIONS}" if halves.capabilities else _NEVER
    return f"capabilities, {capabilities}; actions, {f'at most {halves.budget}' if halves.actions else _NEVER}."


def _is_skill(entry: Capability) -> bool:
    return entry.kind is CapabilityKind.SKILL


def _catalog_lines(entries: Iterable[Capability]) -> str:
    """One entry a line, as JSON: a description cannot leave its line (spec D1)."""
    lines = []
    for entry in entries:
        told = {"id": entry.id, "name": entry.name, "description": entry.description}
        lines.append(json.dumps(told | ({"path": entry.path} if entry.path else {}), ensure_ascii=False))
    return "\n".join(lines) or "There are no capabilities."


def _path_lines(candidates: Candidates, index: Index) -> str:
    lines = [json.dumps(path, ensure_ascii=False) for path in candidates.places]
    end = "nothing was left out by the bounds" if index.stopped is None else f"the bound on {index.stopped} ended it"
    return "\n".join([*lines, f"({counted(len(lines), 'path')}; {end})"])


def _object(**properties: object) -> dict[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _text(longest: int) -> dict[str, object]:
    return {"type": "string", "minLength": 1, "maxLength": longest}
