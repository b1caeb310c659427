"""What a server takes in a chat-completions request, as Pi's model entries say or its address tells (`HOST.md` f)."""

from collections.abc import Mapping

from msgspec import Struct

from pilotage.records.fields import as_dict, as_text

NESTED = ("openRouterRouting", "vercelGatewayRouting", "chatTemplateKwargs", "chatTemplateArgs")
"""Fields of which the parts are merged, where others replace each other as a whole."""


class Compat(Struct, frozen=True):
    """How one server differs from OpenAI's."""

    max_tokens_field: str
    """The field that bounds the answer: `max_completion_tokens` or `max_tokens`."""
    thinking_format: str
    """How thinking is asked for: `openai`, `qwen`, `zai` and so on."""
    takes_store: bool
    """Whether `store` may be sent."""
    takes_developer: bool
    """Whether a thinking model's system part has the role `developer`."""
    takes_effort: bool
    """Whether `reasoning_effort` may be sent."""
    tells_usage: bool
    """Whether usage may be asked for in a stream."""
    budget_field: str
    """The field that bounds thinking; empty: none."""
    extra: Mapping[str, object]
    """Fields that are sent as they are: routing, priority."""
    template_values: Mapping[str, object]
    """What `chat-template` and `baseten` put into the chat template."""


def merge_compat(base: Mapping[str, object], over: Mapping[str, object]) -> dict[str, object]:
    """Lay one `compat` object over another, as Pi does."""
    merged = {**base, **over}
    for name in NESTED:
        if name in base or name in over:
            merged[name] = {**as_dict(base.get(name)), **as_dict(over.get(name))}
    return merged


def find_compat(provider: str, url: str, given: Mapping[str, object]) -> Compat:
    """Say what a server takes: what stands in `given` (Pi's `compat` object), else what its address tells."""
    told = _Told(provider, url)
    thinking_format = as_text(given.get("thinkingFormat")) or told.thinking_format
    template = "chatTemplateArgs" if thinking_format == "baseten" else "chatTemplateKwargs"
    budget = "thinking_token_budget" if given.get("supportsThinkingTokenBudget") is True else ""
    return Compat(
        max_tokens_field=as_text(given.get("maxTokensField")) or told.max_tokens_field,
        thinking_format=thinking_format,
        takes_store=_flag(given, "supportsStore", told.takes_store),
        takes_developer=_flag(given, "supportsDeveloperRole", told.is_openai),
        takes_effort=_flag(given, "supportsReasoningEffort", told.takes_effort),
        tells_usage=_flag(given, "supportsUsageInStreaming", True),
        budget_field=as_text(given.get("thinkingTokenBudgetField")) or budget,
        extra=_extra(given),
        template_values=as_dict(given.get(template)),
    )


def _flag(given: Mapping[str, object], name: str, otherwise: bool) -> bool:
    value = given.get(name)
    return value if isinstance(value, bool) else otherwise


def _extra(given: Mapping[str, object]) -> dict[str, object]:
    extra: dict[str, object] = {}
    if as_dict(given.get("openRouterRouting")):
        extra["provider"] = given["openRouterRouting"]
    gateway = {
        name: value for name, value in as_dict(given.get("vercelGatewayRouting")).items() if name in ("only", "order")
    }
    if gateway:
        extra["providerOptions"] = {"gateway": gateway}
    if isinstance(given.get("vllmPriority"), int | float):
        extra["priority"] = given["vllmPriority"]
    return extra


class _Told:
    """What Pi takes from a provider's name and address."""

    def __init__(self, provider: str, url: str) -> None:
        def is_one(names: str, *hosts: str) -> bool:
            return provider in names.split() or any(host in url for host in hosts)

        zai = is_one("zai zai-coding-cn", "api.z.ai", "open.bigmodel.cn")
        together = is_one("together", "api.together.ai", "api.together.xyz")
        moonshot = is_one("moonshotai moonshotai-cn", "api.moonshot.")
        nvidia = is_one("nvidia", "integrate.api.nvidia.com")
        ling = is_one("ant-ling", "api.ant-ling.com")
        deepseek = provider == "deepseek" or "deepseek.com" in url.lower()
        grok = is_one("xai", "api.x.ai")
        gateway = is_one("cloudflare-ai-gateway", "gateway.ai.cloudflare.com")
        others = is_one("cerebras cloudflare-workers-ai opencode", "cerebras.ai", "api.cloudflare.com", "opencode.ai")
        chutes = "chutes.ai" in url
        self.is_openai = is_one("openai", "api.openai.com")
        self.takes_store = not any((zai, together, moonshot, nvidia, ling, deepseek, grok, gateway, others, chutes))
        self.takes_effort = not any((grok, zai, moonshot, together, gateway, nvidia, ling))
        is_old = any((chutes, deepseek, moonshot, gateway, together, nvidia, ling, zai))
        self.max_tokens_field = "max_tokens" if is_old else "max_completion_tokens"
        formats = {
            "deepseek": deepseek,
            "zai": zai,
            "together": together,
            "ant-ling": ling,
            "openrouter": is_one("openrouter", "openrouter.ai"),
        }
        self.thinking_format = next((name for name, is_it in formats.items() if is_it), "openai")
