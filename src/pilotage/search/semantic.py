"""A model's choice from the catalog as pure functions: the question, and the check of its answer (spec D6, M5-M7)."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from string import Template

from msgspec import Struct

from pilotage.figures import counted
from pilotage.inference.question import Failure, Question, RequestFailed
from pilotage.records.capability import Capability, CapabilityKind, Catalog
from pilotage.search.exact import is_server, read_query
from pilotage.search.index import Index
from pilotage.search.lexical import rank

BUDGET = 60_000
"""Characters of the catalog that a question holds, about 15,000 tokens: what a small local model still reads."""

MOST_CHOSEN = 20
"""Capabilities that an answer names at the most, whatever the limit is."""

LONGEST_WHY = 200
"""Characters of a reason."""

LONGEST_ID = 200
"""Characters of an id."""

MAX_TOKENS = 8192
"""Tokens of an answer, thinking included; the answer itself takes some hundred."""

_LONGEST_WISH = 4000
_LONGEST_DESCRIPTION = 8000


class Chosen(Struct, frozen=True):
    """One capability that the model chose."""

    id: str
    """Its id."""
    why: str
    """What it serves for, in the model's words."""
    confidence: float
    """How sure the model says it is, from 0 to 1."""


class Choice(Struct, frozen=True):
    """What the model chose; nothing, where it found nothing that fits."""

    chosen: tuple[Chosen, ...]
    """Each once, in the model's order."""


class Shortlist(Struct, frozen=True):
    """The part of a catalog that a question can hold."""

    catalog: Catalog
    """Its entries, by id."""
    left_out: int
    """How many entries of the kind that was asked for are not in it."""


def shortlist(catalog: Catalog, index: Index, typed: str) -> Shortlist:
    """All entries of the kind that a query says, or as many as a question holds, by words the likeliest.

    Whoever asks gives its catalog to `question` and to `choice`.
    """
    query = read_query(typed)
    entries = {entry.id: entry for entry in sorted(catalog.entries, key=lambda entry: entry.id) if query.admits(entry)}
    found = [one.id for one in rank(index.words, query.text) if one.id in entries]
    # Skills and servers come next: few, and each stands for much.
    whole = [entry.id for entry in entries.values() if entry.kind is CapabilityKind.SKILL or is_server(entry)]
    room = BUDGET
    taken = set()
    for id_ in dict.fromkeys((*found, *whole, *entries)):
        size = len(_line(entries[id_])) + 1
        if size <= room:
            room -= size
            taken.add(id_)
    kept = tuple(entry for id_, entry in entries.items() if id_ in taken)
    return Shortlist(Catalog(kept), len(entries) - len(kept))


def question(catalog: Catalog, typed: str, limit: int, left_out: int = 0) -> Question:
    """What a model is asked for a wish over these entries, of which `left_out` others are not told."""
    schema = answer_schema(limit)
    told = f"{counted(len(catalog.entries), 'capability', 'capabilities')}, one a line"
    if left_out:
        told += f"; {left_out:,} more share fewer words with the wish and are not told"
    user = _template("user").substitute(
        told=told,
        catalog="\n".join(map(_line, catalog.entries)),
        most=_most(limit),
        schema=_json(schema),
        wish=_json(read_query(typed).text[:_LONGEST_WISH]),
    )
    return Question("search", _template("system").substitute(), user, schema, MAX_TOKENS)


def answer_schema(limit: int) -> dict[str, object]:
    """The JSON Schema of an answer; it does not depend on the catalog (spec M7)."""
    fields = {
        "id": {"type": "string", "maxLength": LONGEST_ID},
        "why": {"type": "string", "maxLength": LONGEST_WHY},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
    }
    one = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
    chosen = {"type": "array", "items": one, "maxItems": _most(limit)}
    return {"type": "object", "properties": {"chosen": chosen}, "required": ["chosen"], "additionalProperties": False}


def choice(value: object, catalog: Catalog, limit: int) -> Choice:
    """What a model chose, checked to the letter against the entries that it was told (spec M6).

    Raises RequestFailed: `malformed` for another shape, a bound that is passed or an id named twice, `unknown-name`
    for an id that was not in the question.
    """
    ids = {entry.id for entry in catalog.entries}
    listed = _fields(value, ("chosen",), "the answer")["chosen"]
    if not isinstance(listed, list):
        raise _malformed("chosen is no array")
    if len(listed) > _most(limit):
        raise _malformed(f"{len(listed)} capabilities are chosen, at most {_most(limit)} may be")
    chosen: dict[str, Chosen] = {}
    for place, item in enumerate(listed, 1):
        one = _chosen(item, f"choice {place}")
        if one.id not in ids:
            raise RequestFailed(Failure.UNKNOWN_NAME, f"The model chose {_json(one.id)}, which it was not told of.")
        if one.id in chosen:
            raise _malformed(f"{one.id} is chosen twice")
        chosen[one.id] = one
    return Choice(tuple(chosen.values()))


def _chosen(item: object, where: str) -> Chosen:
    fields = _fields(item, ("id", "why", "confidence"), where)
    id_, why, confidence = fields["id"], fields["why"], fields["confidence"]
    if not isinstance(id_, str) or len(id_) > LONGEST_ID:
        raise _malformed(f"the id of {where} is no text of at most {LONGEST_ID} characters")
    if not isinstance(why, str) or len(why) > LONGEST_WHY:
        raise _malformed(f"the why of {where} is no text of at most {LONGEST_WHY} characters")
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0 <= confidence <= 1:
        raise _malformed(f"the confidence of {where} is no number from 0 to 1")
    return Chosen(id_, why, float(confidence))


def _fields(value: object, names: tuple[str, ...], where: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise _malformed(f"{where} is no object")
    missing = [name for name in names if name not in value]
    extra = [name for name in value if name not in names]
    if missing:
        raise _malformed(f"{where} lacks {', '.join(missing)}")
    if extra:
        raise _malformed(f"{where} holds a field that nobody asked for: {_json(extra[0])}")
    return value


def _malformed(fault: str) -> RequestFailed:
    return RequestFailed(Failure.MALFORMED, f"The model's answer has another shape than was asked for: {fault}.")


def _most(limit: int) -> int:
    return max(1, min(limit, MOST_CHOSEN))


def _line(entry: Capability) -> str:
    """An entry as one line of JSON: nothing in it can end the line, whatever it holds."""
    description = entry.description
    if len(description) > _LONGEST_DESCRIPTION:
        description = f"{description[:_LONGEST_DESCRIPTION]}…"
    return _json({"id": entry.id, "description": description})


def _json(value: object) -> str:
    # Lone surrogates cannot be sent; what JavaScript takes for a line's end must not end one here.
    text = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode()
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("\x85", "\\u0085")


@cache
def _template(name: str) -> Template:
    return Template((files("pilotage.search") / "prompts" / f"{name}.md").read_text("utf-8").strip())
