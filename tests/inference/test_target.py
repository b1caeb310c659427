import copy
import pickle

import pytest

from pilotage.inference.question import Failure, RequestFailed
from pilotage.inference.target import Secret, target_from_host
from tests.inference.asking import KEY, target_at

MODEL = {
    "id": "glm",
    "provider": "zai",
    "api": "openai-completions",
    "baseUrl": "https://api.z.ai/api/coding/paas/v4",
    "reasoning": True,
    "thinkingLevelMap": {"off": "none", "low": None},
    "compat": {"supportsReasoningEffort": True},
    "headers": {"X-Model": "1", "X-Both": "model"},
    "maxTokens": 4096,
}


def test_what_a_host_says() -> None:
    """What Pi resolved for a served session is taken as it is (spec M2)."""
    auth = {"apiKey": KEY, "headers": {"X-Both": "auth", "X-Gone": None}, "baseUrl": "https://proxy.example/v4/"}
    target = target_from_host({"provider": "zai", "model": MODEL, "auth": auth})
    assert (target.name, target.url, target.most_tokens) == ("zai/glm", "https://proxy.example/v4", 4096)
    assert (target.is_thinking, target.levels) == (True, {"off": "none", "low": None})
    assert target.compat.thinking_format == "zai"
    sent = {name: value.reveal() for name, value in target.headers.items()}
    assert sent == {"authorization": f"Bearer {KEY}", "x-model": "1", "x-both": "auth"}


def test_what_a_host_says_of_another_protocol() -> None:
    """A model of another protocol is a named failure; OpenAI's own takes chat completions too."""
    auth = {"apiKey": KEY}
    with pytest.raises(RequestFailed, match="speaks anthropic-messages") as raised:
        target_from_host({"model": {**MODEL, "api": "anthropic-messages"}, "auth": auth})
    assert raised.value.failure is Failure.NO_MODEL
    openai = {**MODEL, "provider": "openai", "api": "openai-responses", "compat": {"supportsStore": False}}
    assert target_from_host({"model": openai, "auth": auth}).compat.takes_store is False
    openai["baseUrl"] = "https://api.openai.com/v1"
    assert target_from_host({"model": openai, "auth": auth}).compat.takes_store is True


@pytest.mark.parametrize(
    ("said", "failure"),
    [
        ({}, Failure.NO_MODEL),
        ({"model": None, "auth": {"apiKey": KEY}}, Failure.NO_MODEL),
        ({"model": MODEL}, Failure.NO_KEY),
        ({"model": MODEL, "auth": {"apiKey": 5, "headers": [KEY]}}, Failure.NO_KEY),
        ({"model": MODEL, "auth": {"apiKey": f"{KEY}\n"}}, Failure.NO_KEY),
        ({"model": {**MODEL, "baseUrl": None}, "auth": {"apiKey": KEY}}, Failure.NO_MODEL),
    ],
)
def test_what_a_host_says_wrong(said: dict[str, object], failure: Failure) -> None:
    """What a host leaves out or says wrong is a named failure that shows no key."""
    with pytest.raises(RequestFailed) as raised:
        target_from_host(said)
    assert raised.value.failure is failure
    assert KEY not in str(raised.value)


def test_a_target_shows_no_secret() -> None:
    """Neither print, format, record nor copy of a target shows its key, and it cannot be pickled."""
    target = target_at("http://host/v1")
    secret = target.headers["authorization"]
    assert KEY not in f"{target!r}{target}{secret!r}{secret}{[secret]}"
    assert secret == Secret(f"Bearer {KEY}")
    assert secret != Secret("x")
    for attempt in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError):
            attempt(secret)
