"""The model server of the configuration: where it is, and whether it answers."""

import http.client
import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from pilotage.hosts.pi.finding import Finding, note, ok, wrong
from pilotage.jsonfiles import load_object
from pilotage.records.configuration import Configuration

CHECK = "model server"
LOCAL = "http://127.0.0.1:9931"
"""Where Pi looks for llama.cpp when nothing else is said."""

_PATIENCE = 2.0


def examine_server(configuration: Configuration, agent: Path) -> Finding:
    """Ask the server for its models, without a key: any answer will do. Raises FaultyFile."""
    url = server_url(configuration.provider, agent)
    who = f"{configuration.provider}/{configuration.model}"
    if url is None:
        return note(
            CHECK, f"{who}: where it is stands in no file; Pi knows it", "`pi --list-models` shows what Pi knows"
        )
    fault = _fault(url)
    if fault is None:
        return ok(CHECK, f"{who} answers at {url}")
    mend = f"start it, or name another with provider and model in capabilityDiscovery, in {agent / 'settings.json'}"
    if configuration.asks_by_itself:
        return wrong(CHECK, f"{who} does not answer at {url}: {fault}", mend)
    return note(CHECK, f"{who} does not answer at {url}: {fault}; nothing asks it, as all three features are off", mend)


def server_url(provider: str, agent: Path) -> str | None:
    """The base URL of a provider: as models.json has it, or of the local llama.cpp (`HOST.md` f)."""
    providers = load_object(agent / "models.json", comments=True).get("providers")
    named = providers.get(provider) if isinstance(providers, Mapping) else None
    if isinstance(named, Mapping):
        url = named.get("baseUrl")
        return url if isinstance(url, str) else None
    return _llama_url(agent) if provider in ("llama", "llama.cpp") else None


def _llama_url(agent: Path) -> str:
    stored = load_object(agent / "auth.json").get("llama.cpp")
    own = stored.get("env") if isinstance(stored, Mapping) else None
    named = own.get("LLAMA_BASE_URL") if isinstance(own, Mapping) else None
    root = str(named or os.environ.get("LLAMA_BASE_URL", "").strip() or LOCAL).rstrip("/")
    return root if root.endswith("/v1") else f"{root}/v1"


def _fault(url: str) -> str | None:
    """Why nothing answers at a URL; nothing where something does, be it with a refusal."""
    try:
        parts = urlsplit(url)
        kind = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}.get(parts.scheme)
        if kind is None or not parts.hostname:
            return "not an http URL"
        connection = kind(parts.hostname, parts.port, timeout=_PATIENCE)
        connection.request("GET", f"{parts.path.rstrip('/')}/models")
        connection.getresponse().read(1)
        connection.close()
    except (OSError, ValueError, http.client.HTTPException) as error:
        return str(error) or type(error).__name__
    return None
