import asyncio
import json
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pilotage.inference.locate import find_place
from pilotage.inference.question import Failure, RequestFailed
from pilotage.inference.resolve import resolve
from pilotage.inference.target import Target
from pilotage.jsonfiles import FaultyFile
from pilotage.records.configuration import Configuration

KEY = "canary-Key-0123456789"


def write(agent: Path, **files: Any) -> None:
    """Write Pi's files: `models`, `auth`, `store`."""
    names = {"models": "models.json", "auth": "auth.json", "store": "models-store.json"}
    for name, content in files.items():
        text = content if isinstance(content, str) else json.dumps(content)
        (agent / names[name]).write_text(text)


def found(agent: Path, provider: str = "own", model: str = "m", **environ: str) -> Target:
    """Resolve a model, and check that its key shows in no form of the target."""
    target = asyncio.run(
        resolve(Configuration(provider=provider, model=model), agent, {"PATH": os.environ["PATH"], **environ})
    )
    assert KEY not in f"{target!r} {target} {msgspec.structs.asdict(target)}"
    with pytest.raises(TypeError):
        msgspec.json.encode(target)
    return target


def headers(target: Target) -> dict[str, str]:
    """Give the headers as they are sent."""
    return {name: value.reveal() for name, value in target.headers.items()}


def unfound(failure: Failure, agent: Path, provider: str = "own", model: str = "m", **environ: str) -> str:
    """Give the words of a failure, which must be this one."""
    with pytest.raises(RequestFailed) as raised:
        found(agent, provider, model, **environ)
    assert raised.value.failure is failure, raised.value
    assert KEY not in str(raised.value)
    return str(raised.value)


OWN = {"baseUrl": "http://host:1/v1/", "apiKey": KEY, "api": "openai-completions", "models": [{"id": "m"}]}


def test_the_default_is_the_local_server(tmp_path: Path) -> None:
    """Without any file, `llama` is Pi's llama.cpp where Pi looks for it, and needs no key (spec M2)."""
    target = found(tmp_path, "llama", "iq3")
    assert (target.name, target.url) == ("llama/iq3", "http://127.0.0.1:9931/v1")
    assert headers(target) == {"authorization": "Bearer local"}
    assert target.secrets() == ()
    assert (target.compat.max_tokens_field, target.compat.takes_store) == ("max_tokens", False)


@pytest.mark.parametrize("provider", ["llama", "llama.cpp"])
def test_address_of_the_local_server(tmp_path: Path, provider: str) -> None:
    """Its address stands in auth.json, else in the environment, else in models.json; `/v1` is added once."""
    write(tmp_path, models={"providers": {"llama.cpp": {"baseUrl": "http://models:1"}}})
    assert found(tmp_path, provider, "x").url == "http://models:1/v1"
    assert found(tmp_path, provider, "x", LLAMA_BASE_URL=" http://env:1/v1/ ").url == "http://env:1/v1"
    write(tmp_path, auth={"llama.cpp": {"type": "api_key", "env": {"LLAMA_BASE_URL": "http://auth:1/"}}})
    target = found(tmp_path, provider, "x", LLAMA_BASE_URL="http://env:1", LLAMA_API_KEY=KEY)
    assert (target.url, headers(target)) == ("http://auth:1/v1", {"authorization": f"Bearer {KEY}"})


def test_a_provider_named_llama_comes_first(tmp_path: Path) -> None:
    """Where models.json names a provider `llama`, it is that one (spec M2)."""
    write(tmp_path, models={"providers": {"llama": {**OWN, "models": [{"id": "iq3", "reasoning": True}]}}})
    target = found(tmp_path, "llama", "iq3", LLAMA_BASE_URL="http://env:1")
    assert (target.url, target.is_thinking) == ("http://host:1/v1", True)


def test_what_pi_learnt_of_a_server(tmp_path: Path) -> None:
    """What Pi keeps of a server's models tells whether they think, and how that is asked for."""
    entry = {
        "id": "iq3",
        "api": "openai-completions",
        "reasoning": True,
        "compat": {"thinkingFormat": "qwen-chat-template"},
    }
    write(tmp_path, store={"llama.cpp": {"models": [{"id": "iq3", "type": "classifier"}, entry]}})
    target = found(tmp_path, "llama", "iq3")
    assert (target.is_thinking, target.compat.thinking_format) == (True, "qwen-chat-template")
    write(tmp_path, store="{")
    assert not found(tmp_path, "llama", "iq3").is_thinking


def test_model_entry(tmp_path: Path) -> None:
    """A model's own address, compat and sampling are taken, its overrides laid on top, comments read over."""
    write(
        tmp_path,
        models="""{ // mine
        "providers": {"own": {"baseUrl": "http://host:1", "api": "openai-completions", "apiKey": "k",
          "compat": {"supportsStore": false, "chatTemplateKwargs": {"a": 1}},
          "models": [{"id": "other"}, {"id": "m", "baseUrl": "http://mine:2/x", "reasoning": true, "maxTokens": 900,
            "thinkingLevelMap": {"off": null, "high": "hard"}, "samplingParams": {"top_p": 0.9, "seed": 1},
            "compat": {"maxTokensField": "max_tokens", "thinkingFormat": "chat-template",
                       "chatTemplateKwargs": {"b": 2}}}],
          "modelOverrides": {"m": {"maxTokens": 800, "thinkingLevelMap": {"low": "soft"},
            "samplingParams": {"seed": 2}, "samplingParamsByThinkingLevel": {"off": {"top_k": 1}},
            "compat": {"supportsUsageInStreaming": false}}},
        },}}""",
    )
    target = found(tmp_path)
    assert target.url == "http://mine:2/x"
    assert target.levels == {"off": None, "high": "hard", "low": "soft"}
    assert (target.sampling, target.sampling_by_level) == ({"top_p": 0.9, "seed": 2}, {"off": {"top_k": 1}})
    assert target.most_tokens == 800
    compat = target.compat
    assert (compat.max_tokens_field, compat.takes_store, compat.tells_usage) == ("max_tokens", False, False)
    assert compat.template_values == {"a": 1, "b": 2}


@pytest.mark.parametrize(
    ("auth", "key", "environ", "sent"),
    [
        ({"type": "api_key", "key": "stored"}, "$GIVEN", {"GIVEN": "given"}, "stored"),
        ({"type": "api_key", "key": "$OWN", "env": {"OWN": "mine"}}, "given", {"OWN": "theirs"}, "mine"),
        ({"type": "api_key", "key": "!echo run"}, "given", {}, "run"),
        (None, "$GIVEN", {"GIVEN": "given"}, "given"),
        (None, "pre-${GIVEN}$$", {"GIVEN": "given"}, "pre-given$"),
        (None, "!printf '%s\\n' \"$GIVEN\"", {"GIVEN": "given"}, "given"),
    ],
)
def test_precedence_of_keys(tmp_path: Path, auth: object, key: str, environ: dict[str, str], sent: str) -> None:
    """A stored key counts before one of models.json; variables and commands are resolved in both (pi/HOST.md f)."""
    write(tmp_path, models={"providers": {"own": {**OWN, "apiKey": key}}}, auth={"own": auth} if auth else {})
    assert headers(found(tmp_path, **environ)) == {"authorization": f"Bearer {sent}"}


def test_known_provider(tmp_path: Path) -> None:
    """A provider that Pi knows needs no file: its address is known, and its key stands in its variable."""
    target = found(tmp_path, "zai", "glm-5.2", ZAI_API_KEY=KEY)
    assert (target.url, target.compat.thinking_format) == ("https://api.z.ai/api/coding/paas/v4", "zai")
    assert headers(target) == {"authorization": f"Bearer {KEY}"}
    assert target.secrets() == (f"Bearer {KEY}", KEY)
    write(tmp_path, auth={"zai": {"type": "api_key", "key": "$GONE"}})
    assert headers(found(tmp_path, "zai", "glm-5.2", ZAI_API_KEY=KEY)) == {"authorization": f"Bearer {KEY}"}
    write(tmp_path, models={"providers": {"zai": {"baseUrl": "http://mine", "apiKey": "x", "modelOverrides": {}}}})
    assert found(tmp_path, "zai", "glm-5.2", ZAI_API_KEY=KEY).url == "http://mine"


def test_provider_that_pi_asks_otherwise(tmp_path: Path) -> None:
    """OpenAI, which Pi asks by another protocol, is asked for chat completions, and that is told by its address."""
    entry = {"id": "gpt", "api": "openai-responses", "reasoning": True, "compat": {"supportsStore": False}}
    write(tmp_path, store={"openai": {"models": [entry]}})
    target = found(tmp_path, "openai", "gpt", OPENAI_API_KEY=KEY)
    assert (target.url, target.is_thinking) == ("https://api.openai.com/v1", True)
    assert (target.compat.takes_store, target.compat.takes_developer) == (True, True)


def test_headers(tmp_path: Path) -> None:
    """Headers of the provider, of the overrides and of the model are resolved, the later ones count."""
    provider = {
        **OWN,
        "headers": {"X-A": "1", "X-B": "$TEAM", "X-C": "!echo three", "authorization": "Token $TEAM"},
        "modelOverrides": {"m": {"headers": {"x-a": "2", "X-D": "4"}}},
        "models": [{"id": "m", "headers": {"X-D": "5"}}],
    }
    write(tmp_path, models={"providers": {"own": provider}})
    sent = headers(found(tmp_path, TEAM="blue"))
    assert sent == {"authorization": "Token blue", "x-a": "2", "x-b": "blue", "x-c": "three", "x-d": "5"}
    write(tmp_path, models={"providers": {"own": {**provider, "authHeader": True}}})
    assert headers(found(tmp_path, TEAM="blue"))["authorization"] == f"Bearer {KEY}"


def test_header_in_place_of_a_key(tmp_path: Path) -> None:
    """A provider whose headers authorise needs no key."""
    provider = {"baseUrl": "http://host:1", "headers": {"Authorization": f"Basic {KEY}"}, "models": [{"id": "m"}]}
    write(tmp_path, models={"providers": {"own": provider}})
    assert headers(found(tmp_path)) == {"authorization": f"Basic {KEY}"}


def test_login(tmp_path: Path) -> None:
    """The token of a login is asked of Pi, which renews it; without Pi that is said."""
    write(tmp_path, auth={"xai": {"type": "oauth", "access": KEY, "refresh": KEY, "expires": 0}})
    folder = tmp_path / "bin"
    folder.mkdir()
    words = unfound(Failure.NO_KEY, tmp_path, "xai", "grok", PATH=str(folder))
    assert "no `pi` is on the search path" in words
    (folder / "pi").write_text('#!/bin/sh\necho "$PI_CODING_AGENT_DIR $*"\n')
    (folder / "pi").chmod(0o755)
    sent = headers(found(tmp_path, "xai", "grok", PATH=f"{folder}:{os.environ['PATH']}"))
    assert sent == {"authorization": f"Bearer {tmp_path} auth print-bearer-token --provider xai"}
    (folder / "pi").write_text("#!/bin/sh\nexit 1\n")
    assert "pi auth login xai" in unfound(
        Failure.NO_KEY, tmp_path, "xai", "grok", PATH=f"{folder}:{os.environ['PATH']}"
    )


@pytest.mark.parametrize(
    ("provider", "words"),
    [
        (
            {"api": "anthropic-messages"},
            "own/m speaks anthropic-messages, and Pilotage asks by openai-completions only",
        ),
        ({"models": [{"id": "m", "api": "google-generative-ai"}]}, "speaks google-generative-ai"),
        ({"models": [{"id": "a"}, {"id": "b"}]}, "models.json has no own/m, but a, b"),
        ({"baseUrl": "ftp://x"}, "no http address"),
        ({"baseUrl": "nonsense"}, "no http address"),
        ({"baseUrl": "http://["}, "no http address"),
        ({"baseUrl": "http://h:99999"}, "no http address"),
        ({"baseUrl": ""}, "no http address"),
        ({"baseUrl": f"http://me:{KEY}@host"}, "holds a user, a password or a query"),
        ({"baseUrl": f"http://host/?key={KEY}"}, "holds a user, a password or a query"),
    ],
)
def test_models_that_cannot_be_asked(tmp_path: Path, provider: dict[str, object], words: str) -> None:
    """A model of another protocol, without an address or unknown to its provider is a named failure with its mend."""
    write(tmp_path, models={"providers": {"own": {**OWN, **provider}}})
    said = unfound(Failure.NO_MODEL, tmp_path)
    assert words in said
    assert "capabilityDiscovery" in said


def test_unknown_provider(tmp_path: Path) -> None:
    """A provider that stands in no file is a named failure with its mend."""
    said = unfound(Failure.NO_MODEL, tmp_path, "\x1b[2Jmine", "m")
    assert "models.json" in said
    assert said.isprintable()


@pytest.mark.parametrize(
    ("provider", "words"),
    [
        ({"apiKey": "$GONE"}, "the variable GONE is not set"),
        ({"apiKey": f"!echo {KEY}; exit 1"}, "the command `echo` ended with 1"),
        ({"apiKey": None}, "none is set"),
        ({"headers": {"X-A": "$GONE"}}, "the variable GONE is not set"),
        ({"headers": {"X-A": f"{KEY}\nX-B: 1"}}, "'X-A' of own/m holds what no header can"),
        ({"headers": {"X-A": f"{KEY}é"}}, "'X-A' of own/m holds what no header can"),
        ({"headers": {"X A": KEY}}, "'X A' of own/m holds what no header can"),
        ({"apiKey": f"{KEY}\u2028"}, "'authorization' of own/m holds what no header can"),
    ],
)
def test_keys_that_are_not_to_be_had(tmp_path: Path, provider: dict[str, object], words: str) -> None:
    """A key or header that cannot be resolved or sent is a named failure that shows none of it."""
    write(tmp_path, models={"providers": {"own": {**OWN, **provider}}})
    assert words.lower() in unfound(Failure.NO_KEY, tmp_path).lower()


def test_known_provider_without_key(tmp_path: Path) -> None:
    """The mend names the variable and Pi's login."""
    said = unfound(Failure.NO_KEY, tmp_path, "groq", "m")
    assert "GROQ_API_KEY" in said
    assert "pi auth login groq" in said


@pytest.mark.parametrize("name", ["models", "auth"])
def test_faulty_files(tmp_path: Path, name: str) -> None:
    """A file that does not parse is named, with line and column."""
    write(tmp_path, **{name: "{"})
    assert f"{name}.json" in unfound(Failure.NO_MODEL, tmp_path, "llama", "iq3")
    with pytest.raises(FaultyFile):
        find_place(Configuration(), tmp_path, {})


@pytest.mark.parametrize("odd", [None, 5, [], "x", {"own": 5}, {"own": {"models": {"m": 1}, "baseUrl": 7}}])
def test_odd_files(tmp_path: Path, odd: object) -> None:
    """Whatever shape a file has, there is a model or a named failure."""
    write(tmp_path, models={"providers": odd}, auth={"own": odd}, store={"own": odd, "llama.cpp": odd})
    unfound(Failure.NO_MODEL, tmp_path)
    assert found(tmp_path, "llama", "iq3").url == "http://127.0.0.1:9931/v1"
