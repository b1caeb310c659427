"""An answer held to the letter: pairs of two texts and nothing else; nothing is repaired (spec R3, M6)."""

from pilotage.contract.provenance import has_visible_character
from pilotage.inference.question import Failure, RequestFailed
from pilotage.review.question import KEY, LONGEST, MOST_PAIRS

Pair = tuple[str, str]
"""[where the agent deviated and what to do, the principle's source and its own words]."""


def pairs(value: object) -> tuple[Pair, ...]:
    """The reminders of a decoded answer: an object whose only key is `reminders`, or the bare array.

    Raises RequestFailed as `malformed`, with what is wrong and where, for any other shape.
    """
    array = _array(value)
    if len(array) > MOST_PAIRS:
        raise _malformed(f"it has {len(array)} reminders, and {MOST_PAIRS} are the most")
    return tuple(_pair(item, number) for number, item in enumerate(array, 1))


def _array(value: object) -> list[object]:
    if isinstance(value, dict):
        if list(value) != [KEY]:
            raise _malformed(f"the object has {_keys(value)} where `{KEY}` must be the only key")
        value = value[KEY]
    if not isinstance(value, list):
        raise _malformed(f"it has {_kind(value)} where an array of reminders must be")
    return value


def _pair(item: object, number: int) -> Pair:
    where = f"reminder {number}"
    if not isinstance(item, list):
        raise _malformed(f"{where} is {_kind(item)} and no array of two texts")
    if len(item) != 2:
        raise _malformed(f"{where} has {len(item)} parts and not two")
    deviation, source = item
    return _text(deviation, f"{where}, first text"), _text(source, f"{where}, second text")


def _text(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise _malformed(f"{where} is {_kind(value)}")
    if not has_visible_character(value):
        raise _malformed(f"{where} is empty")
    if len(value) > LONGEST:
        raise _malformed(f"{where} has {len(value):,} characters, and {LONGEST} are the most")
    return value


def _malformed(what: str) -> RequestFailed:
    return RequestFailed(Failure.MALFORMED, f"the model's answer has the wrong shape: {what}")


def _keys(value: dict[object, object]) -> str:
    named = [f"`{str(key)[:40]}`" for key in list(value)[:4]]
    more = [f"{len(value) - 4} more"] if len(value) > 4 else []
    return f"the keys {', '.join(named + more)}" if named else "no key"


def _kind(value: object) -> str:
    """What a JSON value is, in words."""
    names = {str: "a text", dict: "an object", list: "an array", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
