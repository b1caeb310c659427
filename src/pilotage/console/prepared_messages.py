"""What the prepared pane's thread tells it."""

from textual.message import Message

from pilotage.console.preparations import Fated


class FateKnown(Message):
    """It is known what became of a preparation."""

    def __init__(self, preparation: str, stamp: object, fated: Fated) -> None:
        super().__init__()
        self.preparation = preparation
        """Which one."""
        self.stamp = stamp
        """What it was known by when it was looked at."""
        self.fated = fated
        """What became of it."""
