"""The child session of a preparation or a review: what was really sent and what really came (spec E1).

It exists from before the request, and each part is added as soon as it is known, so that whatever ends the process
leaves a session that a host opens.
"""

import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from pilotage.evidence.answer import answer_text
from pilotage.inference.question import Exchange, Failure, Question, Reply, RequestFailed
from pilotage.records.attempt import Action, ChildSession
from pilotage.redaction import redact
from pilotage.sessions.locate import find_root
from pilotage.sessions.write import (
    Fields,
    NewSession,
    UnwritableSession,
    create_session,
    custom,
    message,
    session_name,
    uuid7,
)

ORIGIN_TYPE = "pilotage-origin"
"""The `customType` of the entry that names the parent."""

REQUEST_TYPE = "pilotage-request"
"""The `customType` of the entry with the request's body."""

RESPONSE_TYPE = "pilotage-response"
"""The `customType` of the entry with the response's body."""

EXECUTOR = "pilotage"
"""Who runs the actions of a preparation."""

FOLDER = "pilotage"
"""The folder below the temporary one that children are said to work in."""


class Origin(Struct, frozen=True):
    """What a child stems from."""

    session: str
    """The parent's session id."""
    file: str | None
    """The parent's file; none where the host keeps none."""
    leaf: str | None
    """The id of the parent's last entry at that time."""
    attempt: str
    """The attempt's id."""
    input_id: str
    """The input's id."""


class Child:
    """A child session that is being written."""

    def __init__(self, session: NewSession, model: str) -> None:
        self._session = session
        self._provider, _, self._model = model.partition("/")
        self._began = time.time()
        self._is_sent = False
        self._calls = 0

    @property
    def session(self) -> ChildSession:
        """Where it lies."""
        return ChildSession(str(self._session.path), self._session.id)

    def sent(self, exchange: Exchange) -> None:
        """Keep the body of the request as it went out; once. Raises UnwritableSession."""
        self._session.append(*self._request(exchange))

    def replied(self, reply: Reply) -> None:
        """Keep an answer. Raises UnwritableSession."""
        said = self._answer(reply.text, "stop", reply.exchange)
        self._session.append(*self._request(reply.exchange), said, _response(reply.exchange, None))

    def failed(self, failure: RequestFailed) -> None:
        """Keep what came although it cannot be used, and why. Raises UnwritableSession."""
        exchange, text = failure.exchange, answer_text(failure.exchange.response)
        stop = "length" if failure.failure is Failure.CUT_OFF else "stop"
        if not text:
            stop = "aborted" if failure.failure is Failure.CANCELLED else "error"
        error = {"errorMessage": str(failure)} if stop == "error" else {}
        said = self._answer(text, stop, exchange, **error)
        self._session.append(*self._request(exchange), said, _response(exchange, failure))

    def executed(self, actions: Sequence[Action]) -> None:
        """Keep what a preparation had done, with the times at which it ran. Raises UnwritableSession."""
        if not actions:
            return
        ids = [f"pilotage_{self._calls + number}" for number in range(len(actions))]
        self._calls += len(actions)
        calls = [
            {"type": "toolCall", "id": call_id, "name": action.tool, "arguments": dict(action.arguments)}
            for call_id, action in zip(ids, actions, strict=True)
        ]
        asked = self._agent(calls, actions[0].began, "toolUse", Exchange())
        self._session.append(asked, *(_result(*pair) for pair in zip(ids, actions, strict=True)))

    def _request(self, exchange: Exchange) -> list[Fields]:
        """The entry with the request; none where there was no request, or it was kept before."""
        if self._is_sent or not exchange.request:
            return []
        self._is_sent = True
        data = {
            "url": exchange.url,
            "model": exchange.model,
            "body": exchange.request,
            "replaced": exchange.replaced,
        }
        return [custom(REQUEST_TYPE, data)]

    def _answer(self, text: str, stop: str, exchange: Exchange, **fields: object) -> Fields:
        content: list[Fields] = [{"type": "text", "text": text}] if text else []
        return self._agent(content, self._began, stop, exchange, durationMs=round(exchange.seconds * 1000), **fields)

    def _agent(self, content: Sequence[Fields], at: float, stop: str, exchange: Exchange, **fields: object) -> Fields:
        sent, received = exchange.input_tokens, exchange.output_tokens
        costs = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0}
        usage = {"input": sent, "output": received, "cacheRead": 0, "cacheWrite": 0}
        return message(
            "assistant",
            content,
            at,
            api="openai-completions",
            provider=self._provider,
            model=self._model,
            # Without its usage every further request of the host fails.
            usage={**usage, "totalTokens": sent + received, "cost": costs},
            stopReason=stop,
            **fields,
        )


def begin_child(question: Question, model: str, origin: Origin) -> Child:
    """Make the child of an attempt, with the question as its first words; `model` is as in `openrouter/glm-5.3`.

    It lies where Pi keeps the sessions of the children's folder. Secrets in the question are replaced, as the request
    will have them. Raises UnwritableSession.
    """
    cwd = child_folder()
    session_id = str(uuid7(time.time()))
    opening = [
        session_name(f"pilotage · {question.purpose} · {model} · {session_id}"),
        custom(ORIGIN_TYPE, _origin(origin)),
        message("system", redact(question.system).text),
        message("user", [{"type": "text", "text": redact(question.user).text}]),
    ]
    session = create_session(find_root(cwd), cwd, opening, session_id=session_id, parent=origin.file)
    return Child(session, model)


def child_folder() -> Path:
    """The folder that children are said to work in; it is made, as Pi opens no session whose folder is gone.

    Raises UnwritableSession when it cannot be made, or is not this user's own: whoever owns it could tell Pi where
    its sessions lie.
    """
    folder = Path(tempfile.gettempdir()) / FOLDER
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        owner = folder.lstat().st_uid
    except OSError as error:
        msg = f"{folder}: cannot be made: {error.strerror}; remove what stands there, or set TMPDIR to another folder"
        raise UnwritableSession(msg) from error
    if owner != os.geteuid() or folder.is_symlink():
        msg = f"{folder}: not this user's own folder; set TMPDIR to a folder that is"
        raise UnwritableSession(msg)
    return folder


def _origin(origin: Origin) -> dict[str, object]:
    return {
        "sessionId": origin.session,
        "file": origin.file,
        "leafId": origin.leaf,
        "attempt": origin.attempt,
        "inputId": origin.input_id,
    }


def _response(exchange: Exchange, failure: RequestFailed | None) -> Fields:
    data: dict[str, object] = {
        "status": exchange.status,
        "body": exchange.response,
        "seconds": round(exchange.seconds, 3),
        "tokens": {"input": exchange.input_tokens, "output": exchange.output_tokens},
    }
    why = {"failure": {"kind": str(failure.failure), "message": str(failure)}} if failure else {}
    return custom(RESPONSE_TYPE, data | why)


def _result(call_id: str, action: Action) -> Fields:
    return message(
        "toolResult",
        [{"type": "text", "text": action.text}],
        action.began + action.seconds,
        toolCallId=call_id,
        toolName=action.tool,
        details={"executor": EXECUTOR, "confined": action.confined, "began": round(action.began * 1000)},
        isError=action.is_error,
        durationMs=round(action.seconds * 1000),
    )
