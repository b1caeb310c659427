from pathlib import Path

import pytest

from pilotage.console.spending import MainSpending, Spent, share, spent_by
from pilotage.records.attempt import Attempt, Purpose
from pilotage.records.fields import as_dict
from tests.console.driven import growing
from tests.handmade import Fields, agent, call, lines_of, user, write_session


def costing(tokens: int) -> Fields:
    """Give an answer of the main model that cost tokens."""
    entry = agent(call(f"c{tokens}", command="x"))
    return entry | {"message": as_dict(entry["message"]) | {"usage": {"input": tokens, "output": 1}}}


def test_main_model(tmp_path: Path) -> None:
    """The main model's requests and tokens are counted once as the session grows, and anew when it is replaced."""
    entries = [user(), costing(10), costing(20)]
    path = write_session(tmp_path / "s.jsonl", *entries)
    timeline, spending = growing(path), MainSpending()
    timeline.take(timeline.session.take(timeline.session.follower.read()))
    assert spending.of(timeline) == Spent(2, 32)
    assert spending.of(timeline) == Spent(2, 32)
    with path.open("a") as file:
        file.write("".join(lines_of([*entries, costing(5)])[3:]))
    timeline.take(timeline.session.take(timeline.session.follower.read()))
    assert spending.of(timeline) == Spent(3, 38)
    write_session(path, user(), costing(7))
    timeline.take(timeline.session.take(timeline.session.follower.read()))
    assert spending.of(timeline) == Spent(1, 8)


def test_attempts() -> None:
    """Attempts cost what they say; what they do not say is nothing."""
    silent = Attempt("a", Purpose.TRAJECTORY, "", "")
    told = Attempt("b", Purpose.TRAJECTORY, "", "", requests=1, tokens=(900, 12))
    assert spent_by([silent, told, told]) == Spent(2, 1824)
    assert Spent(1, 2) + Spent(3, 4) == Spent(4, 6)


@pytest.mark.parametrize(
    ("part", "whole", "words"),
    [(0, 0, "0%"), (0, 10, "0%"), (1, 1000, "under 1%"), (1, 100, "1%"), (1, 3, "33%"), (5, 5, "100%")],
)
def test_share(part: int, whole: int, words: str) -> None:
    """A share is in whole per cent, and little is not said to be nothing."""
    assert share(part, whole) == words
