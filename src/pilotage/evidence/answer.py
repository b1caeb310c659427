"""The words of an answer, from the body in which they came, however it ended."""

import json
from collections.abc import Iterator

from pilotage.records.fields import as_dict, as_list, as_text


def answer_text(body: str) -> str:
    """What the model wrote in a completion or in an event stream of one; empty where it wrote nothing or it broke.

    For evidence only: whether an answer can be used is not judged here.
    """
    whole = _parsed(body)
    if whole:
        return as_text(as_dict(_choice(whole).get("message")).get("content"))
    return "".join(as_text(as_dict(_choice(event).get("delta")).get("content")) for event in _events(body))


def _events(body: str) -> Iterator[dict[str, object]]:
    for line in body.split("\n"):
        if line.startswith("data:"):
            yield _parsed(line.removeprefix("data:"))


def _parsed(text: str) -> dict[str, object]:
    try:
        return as_dict(json.loads(text))
    except (ValueError, RecursionError):
        return {}


def _choice(completion: dict[str, object]) -> dict[str, object]:
    choices = as_list(completion.get("choices"))
    return as_dict(choices[0]) if choices else {}
