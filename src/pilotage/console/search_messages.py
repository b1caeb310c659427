"""What the search pane's threads tell it; apart from other messages, so that the console opens without the search."""

from textual.message import Message

from pilotage.records.capability import Catalog
from pilotage.search.answer import Answer
from pilotage.search.index import Index
from pilotage.search.surroundings import Surroundings


class CatalogRead(Message):
    """More is known of what the agent could use."""

    def __init__(self, index: Index, surroundings: Surroundings, found: Catalog, done: int, total: int) -> None:
        super().__init__()
        self.index = index
        """All that is known now."""
        self.surroundings = surroundings
        """Where was looked."""
        self.found = found
        """What of it disk and servers told."""
        self.done = done
        """How many servers have answered, or will not."""
        self.total = total
        """How many are asked."""


class WishAnswered(Message):
    """A model was asked, and there is an answer, be it why there is none."""

    def __init__(self, query: str, answer: Answer, seconds: float) -> None:
        super().__init__()
        self.query = query
        """What was asked for."""
        self.answer = answer
        """The answer."""
        self.seconds = seconds
        """How long it took."""
