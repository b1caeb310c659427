"""Where the configured model is: Pi's files read, nothing resolved that could be secret, nothing run (`HOST.md` f)."""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from pilotage.inference.compat import merge_compat
from pilotage.inference.providers import LLAMA, LLAMA_URL, PROVIDERS
from pilotage.inference.question import Failure, RequestFailed
from pilotage.inference.target import API, NAME_ANOTHER, check_api
from pilotage.jsonfiles import FaultyFile, load_object
from pilotage.plain import plain_line
from pilotage.records.configuration import Configuration
from pilotage.records.fields import as_dict, as_list, as_text

_LLAMA_ENTRY: Mapping[str, object] = {
    "compat": {"supportsStore": False, "supportsReasoningEffort": False, "maxTokensField": "max_tokens"}
}
"""What Pi takes for granted of a llama.cpp server of which it knows no more."""


class Place(Struct, frozen=True):
    """A model as Pi's files have it, before its key is known."""

    provider: str
    """The provider, as the configuration names it."""
    own: str
    """The provider, as Pi names it."""
    model: str
    """The model, as the server names it."""
    url: str
    """The base URL; not looked at yet."""
    entry: Mapping[str, object]
    """The model entry: thinking, levels, compat, sampling."""
    settings: Mapping[str, object]
    """The provider's part of models.json; an empty one where there is none."""
    stored: Mapping[str, object]
    """The provider's part of auth.json; an empty one where there is none."""
    headers: tuple[Mapping[str, object], ...]
    """Header values as they stand in models.json, the later ones count; they may be variables and commands."""

    @property
    def own_variables(self) -> dict[str, str]:
        """The variables that are set for this provider alone."""
        variables = as_dict(self.stored.get("env")).items()
        return {name: value for name, value in variables if isinstance(value, str)}


def find_place(configuration: Configuration, agent: Path, environ: Mapping[str, str]) -> Place | None:
    """Find the configured model in Pi's files; nothing where its provider stands in none and is not known.

    `agent` is Pi's own folder. Raises FaultyFile, and RequestFailed where the provider is known but not this model,
    or it speaks another protocol.
    """
    providers = as_dict(load_object(agent / "models.json", comments=True).get("providers"))
    provider, model = configuration.provider, configuration.model
    own = LLAMA if provider == "llama" and provider not in providers else provider
    settings = as_dict(providers.get(own))
    if not settings and own != LLAMA and own not in PROVIDERS:
        return None
    stored = as_dict(load_object(agent / "auth.json").get(own))
    entry = _entry(f"{provider}/{model}", own, model, settings, _catalogued(agent, own, model))
    check_api(f"{provider}/{model}", own, as_text(entry.get("api")))
    place = Place(
        provider=provider,
        own=own,
        model=model,
        url=as_text(entry.get("baseUrl")),
        entry=entry,
        settings=settings,
        stored=stored,
        headers=(as_dict(entry.get("headers")), as_dict(settings.get("headers")), *_model_headers(settings, model)),
    )
    return _with_llama_url(place, environ) if own == LLAMA else place


def _entry(
    name: str, own: str, model: str, settings: Mapping[str, object], known: Mapping[str, object]
) -> Mapping[str, object]:
    """The model's entry as Pi composes it: its definition or what is known of it, and the overrides on top."""
    defined = _definition(settings, model)
    if not defined and not known and own != LLAMA and own not in PROVIDERS and as_list(settings.get("models")):
        raise RequestFailed(Failure.NO_MODEL, _no_such_model(name, settings))
    granted = _taken_for_granted(own, settings)
    base = {"baseUrl": granted.get("baseUrl"), **known} if known else granted
    entry = _composed(defined, settings, base) if defined else _adapted(base, settings)
    return _overridden(entry, as_dict(as_dict(settings.get("modelOverrides")).get(model)))


def _taken_for_granted(own: str, settings: Mapping[str, object]) -> Mapping[str, object]:
    """What holds for a model of which nothing is known but its provider."""
    if own == LLAMA:
        return _LLAMA_ENTRY
    if own in PROVIDERS:
        return {"baseUrl": PROVIDERS[own].url, "compat": PROVIDERS[own].compat}
    return {"api": as_text(settings.get("api"))}


def _composed(
    defined: Mapping[str, object], settings: Mapping[str, object], base: Mapping[str, object]
) -> dict[str, object]:
    """A model that models.json defines: all its own, but for what the provider says."""
    urls = (as_text(one.get("baseUrl")) for one in (defined, settings, base))
    return {
        **defined,
        "api": as_text(defined.get("api")) or as_text(settings.get("api")) or API,
        "baseUrl": next((url for url in urls if url), ""),
        "compat": merge_compat(as_dict(settings.get("compat")), as_dict(defined.get("compat"))),
        # Headers of a definition are resolved with the other headers of models.json.
        "headers": {},
    }


def _adapted(base: Mapping[str, object], settings: Mapping[str, object]) -> dict[str, object]:
    """A model that is known otherwise, with what models.json says of its provider."""
    is_completions = as_text(base.get("api")) in ("", API)
    return {
        **base,
        "baseUrl": as_text(settings.get("baseUrl")) or as_text(base.get("baseUrl")),
        "compat": merge_compat(as_dict(base.get("compat")) if is_completions else {}, as_dict(settings.get("compat"))),
    }


def _definition(settings: Mapping[str, object], model: str) -> dict[str, object]:
    listed = (as_dict(entry) for entry in as_list(settings.get("models")))
    return next((entry for entry in listed if entry.get("id") == model), {})


def _no_such_model(name: str, settings: Mapping[str, object]) -> str:
    known = [as_text(as_dict(entry).get("id")) for entry in as_list(settings.get("models"))]
    return f"models.json has no {plain_line(name, 200)}, but {plain_line(', '.join(known), 300)}; {NAME_ANOTHER}"


def _overridden(entry: Mapping[str, object], override: Mapping[str, object]) -> dict[str, object]:
    """Lay `modelOverrides` over an entry, as Pi does; their headers are resolved with the others."""
    whole = {name: override[name] for name in ("reasoning", "maxTokens", "contextWindow") if name in override}
    merged: dict[str, object] = {**entry, **whole}
    for name in ("thinkingLevelMap", "samplingParams"):
        if name in override:
            merged[name] = {**as_dict(entry.get(name)), **as_dict(override.get(name))}
    by_level = as_dict(override.get("samplingParamsByThinkingLevel"))
    if by_level:
        before = as_dict(entry.get("samplingParamsByThinkingLevel"))
        merged["samplingParamsByThinkingLevel"] = before | {
            level: {**as_dict(before.get(level)), **as_dict(fields)} for level, fields in by_level.items()
        }
    merged["compat"] = merge_compat(as_dict(entry.get("compat")), as_dict(override.get("compat")))
    return merged


def _model_headers(settings: Mapping[str, object], model: str) -> tuple[Mapping[str, object], ...]:
    override = as_dict(as_dict(settings.get("modelOverrides")).get(model))
    return as_dict(override.get("headers")), as_dict(_definition(settings, model).get("headers"))


def _catalogued(agent: Path, own: str, model: str) -> dict[str, object]:
    """The model in the catalogue that Pi keeps of what providers told it; none where it cannot be read."""
    try:
        kept = load_object(agent / "models-store.json")
    except FaultyFile:
        # Pi makes this file anew by itself: nobody has to mend it.
        return {}
    models = (as_dict(entry) for entry in as_list(as_dict(kept.get(own)).get("models")))
    return next((entry for entry in models if entry.get("id") == model and entry.get("type", "chat") == "chat"), {})


def _with_llama_url(place: Place, environ: Mapping[str, str]) -> Place:
    """The local server's address: auth.json, the environment, models.json, or where Pi looks by itself."""
    name = "LLAMA_BASE_URL"
    said = place.own_variables.get(name, "").strip() or environ.get(name, "").strip()
    url = said or as_text(place.settings.get("baseUrl")) or LLAMA_URL
    try:
        parts = urlsplit(url)
    except ValueError:
        # Whoever uses the place says what is wrong with it.
        return replace(place, url=url)
    root = parts._replace(path=parts.path.rstrip("/").removesuffix("/v1"), query="", fragment="").geturl()
    return replace(place, url=f"{root.rstrip('/')}/v1")
