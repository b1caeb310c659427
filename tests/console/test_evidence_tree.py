from pathlib import Path

import pytest

from pilotage.console.evidence_lines import node_detail, node_line
from pilotage.console.evidence_opening import OpenedAttempt, open_attempt
from pilotage.console.evidence_tree import AttemptNode, InputNode, Node, PartNode, SessionNode, WordsNode, evidence_tree
from pilotage.console.pieces import width_of
from pilotage.console.spending import Spent
from pilotage.records.attempt import ReminderState
from tests.console.driven import text_of, texts
from tests.console.evidenced import BEGAN, LATER, begins, ends, opened, pair, preparation, review, reviewed
from tests.handmade import HOSTILE, agent, user, write_session


def tree_of(path: Path, *unfolded: int) -> tuple[list[Node], dict[str, OpenedAttempt]]:
    """Give the tree of a session with these attempts unfolded and read."""
    timeline, attempts = opened(path)
    wanted = [attempts.ordered()[number] for number in unfolded]
    read = {one.id: open_attempt(timeline.session, one, None) for one in wanted}
    return evidence_tree(timeline, attempts, list(read), read), read


def lines(path: Path, *unfolded: int, width: int = 90, marked: str = "") -> list[str]:
    """Give the lines of a session's tree."""
    nodes, _ = tree_of(path, *unfolded)
    return [text_of(node_line(node, LATER, marked=marked, width=width)).rstrip() for node in nodes]


def detail(path: Path, node: Node, read: dict[str, OpenedAttempt], width: int = 60) -> str:
    """Give the detail of a node."""
    timeline, _ = opened(path)
    attempt = getattr(node, "attempt", None)
    known = read.get(attempt.id) if attempt else None
    told = node_detail(node, timeline, LATER, known, Spent(20, 40_000), "/agent/settings.json", width)
    assert all(width_of(line) <= width for line in told)
    return "\n".join(texts(told))


def test_recorded_tree(data: Path, tmp_path: Path) -> None:
    """The session, its inputs and their attempts, the newest first; beneath an unfolded one its parts (spec U5)."""
    told = lines(reviewed(data, tmp_path), 3)
    assert told[0].startswith(" the session  8 attempts, 7 requests, 15.3k tokens")
    assert told[0].endswith("2 failed")
    assert told[1].startswith(" 21:04 you  Now 30 for the nightly run.")
    assert [line.split()[0] for line in told[2:4]] == ["+", "+"]
    assert told[2].endswith("incomplete")
    assert "prepare example/glm-5.3 did not answer" in told[3]
    assert told[4].startswith(" 21:04 you  Raise the limit to 20")
    assert "step 10: 1 reminder, late" in told[5]
    assert "step 8: 2 reminders, held back" in told[6]
    assert told[7].lstrip().startswith("- 21:04 review")
    assert [line.split("  ")[-1] for line in told[8:13]] == [*["recorded"] * 3, "reconstructed", "recorded"]
    assert "model's answer" in told[11]
    assert "step 2: nothing to say" in told[-2]
    assert "2 suggested, 3 read or run" in told[-1]
    assert told[-1].endswith("2,235 tokens, 1.1 s  ok")


@pytest.mark.parametrize("width", [44, 60, 76, 120])
def test_lines_keep_their_width(data: Path, tmp_path: Path, width: int) -> None:
    """A line is never wider than there is room."""
    nodes, _ = tree_of(reviewed(data, tmp_path), 0, 1, 2, 3, 7)
    for node in nodes:
        assert width_of(node_line(node, LATER, marked="", width=width)) <= width


def test_marked_for_comparing(data: Path, tmp_path: Path) -> None:
    """The attempt that another one is to be compared with bears the key's sign."""
    path = reviewed(data, tmp_path)
    _, attempts = opened(path)
    told = lines(path, marked=attempts.ordered()[2].id)
    assert [line[0] == "c" for line in told].count(True) == 1


def test_details(data: Path, tmp_path: Path) -> None:
    """Session, input, attempt and part each tell what they are, what they rest on and how they are opened."""
    path = reviewed(data, tmp_path)
    nodes, read = tree_of(path, 2, 3)
    kinds: dict[type, list[str]] = {}
    for node in nodes:
        kinds.setdefault(type(node), []).append(detail(path, node, read))
    assert "file     " in kinds[SessionNode][0]
    assert "35% of the session's requests, 38% of its tokens" in kinds[SessionNode][0]
    assert "2 preparations" in kinds[SessionNode][0]
    assert "Raise the limit to 20 in settings.ini" in kinds[InputNode][1]
    told = "\n".join(kinds[AttemptNode])
    for words in (
        "delivered: The limit was changed",
        "model    example/glm-5.3",
        "in Pi    pi --session",
        "written  by pilotage",
        "recorded outcome, times",
        "rebuilt  what became of the reminders",
        "It began and has no end: incomplete.",
        "context  a context with its results",
    ):
        assert words in told
    parts = "\n".join(kinds[PartNode])
    assert "in the child session: what the model wrote" in parts
    assert "taken out of the response's body" in parts
    assert "1 line, 34 characters" in parts


def test_words_in_place_of_parts(data: Path, tmp_path: Path) -> None:
    """A child that is gone is said with its path, one that is read yet says so."""
    path = reviewed(data, tmp_path)
    timeline, attempts = opened(path)
    review_id = attempts.ordered()[2].id
    reading = evidence_tree(timeline, attempts, [review_id], {})
    assert [node.words for node in reading if isinstance(node, WordsNode)] == ["reading"]
    for child in (tmp_path / "children").iterdir():
        child.unlink()
    nodes, read = tree_of(path, 2)
    (words,) = (node for node in nodes if isinstance(node, WordsNode))
    assert words.is_fault
    told = detail(path, words, read, 100)
    assert "the child session cannot be read" in told
    assert str(tmp_path / "children") in "".join(told.split())
    assert "may have been removed or moved" in told
    assert any("cannot be read: /" in line for line in lines(path, 2))


def test_no_attempts(tmp_path: Path) -> None:
    """Without an attempt there is no tree."""
    nodes, _ = tree_of(write_session(tmp_path / "s.jsonl", user(), agent(text="Done.")))
    assert nodes == []


def test_attempt_of_another_writer(tmp_path: Path) -> None:
    """Attempts that name no input go by the turn in which they began, and one outside it says so."""
    entries = [user("First."), begins(review(1)), agent(), user("Second."), begins(preparation(2), BEGAN + 5)]
    nodes, _ = tree_of(write_session(tmp_path / "s.jsonl", *entries))
    assert [node.words for node in nodes if isinstance(node, InputNode)] == ["Second.", "First."]
    lost = write_session(tmp_path / "t.jsonl", begins(review(1)))
    assert any("an input that is not in this session" in line for line in lines(lost))


def test_hostile(tmp_path: Path) -> None:
    """Nothing in the tree or in a detail steers the terminal (spec U8)."""
    failed = ends(review(), failure=(HOSTILE, HOSTILE), child=f"/nowhere/{HOSTILE}")
    said = ends(review(2), pair(HOSTILE, ReminderState.LATE, HOSTILE), at=BEGAN + 4)
    path = write_session(tmp_path / "s.jsonl", user(HOSTILE), begins(review()), failed, said)
    nodes, read = tree_of(path, 0, 1)
    shown = "\n".join([*lines(path, 0, 1), *(detail(path, node, read) for node in nodes)])
    assert all(line.isprintable() for line in shown.split("\n"))
