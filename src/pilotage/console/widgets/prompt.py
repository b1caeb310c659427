"""Lines in which the person types: a filter, a text to search for, a file name; a query that stays."""

from textual.binding import Binding
from textual.widgets import Input

from pilotage.console.messages import PromptChanged, PromptClosed, QueryEntered


class Prompt(Input):
    """A line of input with a purpose; it is there only while it is needed."""

    DEFAULT_CSS = """
    Prompt { height: 1; border: none; padding: 0 1; background: $head; color: $text; display: none; }
    Prompt:focus { border: none; background-tint: $head 0%; }
    Prompt.-open { display: block; }
    """
    BINDINGS = [Binding("escape", "close", "give up", show=False)]  # noqa: RUF012 - Textual's own way

    def __init__(self) -> None:
        super().__init__(id="prompt", select_on_focus=False)
        self.cursor_blink = False
        self.purpose = ""
        """What the line is for."""

    def open(self, purpose: str, hint: str, value: str = "") -> None:
        """Show the line and take the keys."""
        self.purpose = purpose
        self.placeholder = hint
        self.value = value
        self.cursor_position = len(value)
        self.add_class("-open")
        self.focus()

    def close(self) -> None:
        """Take the line away."""
        self.remove_class("-open")
        self.purpose = ""

    def action_close(self) -> None:
        """Give up."""
        purpose = self.purpose
        self.close()
        self.post_message(PromptClosed(purpose, None))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Tell what stands in the line so far."""
        event.stop()
        if self.purpose:
            self.post_message(PromptChanged(self.purpose, event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Tell what was typed."""
        event.stop()
        purpose = self.purpose
        self.close()
        self.post_message(PromptClosed(purpose, event.value))


class QueryLine(Input):
    """A line of input above a list, there as long as its screen is."""

    DEFAULT_CSS = """
    QueryLine { height: 1; border: none; padding: 0 1; background: $cursor; color: $text; }
    QueryLine:focus { border: none; background-tint: $cursor 0%; }
    """

    def __init__(self, purpose: str, hint: str, value: str = "") -> None:
        super().__init__(value, hint, id="query", select_on_focus=False)
        self.cursor_blink = False
        self.purpose = purpose
        """What the line is for."""

    def on_input_changed(self, event: Input.Changed) -> None:
        """Tell what stands in the line so far."""
        event.stop()
        self.post_message(PromptChanged(self.purpose, event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Tell that Enter was pressed."""
        event.stop()
        self.post_message(QueryEntered())
