"""What the evidence browser's threads tell it."""

from textual.message import Message

from pilotage.console.evidence_opening import OpenedAttempt


class AttemptOpened(Message):
    """An attempt's evidence was read."""

    def __init__(self, opened: OpenedAttempt) -> None:
        super().__init__()
        self.opened = opened
        """What it holds."""


class InputsCompared(Message):
    """Two inputs were compared."""

    def __init__(self, title: str, text: str, fault: str) -> None:
        super().__init__()
        self.title = title
        """Which two."""
        self.text = text
        """Their differences."""
        self.fault = fault
        """Why they could not be compared; empty where they were."""
