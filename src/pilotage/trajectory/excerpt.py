"""The end of a trajectory and the user's current request, cut to what a model is given (spec J5, J6).

Secrets are replaced before anything is cut, so that no half of one is left.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from pilotage.calls.build import Calls
from pilotage.records.entry import AgentMessage, UserMessage
from pilotage.records.fields import as_dict, content_blocks, text_of_blocks
from pilotage.redaction import redact
from pilotage.sessions.read import WHOLE, Session, UnreadableSession
from pilotage.sessions.tail import read_tail
from pilotage.trajectory.command import MOST_BYTES, CommandFailed, told_by
from pilotage.trajectory.render import items, render

ITEMS = 160
"""Items of the active branch that are told at the most, counted from the end."""

CHARACTERS = 6_000
"""Characters of the told text that are kept, counted from its end."""

REQUEST_END = 4_000
"""Characters of the user's request that are kept at its beginning, and as many at its end."""

SECONDS = 5.0
"""How long a trajectory may take."""

_LOOKED_AT = 64 << 10
"""Characters around a cut in which secrets are looked for before it is made."""


class ExcerptFailed(Exception):
    """There is a history, and no trajectory of it can be had; its text says why and what to do."""


class Excerpt(Struct, frozen=True):
    """What a model is given of a session, and how much it is not given."""

    text: str = ""
    """The end of the trajectory; where it was cut, a mark stands first. Empty before the first input."""
    request: str = ""
    """The user's current request; a mark stands where its middle was cut out."""
    items: int | None = 0
    """How many items were told before the cut; none where a command told them."""
    characters: int = 0
    """How many characters were told before the cut."""
    left_out: int = 0
    """How many of them were cut off."""
    has_earlier: bool = False
    """Whether the session has items before those that were told; not known of a command, and then false."""
    request_characters: int = 0
    """How many characters the request has."""
    request_left_out: int = 0
    """How many of them were cut out."""
    replaced: int = 0
    """How many secrets were replaced in what is given."""

    @property
    def truncated(self) -> bool:
        """Whether anything was left out of the trajectory or of the request."""
        return bool(self.left_out or self.has_earlier or self.request_left_out)


class _Told(Struct, frozen=True):
    """A trajectory before it is cut."""

    text: str
    items: int | None
    has_earlier: bool


class _Cut(Struct, frozen=True):
    """What is left of a text."""

    text: str
    left_out: int
    replaced: int


async def read_excerpt(
    path: Path | None,
    command: Sequence[str] | None = None,
    *,
    secrets: Sequence[str] = (),
    seconds: float = SECONDS,
) -> tuple[Session | None, Excerpt]:
    """The end of a session file and what a model is given of it; `command` tells the trajectory in our place.

    Without a file there is no history yet: no session and an empty excerpt. `secrets` are values to replace beside
    what looks like a secret. Raises ExcerptFailed when the file cannot be read, its trajectory is empty, has more than
    8 MiB or takes longer than `seconds`, or the command fails.
    """
    try:
        async with asyncio.timeout(seconds):
            if path is None or not await asyncio.to_thread(_is_there, path):
                return None, Excerpt()
            session = await asyncio.to_thread(_read, path)
            if not _has_history(session):
                return session, Excerpt()
            told = await _told(session, command)
            return session, await asyncio.to_thread(_excerpt, session, told, secrets)
    except TimeoutError:
        mend = "try the command of trajectoryCommand by hand" if command else "the next one may be faster"
        msg = f"{path}: its trajectory took longer than {seconds:g} s; {mend}"
        raise ExcerptFailed(msg) from None
    except OSError as error:
        msg = f"{path}: {error.strerror}; see to it that this user may read the file and its folder"
        raise ExcerptFailed(msg) from error
    except (UnreadableSession, CommandFailed) as error:
        raise ExcerptFailed(str(error)) from error


def excerpt_of(session: Session, secrets: Sequence[str] = ()) -> Excerpt:
    """What a model is given of a session; empty where nothing was said on its active branch yet.

    Raises ExcerptFailed when something was said and the trajectory is empty or has more than 8 MiB, and
    UnreadableSession when the file changed meanwhile.
    """
    return _excerpt(session, _rendered(session), secrets) if _has_history(session) else Excerpt()


def request_of(session: Session) -> str:
    """The user's current request in full: the messages of the last turn, one below the other (spec W, turn).

    Raises UnreadableSession when the file changed meanwhile.
    """
    said: list[str] = []
    for index in reversed(session.tree.path()):
        entry = session.entry(index)
        if isinstance(entry.content, UserMessage):
            said.append(text_of_blocks(content_blocks(as_dict(session.body(entry).get("message")))))
        elif said and isinstance(entry.content, AgentMessage):
            break
    return whole_characters("\n\n".join(reversed(said)))


def _is_there(path: Path) -> bool:
    """Whether there is a file; one that may not be looked at is no missing one. Raises OSError."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _read(path: Path) -> Session:
    session = read_tail(path, ITEMS + 1)
    if session.header is None and not session.tree.entries:
        msg = f"{path}: the file holds no session; start the session anew, or name another one"
        raise UnreadableSession(msg)
    return session


def _has_history(session: Session) -> bool:
    """Whether the user or the agent said anything on the active branch."""
    path = session.tree.path()
    return any(isinstance(session.entry(index).content, UserMessage | AgentMessage) for index in path)


async def _told(session: Session, command: Sequence[str] | None) -> _Told:
    if command:
        return _Told(await told_by(command, session.path), None, has_earlier=False)
    return await asyncio.to_thread(_rendered, session)


def _rendered(session: Session) -> _Told:
    calls = Calls(session)
    calls.take(WHOLE)
    told = items(calls, ITEMS + 1)
    text = render(told[-ITEMS:])
    if not text.strip():
        msg = f"{session.path}: the session has a history, but its trajectory is empty; look at it with --trace"
        raise ExcerptFailed(msg)
    if len(text) > MOST_BYTES or len(text.encode("utf-8", "replace")) > MOST_BYTES:
        msg = f"{session.path}: its trajectory has more than {MOST_BYTES >> 20} MiB; compact the session"
        raise ExcerptFailed(msg)
    return _Told(text, min(len(told), ITEMS), len(told) > ITEMS)


def _excerpt(session: Session, told: _Told, secrets: Sequence[str]) -> Excerpt:
    asked = request_of(session)
    request = _ends_of(asked, secrets)
    trajectory = _end_of(told, secrets)
    return Excerpt(
        text=trajectory.text,
        request=request.text,
        items=told.items,
        characters=len(told.text),
        left_out=trajectory.left_out,
        has_earlier=told.has_earlier,
        request_characters=len(asked),
        request_left_out=request.left_out,
        replaced=trajectory.replaced + request.replaced,
    )


def _end_of(told: _Told, secrets: Sequence[str]) -> _Cut:
    """The end of a trajectory, below a mark that says what is missing."""
    redacted = redact(whole_characters(told.text[-_LOOKED_AT:]), secrets)
    kept = redacted.text[-CHARACTERS:]
    left_out = max(0, len(told.text) - _LOOKED_AT) + len(redacted.text) - len(kept)
    missing = [f"everything before the last {ITEMS} items"] if told.has_earlier else []
    missing += [f"{left_out:,} characters before what follows"] if left_out else []
    mark = f"[… left out here: {' and '.join(missing)}]\n" if missing else ""
    return _Cut(f"{mark}{kept}", left_out, redacted.count)


def _ends_of(text: str, secrets: Sequence[str]) -> _Cut:
    """The beginning and the end of a request, with a mark between them that says what is missing."""
    if len(text) > 2 * _LOOKED_AT:
        parts = [redact(text[:_LOOKED_AT], secrets), redact(text[-_LOOKED_AT:], secrets)]
        left_out = len(text) - 2 * REQUEST_END
    else:
        parts = [redact(text, secrets)]
        left_out = len(parts[0].text) - 2 * REQUEST_END
    replaced = sum(part.count for part in parts)
    if left_out <= 0:
        return _Cut(parts[0].text, 0, replaced)
    mark = f"[… left out here: {left_out:,} characters]"
    return _Cut(f"{parts[0].text[:REQUEST_END]}\n{mark}\n{parts[-1].text[-REQUEST_END:]}", left_out, replaced)


def whole_characters(text: str) -> str:
    """The text as UTF-8 can hold it: a surrogate without its other half becomes U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
