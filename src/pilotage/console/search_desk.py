"""What the search pane knows and was asked: it is kept while other panes are shown, and touches no widget."""

from collections.abc import Iterator, Sequence

from pilotage.calls.timeline import Timeline
from pilotage.console.agent_searches import AgentSearch, AgentSearches
from pilotage.console.pieces import Piece, PieceLine, wrapped
from pilotage.console.search_lines import ages_words, kinds_of
from pilotage.figures import age, counted, duration
from pilotage.plain import plain_line
from pilotage.records.capability import Capability, Catalog
from pilotage.search.answer import Answer, Mode, Suggestion
from pilotage.search.index import Index
from pilotage.search.lookup import by_words
from pilotage.search.surroundings import Surroundings

MOST_SHOWN = 200
"""Results of a query that are listed; a list of everything has all."""

_WANTS_A_MODEL = ("no-model", "no-key", "unreachable")
"""Failures after which it is said where a model is named."""


class SearchDesk:
    """One session's catalog, the query, and its answer."""

    def __init__(self) -> None:
        self.query = ""
        """What stands in the line of input."""
        self.index: Index | None = None
        """All that is known; none before anything is."""
        self.told: Catalog | None = None
        """What disk and servers told, once all of them were asked."""
        self.surroundings: Surroundings | None = None
        """Where was looked; none before that."""
        self.waits_for = 0
        """How many servers are being asked."""
        self.since = 0.0
        """When servers began to be asked, in seconds since the epoch."""
        self.is_complete = False
        """Whether all has been looked at that was to be."""
        self.wish = ""
        """What a model is being asked for; empty while none is asked."""
        self.wish_since = 0.0
        """When it was asked, in seconds since the epoch."""
        self._answered: tuple[str, Answer, float] | None = None
        self._found: tuple[str, Index, Answer] | None = None
        self._searches: AgentSearches | None = None

    def searches(self, timeline: Timeline | None) -> list[AgentSearch]:
        """The searches that the agent made, the latest first."""
        if timeline is None:
            return []
        if self._searches is None or self._searches.timeline is not timeline:
            self._searches = AgentSearches(timeline)
        return self._searches.all_of_them()

    def take_catalog(self, index: Index, surroundings: Surroundings, found: Catalog, done: int, total: int) -> None:
        """More is known: `done` servers of `total` have answered."""
        self.index, self.surroundings = index, surroundings
        self.waits_for, self.is_complete = total - done, total == done
        if self.is_complete:
            self.told = found

    def take_answer(self, query: str, answer: Answer, seconds: float) -> None:
        """A model was asked."""
        self.wish = ""
        self._answered = (query, answer, seconds)

    @property
    def is_answered(self) -> bool:
        """Whether a model was asked for just what stands in the line."""
        return self._answered is not None and self._answered[0] == self.query.strip()

    def answer(self) -> Answer | None:
        """The answer to what stands in the line: a model's, or by words; none before anything is known."""
        if self.index is None:
            return None
        if self._answered is not None and self.is_answered:
            return self._answered[1]
        found = self._found
        if found is None or found[0] != self.query or found[1] is not self.index:
            query = self.query.strip()
            most = MOST_SHOWN if query.strip("*") else max(1, len(self.index.entries))
            found = self._found = (self.query, self.index, by_words(self.index, query, most))
        return found[2]

    def found(self) -> Sequence[tuple[Capability, Suggestion]]:
        """What is found, each as the catalog has it."""
        answer, index = self.answer(), self.index
        if answer is None or index is None:
            return ()
        pairs = ((index.entries.get(one.id), one) for one in answer.suggestions)
        return [(entry, one) for entry, one in pairs if entry is not None]

    def state_lines(self, now: float, width: int) -> Iterator[PieceLine]:
        """How the list came about, and what is still under way."""
        yield from self._result_lines(width)
        if self.wish:
            model = plain_line(self.surroundings.model if self.surroundings else "", 60)
            yield [Piece(f"asking {model}, {age(now - self.wish_since)}", "running")]
        if self.waits_for:
            yield [Piece(f"asking {counted(self.waits_for, 'server')}, {age(now - self.since)}", "running")]
        elif not self.is_complete:
            yield [Piece("looking at skills and configuration", "running")]

    def _result_lines(self, width: int) -> Iterator[PieceLine]:
        answer = self.answer()
        if answer is None or self.index is None:
            return
        if answer.mode is Mode.LIST:
            yield [Piece(kinds_of(list(self.index.entries.values())), "middle")]
            old = ages_words(self.index.catalog)
            if old:
                yield [Piece(old, "dim")]
            return
        if answer.routing_error:
            yield from wrapped(f"no answer of a model: {plain_line(answer.routing_error, 1000)}", width, "failed")
            if self.surroundings and answer.routing_error.startswith(_WANTS_A_MODEL):
                place = plain_line(str(self.surroundings.agent / "settings.json"))
                words = f"Which model is asked: provider and model of capabilityDiscovery in {place}"
                yield from wrapped(words, width, "middle")
        yield [Piece(self._found_words(answer), "middle" if answer.total else "rejected")]

    def _found_words(self, answer: Answer) -> str:
        total, size = answer.total, len(self.index.entries) if self.index else 0
        if answer.mode is Mode.SEMANTIC and self._answered:
            model = plain_line(self.surroundings.model if self.surroundings else "a model", 60)
            took = duration(round(1000 * self._answered[2]))
            return (
                f"{model} chose {total:,} of {size:,} in {took}"
                if total
                else f"{model} found nothing that fits, in {took}"
            )
        how = "by name" if answer.mode is Mode.EXACT else "by words"
        if not total:
            return f"none of {size:,} matches {how}"
        shown = f", the first {len(answer.suggestions):,} shown" if answer.more else ""
        return f"{total:,} of {size:,} {'matches' if total == 1 else 'match'} {how}{shown}"
