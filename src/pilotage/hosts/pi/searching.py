"""Searches of the agent in a served session: what Pi has now, answered with the names that Pi is to activate (H3)."""

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable

from pilotage.catalog.host import host_catalog
from pilotage.figures import counted
from pilotage.hosts.pi.channel import Params
from pilotage.inference.question import Question, Reply
from pilotage.records.fields import as_dict, as_list, as_text
from pilotage.search.answer import LIMIT, Answer, answer
from pilotage.search.asked import answer_asked
from pilotage.search.index import Index, build_index, with_states

Asker = Callable[[Question], Awaitable[Reply]]
"""Asks the configured model. Raises RequestFailed."""


class Searching:
    """The searches of one session."""

    def __init__(self) -> None:
        self._index: Index | None = None
        self._known = b""

    async def search(self, asked: Params, ask: Asker | None) -> dict[str, object]:
        """Answer a query over the catalog that came with it; without `ask`, by names and words alone.

        The result is what the extension gives to Pi: `text` for the agent, `details` (spec D8) and the names to
        `load`; `failure` where the query is none.
        """
        limit = asked.get("limit")
        if limit is None:
            limit = LIMIT
        if isinstance(limit, bool) or not isinstance(limit, int | float) or limit < 1 or limit != int(limit):
            return {"failure": "limit must be a positive integer"}
        index = await asyncio.to_thread(self._indexed, as_dict(asked.get("catalog")))
        query, most = as_text(asked.get("query")), int(limit)
        if ask is None:
            found = answer(index.catalog, index, query, most)
        else:
            found = await answer_asked(index, query, most, ask=ask, loading=True)
        return {"text": told_to_agent(found), "details": found.to_json(), "load": list(found.loaded)}

    def _indexed(self, told: Params) -> Index:
        """The catalog's index; made anew only where more than states is another than before."""
        catalog = host_catalog(told)
        known = _fingerprint(told)
        if self._index is None or known != self._known:
            self._index, self._known = build_index(catalog), known
        return with_states(self._index, catalog)


def told_to_agent(found: Answer) -> str:
    """What the agent reads: a sentence on what it can do now, then the answer as JSON, a suggestion a line."""
    fields = found.to_json()
    suggestions = [json.dumps(one, ensure_ascii=False) for one in as_list(fields.pop("suggestions", []))]
    rest = json.dumps(fields, ensure_ascii=False)
    listed = ",\n ".join(suggestions)
    return (
        f'{_sentence(found)}\n{rest[:-1]}, "suggestions": [\n {listed}]}}' if listed else f"{_sentence(found)}\n{rest}"
    )


def _sentence(found: Answer) -> str:
    if found.loaded:
        names = ", ".join(found.loaded)
        return f"Loaded {counted(len(found.loaded), 'tool')}, which you can call from your next message on: {names}."
    if not found.suggestions:
        return "Nothing matches. Try other words, or `*` to list everything."
    more = f"; {found.more:,} more match" if found.more else ""
    return f"{counted(len(found.suggestions), 'suggestion')}{more}; nothing was loaded."


def _fingerprint(told: Params) -> bytes:
    """What stays the same while the words of the catalog do."""
    tools = [{**as_dict(tool), "active": None} for tool in as_list(told.get("tools"))]
    words = json.dumps([tools, told.get("skills")], ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(words.encode("utf-8", "replace")).digest()
