"""A wish answered by a model's choice, by words inside it, or by words alone where it fails (spec D6)."""

from collections.abc import Awaitable, Callable

from pilotage.inference.question import Question, Reply, RequestFailed
from pilotage.search.answer import LIMIT, Answer, answer, is_wish
from pilotage.search.index import Index
from pilotage.search.semantic import choice, question, shortlist

Ask = Callable[[Question], Awaitable[Reply]]
"""Asks the model. Raises RequestFailed."""


async def answer_asked(index: Index, typed: str, limit: int = LIMIT, *, ask: Ask, loading: bool) -> Answer:
    """Answer a query over an indexed catalog; a model is asked once, and only about a wish.

    A failure is in the answer. `loading` is whether tools are activated. Raises ValueError for a limit below 1.
    """
    catalog = index.catalog
    if not is_wish(catalog, index, typed):
        return answer(catalog, index, typed, limit, loading=loading)
    told = shortlist(catalog, index, typed)
    try:
        reply = await ask(question(told.catalog, typed, limit, told.left_out))
        chosen = choice(reply.value, told.catalog, limit)
    except RequestFailed as failure:
        return answer(catalog, index, typed, limit, failure=failure, loading=loading)
    return answer(catalog, index, typed, limit, choice=chosen, loading=loading)
