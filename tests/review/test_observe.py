import pytest

from pilotage.review.observe import PROMPT, SKILLS, Skill, observe
from pilotage.trajectory.excerpt import Excerpt

EXCERPT = Excerpt(
    text="call bash: command=ls",
    request="Count the nests.",
    items=160,
    characters=9000,
    left_out=3000,
    has_earlier=True,
    request_characters=16,
    replaced=2,
)
KEY = "ghp_" + "a1B2" * 10


def test_everything_fits() -> None:
    """A prompt of usual length is given whole, in its order, and nothing is added (spec R2)."""
    observed = observe({"preamble": "You help.", "rules": "Be brief."}, [Skill("count", "Counts.")], EXCERPT)
    assert observed.system == "You help.\n\nBe brief."
    assert observed.skills == (Skill("count", "Counts."),)
    assert (observed.request, observed.trajectory) == (EXCERPT.request, EXCERPT.text)


def test_coverage() -> None:
    """What was given and what was left out is accounted for (spec R5)."""
    coverage = observe({"rules": "Be brief."}, [Skill("count", "Counts.")], EXCERPT).coverage
    assert coverage == {
        "systemPrompt": {"sections": ["rules"], "characters": 9, "leftOut": 0},
        "request": {"characters": 16, "leftOut": 0},
        "skills": {"given": ["count"], "leftOut": 0},
        "trajectory": {"items": 160, "characters": 9000, "leftOut": 3000, "hasEarlier": True},
        "truncated": True,
        "notGiven": ["the results of calls", "the agent's thinking", "images", "the files that skills consist of"],
        "secretsReplaced": 2,
    }


def test_nothing_is_there() -> None:
    """Where the session tells nothing of its prompt, nothing is made up."""
    observed = observe({}, [], Excerpt())
    assert observed.system == observed.request == observed.trajectory == ""
    assert observed.coverage["truncated"] is False


def test_the_projects_rules_come_first() -> None:
    """Of a prompt that is too long, what only lists things is cut before the project's rules, with a mark."""
    sections = {"tools": "t" * 9000, "docs": "d" * 9000, "rules": "r" * 9000, "project_context": "p" * 20_000}
    observed = observe(sections, [], Excerpt())
    assert observed.system == (
        f"{'t' * 3000}\n[… left out here: 6,000 characters of tools]\n\n"
        f"[… left out here: 9,000 characters of docs]\n\n{'r' * 9000}\n\n{'p' * 20_000}"
    )
    assert observed.coverage["truncated"] is True
    assert observed.coverage["systemPrompt"] == {
        "sections": ["tools", "docs", "rules", "project_context"],
        "characters": 47_000,
        "leftOut": 15_000,
    }


def test_sections_of_extensions_stand_between() -> None:
    """A section that nobody knows is kept before what only points to things."""
    observed = observe({"cwd": "c", "house": "h" * (PROMPT - 1), "rules": "r"}, [], Excerpt())
    assert observed.system.startswith("[… left out here: 1 characters of cwd]\n\nhhh")


def test_skills_stand_apart() -> None:
    """Lists of what the agent could use are left out of the prompt where the skills are given in full (spec R2)."""
    sections = {"skills": "<available_skills>", "mcp_servers": "tides", "rules": "Be brief."}
    assert observe(sections, [Skill("count", "Counts.")], Excerpt()).system == "Be brief."
    assert "available_skills" in observe(sections, [], Excerpt()).system


def test_skills_are_whole_or_left_out() -> None:
    """No skill is given in part, and one that is too long does not crowd the others out."""
    skills = [Skill("a", "x" * (SKILLS - 10)), Skill("b", "y" * 20), Skill("c", "z")]
    observed = observe({}, skills, Excerpt())
    assert [skill.name for skill in observed.skills] == ["a", "c"]
    assert observed.coverage["skills"] == {"given": ["a", "c"], "leftOut": 1}
    assert observed.coverage["truncated"] is True


def test_secrets_are_replaced_before_anything_is_cut() -> None:
    """No half of a secret stands at a cut, and how many there were is known (spec M9)."""
    text = f"{'r' * (PROMPT - 10)} {KEY}"
    observed = observe({"rules": text}, [Skill("count", f"With {KEY} and tulip-7.")], Excerpt(), ["tulip-7"])
    assert "ghp_" not in observed.system
    assert observed.skills[0].description == "With [secret: github token] and [secret: known value]."
    assert observed.coverage["secretsReplaced"] == 3


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb"])
def test_lone_surrogates(text: str) -> None:
    """What cannot be sent as UTF-8 is replaced by the sign for it."""
    observed = observe({"rules": text}, [Skill(text, text)], Excerpt())
    assert "\ufffd" in "".join(observed.principles)
    "".join(observed.principles).encode()


def test_principles_are_not_the_trajectory() -> None:
    """Principles stand in the prompt, the request and the skills, and nowhere else (spec R9)."""
    observed = observe({"rules": "Be brief."}, [Skill("count", "Counts.")], EXCERPT)
    assert observed.principles == ("Be brief.", "Count the nests.", "count: Counts.")
