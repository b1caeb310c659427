from pathlib import Path

import pytest

from pilotage.console.filters import CallTexts, Filter, parse_filter, state_words
from pilotage.console.status import FILTER_FORMS
from pilotage.records.call import Outcome
from pilotage.records.row import RowKind
from tests.console.driven import reminder, row_texts, timeline_of
from tests.handmade import agent, call, ran, refused, user, write_session


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """Give a session with rows of several kinds."""
    return write_session(
        tmp_path / "s.jsonl",
        user("The late ack test fails"),
        agent(call("a", "bash", command="pytest -q", intent="Does the late ack fail twice?")),
        ran("a", "Command exited with code 1", is_error=True),
        agent(call("b", "edit", path="ack.py")),
        refused("b", "edit"),
        agent(call("c", "mcp__tides__high", harbour="Husum")),
        ran("c", "the needle"),
        reminder(("Reproduce the ack first", "AGENTS.md")),
        agent(stop="error", errorMessage="overloaded"),
    )


def passing(path: Path, wanted: Filter) -> list[str]:
    """Give the tools, or the words, of the rows that pass."""
    timeline = timeline_of(path)
    texts = row_texts(timeline)
    return [texts[at][10:17].strip() for at in wanted.passing(timeline, CallTexts(), range(len(texts)))]


@pytest.mark.parametrize(
    ("typed", "rows"),
    [
        ("", ["you", "bash", "edit", "mcp__ti", "remind", "model"]),
        ("ack", ["you", "bash", "edit", "remind"]),
        ("LATE ack", ["you", "bash"]),
        ("tool:bash", ["bash"]),
        ("tool:mcp__", ["mcp__ti"]),
        ("tool:bash tool:edit", ["bash", "edit"]),
        ("is:failed", ["bash"]),
        ("is:rejected", ["edit"]),
        ("is:finding", ["bash", "edit", "model"]),
        ("is:reminder", ["remind"]),
        ("is:input is:error", ["you", "model"]),
        ("tool:bash is:rejected", []),
        ("tool:edit is:rejected ack", ["edit"]),
        ("husum", ["mcp__ti"]),
        ("tool:", ["you", "bash", "edit", "mcp__ti", "remind", "model"]),
        ("is: ack", ["you", "bash", "edit", "remind"]),
        (":", []),
    ],
)
def test_filters(session: Path, typed: str, rows: list[str]) -> None:
    """Words must all stand in the row; tools, and states, are alternatives; case does not count."""
    assert passing(session, parse_filter(typed)) == rows


def test_unknown_state() -> None:
    """A state that no row can have is refused, with all that there are."""
    with pytest.raises(ValueError, match="is:fialed is not known") as refusal:
        parse_filter("is:fialed")
    assert all(word in str(refusal.value) for word in state_words())


def test_every_outcome_and_kind_can_be_filtered() -> None:
    """Every outcome and every kind of row but the call itself is a state."""
    for word in [*Outcome, *(kind for kind in RowKind if kind is not RowKind.CALL)]:
        assert parse_filter(f"is:{word}").states == {str(word)}


def test_forms_in_the_help_are_filters() -> None:
    """What the help says can be typed can be typed."""
    assert all(not parse_filter(form).is_empty for form, _ in FILTER_FORMS)
    named = FILTER_FORMS[3][1] + FILTER_FORMS[4][1]
    assert all(word in named for word in state_words() if word != "finding")


def test_markup_and_patterns_are_words(session: Path) -> None:
    """Brackets, dots and stars are looked for as they stand."""
    assert passing(session, parse_filter("[/bold] .*")) == []


def test_entries_that_were_found(session: Path) -> None:
    """After a search a row passes by its own entry or by that of its result."""
    timeline = timeline_of(session)
    result = next(found.result for found in timeline.calls.items if found.id == "c")
    assert result is not None
    assert passing(session, Filter(entries=frozenset({result}))) == ["mcp__ti"]
    assert passing(session, Filter(entries=frozenset())) == []
    assert not Filter(entries=frozenset()).is_empty


def test_the_text_of_a_call_is_lower_case(session: Path) -> None:
    """Words are looked for in tool, intent and target, in lower case."""
    texts = CallTexts().all_of(timeline_of(session).calls.items)
    assert texts[0] == "bash does the late ack fail twice? pytest -q"


def test_the_texts_grow_with_the_calls_and_begin_anew_with_others(session: Path) -> None:
    """What was made is kept, calls that came since are added, and calls of another list replace them all."""
    items, texts = timeline_of(session).calls.items, CallTexts()
    first = texts.all_of(items[:1])
    assert len(first) == 1
    assert texts.all_of(items) == CallTexts().all_of(items)
    growing = items[:2]
    kept = texts.all_of(growing)
    growing.append(items[2])
    assert texts.all_of(growing) is kept
    assert len(kept) == 3
