"""The body of a request: what is asked, without secrets, as one server takes it (spec M1, M5, M9)."""

import json
import re
from collections.abc import Sequence

from msgspec import Struct

from pilotage.inference.levels import fit_level, most_tokens, thinking_fields
from pilotage.inference.question import Question
from pilotage.inference.target import Target
from pilotage.redaction import redact

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_NO_NAME = re.compile(r"[^A-Za-z0-9_-]")


class Body(Struct, frozen=True):
    """A request's body, and what it was made of."""

    text: str
    """The JSON; encoded as UTF-8 it is what is sent, byte for byte."""
    system: str
    """The system part in it."""
    user: str
    """The user part in it."""
    replaced: int
    """How many secrets were replaced in both."""


def make_body(target: Target, question: Question, level: str, secrets: Sequence[str], *, stream: bool) -> Body:
    """Write the body that asks a question at a thinking level; `secrets` are replaced besides known shapes.

    No sampling is asked for but what the model entry asks for in every request.
    """
    system, user = (redact(_whole_characters(part), secrets) for part in (question.system, question.user))
    limit = most_tokens(target, level, question.max_tokens)
    compat = target.compat
    role = "developer" if compat.takes_developer and target.is_thinking else "system"
    fields: dict[str, object] = {
        "model": target.model,
        "messages": [{"role": role, "content": system.text}, {"role": "user", "content": user.text}],
        "stream": stream,
        **({"stream_options": {"include_usage": True}} if stream and compat.tells_usage else {}),
        **({"store": False} if compat.takes_store else {}),
        compat.max_tokens_field: limit,
        "response_format": _response_format(question),
        **thinking_fields(target, level, limit),
        **compat.extra,
        **target.sampling,
        **target.sampling_by_level.get(fit_level(target, level), {}),
    }
    return Body(json.dumps(fields, ensure_ascii=False), system.text, user.text, system.count + user.count)


def _response_format(question: Question) -> dict[str, object]:
    name = _NO_NAME.sub("_", question.purpose)[:64] or "answer"
    return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": dict(question.schema)}}


def _whole_characters(text: str) -> str:
    """The text with halves of characters, which no encoding can send, shown as U+FFFD."""
    return _LONE_SURROGATE.sub("\ufffd", text)
