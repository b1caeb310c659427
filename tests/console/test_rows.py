from pathlib import Path

import pytest

from pilotage.console.rows import Sight, is_finding, is_input, is_rejection, is_reminder, outcome_words, row_line
from pilotage.console.status import SIGN_MEANINGS
from pilotage.records.call import Outcome
from pilotage.records.row import RowKind
from tests.console.driven import (
    LIVE,
    NOW,
    call_rows,
    growing,
    nested,
    reminder,
    role_of,
    row_texts,
    text_of,
    timeline_of,
)
from tests.handmade import Fields, agent, call, ran, refused, result, user, write_session

AIM = "See how the retry loop decides that it is done"


def rows_of(path: Path, *entries: dict[str, object]) -> list[str]:
    """Give the rows of a session with these entries."""
    return row_texts(timeline_of(write_session(path / "s.jsonl", *entries)))


def test_a_row(tmp_path: Path) -> None:
    """A row has time, tool, intent, target and, at the right, the duration (console.md)."""
    row = rows_of(tmp_path, agent(call("c", "read", path="src/retry.py", intent=AIM)), ran("c", ms=3100))[0]
    assert row == f"    09:00 read   {AIM}  src/retry.py".ljust(100 - len("3.1 s ")) + "3.1 s "


def test_without_intent(tmp_path: Path) -> None:
    """A call without an intent shows what it did, in the tone of a target; one with neither says so."""
    timeline = timeline_of(
        write_session(tmp_path / "s.jsonl", agent(call("a", "bash", command="ls -la\npwd"), call("b", "grep")))
    )
    lines = [row_line(timeline, row, 80, LIVE) for row in call_rows(timeline)]
    assert role_of(lines[0], "ls -la") == "dim"
    assert role_of(lines[1], "no arguments") == "dim"
    assert "pwd" not in text_of(lines[0])


def test_intent_is_the_brightest(tmp_path: Path) -> None:
    """Only the intent has full brightness; time and target are dim, the tool stands between."""
    timeline = timeline_of(write_session(tmp_path / "s.jsonl", agent(call("a", "read", path="a.py", intent=AIM))))
    line = row_line(timeline, timeline.rows[0], 100, LIVE)
    roles = {text: role_of(line, text) for text in (AIM, "09:00", "read ", "a.py")}
    assert roles == {AIM: "intent", "09:00": "dim", "read ": "middle", "a.py": "dim"}


@pytest.mark.parametrize("width", [10, 20, 40, 60, 80, 100, 200])
def test_a_row_is_one_line(tmp_path: Path, width: int) -> None:
    """A row never wraps: what does not fit is cut, the intent before the badge and the target before both."""
    entries = (
        agent(call("a", "bash", command="x" * 300, intent="漢" * 300)),
        ran("a", "Command exited with code 1", is_error=True),
    )
    row = row_texts(timeline_of(write_session(tmp_path / "s.jsonl", *entries)), width)[0]
    assert "\n" not in row
    assert width < 40 or row.rstrip().endswith("exit 1  7 ms")


OUTCOMES = {
    Outcome.RUNNING: (agent(call("c", command="x")),),
    Outcome.OK: (agent(call("c", command="x")), ran("c")),
    Outcome.FAILED: (agent(call("c", command="x")), ran("c", "no", is_error=True)),
    Outcome.REJECTED: (agent(call("c", command="x")), refused("c", "bash")),
    Outcome.BLOCKED: (agent(call("c", command="x")), ran("c", "Not this one.", is_error=True, ms=None)),
    Outcome.ABORTED: (agent(call("c", command="x")), result("c", "Operation aborted", isError=True)),
    Outcome.UNANSWERED: (agent(call("c", command="x")), user()),
}


@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome_has_a_sign_and_a_word(tmp_path: Path, outcome: Outcome) -> None:
    """Each outcome but the good one has an ASCII sign of one cell, which the help explains, and a word."""
    timeline = timeline_of(write_session(tmp_path / "s.jsonl", *OUTCOMES[outcome]))
    found = timeline.calls.items[0]
    assert found.outcome is outcome
    row = row_texts(timeline)[0]
    sign, words = row[1], outcome_words(found, NOW)
    if outcome is Outcome.OK:
        assert (sign, words) == (" ", "")
        return
    assert sign.isascii()
    assert sign in dict(SIGN_MEANINGS)
    assert words
    assert words in row


TOLD: dict[RowKind, tuple[Fields, str]] = {
    RowKind.INPUT: (user("Find out why"), "you    Find out why"),
    RowKind.REMINDER: (reminder(("Reproduce it first", "AGENTS.md")), "remind Reproduce it first"),
    RowKind.SHELL: (
        {"type": "message", "message": {"role": "bashExecution", "command": "git status", "output": "clean"}},
        "you ran git status",
    ),
    RowKind.COMPACTION: (
        {"type": "compaction", "summary": "…", "tokensBefore": 11934},
        "summary conversation of 11,934 tokens put into a summary",
    ),
    RowKind.BRANCH: ({"type": "branch_summary", "summary": "…"}, "branch summary kept of the way that was left"),
    RowKind.ERROR: (agent(stop="error", errorMessage="overloaded"), "model  "),
    RowKind.INTERRUPTION: (agent(stop="aborted"), "stop   stopped by the person"),
}


@pytest.mark.parametrize("kind", [kind for kind in RowKind if kind is not RowKind.CALL])
def test_every_other_row_has_a_word(tmp_path: Path, kind: RowKind) -> None:
    """Each kind of row has its word, and all but the user's words an ASCII sign that the help explains."""
    entry, words = TOLD[kind]
    timeline = timeline_of(write_session(tmp_path / "s.jsonl", entry))
    assert [row.kind for row in timeline.rows] == [kind]
    row = row_texts(timeline)[0]
    assert words in row
    assert row[1] == " " if kind is RowKind.INPUT else row[1] in dict(SIGN_MEANINGS)


def test_running_says_how_long(tmp_path: Path) -> None:
    """A running call says for how long; in a file that no host is at work on it is unanswered."""
    timeline = timeline_of(write_session(tmp_path / "s.jsonl", *OUTCOMES[Outcome.RUNNING]))
    assert "running 59 s" in row_texts(timeline)[0]
    assert "unanswered" in row_texts(timeline, sight=Sight(NOW, live=False))[0]


def test_a_clock_that_runs_backwards(tmp_path: Path) -> None:
    """A call from the future has been running for no time, not for less than none."""
    timeline = timeline_of(write_session(tmp_path / "s.jsonl", *OUTCOMES[Outcome.RUNNING]))
    assert "running 0 s" in row_texts(timeline, sight=Sight(NOW - 3600, live=True))[0]


def test_a_time_that_no_calendar_has(tmp_path: Path) -> None:
    """A call without a time, or with one that is none, has dashes in its place."""
    row = rows_of(tmp_path, agent(call("c", command="x"), timestamp="soon"))[0]
    assert "--:--" in row


def test_exit_code(tmp_path: Path) -> None:
    """A command that failed shows its exit code."""
    text = "out\n\nCommand exited with code 3"
    assert "exit 3" in rows_of(tmp_path, agent(call("c", command="x")), ran("c", text, is_error=True))[0]


def test_batch_shares_a_bracket(data: Path) -> None:
    """Calls made at once share a bracket."""
    rows = row_texts(timeline_of(data / "parallel.jsonl"))
    assert [row[2] for row in rows] == [" ", "┌", "│", "│", "└", " "]


def test_rejection_and_correction_hang_together(data: Path) -> None:
    """Each later try hangs under the rejected one, with its number, and says when nothing was changed."""
    rows = row_texts(timeline_of(data / "rejects.jsonl"))
    tries = [row for row in rows if " try" in row]
    assert all(row[2] == "└" for row in tries)
    assert "2nd try" in tries[0]
    assert "3rd try" in tries[1]
    assert any("same again" in row for row in tries)


def test_nested_calls_hang_under_theirs(tmp_path: Path) -> None:
    """A call that another tool made hangs under that one."""
    rows = rows_of(
        tmp_path, agent(call("c", "codemode", code="x")), nested("c", ("mcp__tides__high", "ok"), ("bash", "error"))
    )
    assert [row[2] for row in rows] == [" ", "└", "└"]
    assert "mcp__tides__high" in rows[1]


def test_abandoned_branch(tmp_path: Path) -> None:
    """A call on an abandoned branch is marked where such branches are shown."""
    entries = user(), agent(call("c", command="x")), ran("c"), user(parentId="e1")
    timeline = timeline_of(write_session(tmp_path / "s.jsonl", *entries))
    timeline.show_branches(all_branches=True)
    assert any(row.startswith("~ ") for row in row_texts(timeline))


def test_long_tool_names_are_cut(tmp_path: Path) -> None:
    """The name of a tool takes no more room than is left for what it did."""
    rows = row_texts(timeline_of(write_session(tmp_path / "s.jsonl", agent(call("c", "mcp__" + "x" * 200, a="b")))), 80)
    assert len(rows[0]) <= 80
    assert "a=b" in rows[0]


def test_kinds_that_keys_go_to(data: Path, tmp_path: Path) -> None:
    """Findings are failures, rejections, blocks and failed requests; inputs and reminders are what they are."""
    timeline = timeline_of(data / "rejects.jsonl")
    found = [timeline.calls.items[row.call].outcome for row in timeline.rows if is_finding(timeline, row)]
    assert set(found) == {Outcome.REJECTED, Outcome.BLOCKED}
    assert {timeline.calls.items[row.call].outcome for row in timeline.rows if is_rejection(timeline, row)} == {
        Outcome.REJECTED
    }
    assert [row.kind for row in timeline.rows if is_input(row)] == [RowKind.INPUT]
    retried = timeline_of(data / "retry.jsonl")
    assert RowKind.ERROR in [row.kind for row in retried.rows if is_finding(retried, row)]
    warned = timeline_of(data / "intents.jsonl")
    assert [row.kind for row in warned.rows if is_reminder(row)] == [RowKind.REMINDER]


def test_rows_follow_growth(tmp_path: Path) -> None:
    """A running call becomes what its result says, on the same row."""
    path = tmp_path / "s.jsonl"
    write_session(path, agent(call("c", command="x")))
    timeline = growing(path)
    timeline.take(timeline.session.take(timeline.session.follower.read()))
    assert "running" in row_texts(timeline)[0]
    write_session(path, agent(call("c", command="x")), ran("c", ms=1200))
    timeline.take(timeline.session.take(timeline.session.follower.read()))
    assert row_texts(timeline)[0].rstrip().endswith("1.2 s")
