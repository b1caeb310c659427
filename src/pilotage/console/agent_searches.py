"""The searches for capabilities that the agent made in a session: what they loaded, and whether that was used."""

import re

from msgspec import Struct
from msgspec.structs import replace

from pilotage.calls.timeline import Timeline
from pilotage.records.call import Call, Outcome
from pilotage.records.fields import as_dict, as_list, as_text, content_blocks, text_of_blocks
from pilotage.sessions.read import UnreadableSession

TOOL = "tool_search"
"""The name of the tool, Pi's own and the one that takes its place."""

_LOADED = re.compile(r"^- ([^\s:]+)", re.MULTILINE)


class AgentSearch(Struct, frozen=True):
    """One search, as the session has it."""

    call: Call
    """The call."""
    query: str
    """What was searched for."""
    loaded: tuple[str, ...] = ()
    """The names of the tools that it loaded."""
    offered: tuple[tuple[str, str], ...] = ()
    """What it named without loading it: the name, and a skill's file."""
    failure: str = ""
    """Why it failed, or why no model chose; empty where nothing went wrong."""
    used: tuple[str, ...] = ()
    """Those of both that the agent called, or whose file it read, afterwards."""


class AgentSearches:
    """Reads each search of a session once."""

    def __init__(self, timeline: Timeline) -> None:
        self.timeline = timeline
        """The session."""
        self._read: dict[int, AgentSearch] = {}

    def all_of_them(self) -> list[AgentSearch]:
        """The searches of the active branch, the newest first; one whose record cannot be read is left out."""
        calls = self.timeline.calls.items
        found: list[AgentSearch] = []
        tools: set[str] = set()
        files: set[str] = set()
        for number in reversed(range(len(calls))):
            call = calls[number]
            if not call.active:
                continue
            if call.tool == TOOL and (search := self._search(number, call)):
                found.append(_with_used(search, tools, files))
            elif call.tool == "read" and call.target:
                files.add(call.target)
            if call.outcome not in (Outcome.REJECTED, Outcome.BLOCKED):
                tools.add(call.tool)
        return found

    def _search(self, number: int, call: Call) -> AgentSearch | None:
        known = self._read.get(number)
        if known is not None and known.call == call:
            return known
        try:
            search = _read(self.timeline, call)
        except UnreadableSession:
            return None
        self._read[number] = search
        return search


def _read(timeline: Timeline, call: Call) -> AgentSearch:
    """One search from the file. Raises UnreadableSession."""
    query = as_text(as_dict(timeline.calls.raw_arguments(call)).get("query"))
    if call.result is None or call.parent_id is not None:
        return AgentSearch(call, query)
    message = as_dict(timeline.session.body(timeline.session.entry(call.result)).get("message"))
    details, text = as_dict(message.get("details")), text_of_blocks(content_blocks(message))
    if message.get("isError"):
        return AgentSearch(call, query, failure=text)
    named = [as_text(name) for name in as_list(details["loaded"])] if "loaded" in details else _LOADED.findall(text)
    loaded = tuple(name for name in named if name)
    suggestions = map(as_dict, as_list(details.get("suggestions")))
    offers = ((as_text(one.get("name")), as_text(one.get("path"))) for one in suggestions)
    offered = tuple((name, path) for name, path in offers if name and name not in loaded)
    return AgentSearch(call, query, loaded, offered, as_text(details.get("routingError")))


def _with_used(search: AgentSearch, tools: set[str], files: set[str]) -> AgentSearch:
    """The search with what of it was used by the calls after it."""
    loaded = [name for name in search.loaded if name in tools]
    offered = [name for name, path in search.offered if name in tools or (path and path in files)]
    return replace(search, used=tuple(dict.fromkeys(loaded + offered)))
