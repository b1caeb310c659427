"""What a server says in the protocol of chat completions: an answer, in one piece or in many, and its end."""

import json

from pilotage.inference.events import EventStream
from pilotage.inference.question import Failure
from pilotage.records.fields import as_dict, as_list, as_text

_DONE = "[DONE]"
_THOUGHT = ("reasoning_content", "reasoning", "reasoning_text")
_BY_STATUS = {401: Failure.NOT_ALLOWED, 403: Failure.NOT_ALLOWED, 429: Failure.RATE_LIMITED}


class Broken(Exception):
    """What came is no answer; the failure says which of the ways, the text what was seen."""

    def __init__(self, failure: Failure, words: str) -> None:
        super().__init__(words)
        self.failure = failure
        """Which of the ways."""


def failure_of_status(status: int) -> Failure:
    """Which failure an HTTP status that is no success stands for."""
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if 300 <= status < 400:
        return Failure.REDIRECTED
    return Failure.BAD_REQUEST if 400 <= status < 500 else Failure.SERVER_ERROR


def told_error(value: object) -> str:
    """The words of an error object, or of a text that stands for one."""
    error = as_dict(value).get("error", value)
    if isinstance(error, str):
        return error
    words = as_dict(error).get("message") or as_dict(value).get("message") or as_dict(value).get("detail")
    return words if isinstance(words, str) else ""


class Completion:
    """An answer that is put together from what the server sends."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._refusals: list[str] = []
        self.finish_reason = ""
        """Why the server ended the answer, in its own word; empty: it did not say."""
        self.is_done = False
        """Whether the server said that the stream is over."""
        self.has_thought = False
        """Whether thinking came."""
        self.input_tokens = 0
        """Tokens sent, as the server counted."""
        self.output_tokens = 0
        """Tokens received, as the server counted."""

    @property
    def content(self) -> str:
        """The answer's text."""
        text = "".join(self._parts)
        # The two halves of a character may have come in two pieces.
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")

    @property
    def refusal(self) -> str:
        """The words with which the model refused."""
        return "".join(self._refusals)

    @property
    def has_ended(self) -> bool:
        """Whether the answer is whole, as far as the server tells."""
        return self.is_done or bool(self.finish_reason)

    def take(self, value: object, part: str) -> None:
        """Take one object of the server; `part` is `delta` in a stream and `message` in one piece. Raises Broken."""
        answer = as_dict(value)
        if answer.get("error"):
            raise _told_broken(answer)
        if not answer or (part == "message" and "choices" not in answer):
            raise Broken(Failure.NOT_A_COMPLETION, "")
        usage = as_dict(answer.get("usage"))
        self.input_tokens = _count(usage, "prompt_tokens") or self.input_tokens
        self.output_tokens = _count(usage, "completion_tokens") or self.output_tokens
        for choice in map(as_dict, as_list(answer.get("choices"))):
            if choice.get("index", 0) == 0:
                self._take_choice(choice, as_dict(choice.get(part)))

    def _take_choice(self, choice: dict[str, object], message: dict[str, object]) -> None:
        self._parts.append(as_text(message.get("content")))
        self._refusals.append(as_text(message.get("refusal")))
        self.has_thought = self.has_thought or any(message.get(name) for name in _THOUGHT)
        self.finish_reason = as_text(choice.get("finish_reason")) or self.finish_reason


def _told_broken(answer: dict[str, object]) -> Broken:
    code = as_dict(answer.get("error")).get("code")
    failure = failure_of_status(code) if isinstance(code, int) and 400 <= code < 600 else Failure.SERVER_ERROR
    return Broken(failure, told_error(answer))


def _count(usage: dict[str, object], name: str) -> int:
    value = usage.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


class Reader:
    """Reads the body of an answer as it comes, be it a stream of events or one object."""

    def __init__(self, content_type: str) -> None:
        self.completion = Completion()
        """What was understood until now."""
        self._is_stream: bool | None = True if "event-stream" in content_type else None
        self._events = EventStream()
        self._whole = bytearray()

    def feed(self, chunk: bytes) -> None:
        """Take more of the body. Raises Broken."""
        if self._is_stream is None:
            self._whole += chunk
            chunk = self._told_apart()
        elif not self._is_stream:
            self._whole += chunk
        if self._is_stream and chunk:
            self._take_events(self._events.feed(chunk))

    def finish(self) -> None:
        """Take the body's end. Raises Broken where the answer did not come to one."""
        if not self._is_stream:
            self.completion.take(_loaded(self._whole.decode("utf-8", "replace")), "message")
            self.completion.is_done = True
            return
        rest = self._events.finish()
        if rest and rest != [_DONE] and not self.completion.has_ended and not _is_json(rest[-1]):
            raise Broken(Failure.DROPPED, "the stream ended in the middle of an event")
        self._take_events(rest)
        if not self.completion.has_ended:
            raise Broken(Failure.DROPPED, "the stream ended before the answer did")

    def _told_apart(self) -> bytes:
        """Find out what the body is, as not every server says it; give what is to be taken as events."""
        start = bytes(self._whole[:64]).lstrip()
        if len(start) < len(b"data:"):
            return b""
        self._is_stream = start.startswith((b"data:", b"event:", b":", b"id:", b"retry:"))
        return bytes(self._whole) if self._is_stream else b""

    def _take_events(self, events: list[str]) -> None:
        for data in events:
            if data.strip() == _DONE:
                self.completion.is_done = True
            elif data.strip() and not self.completion.is_done:
                self.completion.take(_loaded(data), "delta")


def _loaded(text: str) -> object:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        raise Broken(Failure.NOT_A_COMPLETION, text[:300]) from None
    return value


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
