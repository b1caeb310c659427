"""What a child session holds: what was really asked and answered, whoever wrote it (spec E1, E3)."""

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from pilotage.evidence.child import ORIGIN_TYPE, REQUEST_TYPE, RESPONSE_TYPE, Origin
from pilotage.evidence.fields import actions_in, failure_in, number_in, text_in, tokens_in, whole_in
from pilotage.records.attempt import Action, Purpose
from pilotage.records.fields import as_dict, as_text, content_blocks, text_of_blocks
from pilotage.sessions.child import CHILD_NAMES, is_child
from pilotage.sessions.read import Session, read_session


class ForeignSession(Exception):
    """A session that is no evidence; its text says which."""


class Evidence(Struct, frozen=True):
    """What a child session holds; a text is empty where its writer kept none."""

    path: Path
    """The file."""
    id: str
    """Its session id."""
    name: str
    """Its name."""
    purpose: Purpose | None
    """What it was for, by its name."""
    model: str
    """The provider and model, as in `openrouter/glm-5.3`."""
    origin: Origin | None
    """What it stems from."""
    system: str
    """The system part of the question."""
    input: str
    """The user part."""
    output: str
    """What the model wrote, as it came."""
    request: str
    """The request's body, as it went over the wire."""
    response: str
    """The response's body."""
    url: str
    """Where the request was sent."""
    status: int | None
    """The HTTP status of the response."""
    seconds: float | None
    """How long it took."""
    tokens: tuple[int, int] | None
    """Tokens sent and received."""
    replaced: int | None
    """How many secrets were replaced before it was sent."""
    failure: str
    """Which way it failed: a word of `inference.question.Failure`, or another writer's; empty where it did not."""
    words: str
    """Why it failed, for a person."""
    is_answered: bool
    """Whether an answer or a failure was written; without one the attempt was broken off, or goes on."""
    actions: tuple[Action, ...]
    """What was executed, with the times at which it ran."""


Fields = dict[str, object]


def read_child(path: Path) -> Evidence:
    """What a child session holds. What a person went on to say in it is left out.

    Raises UnreadableSession where the file is missing or no session, and ForeignSession where it is no evidence.
    """
    session = read_session(path)
    entries = [session.body(entry) for entry in session.tree.entries]
    data = {as_text(body.get("customType")): as_dict(body.get("data")) for body in reversed(entries)}
    cwd = session.header.cwd if session.header else ""
    name = next((name for name in map(_name, entries) if name.startswith(CHILD_NAMES)), "")
    if ORIGIN_TYPE not in data and not is_child(cwd, name):
        msg = f"{path}: a session, but no evidence of a preparation or a review"
        raise ForeignSession(msg)
    request, response = data.get(REQUEST_TYPE, {}), data.get(RESPONSE_TYPE, {})
    messages = list(_until_person(entries))
    answer = next((message for message in messages if message.get("role") == "assistant"), {})
    failure, words = failure_in(response)
    if as_text(answer.get("errorMessage")) and not failure:
        failure, words = as_text(answer.get("stopReason")) or "error", as_text(answer.get("errorMessage"))
    return Evidence(
        path=path,
        id=session.id,
        name=session.name,
        purpose=_purpose(name),
        model=text_in(request, "model") or _model(answer) or _part(name, 2),
        origin=_origin(session, data),
        system=_system(messages),
        input="\n\n".join(_text(message) for message in messages if message.get("role") == "user"),
        output=_text(answer),
        request=text_in(request, "body"),
        response=text_in(response, "body"),
        url=text_in(request, "url"),
        status=whole_in(response, "status"),
        seconds=number_in(response, "seconds"),
        tokens=tokens_in(response or answer),
        replaced=whole_in(request, "replaced"),
        failure=failure,
        words=words,
        is_answered=bool(answer),
        actions=tuple(actions_in(list(messages))),
    )


def _until_person(entries: list[Fields]) -> Iterator[Fields]:
    """The messages up to the first words of a person who went on with the session."""
    is_answered = False
    for body in entries:
        message = as_dict(body.get("message"))
        is_answered = is_answered or message.get("role") == "assistant"
        if is_answered and message.get("role") == "user":
            return
        if message:
            yield message


def _model(answer: Fields) -> str:
    return "/".join(part for part in (text_in(answer, "provider"), text_in(answer, "model")) if part)


def _text(message: Fields) -> str:
    return text_of_blocks(content_blocks(message))


def _system(messages: list[Fields]) -> str:
    """The first system message: its content, then its sections."""
    first = next((message for message in messages if message.get("role") == "system"), {})
    sections = [text for text in as_dict(first.get("sections")).values() if isinstance(text, str)]
    return "\n\n".join(part for part in (_text(first), *sections) if part)


def _name(body: Fields) -> str:
    """The name that an entry gives to its session."""
    return as_text(body.get("name")) if body.get("type") == "session_info" else ""


def _part(name: str, number: int) -> str:
    """One part of a child's name."""
    parts = name.split(" · ")
    return parts[number] if number < len(parts) else ""


def _purpose(name: str) -> Purpose | None:
    word = _part(name, 1)
    return Purpose(word) if word in list(Purpose) else None


def _origin(session: Session, data: dict[str, Fields]) -> Origin | None:
    """What a child stems from: by its own entry, by one of another writer's, or by its header."""
    told = data.get(ORIGIN_TYPE) or next((fields for name, fields in data.items() if "origin" in name.lower()), {})
    told = as_dict(told.get("origin")) or told
    file = text_in(told, "file", "sessionFile", "parentSessionFile") or (session.header and session.header.parent)
    session_id = text_in(told, "sessionId", "parentSessionId", "id")
    if not session_id and not file:
        return None
    leaf = text_in(told, "leafId", "parentLeafId")
    return Origin(
        session_id, file or None, leaf or None, text_in(told, "attempt", "attemptId"), text_in(told, "inputId")
    )
