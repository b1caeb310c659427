"""Thinking levels: which one a model has, and how a request asks for it (spec M3, `HOST.md` f).

As Pi does it: a level that a model does not have becomes the next higher one that it has, else the next lower.
"""

from collections.abc import Callable, Mapping

from pilotage.inference.target import Target
from pilotage.records.configuration import LEVELS
from pilotage.records.fields import as_dict

_BUDGETS = {"minimal": 1024, "low": 2048, "medium": 8192, "high": 16384, "xhigh": 16384, "max": 16384}
"""Tokens that Pi lets a model think for, where thinking and answer share one limit."""
_LEAST_ANSWER = 1024
_ONLY_WHERE_NAMED = ("xhigh", "max")


def supported_levels(target: Target) -> tuple[str, ...]:
    """The levels that a model has, from none to most."""
    if not target.is_thinking:
        return ("off",)
    return tuple(
        level
        for level in LEVELS
        if (target.levels[level] is not None if level in target.levels else level not in _ONLY_WHERE_NAMED)
    )


def fit_level(target: Target, level: str) -> str:
    """The level that the model has and that comes nearest; one that is no level counts as the lowest."""
    has = supported_levels(target)
    if level in has or level not in LEVELS:
        return level if level in has else (has or ("off",))[0]
    wanted = LEVELS.index(level)
    return next((one for one in (*LEVELS[wanted:], *reversed(LEVELS[:wanted])) if one in has), "off")


def most_tokens(target: Target, level: str, answer: int) -> int:
    """The limit of an answer of so many tokens, with room for thinking where the model thinks."""
    fitted = fit_level(target, level)
    whole = answer + _BUDGETS.get(fitted, 0) if target.is_thinking else answer
    return min(whole, target.most_tokens) if target.most_tokens else whole


def thinking_fields(target: Target, level: str, limit: int) -> dict[str, object]:
    """The fields of a request that ask for a level; none where the model does not think.

    `limit` is the most tokens of thinking and answer together.
    """
    if not target.is_thinking:
        return {}
    fitted = fit_level(target, level)
    effort = "" if fitted == "off" else fitted
    budget = min(_BUDGETS.get(effort, 0), max(0, limit - _LEAST_ANSWER))
    fields = _FORMATS.get(target.compat.thinking_format, _openai)(target, effort, budget)
    if target.compat.budget_field and budget:
        fields[target.compat.budget_field] = budget
    return fields


_Fields = dict[str, object]


def _word(target: Target, effort: str) -> str:
    """The server's word for a level; the level itself where there is none."""
    return target.levels.get(effort) or effort


def _effort(target: Target, effort: str) -> _Fields:
    return {"reasoning_effort": _word(target, effort)} if effort and target.compat.takes_effort else {}


def _has_off(target: Target) -> bool:
    """Whether thinking can be switched off: unless the model entry says that it cannot."""
    return "off" not in target.levels or target.levels["off"] is not None


def _openai(target: Target, effort: str, _: int) -> _Fields:
    if effort:
        return _effort(target, effort)
    word = target.levels.get("off")
    return {"reasoning_effort": word} if word is not None and target.compat.takes_effort else {}


def _zai(target: Target, effort: str, _: int) -> _Fields:
    thinking = {"type": "enabled", "clear_thinking": False} if effort else {"type": "disabled"}
    return {"thinking": thinking, **_effort(target, effort)}


def _qwen(target: Target, effort: str, _: int) -> _Fields:
    return {"enable_thinking": bool(effort), **_effort(target, effort)}


def _qwen_template(_: Target, effort: str, __: int) -> _Fields:
    return {"chat_template_kwargs": {"enable_thinking": bool(effort), "preserve_thinking": True}}


def _template(target: Target, effort: str, budget: int) -> _Fields:
    values = _template_values(target, effort, budget)
    return {"chat_template_kwargs": values} if values else {}


def _baseten(target: Target, effort: str, budget: int) -> _Fields:
    values = _template_values(target, effort, budget)
    fields: _Fields = {"chat_template_args": values} if values else {}
    return fields | _openai(target, effort, budget)


def _deepseek(target: Target, effort: str, _: int) -> _Fields:
    if effort:
        return {"thinking": {"type": "enabled"}, **_effort(target, effort)}
    return {"thinking": {"type": "disabled"}} if _has_off(target) else {}


def _openrouter(target: Target, effort: str, _: int) -> _Fields:
    if effort:
        return {"reasoning": {"effort": _word(target, effort)}}
    return {"reasoning": {"effort": target.levels.get("off") or "none"}} if _has_off(target) else {}


def _ling(target: Target, effort: str, _: int) -> _Fields:
    word = target.levels.get(effort) if effort else None
    return {"reasoning": {"effort": word}} if word is not None else {}


def _together(target: Target, effort: str, _: int) -> _Fields:
    return {"reasoning": {"enabled": bool(effort)}, **_effort(target, effort)}


def _string(target: Target, effort: str, _: int) -> _Fields:
    if effort:
        return {"thinking": _word(target, effort)}
    return {"thinking": target.levels.get("off") or "none"} if _has_off(target) else {}


_FORMATS: Mapping[str, Callable[[Target, str, int], _Fields]] = {
    "zai": _zai,
    "qwen": _qwen,
    "qwen-chat-template": _qwen_template,
    "chat-template": _template,
    "baseten": _baseten,
    "deepseek": _deepseek,
    "openrouter": _openrouter,
    "ant-ling": _ling,
    "together": _together,
    "string-thinking": _string,
}
"""How each of Pi's `thinkingFormat`s is told; any other is `openai`."""


def _template_values(target: Target, effort: str, budget: int) -> _Fields:
    """What goes into the chat template: plain values as they are, variables filled in."""
    variables = {
        "thinking.enabled": bool(effort),
        "thinking.budget": budget or None,
    }
    values: _Fields = {}
    for name, given in target.compat.template_values.items():
        variable = as_dict(given)
        if not isinstance(given, dict):
            values[name] = given
        elif effort or not variable.get("omitWhenOff"):
            known = str(variable.get("$var"))
            values[name] = variables[known] if known in variables else _effort_word(target, effort)
    return {name: value for name, value in values.items() if value is not None}


def _effort_word(target: Target, effort: str) -> str | None:
    return target.levels.get(effort or "off", effort or None)
