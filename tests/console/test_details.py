import asyncio
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.message import Message

from pilotage.calls.timeline import Timeline
from pilotage.console.details import (
    ARGUMENT_LINES,
    CALLS_SINCE,
    HEAVY,
    LINE_LIMIT,
    OUTPUT_HEAD,
    OUTPUT_TAIL,
    DetailMaker,
    detail_lines,
    output_of,
)
from pilotage.console.messages import DetailMade
from pilotage.console.rows import Sight
from pilotage.records.row import RowKind
from pilotage.sessions.read import UnreadableSession
from tests.console.driven import (
    LIVE,
    NOW,
    call_rows,
    detail_text,
    nested,
    reminder,
    role_of,
    text_of,
    texts,
    timeline_of,
)
from tests.handmade import HOSTILE, Fields, agent, call, ran, refused, user, write_session

AIM = "Stop retrying once the server has acknowledged the upload"


def session(folder: Path, *entries: Fields) -> Timeline:
    """Give a session with these entries, as a line of time."""
    return timeline_of(write_session(folder / "s.jsonl", *entries))


def detail(folder: Path, *entries: Fields, width: int = 60, sight: Sight = LIVE) -> str:
    """Give the detail of the last row of a session with these entries."""
    timeline = session(folder, *entries)
    return detail_text(timeline, timeline.rows[-1], width, sight)


def test_order_of_a_detail(tmp_path: Path) -> None:
    """What for, because of what, what exactly, what came out: in this order (console.md)."""
    made = call("c", "bash", command="pytest -q", intent=AIM, rationale="tests/test_upload.py:88 fails")
    text = detail(tmp_path, user(), agent(made), ran("c", "3 passed", ms=100))
    assert text.split("\n") == [
        "bash  turn 1 step 1" + " " * 32 + "ok 100 ms",
        "",
        "Stop retrying once the server has acknowledged the upload",
        "",
        "because  tests/test_upload.py:88 fails",
        "",
        "command  pytest -q",
        "",
        "3 passed",
    ]


def test_no_intent_is_said(tmp_path: Path) -> None:
    """A call without an intent says so where it would stand."""
    assert "\nno intent given\n" in detail(tmp_path, agent(call("c", command="ls")), ran("c"))


def test_edit_shows_its_diff(data: Path) -> None:
    """A successful edit shows path and diff, and no output that only repeats it."""
    timeline = timeline_of(data / "edits.jsonl")
    row = next(row for row in call_rows(timeline) if timeline.calls.items[row.call].tool == "edit")
    text = detail_text(timeline, row)
    assert " +  " in text
    assert " -  " in text
    assert "Successfully" not in text


@pytest.mark.parametrize(
    "arguments", [{"path": "a.py", "edits": "no list"}, {"path": "a.py", "edits": [{}]}, {"file": "a.py"}]
)
def test_edit_without_a_diff_shows_its_arguments(tmp_path: Path, arguments: Fields) -> None:
    """Where an edit's arguments make no diff they are shown as they are: a refused call can be understood."""
    text = detail(tmp_path, agent(call("c", "edit", **arguments)), refused("c", "edit", "edits: must be a list"))
    assert all(name in text for name in arguments)
    assert "edits: must be a list" in text


def test_arguments_that_are_no_object(tmp_path: Path) -> None:
    """Arguments that are no object are shown too, for any tool."""
    for tool in ("bash", "edit"):
        made: Fields = {"type": "toolCall", "id": "c", "name": tool, "arguments": ["rm", "-r"]}
        assert '["rm", "-r"]' in detail(tmp_path, agent(made), refused("c", tool))


def test_long_arguments(tmp_path: Path) -> None:
    """An argument of many lines stands below its name; lines and ends of lines that are cut are said."""
    text = detail(tmp_path, agent(call("c", "write", path="a", content="line\n" * 100)))
    assert text.count("\n  line") == ARGUMENT_LINES
    assert f"… {101 - ARGUMENT_LINES} more lines" in text
    assert "…" in detail(tmp_path, agent(call("c", command="x" * (LINE_LIMIT + 1))))


def test_failure_shows_its_end_first(tmp_path: Path) -> None:
    """A long output has head and tail and says what is between; after a failure the end comes first."""
    output = "\n".join(f"line {number}" for number in range(500))
    good = detail(tmp_path, agent(call("c", command="x")), ran("c", output))
    bad = detail(tmp_path, agent(call("c", command="x")), ran("c", output, is_error=True))
    between = f"… {500 - OUTPUT_HEAD - OUTPUT_TAIL} lines not shown"
    assert good.index("line 0\n") < good.index(between) < good.index("line 499")
    assert bad.index("line 499") < bad.index(between) < bad.index("line 0\n")
    assert "500 lines, 4,389 characters: Enter opens all of it" in good


def test_line_ends_of_other_systems(tmp_path: Path) -> None:
    """A carriage return that only ends a line is not shown; one within a line is."""
    text = detail(tmp_path, agent(call("c", command="x")), ran("c", "one\r\ntwo\r\n10%\r20%"))
    assert "one\ntwo\n10%␍20%" in text


def test_running_and_unanswered(tmp_path: Path) -> None:
    """A call without a result says whether one may still come."""
    entries = (agent(call("c", command="sleep 60")),)
    assert "no result yet" in detail(tmp_path, *entries)
    dead = detail(tmp_path, *entries, sight=Sight(NOW, live=False))
    assert "no result, and none will come" in dead
    assert "unanswered" in dead.split("\n")[0]


def test_chain_of_tries(data: Path) -> None:
    """A corrected call shows each try, what was wrong with it, and how long the correction took."""
    timeline = timeline_of(data / "rejects.jsonl")
    row = next(
        row for row in call_rows(timeline) if (link := timeline.calls.items[row.call].chain) and link.attempt == 3
    )
    text = detail_text(timeline, row)
    assert "1st try" in text
    assert "2nd try" in text
    assert "3rd try" in text
    assert "accepted" in text
    assert "corrected after" in text


def test_chain_that_was_never_corrected(tmp_path: Path) -> None:
    """A rejection without a correction says so, and a try that changed nothing says that."""
    made = call("a", "read", file="x"), call("b", "read", file="x")
    entries = agent(made[0]), refused("a", "read"), agent(made[1]), refused("b", "read")
    text = detail(tmp_path, *entries)
    assert "never corrected" in text
    assert "the same arguments again" in text


def test_quiet_notes(tmp_path: Path) -> None:
    """Notes on the quality of an intent stand last, in a quiet tone."""
    timeline = session(tmp_path, agent(call("c", "bash", command="ls -la", intent="ls -la")), ran("c"))
    lines = detail_lines(timeline, timeline.rows[0], 60, LIVE)
    assert text_of(lines[-1]) == "the intent repeats the command or path"
    assert role_of(lines[-1], "the intent") == "dim"


def test_nested_call_names_its_parent(tmp_path: Path) -> None:
    """A call that another tool made says which one made it."""
    assert "called by c while it ran" in detail(tmp_path, agent(call("c", "codemode")), nested("c", ("bash", "ok")))


def test_reminder(tmp_path: Path) -> None:
    """A reminder shows deviation and source of each pair in their own words, then the calls since."""
    said = reminder(("Reproduce it first", "AGENTS.md: reproduce"), ("Test it", "The request"))
    since = [agent(call(f"c{number}", command=f"run {number}")) for number in range(CALLS_SINCE + 2)]
    timeline = session(tmp_path, said, *since)
    lines = detail_lines(timeline, timeline.rows[0], 60, LIVE)
    assert texts(lines)[2:9] == [
        "Reproduce it first",
        "AGENTS.md: reproduce",
        "",
        "Test it",
        "The request",
        "",
        "the calls since",
    ]
    assert len(lines) == 9 + CALLS_SINCE
    assert text_of(lines[-1]).endswith(f"run {CALLS_SINCE - 1}")
    assert "\n  none" in detail(tmp_path, said)


def test_whole_words_of_other_rows(data: Path) -> None:
    """The user's words, a command of the person's and a summary are shown at length."""
    timeline = timeline_of(data / "notes.jsonl")
    row = next(row for row in timeline.rows if row.kind is RowKind.SHELL)
    assert output_of(timeline, row).startswith("$ ")
    assert output_of(timeline, row).split("\n")[0] in detail_text(timeline, row)
    compacted = timeline_of(data / "compaction.jsonl")
    row = next(row for row in compacted.rows if row.kind is RowKind.COMPACTION)
    assert len(output_of(compacted, row)) > len(row.text)


@pytest.mark.parametrize("width", [2, 5, 20, 43, 120])
def test_title_keeps_the_outcome(tmp_path: Path, width: int) -> None:
    """However long the name of a tool, the outcome at its right is not pushed out."""
    timeline = session(tmp_path, agent(call("c", "mcp__漢" + "x" * 200)), ran("c", "no tool", is_error=True, ms=None))
    title = text_of(detail_lines(timeline, timeline.rows[0], width, LIVE)[0])
    assert "\n" not in title
    assert title.rstrip().endswith("blocked")
    assert width < 43 or cell_len(title) <= width


@pytest.mark.parametrize("width", [3, 10, 44, 200])
def test_hostile_details(tmp_path: Path, width: int) -> None:
    """Whatever a session holds, its detail is printable text of the width that was asked for."""
    made = call(
        "c", HOSTILE, intent=HOSTILE, rationale=HOSTILE, **{HOSTILE: {HOSTILE: [HOSTILE]}, "command": HOSTILE * 9}
    )
    entries = (
        user(HOSTILE),
        agent(made),
        ran("c", HOSTILE * 20 + "\n" + HOSTILE, is_error=True),
        reminder((HOSTILE, HOSTILE)),
        agent(call("d", "bash", intent=HOSTILE, rationale=HOSTILE, command=HOSTILE)),
        nested("d", (HOSTILE, "error")),
        agent(stop="error", errorMessage=HOSTILE),
    )
    timeline = session(tmp_path, *entries)
    for row in timeline.rows:
        for line in detail_lines(timeline, row, width, LIVE):
            assert text_of(line).isprintable()
            assert width < 44 or cell_len(text_of(line)) <= width


def test_a_changed_file_is_said(tmp_path: Path) -> None:
    """Where the file no longer holds an entry the detail says so."""
    path = write_session(tmp_path / "s.jsonl", agent(call("c", command="x")), ran("c", "out"))
    timeline = timeline_of(path)
    path.write_text("gone\n")
    with pytest.raises(UnreadableSession, match="read the session again"):
        detail_lines(timeline, timeline.rows[0], 60, LIVE)
    maker = DetailMaker(lambda _: True)
    assert "read the session again" in " ".join(texts(maker.lines(timeline, timeline.rows[0], 60, LIVE)))


def heavy(folder: Path) -> Timeline:
    """Give a session whose only call has an output that is large in bytes."""
    return session(folder, agent(call("c", command="x")), ran("c", "x" * 60 + "\n" + "y" * (HEAVY + 1) + "\nend"))


def test_large_details_come_from_a_thread(tmp_path: Path) -> None:
    """A row of more than a megabyte says that it is read; a message tells when it is there."""
    timeline = heavy(tmp_path)

    async def made() -> list[str]:
        posted: asyncio.Queue[Message] = asyncio.Queue()
        loop = asyncio.get_running_loop()

        def post(message: Message) -> bool:
            loop.call_soon_threadsafe(posted.put_nowait, message)
            return True

        maker = DetailMaker(post)
        assert texts(maker.lines(timeline, timeline.rows[0], 60, LIVE)) == ["reading 1 MB"]
        assert isinstance(await asyncio.wait_for(posted.get(), 20), DetailMade)
        return texts(maker.lines(timeline, timeline.rows[0], 60, LIVE))

    lines = asyncio.run(made())
    assert lines[-1] == "end"
    assert max(map(len, lines)) <= 60


def test_small_details_are_made_at_once(tmp_path: Path) -> None:
    """Other rows are made where they are asked for."""
    timeline = session(tmp_path, agent(call("c", command="x")), ran("c", "out"))
    posted: list[Message] = []

    def post(message: Message) -> bool:
        posted.append(message)
        return True

    maker = DetailMaker(post)
    assert texts(maker.lines(timeline, timeline.rows[0], 60, LIVE))[-1] == "out"
    assert posted == []


def test_what_is_stale(tmp_path: Path) -> None:
    """A detail is stale when another row, or the same call with a result, is shown; it is void when told to forget."""
    timeline = session(tmp_path, agent(call("a", command="x"), call("b", command="y")), ran("a"))
    maker = DetailMaker(lambda _: True)
    first, second = timeline.rows
    assert maker.is_stale(timeline, first)
    maker.lines(timeline, first, 60, LIVE)
    assert not maker.is_stale(timeline, first)
    assert maker.is_stale(timeline, second)
    assert maker.is_stale(timeline, None)
    assert maker.is_running(timeline, second)
    assert not maker.is_running(timeline, first)
    maker.forget()
    assert maker.is_stale(timeline, first)


def test_an_intent_of_megabytes(tmp_path: Path) -> None:
    """An intent of five megabytes on one line is wrapped like any other."""
    timeline = session(tmp_path, agent(call("c", command="x", intent="y" * 5_000_000)))
    assert len(detail_lines(timeline, timeline.rows[0], 50, LIVE)) > 100_000
