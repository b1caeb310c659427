import json

import pytest

from pilotage.inference.body import make_body
from pilotage.inference.levels import fit_level, most_tokens, supported_levels, thinking_fields
from pilotage.inference.target import Target
from pilotage.records.configuration import LEVELS
from tests.inference.asking import QUESTION, target_at


def thinking(thinking_format: str = "openai", levels: dict[str, str | None] | None = None, **compat: object) -> Target:
    """Make a target that thinks."""
    fields = {"thinkingFormat": thinking_format, **compat}
    return target_at("http://host/v1", reasoning=True, thinkingLevelMap=levels or {}, compat=fields)


def test_levels_of_a_model() -> None:
    """A model has every level but the two highest, those where its map names them, and none that is null (spec M3)."""
    assert supported_levels(thinking()) == ("off", "minimal", "low", "medium", "high")
    assert supported_levels(thinking(levels={"off": None, "low": None, "max": "max"})) == (
        "minimal",
        "medium",
        "high",
        "max",
    )
    assert supported_levels(target_at("http://host/v1", thinkingLevelMap={"high": "x"})) == ("off",)


@pytest.mark.parametrize(
    ("levels", "wanted", "fitted"),
    [
        ({}, "medium", "medium"),
        ({}, "max", "high"),
        ({"low": None, "medium": None}, "low", "high"),
        ({"off": None}, "off", "minimal"),
        ({"high": None, "medium": None}, "high", "low"),
        ({"xhigh": "x"}, "max", "xhigh"),
        (dict.fromkeys(LEVELS), "low", "off"),
        ({}, "nonsense", "off"),
    ],
)
def test_level_that_a_model_lacks(levels: dict[str, str | None], wanted: str, fitted: str) -> None:
    """A level that a model lacks becomes the next higher, else the next lower, as in Pi."""
    assert fit_level(thinking(levels=levels), wanted) == fitted


HIGH = {"high": "hard"}


@pytest.mark.parametrize(
    ("target", "off", "high"),
    [
        (thinking(), {}, {"reasoning_effort": "high"}),
        (thinking(levels={"off": "none", **HIGH}), {"reasoning_effort": "none"}, {"reasoning_effort": "hard"}),
        (thinking(supportsReasoningEffort=False), {}, {}),
        (thinking("nonsense"), {}, {"reasoning_effort": "high"}),
        (
            thinking("zai", HIGH),
            {"thinking": {"type": "disabled"}},
            {"thinking": {"type": "enabled", "clear_thinking": False}, "reasoning_effort": "hard"},
        ),
        (thinking("qwen", supportsReasoningEffort=False), {"enable_thinking": False}, {"enable_thinking": True}),
        (
            thinking("qwen-chat-template"),
            {"chat_template_kwargs": {"enable_thinking": False, "preserve_thinking": True}},
            {"chat_template_kwargs": {"enable_thinking": True, "preserve_thinking": True}},
        ),
        (
            thinking("deepseek"),
            {"thinking": {"type": "disabled"}},
            {"thinking": {"type": "enabled"}, "reasoning_effort": "high"},
        ),
        (thinking("deepseek", {"off": None}), {"thinking": {"type": "enabled"}, "reasoning_effort": "minimal"}, None),
        (thinking("openrouter", HIGH), {"reasoning": {"effort": "none"}}, {"reasoning": {"effort": "hard"}}),
        (thinking("openrouter", {"off": "no"}), {"reasoning": {"effort": "no"}}, {"reasoning": {"effort": "high"}}),
        (thinking("ant-ling", HIGH), {}, {"reasoning": {"effort": "hard"}}),
        (thinking("ant-ling"), {}, {}),
        (
            thinking("together"),
            {"reasoning": {"enabled": False}},
            {"reasoning": {"enabled": True}, "reasoning_effort": "high"},
        ),
        (thinking("string-thinking", HIGH), {"thinking": "none"}, {"thinking": "hard"}),
        (
            thinking(
                "chat-template",
                chatTemplateKwargs={
                    "plain": 1,
                    "on": {"$var": "thinking.enabled"},
                    "effort": {"$var": "thinking.effort"},
                    "budget": {"$var": "thinking.budget", "omitWhenOff": True},
                },
            ),
            {"chat_template_kwargs": {"plain": 1, "on": False}},
            {"chat_template_kwargs": {"plain": 1, "on": True, "effort": "high", "budget": 16384}},
        ),
        (
            thinking("baseten", {"off": "none"}, chatTemplateArgs={"on": {"$var": "thinking.enabled"}}),
            {"chat_template_args": {"on": False}, "reasoning_effort": "none"},
            {"chat_template_args": {"on": True}, "reasoning_effort": "high"},
        ),
        (
            thinking(thinkingTokenBudgetField="thinking_budget"),
            {},
            {"reasoning_effort": "high", "thinking_budget": 16384},
        ),
        (thinking(supportsThinkingTokenBudget=True), {}, {"reasoning_effort": "high", "thinking_token_budget": 16384}),
        (target_at("http://host/v1", compat={"thinkingFormat": "qwen"}), {}, {}),
    ],
)
def test_how_thinking_is_asked_for(target: Target, off: dict[str, object], high: dict[str, object] | None) -> None:
    """Each of Pi's formats is written as Pi writes it; of a model that does not think nothing is asked."""
    assert thinking_fields(target, "off", 50_000) == off
    if high is not None:
        assert thinking_fields(target, "high", 50_000) == high


def test_room_for_thinking() -> None:
    """The limit leaves room for thinking, up to what the model writes; without thinking it is the answer's."""
    assert most_tokens(thinking(), "off", 500) == 500
    assert most_tokens(thinking(), "medium", 500) == 500 + 8192
    assert most_tokens(target_at("http://host/v1"), "medium", 500) == 500
    assert most_tokens(target_at("http://host/v1", reasoning=True, maxTokens=4000), "high", 500) == 4000
    budget = thinking_fields(thinking(thinkingTokenBudgetField="b"), "medium", 3000)["b"]
    assert budget == 3000 - 1024


def test_body_of_a_thinking_model() -> None:
    """Routing, sampling and the level's own sampling are sent where the model entry wants them."""
    target = target_at(
        "https://api.openai.com/v1",
        reasoning=True,
        samplingParams={"temperature": 0.6, "top_p": 0.95},
        samplingParamsByThinkingLevel={"off": {"temperature": 0.7}},
        compat={
            "openRouterRouting": {"only": ["x"]},
            "vllmPriority": 1,
            "vercelGatewayRouting": {"order": ["a"], "z": 1},
        },
    )
    body = json.loads(make_body(target, QUESTION, "off", (), stream=False).text)
    assert body["messages"][0]["role"] == "developer"
    assert (body["temperature"], body["top_p"]) == (0.7, 0.95)
    assert (body["provider"], body["priority"]) == ({"only": ["x"]}, 1)
    assert body["providerOptions"] == {"gateway": {"order": ["a"]}}
    assert "stream_options" not in body
