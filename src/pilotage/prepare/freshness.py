"""Which files the agent need not be given again, as its context still holds them whole (spec P7).

A read counts while it and its call stand in the effective context as they were, and the agent has not changed the file
since. Whether somebody else has (a command, an opaque tool, another branch, a person in an editor) no session tells:
what is held here is compared with the file when its turn comes, and only a file that is the same to the letter is
passed over.
"""

from collections.abc import Collection, Iterator, Mapping

from msgspec import Struct

from pilotage.evidence.fields import actions_in
from pilotage.records.attempt import PREPARATION_TYPE
from pilotage.records.entry import AgentMessage, CallRequest, Entry, ToolResult
from pilotage.records.fields import as_dict, as_list, as_text, content_blocks
from pilotage.sessions.context import effective
from pilotage.sessions.read import Session
from pilotage.sessions.tool_path import absolute_path

_CHANGING = ("edit", "write")
_NEVER = -1


class _Made(Struct, frozen=True):
    """A call on the active branch."""

    at: int
    """The place of its message on the branch."""
    entry: int
    """The index of that message."""
    request: CallRequest
    """The call."""


def held_texts(session: Session, cwd: str, wanted: Mapping[str, str]) -> dict[str, str]:
    """For each wanted file that the agent's context holds whole, its text there; what it does not hold is left out.

    `wanted` gives, under any name, a path as the host's read takes it; the texts come under that name. Two names of
    one file are two files. Raises UnreadableSession when the session's file changed meanwhile.
    """
    paths = {name: absolute_path(path, cwd) for name, path in wanted.items()}
    reading = _Reading(session, cwd, frozenset(paths.values()))
    reading.run()
    return {name: reading.texts[path] for name, path in paths.items() if path in reading.texts}


class _Reading:
    """One look along the active branch, from its beginning to its end."""

    def __init__(self, session: Session, cwd: str, files: Collection[str]) -> None:
        self.texts: dict[str, str] = {}
        """By the file's absolute path, what the context holds of it."""
        self._session = session
        self._cwd = cwd
        self._files = files
        self._changed: dict[str, int] = {}
        self._open: dict[str, _Made] = {}
        self._seen: set[int] = set()
        self._told: set[str] = set()

    def run(self) -> None:
        """Take every entry of the branch: what is no longer in the context has changed files all the same."""
        items = effective(self._session)
        # An entry whose content was swapped does not tell what was read.
        self._seen = {item.entry for item in items if item.replacement is None}
        self._told = {self._session.entry(item.entry).id for item in items}
        path = self._session.tree.path()
        for at, index in enumerate(path):
            entry = self._session.entry(index)
            match entry.content:
                case AgentMessage(calls=calls):
                    self._break_off(at)
                    self._open = {call.id: _Made(at, index, call) for call in calls}
                case ToolResult() as result:
                    self._end(at, index, result)
                case None if entry.type == "custom":
                    self._expand(at, entry)
        self._break_off(len(path))

    def _end(self, at: int, index: int, result: ToolResult) -> None:
        """A call is over: it may have changed a file, or have brought the whole of one."""
        made = self._open.pop(result.call_id, None)
        if made is None or result.is_error:
            return
        path = absolute_path(made.request.target or "", self._cwd)
        if path not in self._files:
            return
        if made.request.tool in _CHANGING:
            self._lose(path, at)
        elif made.request.tool == "read" and {made.entry, index} <= self._seen:
            text = self._whole_text(made, index)
            if text is not None:
                self._keep(path, text, made.at)

    def _break_off(self, at: int) -> None:
        """Calls that have got no result may have changed their file all the same."""
        for made in self._open.values():
            if made.request.tool in _CHANGING:
                self._lose(absolute_path(made.request.target or "", self._cwd), at)
        self._open = {}

    def _keep(self, path: str, text: str, asked: int) -> None:
        """Hold a file's text, unless it was changed after it was asked for: calls of one batch run at once."""
        if self._changed.get(path, _NEVER) < asked:
            self.texts[path] = text

    def _lose(self, path: str, at: int) -> None:
        self.texts.pop(path, None)
        self._changed[path] = at

    def _whole_text(self, made: _Made, index: int) -> str | None:
        """What a read brought, if it asked for all of the file and got it."""
        request = next((block for block in self._blocks(made.entry) if block.get("id") == made.request.id), {})
        arguments = as_dict(request.get("arguments"))
        told = self._blocks(index)
        details = as_dict(self._message(index).get("details"))
        is_part = arguments.get("offset") is not None or arguments.get("limit") is not None
        is_cut = as_dict(details.get("truncation")).get("truncated") is True
        is_text = len(told) == 1 and told[0].get("type") == "text"
        return as_text(told[0].get("text")) if is_text and not is_part and not is_cut else None

    def _message(self, index: int) -> dict[str, object]:
        return as_dict(self._session.body(self._session.entry(index)).get("message"))

    def _blocks(self, index: int) -> list[dict[str, object]]:
        return content_blocks(self._message(index))

    def _expand(self, at: int, entry: Entry) -> None:
        """Files that an earlier preparation brought: they stand behind their input while that is in the context."""
        body = self._session.body(entry)
        data = as_dict(body.get("data"))
        if body.get("customType") == PREPARATION_TYPE and data.get("userEntry") in self._told:
            for path, text in self._brought(data):
                self._keep(path, text, at)

    def _brought(self, data: dict[str, object]) -> Iterator[tuple[str, str]]:
        for one in map(as_dict, as_list(as_dict(data.get("prefetch")).get("rounds"))):
            for action in actions_in(as_list(one.get("messages"))):
                if action.tool == "read" and not action.is_error:
                    yield absolute_path(as_text(action.arguments.get("path")), self._cwd), action.text
