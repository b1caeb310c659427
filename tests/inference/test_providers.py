import json
import re

import pytest

from pilotage.inference.compat import find_compat
from pilotage.inference.providers import ALSO_COMPLETIONS, LLAMA_URL, PROVIDERS
from tests.pi.find import Pi

pytestmark = pytest.mark.pi


@pytest.mark.parametrize("name", sorted(PROVIDERS))
def test_addresses_are_those_of_pi(pi: Pi, name: str) -> None:
    """Addresses and variables are those of Pi's own catalogue, and so is the protocol."""
    folder = pi.packages / "node_modules" / "@earendil-works" / "pi-ai" / "dist" / "providers"
    catalogue = json.loads((folder / "data" / f"{name}.json").read_text())
    models = catalogue["openai-responses" if name in ALSO_COMPLETIONS else "openai-completions"].values()
    assert {model["baseUrl"] for model in models} == {PROVIDERS[name].url}
    named = re.search(r"envApiKeyAuth\([^\[]*\[([^\]]*)\]", (folder / f"{name}.js").read_text())
    assert named
    assert re.findall(r'"([A-Z_]+)"', named[1]) == [*PROVIDERS[name].keys]


@pytest.mark.parametrize("name", sorted(set(PROVIDERS) - set(ALSO_COMPLETIONS)))
def test_habits_are_those_of_pi(pi: Pi, name: str) -> None:
    """Of a model of which nothing is known its provider tells what Pi's catalogue says of all its models."""
    folder = pi.packages / "node_modules" / "@earendil-works" / "pi-ai" / "dist" / "providers" / "data"
    models = json.loads((folder / f"{name}.json").read_text())["openai-completions"].values()
    provider = PROVIDERS[name]
    told = find_compat(name, provider.url, provider.compat)
    listed = [find_compat(name, provider.url, model.get("compat", {})) for model in models]
    assert {compat.max_tokens_field for compat in listed} == {told.max_tokens_field}
    assert {compat.takes_store for compat in listed} == {told.takes_store}
    assert {compat.tells_usage for compat in listed} == {told.tells_usage}


def test_local_server_is_where_pi_looks(pi: Pi) -> None:
    """The local server's address is Pi's own default."""
    file = pi.packages / "node_modules/@earendil-works/pi-coding-agent/dist/extensions/llama/provider.js"
    assert f'DEFAULT_LLAMA_SERVER_URL = "{LLAMA_URL}"' in file.read_text()
