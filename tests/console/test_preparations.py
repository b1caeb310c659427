from pathlib import Path

import pytest

from pilotage.console.pieces import width_of
from pilotage.console.preparations import Done, Fated, Preparation, fate_of, preparations_of
from pilotage.console.prepared_lines import (
    action_detail,
    action_line,
    failure_line,
    preparation_detail,
    preparation_line,
    suggestion_detail,
    suggestion_line,
)
from pilotage.console.spending import Spent
from pilotage.records.attempt import Action, Suggestion, SuggestionState
from tests.console.driven import text_of, texts
from tests.console.evidenced import LATER, ends, opened, preparation, reviewed
from tests.handmade import HOSTILE, user, write_session

SECRET = "ghp_" + "a1B2" * 10
USED, UNUSED = SuggestionState.USED, SuggestionState.UNUSED


def known(path: Path) -> list[tuple[Preparation, Fated]]:
    """Give the preparations of a session, and what became of them."""
    timeline, attempts = opened(path)
    return [(one, fate_of(timeline, one)) for one in preparations_of(timeline, attempts)]


def test_recorded(data: Path, tmp_path: Path) -> None:
    """Each preparation with its input, what it suggested and did, and what became of that (spec P9)."""
    (failed, nothing), (made, fated) = known(reviewed(data, tmp_path))
    assert (failed.words, made.words[:20]) == ("Now 30 for the nightly run.", "Raise the limit to 2")
    assert (failed.prepared, nothing.done, nothing.used) == (None, (), (0, 0))
    assert fated.suggestions == (USED, UNUSED)
    assert [(one.action.tool, one.action.confined, one.fate) for one in fated.done] == [
        ("read", None, USED),
        ("read", None, USED),
        ("bash", True, USED),
    ]
    assert fated.used == (4, 5)
    assert fated.done[0].text == "[survey]\nlimit = 10\n"
    assert made.active
    assert failed.id != made.id


def test_without_the_child(data: Path, tmp_path: Path) -> None:
    """What the parent's record tells is known without the child; only whether it was confined is not."""
    path = reviewed(data, tmp_path)
    for child in (tmp_path / "children").iterdir():
        child.unlink()
    _, (_, fated) = known(path)
    assert [(one.action.confined, one.fate) for one in fated.done] == [(None, USED)] * 3
    assert str(tmp_path / "children") in fated.fault


@pytest.mark.parametrize("width", [40, 60, 76, 120])
def test_lines_keep_their_width(width: int) -> None:
    """No line is wider than there is room, whatever stands in it."""
    suggestion = Suggestion(f"skill:{HOSTILE}", HOSTILE)
    action = Action("bash", {"command": HOSTILE, "intent": HOSTILE}, "", True, 1.0, 2.0, False)
    done = Done(action, "", 0, 0, None)
    lines = [
        suggestion_line(suggestion, USED, width),
        action_line(action, None, width),
        action_line(action, done, width),
    ]
    for line in lines:
        assert width_of(line) <= width
        assert text_of(line).isprintable()


def test_how_an_action_ran() -> None:
    """Whether a command was confined is said, and what was refused or failed stands out."""
    ran = {confined: Action("bash", {"command": "ls"}, "", False, 1.0, 2.0, confined) for confined in (True, False)}
    assert "  confined" in text_of(action_line(ran[True], None, 100))
    assert "  not confined" in text_of(action_line(ran[False], None, 100))
    assert "confined" not in text_of(action_line(ran[True], None, 60))
    failed = Action("bash", {"command": "ls"}, "exit 1", True, 1.0, 2.0, True)
    assert "failed" in text_of(action_line(failed, None, 60))
    refused = Action("read", {"path": "x"}, "", True, 1.0, 0.0)
    assert "not done" in text_of(action_line(refused, Done(refused, "Not done: no such file.", 0, 1, None), 60))


def told(lines: object) -> str:
    """Give lines as one run of words."""
    return " ".join(" ".join(texts(list(lines))).split())  # type: ignore[call-overload]


def test_details() -> None:
    """Why, how sure, what became of it, how it ran and what it brought; fates are said to be reconstructed (E4)."""
    sure = suggestion_detail(Suggestion("skill:tides", "It fits.", 0.6, USED), USED, 60)
    assert told(sure) == (
        "suggested skill:tides why It fits. sure 0.6 by the model's own word became used: the agent called, read or"
        " loaded it within the turn recorded loaded nothing: that stays with the agent"
    )
    open_end = Action("bash", {"command": "ls", "intent": "Look."}, "", False, 1.0, 0.25, False, "pilotage")
    ran = told(action_detail(open_end, Done(open_end, "a\nb", 1, 2, None), 60))
    assert "confined no: it ran as you would have run it" in ran
    assert "ran 250 ms, by pilotage" in ran
    assert "became nothing tells whether it was of use" in ran
    assert "1 secret hidden a b" in ran
    assert told(action_detail(open_end, None, 60)).endswith("reading what it brought")


def test_failure(tmp_path: Path) -> None:
    """Why nothing was prepared stands below the input; a preparation without notes says so."""
    failed = ends(preparation(), failure=("unreachable", f"Nothing answers. {SECRET}"))
    path = write_session(tmp_path / "s.jsonl", user(HOSTILE), failed)
    ((one, fated),) = known(path)
    assert "Nothing answers. [secret: github token]" in text_of(failure_line(one, 80))
    assert text_of(preparation_line(one, fated, LATER, 80)).isprintable()
    detail = told(preparation_detail(one, fated, LATER, Spent(4, 4000), "/agent/settings.json", 60))
    assert "provider and model of capabilityDiscovery in /agent/settings.json" in detail
    assert SECRET not in detail
