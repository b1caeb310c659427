"""A review put into words: fixed duties in the system part, all material as data in the user part (spec M5, R3)."""

import json
import re
from functools import cache
from importlib.resources import files
from string import Template

from pilotage.inference.question import Question
from pilotage.records.attempt import Purpose
from pilotage.review.observe import NEVER_GIVEN, Observed, Skill

KEY = "reminders"
"""The only key of an answer."""

MOST_PAIRS = 4
"""Reminders that one review may give: an agent that is told more at once follows none of it."""

LONGEST = 500
"""Characters of each half of a reminder."""

MOST_TOKENS = 4_096
"""Tokens of an answer: four whole pairs, in Chinese as well; thinking is counted apart."""

SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {
        KEY: {
            "type": "array",
            "maxItems": MOST_PAIRS,
            "items": {
                "type": "array",
                "minItems": 2,
                "maxItems": 2,
                "items": {"type": "string", "minLength": 1, "maxLength": LONGEST},
            },
        }
    },
    "required": [KEY],
    "additionalProperties": False,
}
"""The JSON Schema of an answer; it is the same for every review (spec M7)."""

_TAG = re.compile(r"(?:system-prompt|request|skills|trajectory|schema)-(\d{1,9})", re.IGNORECASE)
_NOTHING = "(nothing)"


def question(observed: Observed) -> Question:
    """Ask whether the agent left a principle."""
    skills = "\n".join(map(_told, observed.skills))
    material = {
        "system": observed.system,
        "request": observed.request,
        "skills": skills,
        "trajectory": observed.trajectory,
    }
    user = Template(_prompt("user.md")).substitute(
        {name: text or _NOTHING for name, text in material.items()},
        missing=", ".join(NEVER_GIVEN),
        number=_free_number("\n".join(material.values())),
        schema=json.dumps(SCHEMA),
    )
    return Question(
        purpose=Purpose.TRAJECTORY.value,
        system=_prompt("system.md"),
        user=user,
        schema=SCHEMA,
        max_tokens=MOST_TOKENS,
    )


@cache
def _prompt(name: str) -> str:
    return files("pilotage.review").joinpath("prompts", name).read_text(encoding="utf-8").strip()


def _told(skill: Skill) -> str:
    return f"- {skill.name}: {skill.description}"


def _free_number(material: str) -> int:
    """The smallest number that no tag in the material has, so that nothing in it can end its block."""
    taken = {int(number) for number in _TAG.findall(material)}
    return next(number for number in range(1, len(taken) + 2) if number not in taken)
