from collections.abc import Sequence
from pathlib import Path

import pytest

from pilotage.evidence.prepared import BRIEF, action_fates, fates, open_prepared
from pilotage.evidence.read import read_attempts
from pilotage.records.attempt import Action, Attempt, Prepared, Purpose, Suggestion, SuggestionState
from pilotage.sessions.read import read_session
from tests.calls.opened import opened
from tests.handmade import Fields, agent, call, ran, user, write_session

LONG = "x" * 5000
MESSAGES: list[Fields] = [
    {
        "role": "assistant",
        "timestamp": 1_767_600_000_500,
        "content": [
            {"type": "toolCall", "id": "p0", "name": "read", "arguments": {"path": "notes.txt"}},
            {"type": "toolCall", "id": "p1", "name": "bash", "arguments": {"command": "false"}},
            {"type": "toolCall", "id": "p2", "name": "bash", "arguments": {"command": "never"}},
        ],
    },
    {
        "role": "toolResult",
        "toolCallId": "p0",
        "timestamp": 1_767_600_000_700,
        "content": [{"type": "text", "text": LONG}],
        "isError": False,
    },
    {
        "role": "toolResult",
        "toolCallId": "p1",
        "timestamp": 1_767_600_001_300,
        "durationMs": 300,
        "details": {"executor": "pilotage", "confined": True, "began": 1_767_600_001_000},
        "content": "exit 1",
        "isError": True,
    },
]
DATA: Fields = {
    "version": 1,
    "inputId": "input-1",
    "attempt": "attempt-1",
    "preparationId": "attempt-1",
    "prefetch": {"rounds": [{"messages": MESSAGES}]},
    "suggestions": [
        {"id": "skill:tides", "why": "The task names tides.", "confidence": 0.9},
        {"id": "tool:notify", "state": "stale"},
        "mcp:mcp__tides",
        7,
    ],
    "tokens": {"input": 700, "output": 20},
    "elapsedMs": 1500,
}
OURS: Fields = {"type": "custom", "customType": "capability-prefetch", "data": DATA}
THEIRS: Fields = {
    "type": "custom_message",
    "customType": "capability-prefetch",
    "content": "(tool records)",
    "display": False,
    "details": {"preparationId": "p-7", "prefetch": {"rounds": [{"messages": MESSAGES}, {"messages": []}]}},
}


def prepared_of(folder: Path, *entries: Fields) -> list[Prepared]:
    """Give what preparations brought to a session of these entries."""
    return read_attempts(read_session(write_session(folder / "s.jsonl", *entries))).prepared


def test_carrier(tmp_path: Path) -> None:
    """A carrier tells what was suggested, and what was done when; the text of a read is held in brief (spec P6)."""
    (prepared,) = prepared_of(tmp_path, user(), OURS)
    assert prepared == Prepared(
        entry="e2",
        input_id="input-1",
        attempt="attempt-1",
        preparation_id="attempt-1",
        suggestions=(
            Suggestion("skill:tides", "The task names tides.", 0.9),
            Suggestion("tool:notify", state=SuggestionState.STALE),
            Suggestion("mcp:mcp__tides"),
        ),
        actions=(
            Action("read", {"path": "notes.txt"}, LONG[:BRIEF] + "…", False, 1_767_600_000.5, pytest.approx(0.2)),
            Action("bash", {"command": "false"}, "exit 1", True, 1_767_600_001.0, 0.3, True, "pilotage"),
        ),
        tokens=(700, 20),
        milliseconds=1500,
    )


def test_other_carrier(tmp_path: Path) -> None:
    """The original extension's carrier is a message to the model, and is read as well (spec P6)."""
    (prepared,) = prepared_of(tmp_path, user(), agent(text="Hm."), THEIRS)
    assert (prepared.in_context, prepared.preparation_id, len(prepared.actions)) == (True, "p-7", 2)
    as_message: Fields = {"type": "message", "message": {"role": "custom", **THEIRS}}
    del as_message["message"]["type"]  # type: ignore[attr-defined]
    (same,) = prepared_of(tmp_path, user(), agent(text="Hm."), as_message)
    assert same == prepared


def test_whole_text(tmp_path: Path) -> None:
    """All that an action brought is read when somebody wants it."""
    session = read_session(write_session(tmp_path / "s.jsonl", user(), OURS))
    (prepared,) = read_attempts(session).prepared
    assert open_prepared(session, prepared).actions[0].text == LONG
    assert open_prepared(session, Prepared("gone")) == Prepared("gone")


def test_fates(tmp_path: Path) -> None:
    """A suggestion was used if a call of the same turn used it, and what is written down is not judged again (P9)."""
    path = write_session(
        tmp_path / "s.jsonl",
        user(),
        OURS,
        agent(call("a", "read", path="/home/dev/.pi/agent/skills/tides/SKILL.md")),
        ran("a"),
        agent(text="So.", stop="stop"),
        user("Next."),
        OURS,
        agent(call("b", "mcp__tides__high_water", harbour="Emden"), call("c", "notify")),
        ran("b"),
        ran("c"),
    )
    first, second = read_attempts(read_session(path)).prepared
    used, unused, stale = SuggestionState.USED, SuggestionState.UNUSED, SuggestionState.STALE
    assert fates(opened(path), first) == (used, stale, unused)
    assert fates(opened(path), second) == (unused, stale, used)


USED, UNUSED, STALE, LATE = SuggestionState
SKILL = "/home/dev/.pi/agent/skills/tides/SKILL.md"


def suggesting(*ids: str, messages: Sequence[Fields] = ()) -> Fields:
    """Give a record that suggests these, and brought these messages."""
    told = [{"id": one, "why": "Needed."} for one in ids]
    data = {"suggestions": told, "prefetch": {"rounds": [{"messages": messages}]}}
    return {"type": "custom", "customType": "capability-prefetch", "data": data}


def brought(tool: str, text: str, **arguments: object) -> list[Fields]:
    """Give the messages of one action."""
    return [
        {"role": "assistant", "content": [call("p", tool, **arguments)]},
        {"role": "toolResult", "toolCallId": "p", "content": text},
    ]


@pytest.mark.parametrize(
    ("capability", "made", "answer", "fate"),
    [
        ("skill:tides", call("a", "read", path=SKILL), ran("a"), USED),
        ("skill:tides", call("a", "bash", command=f"cat {SKILL}"), ran("a"), USED),
        ("skill:tides", call("a", "edit", path=SKILL), ran("a"), STALE),
        ("skill:tides", call("a", "edit", path=SKILL), ran("a", is_error=True), UNUSED),
        ("skill:tide", call("a", "read", path=SKILL), ran("a"), UNUSED),
        ("tool:notify", call("a", "notify"), ran("a"), USED),
        ("tool:notify", call("a", "notify_all"), ran("a"), UNUSED),
        ("tool:notify", call("a", "tool_search", query="x"), ran("a", details={"loaded": ["notify"]}), USED),
        ("tool:notify", call("a", "tool_search", query="notify"), ran("a", details={"loaded": ["x"]}), UNUSED),
        ("mcp:mcp__sea", call("a", "tool_search", query="x"), ran("a", details={"loaded": ["mcp__sea__up"]}), USED),
    ],
)
def test_fate(tmp_path: Path, capability: str, made: Fields, answer: Fields, fate: SuggestionState) -> None:
    """What became of a suggestion, by the first call that has to do with it (spec P9)."""
    path = write_session(tmp_path / "s.jsonl", user(), suggesting(capability), agent(made), answer)
    (prepared,) = read_attempts(read_session(path)).prepared
    assert fates(opened(path), prepared) == (fate,)


def test_calls_before_it_are_no_use(tmp_path: Path) -> None:
    """What the agent did before it was prepared for uses nothing (spec P9)."""
    notify = [agent(call("a", "notify")), ran("a")]
    path = write_session(tmp_path / "s.jsonl", user(), *notify, suggesting("tool:notify"))
    (prepared,) = read_attempts(read_session(path)).prepared
    assert fates(opened(path), prepared) == (UNUSED,)


@pytest.mark.parametrize(
    ("made", "answer", "fate"),
    [
        (call("a", "read", path="notes.txt"), ran("a", "one"), USED),
        (call("a", "read", path="/home/dev/reeds/notes.txt"), ran("a", "two"), STALE),
        (call("a", "read", path="notes.txt", limit=3), ran("a", "two"), USED),
        (call("a", "edit", path="notes.txt"), ran("a"), USED),
        (call("a", "bash", command="wc -l notes.txt"), ran("a"), USED),
        (call("a", "bash", command="wc -l my-notes.txt"), ran("a"), UNUSED),
        (call("a", "read", path="other.txt"), ran("a", "two"), UNUSED),
    ],
)
def test_fate_of_a_read(tmp_path: Path, made: Fields, answer: Fields, fate: SuggestionState) -> None:
    """What became of a file that was read ahead, by the first call that has to do with it (spec P9)."""
    record = suggesting(messages=brought("read", "one", path="notes.txt"))
    path = write_session(tmp_path / "s.jsonl", user(), record, agent(made), answer)
    (prepared,) = read_attempts(read_session(path)).prepared
    assert action_fates(opened(path), prepared) == (fate,)


def test_fate_of_a_command(tmp_path: Path) -> None:
    """No call tells whether the output of a command was of use, unless it is run again (spec P9)."""
    record = suggesting(messages=brought("bash", "3", command="ls | wc -l"))
    path = write_session(tmp_path / "s.jsonl", user(), record, agent(call("a", command="ls")), ran("a"))
    (prepared,) = read_attempts(read_session(path)).prepared
    assert action_fates(opened(path), prepared) == (None,)
    path = write_session(tmp_path / "s.jsonl", user(), record, agent(call("a", command="ls | wc -l")), ran("a"))
    assert action_fates(opened(path), prepared) == (USED,)


def test_what_was_void_is_late(tmp_path: Path) -> None:
    """Whatever an attempt brought that was void when it ended came too late (spec P9)."""
    record = suggesting("tool:notify", messages=brought("read", "one", path="notes.txt"))
    path = write_session(tmp_path / "s.jsonl", user(), record, agent(call("a", "notify")), ran("a"))
    (prepared,) = read_attempts(read_session(path)).prepared
    void = Attempt("a", Purpose.PREPARATION, "i", "e1", outcome="void")
    assert (fates(opened(path), prepared, void), action_fates(opened(path), prepared, void)) == ((LATE,), (LATE,))


@pytest.mark.parametrize("data", [None, 5, [], {}, {"prefetch": {"rounds": [{"messages": [{"role": "toolResult"}]}]}}])
def test_empty_carriers(tmp_path: Path, data: object) -> None:
    """A carrier that holds nothing usable is one without suggestions and actions."""
    (prepared,) = prepared_of(tmp_path, {"type": "custom", "customType": "capability-prefetch", "data": data})
    assert (prepared.suggestions, prepared.actions) == ((), ())
