"""Whether a whole completion is an answer that can be used: JSON and nothing else; nothing is repaired (spec M6)."""

from pilotage.contract.decode import Digits, NotJson, decode
from pilotage.inference.completion import Broken, Completion
from pilotage.inference.question import Failure

_CUT = ("length", "max_tokens", "model_length")
_FILTERED = ("content_filter", "safety", "sensitive", "refusal")
_ENDED = ("", "stop", "end", "end_turn", "eos", "eos_token", "stop_sequence", "tool_calls", "function_call")


def read_answer(completion: Completion, content: str) -> object:
    """Give the value that a completion with this content holds.

    Raises Broken with the first that is wrong: cut off, refused, empty, not JSON, JSON that is not sound.
    """
    reason = completion.finish_reason
    if reason in _CUT:
        raise Broken(Failure.CUT_OFF, "")
    if completion.refusal or reason in _FILTERED:
        raise Broken(Failure.REFUSED, completion.refusal or f"the answer was withheld: {reason}")
    if reason not in _ENDED:
        raise Broken(Failure.SERVER_ERROR, f"it ended the answer with {reason!r}")
    if not content.strip():
        raise Broken(Failure.EMPTY, "it only thought" if completion.has_thought else "")
    return _value(content)


def _value(content: str) -> object:
    try:
        value, notes = decode(content, strict=True)
    except NotJson as error:
        raise Broken(Failure.NOT_JSON, str(error)) from None
    if notes:
        raise Broken(Failure.MALFORMED, notes[0].split(";")[0])
    if not _is_sound(value):
        raise Broken(Failure.MALFORMED, "a number without end or half a character")
    return value


def _is_sound(value: object) -> bool:
    """Whether a value can be written down again as it is."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Digits):
            return False
        if isinstance(one, str):
            if any("\ud800" <= char <= "\udfff" for char in one):
                return False
        elif isinstance(one, list):
            waiting += one
        elif isinstance(one, dict):
            waiting += [*one.keys(), *one.values()]
    return True
