"""The sentences for a person: what became of a request, what was seen, and the mend (spec M6, M8)."""

from pilotage.inference.question import Failure
from pilotage.plain import plain_line
from pilotage.redaction import redact

_SEEN = 300
_LOG_IN = "log in again with `pi auth login`, or set the key in Pi's models.json"
_ANOTHER = "name another model with provider and model in capabilityDiscovery"

_WORDS = {
    Failure.UNREACHABLE: ("{name} cannot be reached at {url}", "start the server, or mend baseUrl in Pi's models.json"),
    Failure.TLS: (
        "no safe connection to {name} at {url}",
        "have its certificate signed by one that this machine trusts (SSL_CERT_FILE names more), or mend baseUrl",
    ),
    Failure.TIMEOUT: ("{name} did not answer in time", f"a lower thinking level helps, or {_ANOTHER}"),
    Failure.NOT_ALLOWED: ("{name} refused the key", _LOG_IN),
    Failure.RATE_LIMITED: ("{name} wants fewer requests", "wait, or ask less often (trajectoryWarningEverySteps)"),
    Failure.SERVER_ERROR: ("the server of {name} failed", f"try later, or {_ANOTHER}"),
    Failure.BAD_REQUEST: (
        "the server of {name} did not take the request",
        "mend the model's name, or its compat in Pi's models.json; it must take response_format json_schema",
    ),
    Failure.REDIRECTED: (
        "the server of {name} sends elsewhere, where the key is not carried",
        "set the address itself as baseUrl in Pi's models.json",
    ),
    Failure.DROPPED: ("the connection to {name} broke off", "try again, or look at the server"),
    Failure.TOO_LARGE: ("{name} answered with more than 8 MiB", _ANOTHER),
    Failure.NOT_A_COMPLETION: (
        "what answers at {url} for {name} does not speak chat completions",
        "mend baseUrl in Pi's models.json; it often ends with /v1",
    ),
    Failure.CUT_OFF: ("the answer of {name} is cut off", f"a lower thinking level helps, or {_ANOTHER}"),
    Failure.REFUSED: ("{name} refused to answer", _ANOTHER),
    Failure.EMPTY: ("{name} answered nothing", f"a lower thinking level helps, or {_ANOTHER}"),
    Failure.NOT_JSON: ("{name} did not answer with JSON alone", f"{_ANOTHER} that keeps to a schema"),
    Failure.MALFORMED: ("{name} answered with JSON of another shape", f"{_ANOTHER} that keeps to a schema"),
    Failure.UNKNOWN_NAME: ("{name} named what was not in the question", f"{_ANOTHER} that keeps to what it is given"),
}
"""For each failure of a request what became of it, and the mend."""


def sentence(failure: Failure, name: str, url: str, seen: str) -> str:
    """Write one line: what became of the request to `name` at `url`, what was `seen` of it, and the mend.

    `seen` may be empty. What a server said is shortened, on one line, and without anything that looks like a secret.
    """
    became, mend = _WORDS[failure]
    told = plain_line(redact(seen[: 4 * _SEEN]).text, _SEEN).strip()
    opening = became.format(name=name, url=plain_line(url, 200))
    return f"{opening}: {told}; {mend}" if told else f"{opening}; {mend}"
