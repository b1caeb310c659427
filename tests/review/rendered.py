"""The request of a review of a recorded session, as text for people; `python -m tests.review.rendered` writes it."""

from pathlib import Path

from pilotage.inference.question import Question
from pilotage.review.observe import Skill, observe
from pilotage.review.question import question
from pilotage.sessions.prompt import prompt_of
from pilotage.sessions.read import read_session
from pilotage.trajectory.excerpt import excerpt_of

DATA = Path(__file__).parents[1] / "data"
RENDERED = DATA / "rendered" / "review.md"
SKILLS = (
    Skill("survey-checks", "Test a setting after it is changed. For every change to the survey's settings."),
    Skill("release-notes", "Write release notes in the house style. When a release is due."),
)
"""What the agent of the recording could read; the recording itself has no skills."""


def asked() -> Question:
    """Ask about the recording `intents.jsonl`."""
    session = read_session(DATA / "intents.jsonl")
    return question(observe(prompt_of(session).sections, SKILLS, excerpt_of(session)))


def rendered() -> str:
    """Write the request down, its parts one below the other."""
    made = asked()
    return f"# System part\n\n{made.system}\n\n# User part\n\n{made.user}\n"


if __name__ == "__main__":
    RENDERED.write_text(rendered(), encoding="utf-8")
