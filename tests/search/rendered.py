"""The question of a search as it is sent, kept so that a change of wording is a difference to read.

`python -m tests.search.rendered` writes it anew.
"""

from pathlib import Path

from pilotage.search.semantic import question
from tests.search.catalogs import OFFICE

FILE = Path(__file__).with_name("question.md")
WISH = "Open the staging page, check that the button reacts, and file an issue if it does not."


def rendered() -> str:
    """Give both parts of the question."""
    asked = question(OFFICE, WISH, 8)
    return f"{asked.system}\n\n---\n\n{asked.user}\n"


if __name__ == "__main__":
    FILE.write_text(rendered(), "utf-8")
