"""What a review saw and what was left out, in words (spec R5)."""

from collections.abc import Iterator, Mapping

from pilotage.console.attempt_lines import fact
from pilotage.console.pieces import PieceLine
from pilotage.console.secrets_hidden import safe_line
from pilotage.evidence.fields import whole_in
from pilotage.figures import counted
from pilotage.records.fields import as_dict, as_list, as_text

Coverage = Mapping[str, object]


def coverage_lines(coverage: Coverage, width: int) -> Iterator[PieceLine]:
    """How much a review saw and what it did not; fields of other writers stand as they are."""
    if not coverage:
        return
    seen, left_out = list(_seen(coverage)), list(_left_out(coverage))
    if not seen:
        others = ", ".join(f"{name} {_brief(value)}" for name, value in list(coverage.items())[:12])
        yield from fact("saw", safe_line(others, 800), "middle", width)
        return
    yield from fact("saw", "; ".join(seen), "middle", width)
    if left_out:
        yield from fact("left out", "; ".join(left_out), "rejected", width)
    never = [safe_line(as_text(word), 80) for word in as_list(coverage.get("notGiven")) if as_text(word)]
    if never:
        yield from fact("never", f"given: {', '.join(never)}", "dim", width)
    replaced = whole_in(coverage, "secretsReplaced")
    if replaced:
        yield from fact("", f"{counted(replaced, 'secret')} replaced before it was sent", "middle", width)


def _seen(coverage: Coverage) -> Iterator[str]:
    """What was given, in the order of its weight."""
    trajectory, request = as_dict(coverage.get("trajectory")), as_dict(coverage.get("request"))
    prompt, skills = as_dict(coverage.get("systemPrompt")), as_dict(coverage.get("skills"))
    if trajectory:
        items = whole_in(trajectory, "items")
        last = f"the last {counted(items, 'item')} of the trajectory" if items is not None else "the trajectory"
        yield f"{last}, {_characters(trajectory)}"
    if request:
        yield f"the request, {_characters(request)}"
    if prompt:
        yield f"the system prompt, {_characters(prompt)}"
    if skills:
        yield counted(len(as_list(skills.get("given"))), "skill")


def _left_out(coverage: Coverage) -> Iterator[str]:
    """What did not fit."""
    trajectory = as_dict(coverage.get("trajectory"))
    if trajectory.get("hasEarlier") is True and not whole_in(trajectory, "leftOut"):
        yield "what came before in the trajectory"
    names = {"trajectory": "trajectory", "request": "request", "systemPrompt": "system prompt"}
    for key, name in names.items():
        missing = whole_in(as_dict(coverage.get(key)), "leftOut")
        if missing:
            yield f"{counted(missing, 'character')} of the {name}"
    skills = whole_in(as_dict(coverage.get("skills")), "leftOut")
    if skills:
        yield counted(skills, "skill")


def _characters(part: Coverage) -> str:
    """How long a part is as it was given."""
    given = (whole_in(part, "characters") or 0) - (whole_in(part, "leftOut") or 0)
    return counted(max(0, given), "character")


def _brief(value: object) -> str:
    return str(value)[:60] if isinstance(value, str | int | float | bool) else "…"
