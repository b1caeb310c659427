"""What a review is given of a session, and the account of what it is not given (spec R2, R5)."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from pilotage.plain import plain_line
from pilotage.redaction import redact
from pilotage.trajectory.excerpt import Excerpt, whole_characters

PROMPT = 32_000
"""Characters that are given of the system prompt at the most: a long AGENTS.md fits, and a small model can read it."""

SKILLS = 16_000
"""Characters that are given of the skills at the most: about sixty descriptions of usual length."""

NEVER_GIVEN = ("the results of calls", "the agent's thinking", "images", "the files that skills consist of")
"""What no review sees."""

CATALOGS = ("skills", "capabilities", "mcp_servers")
"""Sections that list what the agent could use; the skills are given apart, with their full descriptions."""

_FIRST = ("project_context", "rules", "addendum", "preamble")
_LAST = ("tools", "docs", "cwd")


class Skill(Struct, frozen=True):
    """A skill as far as a review knows it."""

    name: str
    """Its name."""
    description: str
    """All that its author says of it; its file is not read."""


class Observed(Struct, frozen=True):
    """What one review is given. The trajectory is judged; the rest is where principles come from."""

    system: str
    """The agent's system prompt as it has it; a mark stands where something was cut out."""
    request: str
    """The user's current request."""
    skills: tuple[Skill, ...]
    """The skills that fit in."""
    trajectory: str
    """The end of the trajectory."""
    coverage: dict[str, object]
    """How much of what is given, and what was left out: the fields of `review-input` (spec R5)."""

    @property
    def principles(self) -> tuple[str, ...]:
        """The texts that a reminder's source may stand in (spec R9); the trajectory is none of them."""
        return (self.system, self.request, *(f"{skill.name}: {skill.description}" for skill in self.skills))


class _Section(Struct, frozen=True):
    """A section of the prompt as far as it is given."""

    text: str
    whole: int

    @property
    def left_out(self) -> int:
        return self.whole - len(self.text)


def observe(
    sections: Mapping[str, str], skills: Sequence[Skill], excerpt: Excerpt, secrets: Sequence[str] = ()
) -> Observed:
    """What a review is given, from the sections of the system prompt, the skills and the end of the trajectory.

    The excerpt was freed of secrets already; here the sections and the skills are, `secrets` being values to replace
    beside what looks like one. Of a prompt that is too long, the project's own rules are kept first.
    """
    known = {name: text for name, text in sections.items() if text.strip() and not (skills and name in CATALOGS)}
    cleaned = {name: redact(whole_characters(text), secrets) for name, text in known.items()}
    described = [_clean_skill(skill, secrets) for skill in skills]
    parts = _shared_out({name: text.text for name, text in cleaned.items()})
    given = _fitting([skill for skill, _ in described])
    replaced = excerpt.replaced + sum(text.count for text in cleaned.values()) + sum(count for _, count in described)
    return Observed(
        system="\n\n".join(_told(name, part) for name, part in parts.items()),
        request=excerpt.request,
        skills=given,
        trajectory=excerpt.text,
        coverage=_coverage(parts, len(skills) - len(given), given, excerpt)
        | {"notGiven": list(NEVER_GIVEN), "secretsReplaced": replaced},
    )


def _shared_out(sections: Mapping[str, str]) -> dict[str, _Section]:
    """Each section as far as there is room for it, in the order of the prompt; the most telling ones choose first."""
    room, parts = PROMPT, {}
    for name in sorted(sections, key=_rank):
        kept = sections[name][:room]
        parts[name] = _Section(kept, len(sections[name]))
        room -= len(kept)
    return {name: parts[name] for name in sections}


def _rank(name: str) -> int:
    """The project's rules first, what only lists and points to things last; sections of extensions in between."""
    if name in _FIRST:
        return _FIRST.index(name)
    return len(_FIRST) + (1 + _LAST.index(name) if name in _LAST else 0)


def _told(name: str, section: _Section) -> str:
    """A section as the agent has it; where it was cut, a mark says of what."""
    mark = f"[… left out here: {section.left_out:,} characters of {plain_line(name, 80)}]" if section.left_out else ""
    return "\n".join(part for part in (section.text, mark) if part)


def _clean_skill(skill: Skill, secrets: Sequence[str]) -> tuple[Skill, int]:
    """A skill without secrets, and how many there were."""
    description = redact(whole_characters(skill.description), secrets)
    return Skill(whole_characters(skill.name), description.text), description.count


def _fitting(skills: Iterable[Skill]) -> tuple[Skill, ...]:
    """The skills that fit in, in their order, each whole: half a description could be read as another principle."""
    room, given = SKILLS, []
    for skill in skills:
        size = len(skill.name) + len(skill.description)
        if size <= room:
            given.append(skill)
            room -= size
    return tuple(given)


def _coverage(
    parts: Mapping[str, _Section], skills_left_out: int, given: Sequence[Skill], excerpt: Excerpt
) -> dict[str, object]:
    return {
        "systemPrompt": {
            "sections": list(parts),
            "characters": sum(part.whole for part in parts.values()),
            "leftOut": sum(part.left_out for part in parts.values()),
        },
        "request": {"characters": excerpt.request_characters, "leftOut": excerpt.request_left_out},
        "skills": {"given": [skill.name for skill in given], "leftOut": skills_left_out},
        "trajectory": {
            "items": excerpt.items,
            "characters": excerpt.characters,
            "leftOut": excerpt.left_out,
            "hasEarlier": excerpt.has_earlier,
        },
        "truncated": excerpt.truncated or bool(skills_left_out) or any(part.left_out for part in parts.values()),
    }
