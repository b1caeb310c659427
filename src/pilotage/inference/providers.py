"""The providers whose addresses Pi knows by itself, as far as they speak chat completions.

As in Pi's own catalogue (version 1.6.0), which a test compares. Pi asks `openai` and `xai` by another protocol; both
serve chat completions at the same address, and Pi's adapter for those knows them.
"""

from collections.abc import Mapping

from msgspec import Struct


class Provider(Struct, frozen=True):
    """A provider that stands in no file of the person's."""

    url: str
    """The base URL, to which `/chat/completions` is added."""
    keys: tuple[str, ...]
    """The environment variables that may hold its key, the first one that is set counts."""
    compat: Mapping[str, object] = {}
    """What its servers take, where their address does not tell."""


_NO_STORE: Mapping[str, object] = {"supportsStore": False}
_OLD_LIMIT: Mapping[str, object] = {"supportsStore": False, "maxTokensField": "max_tokens"}

PROVIDERS: Mapping[str, Provider] = {
    "ant-ling": Provider("https://api.ant-ling.com/v1", ("ANT_LING_API_KEY",)),
    "baseten": Provider("https://inference.baseten.co/v1", ("BASETEN_API_KEY",), _OLD_LIMIT),
    "cerebras": Provider("https://api.cerebras.ai/v1", ("CEREBRAS_API_KEY",)),
    "deepseek": Provider("https://api.deepseek.com", ("DEEPSEEK_API_KEY",)),
    "fireworks": Provider("https://api.fireworks.ai/inference/v1", ("FIREWORKS_API_KEY",), _NO_STORE),
    "groq": Provider("https://api.groq.com/openai/v1", ("GROQ_API_KEY",)),
    "huggingface": Provider("https://router.huggingface.co/v1", ("HF_TOKEN",)),
    "kimi-coding": Provider("https://api.kimi.com/coding/v1", ("KIMI_API_KEY",), _OLD_LIMIT),
    "moonshotai": Provider("https://api.moonshot.ai/v1", ("MOONSHOT_API_KEY",)),
    "moonshotai-cn": Provider("https://api.moonshot.cn/v1", ("MOONSHOT_API_KEY",)),
    "nvidia": Provider("https://integrate.api.nvidia.com/v1", ("NVIDIA_API_KEY",)),
    "openai": Provider("https://api.openai.com/v1", ("OPENAI_API_KEY",)),
    "opencode": Provider("https://opencode.ai/inference/openai/v1", ("OPENCODE_API_KEY",), _OLD_LIMIT),
    "opencode-go": Provider("https://opencode.ai/inference/go/openai/v1", ("OPENCODE_API_KEY",), _OLD_LIMIT),
    "openrouter": Provider("https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",)),
    "qwen-token-plan": Provider(
        "https://token-plan.maas.qwencloudapi.com/compatible-mode/v1",
        ("QWEN_TOKEN_PLAN_TEAM_API_KEY", "QWEN_TOKEN_PLAN_API_KEY"),
        _NO_STORE,
    ),
    "qwen-token-plan-cn": Provider(
        "https://token-plan.maas.qianwenaiapi.com/compatible-mode/v1",
        ("QWEN_TOKEN_PLAN_TEAM_CN_API_KEY", "QWEN_TOKEN_PLAN_CN_API_KEY"),
        _NO_STORE,
    ),
    "together": Provider("https://api.together.ai/v1", ("TOGETHER_API_KEY",)),
    "xai": Provider("https://api.x.ai/v1", ("XAI_API_KEY",)),
    "xiaomi": Provider("https://api.xiaomimimo.com/v1", ("XIAOMI_API_KEY",)),
    "zai": Provider("https://api.z.ai/api/coding/paas/v4", ("ZAI_API_KEY",)),
    "zai-coding-cn": Provider("https://open.bigmodel.cn/api/coding/paas/v4", ("ZAI_CODING_CN_API_KEY",)),
}
"""By Pi's name of the provider."""

ALSO_COMPLETIONS = ("openai", "xai")
"""Providers that Pi asks by another protocol, and that take chat completions too."""

LLAMA = "llama.cpp"
"""Pi's name of the local server."""
LLAMA_URL = "http://127.0.0.1:9931"
"""Where Pi looks for it when nothing else is said; what it serves lies under `/v1`."""
