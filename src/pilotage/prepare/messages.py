"""What a preparation brought, as the messages that every later request shows at the same place (spec P6).

They are made once and stored: pure functions of what they are given, so that they are the same to the byte each time.
Suggestions are a text of their own before the tool records, and in the user's role, as nobody called a tool for them:
a record of `tool_search` would say that it had run, and something loaded.
"""

import hashlib
from collections.abc import Mapping, Sequence

from msgspec import Struct

from pilotage.prepare.templates import marked, rendered
from pilotage.records.capability import Capability, Catalog
from pilotage.records.preparation import ActionResult, Bash, Suggestion

Message = dict[str, object]


class Speaker(Struct, frozen=True):
    """Which model the assistant message is said to be from: the main model, or hosts treat it as a stranger's."""

    provider: str
    """The host's name of the provider."""
    model: str
    """The model's id."""
    api: str
    """The host's name of the protocol."""


def tool_messages(
    input_id: str,
    suggestions: Sequence[Suggestion],
    results: Sequence[ActionResult],
    *,
    catalog: Catalog,
    speaker: Speaker,
    at: int,
) -> tuple[Message, ...]:
    """The suggestions as a text and then the done actions as one batch of tool records.

    `at` is when the suggestions came, in milliseconds since the epoch. A refused action leaves no record, and
    where nothing is left to say there is no message.
    """
    said = (_from_pilotage(_suggestions_text(suggestions, catalog), at),) if suggestions else ()
    done = _done(results)
    if not done:
        return said
    ids = [f"pilotage_{hashlib.sha256(input_id.encode()).hexdigest()[:12]}_{number}" for number in range(len(done))]
    answers = (_answer(result, call_id) for result, call_id in zip(done, ids, strict=True))
    return (*said, _calls(done, ids, speaker), *answers)


def text_message(
    suggestions: Sequence[Suggestion],
    results: Sequence[ActionResult],
    *,
    catalog: Catalog,
    at: int,
) -> tuple[Message, ...]:
    """The same as one text, for models that refuse a tool batch without a thinking block; none where it is empty."""
    done = _done(results)
    texts = []
    if suggestions:
        texts.append(_suggestions_text(suggestions, catalog))
    if done:
        texts.append(rendered("results", results="\n\n".join(map(_result_text, done))))
    return (_from_pilotage("\n\n".join(texts), at),) if texts else ()


def prefetch(rounds: Sequence[Sequence[Message]]) -> dict[str, object]:
    """The part of the stored record that holds the messages, as the entry's `prefetch`."""
    return {"rounds": [{"messages": list(messages)} for messages in rounds]}


def _done(results: Sequence[ActionResult]) -> list[ActionResult]:
    return [result for result in results if not result.refusal]


def _from_pilotage(text: str, at: int) -> Message:
    return {"role": "user", "content": [_block(text)], "timestamp": at}


def _calls(results: Sequence[ActionResult], ids: Sequence[str], speaker: Speaker) -> Message:
    calls = [
        {"type": "toolCall", "id": call_id, "name": _tool(result), "arguments": _arguments(result)}
        for result, call_id in zip(results, ids, strict=True)
    ]
    return {
        "role": "assistant",
        "content": calls,
        "api": speaker.api,
        "provider": speaker.provider,
        "model": speaker.model,
        "usage": _no_usage(),
        "stopReason": "toolUse",
        "timestamp": results[0].started,
    }


def _answer(result: ActionResult, call_id: str) -> Message:
    return {
        "role": "toolResult",
        "toolCallId": call_id,
        "toolName": _tool(result),
        "content": [_block(result.text)],
        "isError": result.is_error,
        "durationMs": result.ended - result.started,
        "timestamp": result.ended,
    }


def _tool(result: ActionResult) -> str:
    return "bash" if isinstance(result.action, Bash) else "read"


def _arguments(result: ActionResult) -> Mapping[str, str]:
    """The arguments as the contract has them: what the model said it is for is the intent (spec C1)."""
    action = result.action
    target = {"command": action.command} if isinstance(action, Bash) else {"path": result.path}
    return target | {"intent": action.why}


def _no_usage() -> Message:
    """No tokens and no price: without it every request of the host fails (`PROBES.md` a)."""
    kinds = ("input", "output", "cacheRead", "cacheWrite")
    none = dict.fromkeys(kinds, 0)
    return {**none, "totalTokens": 0, "cost": {**none, "total": 0}}


def _block(text: str) -> Message:
    return {"type": "text", "text": text}


def _suggestions_text(suggestions: Sequence[Suggestion], catalog: Catalog) -> str:
    known = {entry.id: entry for entry in catalog.entries}
    lines = [_suggestion_line(one, known.get(one.id)) for one in suggestions]
    return rendered("suggestions", suggestions="\n".join(lines))


def _suggestion_line(suggestion: Suggestion, entry: Capability | None) -> str:
    name = f" ({_one_line(entry.name)})" if entry and entry.name not in suggestion.id.split(":", 1) else ""
    path = f" [{_one_line(entry.path)}]" if entry and entry.path else ""
    return f"- {_one_line(suggestion.id)}{name}: {_one_line(suggestion.why)}{path}"


def _result_text(result: ActionResult) -> str:
    action = result.action
    target = action.command if isinstance(action, Bash) else result.path
    return f"{_tool(result)}: {_one_line(action.why)}\n{marked(_one_line(target), result.text)}"


def _one_line(text: str) -> str:
    return " ".join(text.split())
