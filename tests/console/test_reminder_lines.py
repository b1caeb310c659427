from pathlib import Path

import pytest

from pilotage.console.pieces import width_of
from pilotage.console.reminder_lines import (
    STATE_WORDS,
    calls_after,
    item_detail,
    item_line,
    item_text,
    longest_word,
    precision_words,
    summary_line,
)
from pilotage.console.reviews import Item, Reminded, Reviews
from pilotage.console.rows import Sight
from pilotage.console.spending import Spent
from pilotage.evidence.marks import Precision
from pilotage.records.attempt import ReminderState
from tests.console.driven import text_of, texts
from tests.console.evidenced import BEGAN, LATER, begins, brings, ends, opened, pair, review, reviewed, told
from tests.handmade import HOSTILE, agent, call, ran, user, write_session

SECRET = "ghp_" + "a1B2" * 10


def lines(path: Path, width: int = 100, mark: bool | None = None, sight: Sight = LATER) -> list[str]:
    """Give the lines of a session's reminders."""
    items = told(path, sight).items
    longest = longest_word(items, sight)
    return [text_of(item_line(item, mark, sight, longest, width)) for item in items]


def detail(path: Path, item: Item, width: int = 60, mark: bool | None = None, sight: Sight = LATER) -> str:
    """Give the detail of a reminder."""
    timeline, _ = opened(path)
    told_lines = item_detail(
        item, timeline, sight, mark=mark, whole=Spent(20, 20_000), settings="/agent/settings.json", width=width
    )
    assert all(width_of(line) <= width for line in told_lines)
    return "\n".join(texts(told_lines))


def test_recorded_lines(data: Path, tmp_path: Path) -> None:
    """Time, words, step and state in columns; a failure is shown as a failure."""
    told_lines = lines(reviewed(data, tmp_path))
    assert [line[:9] for line in told_lines] == [f" {sign} 21:04 " for sign in "?...!>"]
    assert [line.rstrip().rsplit("  ", 1)[-1] for line in told_lines] == [
        *("incomplete", "late", "held back: repeated", "held back: unsourced", "not-json", "delivered")
    ]
    assert len({line.rindex("  step") for line in told_lines[2:]}) == 1
    assert "review failed: example/glm-5.3 did not answer" in told_lines[4]


@pytest.mark.parametrize("width", [30, 44, 60, 75, 76, 100, 160])
@pytest.mark.parametrize("mark", [None, True, False])
def test_lines_keep_their_width(data: Path, tmp_path: Path, width: int, mark: bool | None) -> None:
    """A line is as wide as it may be, in any terminal, marked or not."""
    for line in lines(reviewed(data, tmp_path), width, mark):
        assert len(line) == width or width < 44


def test_marks_and_sources(tmp_path: Path) -> None:
    """A mark is a word; a source that was not found is said, but not beside a state that says so."""
    entries = [
        ends(review(1), pair("Count first.", ReminderState.LATE, found=False)),
        ends(review(2), pair("Ask first.", ReminderState.UNSOURCED, found=False), at=BEGAN + 2),
    ]
    path = write_session(tmp_path / "s.jsonl", user(), *entries)
    held, late = lines(path, mark=True)
    assert "source not found" in late
    assert "right" in late
    assert "source not found" not in held
    assert "wrong" in lines(path, mark=False)[0]
    assert "no source" in lines(path, 60)[1]


def test_reminder_in_full(data: Path, tmp_path: Path) -> None:
    """Sentence, source in its own words, state, the calls since, cost with its share, coverage, place (spec R5, R7)."""
    path = reviewed(data, tmp_path)
    item = told(path).items[-1]
    told_detail = detail(path, item, mark=True)
    for words in (
        "reminder  turn 1 step 4  21:04:4",
        "The limit was changed two steps ago",
        'source   System prompt: "Run `python3 check.py` after every',
        "state    it stands in the session, for the agent to read",
        "you      marked right",
        "the calls since\n",
        "Is the limit of the old survey",
        "cost     1 request, 1,953 tokens sent, 50 received",
        "5% of the session's requests, 10% of its tokens",
        "saw      the last 5 items of the trajectory",
        "never    given: the results of calls",
        "evidence e opens it here",
        "in Pi    pi --session",
        "as text  pilotage snap",
    ):
        assert words in told_detail
    assert "child" in "".join(told_detail.split())


def test_calls_since(data: Path, tmp_path: Path) -> None:
    """The calls that follow are shown, the intent first; of those that the agent made without it that is said."""
    path = reviewed(data, tmp_path)
    timeline, _ = opened(path)
    late, delivered = told(path).items[1], told(path).items[-1]
    assert isinstance(late, Reminded)
    assert isinstance(delivered, Reminded)
    assert [timeline.calls.items[number].tool for number in calls_after(late, timeline)] == ["read", "bash"]
    assert len(calls_after(delivered, timeline)) == 7
    assert "the calls since, which the agent made without it" in detail(path, late)


def test_many_calls_since(tmp_path: Path) -> None:
    """Of many calls the first are shown and the others counted; none is said."""
    subject, said = review(), [pair("Count first.")]
    made = [agent(call(f"c{number}", command=f"run {number}")) for number in range(20)]
    entries = [user(), begins(subject), ends(subject, *said), brings(subject, said)]
    path = write_session(tmp_path / "s.jsonl", *entries, *made)
    assert "… 12 more calls" in detail(path, told(path).items[0])
    alone = write_session(tmp_path / "t.jsonl", *entries)
    assert "    none" in detail(alone, told(alone).items[0])


def test_calls_since_by_time(tmp_path: Path) -> None:
    """Where only the time tells when a reminder came, the calls are counted from then on."""
    path = write_session(tmp_path / "s.jsonl", user(), agent(call("a", command="x")), ran("a"))
    timeline, _ = opened(path)
    item = Reminded(("x", 0), pair("Count first.", ReminderState.OBSERVED), time=BEGAN)
    assert list(calls_after(item, timeline)) == [0]
    assert list(calls_after(Reminded(("x", 0), item.pair, time=BEGAN + 3600), timeline)) == []
    assert list(calls_after(Reminded(("x", 0), item.pair), timeline)) == []


def test_failure_in_full(tmp_path: Path) -> None:
    """A failure says why, that it is no verdict, how often, and where a model is named (spec M8)."""
    failed = ("unreachable", "Nothing answers at 127.0.0.1:8080.")
    entries = [ends(review(number, 5 * number), failure=failed, at=BEGAN + number) for number in (1, 2, 3)]
    path = write_session(tmp_path / "s.jsonl", user(), *entries)
    told_detail = detail(path, told(path).items[0])
    assert "Nothing answers at 127.0.0.1:8080." in told_detail
    assert "provider and model of\ncapabilityDiscovery in /agent/settings.json" in told_detail
    assert "It says nothing about the steps that it was to judge." in told_detail
    assert "3 times in a row" in told_detail
    assert "after steps 5, 10, 15" in " ".join(told_detail.split())
    assert "3 reviews failed: Nothing answers" in lines(path)[0]


def test_broken_off_in_full(data: Path, tmp_path: Path) -> None:
    """A review without an end proves nothing about reasons; one under way says how long."""
    path = reviewed(data, tmp_path)
    going = told(path).items[0]
    assert "proves nothing about settings" in detail(path, going)
    started = going.time or 0.0
    assert "running 7 s" in lines(path, sight=Sight(started + 7, live=True))[0]
    assert "not answered yet" in detail(path, going, sight=Sight(started + 7, live=True))


def test_hostile_words_and_secrets(tmp_path: Path) -> None:
    """Nothing of a reminder steers the terminal, and no secret in it is shown; how many are hidden is said (U8, U9)."""
    said = pair(f"{HOSTILE} {SECRET}", ReminderState.LATE, f"{HOSTILE} {SECRET} [/b]")
    entries = [ends(review(1), said), ends(review(2), failure=("x", HOSTILE + SECRET), at=BEGAN + 3)]
    path = write_session(tmp_path / "s.jsonl", user(), *entries)
    items = told(path).items
    shown = "\n".join([*lines(path), *(detail(path, item) for item in items)])
    assert all(line.isprintable() for line in shown.split("\n"))
    assert SECRET not in shown
    assert "2 secrets hidden" in shown
    assert all(SECRET not in item_text(item) for item in items)


def test_a_message_by_another(tmp_path: Path) -> None:
    """A reminder without source and notes says that there are none."""
    message = {"type": "custom_message", "customType": "capability-trajectory-warning", "content": "Count first."}
    path = write_session(tmp_path / "s.jsonl", user(), message)
    told_detail = detail(path, told(path).items[0])
    assert "source   none is given" in told_detail
    assert "no diagnostic entry tells of its review" in told_detail


def test_summary() -> None:
    """What was reviewed is counted, and how many marked reminders were right (spec R7)."""
    reviews = Reviews((), 7, 3, 1)
    line = text_of(summary_line(reviews, 1, (Precision(1, 1), Precision(5, 2)), 120))
    assert line.split("   ")[0] == " 7 reviews, 3 with nothing to say, 1 called off, 1 under way"
    assert line.rstrip().endswith("1 of 2 marked right, in all sessions 5 of 7")
    narrow = text_of(summary_line(reviews, 0, (Precision(1, 1), Precision(5, 2)), 60))
    assert len(narrow) == 60
    assert narrow.rstrip().endswith("1 of 2 marked right")
    assert precision_words(Precision(), Precision()) == ""


def test_every_state_has_words() -> None:
    """Each state has words for wide and narrow terminals."""
    assert set(STATE_WORDS) == set(ReminderState)
