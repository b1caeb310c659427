"""Whom to ask: a model's address, headers and habits, and nothing that would show a secret by accident."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from msgspec import Struct

from pilotage.inference.compat import Compat, find_compat
from pilotage.inference.providers import ALSO_COMPLETIONS
from pilotage.inference.question import Failure, RequestFailed
from pilotage.plain import plain_line
from pilotage.records.fields import as_dict, as_text
from pilotage.redaction import is_secret_value

API = "openai-completions"
"""The protocol that Pilotage speaks, as Pi names it."""


class Secret:
    """A text that no print, log or encoder shows."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """Give the text itself, to be sent and for nothing else."""
        return self._text

    def __repr__(self) -> str:
        return "Secret(…)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> str:
        msg = "a secret is not written down"
        raise TypeError(msg)


class Target(Struct, frozen=True):
    """A model that can be asked."""

    provider: str
    """The provider, as the configuration names it."""
    model: str
    """The model, as the server names it."""
    url: str
    """The base URL, without a slash at its end; it holds no user, password and query."""
    headers: Mapping[str, Secret]
    """What is sent besides the body, the key among it; by lower-case name."""
    compat: Compat
    """What the server takes."""
    is_thinking: bool = False
    """Whether the model can think."""
    levels: Mapping[str, str | None] = {}
    """For a thinking level the server's word; None where the model does not have it."""
    sampling: Mapping[str, object] = {}
    """Fields that the model entry wants in every request."""
    sampling_by_level: Mapping[str, Mapping[str, object]] = {}
    """More of them for a thinking level."""
    most_tokens: int | None = None
    """The most tokens that the model writes, where that is known."""

    @property
    def name(self) -> str:
        """Provider and model, as in `openrouter/glm-5.3`, on one line."""
        return plain_line(f"{self.provider}/{self.model}", 200)

    def secrets(self) -> tuple[str, ...]:
        """What of the headers must appear nowhere else, the longest first; stand-ins such as `local` are none."""
        values = [header.reveal() for header in self.headers.values()]
        parts = {part for value in values for part in (value, value.split(" ", 1)[-1])}
        return tuple(sorted(filter(is_secret_value, parts), key=lambda part: (-len(part), part)))


def make_target(
    provider: str, model: str, own: str, url: str, entry: Mapping[str, object], headers: Mapping[str, str]
) -> Target:
    """Make a target of a model entry as Pi has it; `own` is Pi's name of the provider.

    Raises RequestFailed where the model speaks another protocol, its address is none, or a header cannot be sent.
    """
    name = plain_line(f"{provider}/{model}", 200)
    return Target(
        provider=provider,
        model=model,
        url=checked_url(name, url),
        headers={title.lower(): Secret(_checked_header(name, title, value)) for title, value in headers.items()},
        compat=find_compat(own, url, as_dict(entry.get("compat"))),
        is_thinking=entry.get("reasoning") is True,
        levels={
            level: word
            for level, word in as_dict(entry.get("thinkingLevelMap")).items()
            if word is None or isinstance(word, str)
        },
        sampling=as_dict(entry.get("samplingParams")),
        sampling_by_level={
            level: as_dict(fields) for level, fields in as_dict(entry.get("samplingParamsByThinkingLevel")).items()
        },
        most_tokens=_whole(entry.get("maxTokens")),
    )


def target_from_host(said: Mapping[str, object]) -> Target:
    """Make a target of what a host that serves Pilotage said: `{provider, model: {…}, auth: {…}}`.

    `model` is Pi's model object; `auth` is what its registry resolved for the provider: `apiKey`, `headers`,
    `baseUrl`. Raises RequestFailed.
    """
    model, auth = as_dict(said.get("model")), as_dict(said.get("auth"))
    own = as_text(model.get("provider"))
    provider, identity = as_text(said.get("provider")) or own, as_text(model.get("id"))
    name = plain_line(f"{provider}/{identity}", 200)
    if not provider or not identity:
        raise RequestFailed(Failure.NO_MODEL, f"Pi knows no model {name}; {NAME_ANOTHER}")
    check_api(name, own, as_text(model.get("api")))
    headers = bearer(as_text(auth.get("apiKey")))
    for given in (as_dict(model.get("headers")), as_dict(auth.get("headers"))):
        headers |= {title.lower(): value for title, value in given.items() if isinstance(value, str)}
    if not headers.get("authorization"):
        words = f"Pi has no key for {name}; log in with `pi auth login {plain_line(own or provider, 100)}`"
        raise RequestFailed(Failure.NO_KEY, words)
    url = as_text(auth.get("baseUrl")) or as_text(model.get("baseUrl"))
    return make_target(provider, identity, own, url, _with_completions_compat(model), headers)


NAME_ANOTHER = "name another with provider and model in capabilityDiscovery, in Pi's settings.json"
"""The mend where a model cannot be asked."""


def bearer(key: str) -> dict[str, str]:
    """Give the header that carries a key; none where there is none."""
    return {"authorization": f"Bearer {key}"} if key else {}


def check_api(name: str, own: str, api: str) -> None:
    """Raise RequestFailed where a model speaks another protocol than chat completions."""
    if api and api != API and not (own in ALSO_COMPLETIONS and api == "openai-responses"):
        words = f"{plain_line(name, 200)} speaks {plain_line(api, 60)}, and Pilotage asks by {API} only; {NAME_ANOTHER}"
        raise RequestFailed(Failure.NO_MODEL, words)


def _with_completions_compat(model: Mapping[str, object]) -> Mapping[str, object]:
    """The model entry; what it says of another protocol says nothing of this one."""
    return model if as_text(model.get("api")) in ("", API) else {**model, "compat": {}}


def checked_url(name: str, url: str) -> str:
    """Give a base URL without a slash at its end. Raises RequestFailed where it is none, or holds what it must not."""
    mend = f"set baseUrl in Pi's models.json, or {NAME_ANOTHER}"
    try:
        parts = urlsplit(url.strip())
        is_usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_usable = False
    if not is_usable:
        raise RequestFailed(Failure.NO_MODEL, f"{name} has no http address; {mend}")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        words = f"the address of {name} holds a user, a password or a query, which Pi does not take either; {mend}"
        raise RequestFailed(Failure.NO_MODEL, words)
    return url.strip().rstrip("/")


def _checked_header(name: str, title: str, value: str) -> str:
    is_sendable = value.isascii() and value.isprintable() and title.isascii() and title.isprintable()
    if not is_sendable or not title or any(sign in title for sign in ' ":(),/;<=>?@[\\]{}'):
        words = f"the header {plain_line(title, 60)!r} of {name} holds what no header can; mend it in Pi's models.json"
        raise RequestFailed(Failure.NO_KEY, words)
    return value.strip()


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
