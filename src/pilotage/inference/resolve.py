"""From the configuration to a model that can be asked, with the host's own files (spec M2, `HOST.md` f)."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from pilotage.inference.locate import Place, find_place
from pilotage.inference.providers import LLAMA, PROVIDERS
from pilotage.inference.question import Failure, RequestFailed
from pilotage.inference.target import NAME_ANOTHER, Target, bearer, checked_url, make_target
from pilotage.inference.values import COMMAND_PATIENCE, Unresolved, output_of, resolve_value
from pilotage.jsonfiles import FaultyFile
from pilotage.paths import AGENT_DIR
from pilotage.plain import plain_line
from pilotage.records.configuration import Configuration
from pilotage.records.fields import as_text

_NO_KEY_NEEDED = "local"
"""What Pi sends to a llama.cpp server that was given no key."""


async def resolve(
    configuration: Configuration, agent: Path, environ: Mapping[str, str], *, patience: float = COMMAND_PATIENCE
) -> Target:
    """Find the configured model, its key and its headers.

    `agent` is Pi's own folder; a `!command` and Pi itself have `patience` seconds each. Raises RequestFailed:
    `no-model` where the model is not known or cannot be asked, `no-key` where its key or a header is not to be had.
    """
    name = plain_line(f"{configuration.provider}/{configuration.model}", 200)
    try:
        place = find_place(configuration, agent, environ)
    except FaultyFile as fault:
        raise RequestFailed(Failure.NO_MODEL, f"{fault}; mend the file: Pi cannot read it either") from fault
    if place is None:
        words = (
            f"the provider of {name} stands in no file; give it a baseUrl in {agent / 'models.json'}, or {NAME_ANOTHER}"
        )
        raise RequestFailed(Failure.NO_MODEL, words)
    checked_url(name, place.url)
    try:
        key = await _key(place, agent, environ, patience)
        headers = bearer(key) | await _headers(place, key, environ, patience)
    except Unresolved as fault:
        raise RequestFailed(Failure.NO_KEY, f"no key for {name}: {fault}; {_mend(place, agent)}") from fault
    return make_target(place.provider, place.model, place.own, place.url, place.entry, headers)


async def _key(place: Place, agent: Path, environ: Mapping[str, str], patience: float) -> str:
    """The provider's key: of auth.json, else of models.json, else of its variable. Raises Unresolved."""
    if place.stored.get("type") == "oauth":
        return await _bearer_token(place, agent, environ, patience)
    if place.stored:
        key = await _stored_key(place, environ, patience)
        return key or _key_of_variables(place, environ)
    given = as_text(place.settings.get("apiKey"))
    return await resolve_value(given, environ, None, patience) if given else _key_of_variables(place, environ)


async def _stored_key(place: Place, environ: Mapping[str, str], patience: float) -> str:
    given = as_text(place.stored.get("key"))
    try:
        return await resolve_value(given, environ, place.own_variables, patience) if given else ""
    except Unresolved:
        if place.own in PROVIDERS or place.own == LLAMA:
            # As Pi: a stored key that cannot be had is none, and the provider's variable counts.
            return ""
        raise


def _key_of_variables(place: Place, environ: Mapping[str, str]) -> str:
    names = ("LLAMA_API_KEY",) if place.own == LLAMA else PROVIDERS[place.own].keys if place.own in PROVIDERS else ()
    key = next((environ[name] for name in names if environ.get(name)), "")
    if key or place.own == LLAMA:
        return key or _NO_KEY_NEEDED
    if any(title.lower() == "authorization" for headers in place.headers for title in headers):
        return ""
    msg = f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} not set" if names else "none is set"
    raise Unresolved(msg)


async def _bearer_token(place: Place, agent: Path, environ: Mapping[str, str], patience: float) -> str:
    """The token of a login, from Pi itself: it renews the token where that is due, and guards the file."""
    program = shutil.which("pi", path=environ.get("PATH"))
    if program is None:
        msg = "it is a login, which only Pi can renew, and no `pi` is on the search path"
        raise Unresolved(msg)
    command = [program, "auth", "print-bearer-token", "--provider", place.own]
    return await output_of(command, {**environ, AGENT_DIR: str(agent)}, patience)


async def _headers(place: Place, key: str, environ: Mapping[str, str], patience: float) -> dict[str, str]:
    """The headers of models.json, each of them resolved; raises Unresolved."""
    catalogued, own, *models = place.headers
    headers = {title.lower(): value for title, value in catalogued.items() if isinstance(value, str)}
    headers |= await _resolved(own, place, environ, patience)
    if place.settings.get("authHeader") is True:
        headers |= bearer(key)
    for given in models:
        headers |= await _resolved(given, place, environ, patience)
    return headers


async def _resolved(
    given: Mapping[str, object], place: Place, environ: Mapping[str, str], patience: float
) -> dict[str, str]:
    return {
        title.lower(): await resolve_value(value, environ, place.own_variables, patience)
        for title, value in given.items()
        if isinstance(value, str)
    }


def _mend(place: Place, agent: Path) -> str:
    own = plain_line(place.own, 100)
    if place.stored.get("type") == "oauth":
        return f"log in again with `pi auth login {own}`"
    if place.own in PROVIDERS and not place.settings:
        return f"log in with `pi auth login {own}`, or set {PROVIDERS[place.own].keys[0]}"
    return f"set apiKey and headers of {own} in {agent / 'models.json'}, or log in with `pi auth login {own}`"
