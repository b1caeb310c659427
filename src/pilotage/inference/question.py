"""A question to a model, its answer, and every way in which there was none (spec M1, M6)."""

from collections.abc import Callable, Mapping
from enum import StrEnum

from msgspec import Struct


class Question(Struct, frozen=True):
    """What a model is asked: duties in the system part, everything else as data in the user part (spec M5)."""

    purpose: str
    """What it is for: `search`, `preparation` or `trajectory`."""
    system: str
    """Fixed duties and format, the same for every question of this purpose."""
    user: str
    """Catalog, paths, prompt, trajectory, schema: data."""
    schema: Mapping[str, object]
    """The JSON Schema of the answer; it never grows with the catalog (spec M7)."""
    max_tokens: int
    """The most tokens of the answer."""


class Failure(StrEnum):
    """Why there is no answer that can be used; a closed list."""

    NO_MODEL = "no-model"
    """The configuration names a provider or model of which nothing is known."""
    NO_KEY = "no-key"
    """The key or a header of the provider cannot be resolved."""
    UNREACHABLE = "unreachable"
    """Nothing answers at the address."""
    TLS = "tls"
    """The server's certificate is not to be trusted."""
    TIMEOUT = "timeout"
    """The trigger's time was over (spec M4)."""
    CANCELLED = "cancelled"
    """The person or the host called it off."""
    NOT_ALLOWED = "not-allowed"
    """The server refused the key: 401 or 403."""
    RATE_LIMITED = "rate-limited"
    """The server wants fewer requests: 429."""
    SERVER_ERROR = "server-error"
    """The server failed: 5xx, or an error told in the middle of an answer."""
    BAD_REQUEST = "bad-request"
    """The server did not take the request: any other 4xx."""
    REDIRECTED = "redirected"
    """The server sent elsewhere; a key is not carried there."""
    DROPPED = "dropped"
    """The connection ended before the answer did."""
    TOO_LARGE = "too-large"
    """The answer has more than 8 MiB."""
    NOT_A_COMPLETION = "not-a-completion"
    """What came back is no answer of the protocol."""
    CUT_OFF = "cut-off"
    """The output limit ended the answer, even if it parses."""
    REFUSED = "refused"
    """The model refused, or its provider filtered the answer."""
    EMPTY = "empty"
    """The answer has no content."""
    NOT_JSON = "not-json"
    """The answer is not JSON and nothing else: prose around it, a fence, two values."""
    MALFORMED = "malformed"
    """The answer is JSON of another shape than the schema's."""
    UNKNOWN_NAME = "unknown-name"
    """The answer names an id or a path that was not in the question."""


class Exchange(Struct, frozen=True):
    """What really went over the wire; the evidence of a request, whatever came of it."""

    url: str = ""
    """Where it was sent, without user, password and query."""
    model: str = ""
    """The provider and model that was asked, as in `openrouter/glm-5.3`."""
    request: str = ""
    """The body as it was sent: these characters, encoded as UTF-8, are its bytes. Empty where nothing was sent."""
    response: str = ""
    """The body as it came back, as far as it came; of an event stream, all of it."""
    status: int | None = None
    """The HTTP status; none where no answer began."""
    seconds: float = 0.0
    """How long it took."""
    replaced: int = 0
    """How many secrets were replaced before it was sent (spec M9)."""
    input_tokens: int = 0
    """Tokens sent, as the server counted."""
    output_tokens: int = 0
    """Tokens received, as the server counted."""

    @property
    def requests(self) -> int:
        """How many requests were made: one or none."""
        return 1 if self.request else 0


Sent = Callable[[Exchange], None]
"""Hears of a request when it goes out, before there is an answer."""


class Reply(Struct, frozen=True):
    """A whole answer that is JSON; whether its shape is right is for the asker to say."""

    value: object
    """The decoded answer."""
    text: str
    """The answer as the model wrote it."""
    system: str
    """The system part as it was sent, secrets replaced."""
    user: str
    """The user part as it was sent, secrets replaced."""
    exchange: Exchange
    """What went over the wire."""


class RequestFailed(Exception):
    """There is no answer that can be used; its text says why, for a person, without any secret."""

    def __init__(self, failure: Failure, words: str, exchange: Exchange | None = None) -> None:
        super().__init__(words)
        self.failure = failure
        """Which of the ways."""
        self.exchange = exchange or Exchange()
        """What went over the wire until then."""
