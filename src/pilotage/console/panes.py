"""The panes of a watched session, and what those say that wait for something to happen."""

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
    """Rejected calls, counted over sessions."""


EMPTY_WORDS = {
    Pane.REMINDERS: (
        "No reminder in this session.",
        (
            "A review reads the trajectory every few steps and says where the agent left a principle. Here you will see"
            " what it said, in which words the principle stands, whether the agent read it, and the calls since."
        ),
        "r reviews this session now, for you alone.",
        (
            "For reviews while Pi works: pilotage install pi, and in Pi's settings.json, in capabilityDiscovery,"
            " provider and model of who is asked, trajectoryWarnings true, and trajectoryWarningEverySteps for how"
            " often."
        ),
    ),
    Pane.PREPARED: (
        "Nothing was prepared in this session.",
        (
            "Here you will see what was suggested to the agent before its first step, what was read or run for it,"
            " and what became of it."
        ),
        (
            "To prepare: pilotage install pi, and in Pi's settings.json, in capabilityDiscovery, provider and model of"
            " who is asked, and capabilityPrediction or actionPrediction true; maxSuggestedActions says how many."
        ),
    ),
    Pane.EVIDENCE: (
        "No evidence in this session.",
        "Here you will open the model's real input and output behind each reminder and each preparation.",
        (
            "It is kept as soon as something is reviewed or prepared: r reviews this session now; capabilityDiscovery"
            " in Pi's settings.json has it done while Pi works."
        ),
    ),
}
"""For each pane: what is not there, what would be, and what can be done now."""
