"""The panes of the watch screen, and what each says while it has nothing to show."""

from enum import StrEnum


class Pane(StrEnum):
    """What the screen's main part shows."""

    CALLS = "calls"
    """The line of time."""
    REMINDERS = "reminders"
    """What reviews told the agent."""
    SEARCH = "search"
    """All skills, MCP tools and deferred tools."""
    PREPARED = "prepared"
    """What was prepared for the agent."""
    EVIDENCE = "evidence"
    """Real model input and output behind reminders and preparations."""
    STUDY = "study"
    """Rejected calls, counted over sessions; it has a screen of its own."""


EMPTY_WORDS = {
    Pane.REMINDERS: (
        "No reminder in this session.",
        "A review reads the trajectory every few steps and says where the agent left a principle, in its own words.",
        "Reminders of any origin are shown here and in the line of time: messages capability-trajectory-warning.",
        "Pilotage does not review yet. An extension in Pi that writes such messages is read as it is.",
    ),
    Pane.SEARCH: (
        "Nothing to search yet.",
        "Here you will search all skills, MCP tools and deferred tools that the agent could use.",
        "This version does not have it. To search the text of this session, outputs too: Ctrl+F.",
    ),
    Pane.PREPARED: (
        "Nothing was prepared in this session.",
        (
            "Here you will see what was suggested to the agent before its first step, what was read or run for it,"
            " and what became of it."
        ),
        "This version does not prepare. Every entry of the file is listed by: pilotage snap --trace",
    ),
    Pane.EVIDENCE: (
        "No evidence in this session.",
        "Here you will open the model's real input and output behind each reminder and each preparation.",
        "This version records none. Any entry as it stands in the file: pilotage snap SESSION ENTRY",
    ),
}
"""For each pane: what is not there, what would be, and what can be done now."""
