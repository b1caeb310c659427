"""The model server of the configuration: where it is, and whether it answers."""

import http.client
import os
from pathlib import Path
from urllib.parse import urlsplit

from pilotage.hosts.pi.finding import Finding, note, ok, wrong
from pilotage.inference.locate import find_place
from pilotage.inference.question import RequestFailed
from pilotage.records.configuration import Configuration

CHECK = "model server"

_PATIENCE = 2.0


def examine_server(configuration: Configuration, agent: Path) -> Finding:
    """Ask the server for its models, without a key: any answer will do. Raises FaultyFile."""
    who = f"{configuration.provider}/{configuration.model}"
    mend = f"start it, or name another with provider and model in capabilityDiscovery, in {agent / 'settings.json'}"
    try:
        place = find_place(configuration, agent, os.environ)
    except RequestFailed as failed:
        return _told(configuration, str(failed), "see capabilityDiscovery in Pi's settings.json, and models.json")
    if place is None:
        return note(
            CHECK, f"{who}: where it is stands in no file; Pi knows it", "`pi --list-models` shows what Pi knows"
        )
    fault = _fault(place.url)
    if fault is None:
        return ok(CHECK, f"{who} answers at {place.url}")
    return _told(configuration, f"{who} does not answer at {place.url}: {fault}", mend)


def _told(configuration: Configuration, words: str, mend: str) -> Finding:
    """What is wrong where a feature asks the model by itself, and a note where none does."""
    if configuration.asks_by_itself:
        return wrong(CHECK, words, mend)
    return note(CHECK, f"{words}; nothing asks it, as all three features are off", mend)


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
