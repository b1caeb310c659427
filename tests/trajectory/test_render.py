from pathlib import Path

import pytest

from pilotage.calls.build import Calls
from pilotage.sessions.read import UnreadableSession
from pilotage.trajectory.render import ARGUMENT, items, render
from tests.calls.opened import opened
from tests.handmade import Fields, agent, call, ran, refused, user, write_session


def told(path: Path) -> str:
    """Tell a session as text."""
    return render(items(opened(path)))


def of_call(folder: Path, *parts: Fields) -> str:
    """Tell a session in which the user speaks and these parts follow, without the user's line."""
    return told(write_session(folder / "s.jsonl", user("Go."), *parts)).removeprefix("user: Go.\n")


def test_plain_session(data: Path) -> None:
    """What was said and done is told once and in order, without any result (spec J1, J2)."""
    assert told(data / "steer.jsonl") == (
        "user: Count the east, then the west.\n"
        "call bash: command=sleep 1.2; echo east 6\n"
        "user: Leave the west out.\n"
        "call bash: command=echo written down\n"
        "agent: Six in the east; the west is left out.\n"
        "user: Then tell me the date of the count.\n"
        "agent: The count is of this morning."
    )


def test_intent_comes_first(data: Path) -> None:
    """A call says why it was made, then its arguments, each once (spec J1)."""
    lines = told(data / "intents.jsonl").splitlines()
    assert (
        "call edit: Raise the limit as asked | because settings.ini:2 holds it, once | path=settings.ini"
        " | edits='limit = 10' -> 'limit = 20'"
    ) in lines


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("failures", "  failed with exit code 127"),
        ("edits", "  failed"),
        ("rejects", "  rejected: structure (edits.0.newText)"),
        ("rejects", "  rejected: cut-off"),
        ("rejects", "  blocked"),
        ("intents", "  rejected: missing-intent (intent)"),
        ("abort_tool", "  aborted"),
        ("killed", "  unanswered: no result"),
    ],
)
def test_status_lines(data: Path, name: str, line: str) -> None:
    """Failed, rejected, blocked, aborted and unanswered calls have one status line (spec J1)."""
    assert line in told(data / f"{name}.jsonl").splitlines()


def test_calls_that_went_well_have_no_status(data: Path) -> None:
    """A call that succeeded is one line."""
    assert [line for line in told(data / "plain.jsonl").splitlines() if line.startswith(" ")] == []


def test_nested_calls_are_indented(data: Path) -> None:
    """Nested calls are told under the one that made them."""
    lines = told(data / "codemode.jsonl").splitlines()
    at = lines.index("  call mcp__tides__high_water: harbour=Tönning")
    assert lines[at + 1 : at + 3] == ["  failed", "  call bash: command=echo tides"]


def test_interruptions_stand_where_they_happened(data: Path) -> None:
    """A stop by the person is told behind what it stopped (spec J1)."""
    lines = told(data / "abort_stream.jsonl").splitlines()
    assert lines[1].startswith("agent: Long ago the river ran further east")
    assert lines[2] == "interruption: the person stopped the agent here"
    assert lines[3] == "user: Shorter, please."


def test_errors_of_the_model(data: Path) -> None:
    """A failed request is told with its reason."""
    assert "error: the model's request failed: Stream ended without finish_reason" in told(data / "retry.jsonl")


def test_compaction_and_branch_summary_in_full(data: Path) -> None:
    """Compaction and branch summaries are told in full; an abandoned branch is not told (spec J1)."""
    assert "compaction: ## Goal\nKeep a copy of ring.txt." in told(data / "compaction.jsonl")
    branches = told(data / "branch.jsonl")
    assert "The middle bird was looked at; it is a rail." in branches
    assert "bittern" not in branches


def test_reminders_and_notes(data: Path) -> None:
    """Reminders and extensions' messages that the agent read are told."""
    assert "reminder: A review of the last steps says:" in told(data / "intents.jsonl")
    assert "note: (notes.shown) The survey of 2026 is final." in told(data / "notes.jsonl")


def test_commands_of_the_person(data: Path) -> None:
    """The person's own commands are told, with an exit code that is not 0."""
    lines = told(data / "notes.jsonl").splitlines()
    assert "shell: echo '[by hand]'; exit 3 (exit code 3)" in lines
    assert "shell: echo private" in lines


def test_thinking_is_left_out(data: Path) -> None:
    """Thinking is not told (spec J2)."""
    assert "The note says final as well." in (data / "notes.jsonl").read_text()
    assert "The note says final as well." not in told(data / "notes.jsonl")


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("failures", "two nests differ\n"),
        ("parallel", "willow,2"),
        ("rejects", "Received arguments"),
        ("rejects", "Pushing needs a person"),
        ("notes", "716bf16c"),
    ],
)
def test_results_and_bookkeeping_are_left_out(data: Path, name: str, body: str) -> None:
    """No result's body, an error's included, and no bookkeeping is told (spec J2)."""
    assert body not in told(data / f"{name}.jsonl")


def test_preparation_results_are_left_out(tmp_path: Path) -> None:
    """The host's preparation results are not told (spec J2)."""
    prefetched: Fields = {"type": "custom_message", "customType": "capability-prefetch", "content": "secret body"}
    assert of_call(tmp_path, prefetched, agent(text="Well.", stop="stop")) == "agent: Well."


def test_picture_leaves_a_placeholder(data: Path) -> None:
    """A user's picture leaves a placeholder, and its bytes nothing (spec J2)."""
    text = told(data / "image.jsonl")
    assert "Which colour is this?\n[image]\n" in text
    assert "iVBOR" not in text


def test_words_are_told_in_full(tmp_path: Path) -> None:
    """What the user and the agent said is told in full, however long (spec J1)."""
    long = "reed " * 5000
    assert of_call(tmp_path, agent(text=long, stop="stop")) == f"agent: {long}"
    assert told(write_session(tmp_path / "u.jsonl", user(long))) == f"user: {long}"


def test_long_arguments_are_shortened(tmp_path: Path) -> None:
    """A long argument is cut, and says how long it is; one that just fits is whole."""
    fits, long = "x" * ARGUMENT, "y" * 5000
    text = of_call(tmp_path, agent(call("c", "write", path=fits, content=long)), ran("c"))
    assert text == f"call write: path={fits} | content={'y' * ARGUMENT}… (5,000 characters)"


def test_long_and_many_edits_are_shortened(tmp_path: Path) -> None:
    """A long text of an edit and edits beyond the fourth are cut with a sign (spec J5)."""
    edits = [{"oldText": f"{n}" * (1 if n else 400), "newText": ""} for n in range(6)]
    text = of_call(tmp_path, agent(call("c", "edit", path="a", edits=edits)), ran("c"))
    assert text == (
        f"call edit: path=a | edits='{'0' * (ARGUMENT // 2)}'… -> ''; '1' -> ''; '2' -> ''; '3' -> ''; … (6 edits)"
    )


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({}, "no arguments"),
        ({"edits": ["a", 1]}, 'edits=["a", 1]'),
        ({"edits": "[]"}, "edits=[]"),
        ({"edits": []}, "edits=[]"),
        ({"a": {"b": [1, None, "ü"]}}, 'a={"b": [1, null, "ü"]}'),
        ({"intent": None, "path": "a"}, "intent=null | path=a"),
    ],
)
def test_odd_arguments(tmp_path: Path, arguments: dict[str, object], line: str) -> None:
    """Arguments of any shape are told as what they are."""
    made = agent(call("c", "edit", **arguments))
    text = of_call(tmp_path, made, refused("c", "edit", "path: missing"))
    assert text == f"call edit: {line}\n  rejected: structure (path)"


def test_empty_session(tmp_path: Path) -> None:
    """A session in which nothing was said has no items."""
    assert items(opened(write_session(tmp_path / "s.jsonl", {"type": "model_change"}))) == []


@pytest.mark.parametrize("tail", [0, 1, 2, 5, 13, 14, 15, 16, 1000])
def test_tail(data: Path, tail: int) -> None:
    """The last N items are the end of all of them, within a batch too (spec J3)."""
    calls = opened(data / "rejects.jsonl")
    whole = items(calls)
    assert items(calls, tail) == whole[max(0, len(whole) - tail) :]


def test_tail_within_nested_calls(data: Path) -> None:
    """A tail may begin among the calls of one message."""
    calls = opened(data / "codemode.jsonl")
    assert [item.text for item in items(calls, 2)] == [
        "  call bash: command=echo tides",
        "06:12 in Husum, 05:47 in Büsum; there is no table for Tönning.",
    ]


def test_tail_reads_only_what_it_tells(data: Path, tmp_path: Path) -> None:
    """What lies before the tail is not read again, so that its loss costs nothing."""
    path = tmp_path / "s.jsonl"
    lines = (data / "plain.jsonl").read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines))
    calls = opened(path)
    path.write_bytes(b"x" * len(b"".join(lines[:-1])) + lines[-1])
    assert len(items(calls, 1)) == 1
    with pytest.raises(UnreadableSession):
        items(calls)


def test_items_name_their_entries(data: Path) -> None:
    """Each item has its kind, its entry's id and its time (spec J3)."""
    calls: Calls = opened(data / "abort_stream.jsonl")
    found = items(calls)
    assert [(item.kind, item.entry) for item in found] == [
        ("user", "5329a56c"),
        ("agent", "00f13dcf"),
        ("interruption", "00f13dcf"),
        ("user", "ee6433f9"),
        ("agent", "bbf52e81"),
    ]
    assert all(item.time is not None for item in found)
