import json
from pathlib import Path

import pytest

from pilotage.records.entry import (
    AgentMessage,
    BranchSummary,
    CallRequest,
    Compaction,
    Content,
    CustomMessage,
    Entry,
    Header,
    ModelChange,
    NestedCall,
    Reminder,
    SessionName,
    ShellCommand,
    ThinkingChange,
    ToolResult,
    Usage,
    UserMessage,
)
from pilotage.sessions.pi import REMINDER_TYPE, is_known
from pilotage.sessions.read import read_session
from tests.sessions.raw import decoded, packed

SECOND = 1_767_225_601.0


def entry_of(**fields: object) -> Entry:
    """Give the entry that these fields make."""
    record = decoded(packed({"type": "custom", "id": "a", "parentId": None} | fields)).records[0]
    assert isinstance(record, Entry)
    return record


def content_of(**fields: object) -> Content | None:
    """Give the content of an entry with these fields."""
    return entry_of(**fields).content


def message_of(role: str, **message: object) -> Content | None:
    """Give the content of a message."""
    return content_of(type="message", message={"role": role, **message})


def request_of(arguments: object, tool: str = "bash") -> CallRequest:
    """Give the call with these arguments."""
    block = {"type": "toolCall", "id": "c", "name": tool, "arguments": arguments}
    message = message_of("assistant", content=[block])
    assert isinstance(message, AgentMessage)
    return message.calls[0]


def result_of(**message: object) -> ToolResult:
    """Give a tool result."""
    result = message_of("toolResult", **message)
    assert isinstance(result, ToolResult)
    return result


def header_of(**fields: object) -> Header:
    """Give a header."""
    record = decoded(packed({"type": "session"} | fields)).records[0]
    assert isinstance(record, Header)
    return record


def test_header() -> None:
    """A header says what the session is, where it ran and what it was forked from."""
    header = header_of(version=3, id="s", timestamp="2026-01-01T00:00:01.000Z", cwd="/w", parentSession="/p.jsonl")
    assert (header.id, header.version, header.time, header.cwd) == ("s", 3, SECOND, "/w")
    assert header.parent == "/p.jsonl"


def test_header_of_version_1() -> None:
    """A header without a version is of version 1, and its `branchedFrom` is the parent (`HOST.md`, older files)."""
    header = header_of(id="s", branchedFrom="/p.jsonl", provider="p", modelId="m", thinkingLevel="off")
    assert (header.version, header.parent, header.cwd, header.time) == (1, "/p.jsonl", "", None)


def test_header_with_nothing() -> None:
    """A header without any field is a header still."""
    assert header_of(id=None).id == ""


def test_edges() -> None:
    """A null parent makes a root; no parent at all makes an entry that follows the one before it."""
    assert (entry_of(parentId="p").parent_id, entry_of(parentId="p").chained) == ("p", False)
    assert (entry_of(parentId=None).parent_id, entry_of(parentId=None).chained) == (None, False)
    bare = decoded(b'{"type":"message","message":{"role":"user","content":"x"}}').records[0]
    assert isinstance(bare, Entry)
    assert (bare.id, bare.parent_id, bare.chained) == ("L7", None, True)


@pytest.mark.parametrize(
    ("timestamp", "time"),
    [
        ("2026-01-01T00:00:01.000Z", SECOND),
        ("2026-01-01T00:00:01Z", SECOND),
        ("2026-01-01T02:00:01+02:00", SECOND),
        ("2026-01-01T00:00:01", SECOND),
        ("2026-01-01T00:00:01.250Z", SECOND + 0.25),
        ("", None),
        ("yesterday", None),
        ("2026-13-01T00:00:00Z", None),
        ("0001-01-01T00:00:00Z", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("9999-12-31T23:59:59-14:00", None),
        (1_767_225_601, None),
        (None, None),
    ],
)
def test_times(timestamp: object, time: float | None) -> None:
    """A time is read with its zone, UTC where it names none; one that is no time or no calendar has is absent."""
    assert entry_of(timestamp=timestamp).time == time
    assert header_of(timestamp=timestamp).time == time


@pytest.mark.parametrize(
    ("milliseconds", "time"),
    [(1_767_225_601_000, SECOND), (1e30, None), (-1e30, None), (10**400, None), ("x", None), (None, None)],
)
def test_time_of_the_message(milliseconds: object, time: float | None) -> None:
    """An entry without a time has its message's, which is in milliseconds."""
    message = {"role": "user", "content": "x", "timestamp": milliseconds}
    assert entry_of(type="message", message=message).time == time
    assert entry_of(type="message", message=message, timestamp="2026-01-01T00:00:02Z").time == SECOND + 1


def test_user_message() -> None:
    """The user's words are one text or blocks, and images are counted."""
    assert message_of("user", content="hi") == UserMessage("hi", 0)
    blocks = [{"type": "text", "text": "a"}, {"type": "image", "data": "x"}, {"type": "text", "text": "b"}]
    assert message_of("user", content=blocks) == UserMessage("a\nb", 1)
    assert message_of("user", content=[{"type": "tomorrow"}, *blocks[1:2]]) == UserMessage("", 1)
    assert message_of("user", content="x" * 5000) == UserMessage("x" * 4000, 0)


@pytest.mark.parametrize("content", [None, 5, {}, {"text": "x"}, [], [5, None, "x"]])
def test_content_of_another_shape(content: object) -> None:
    """Content that is neither text nor blocks is empty."""
    assert message_of("user", content=content) == UserMessage("", 0)


def test_blocks_of_another_shape_between_good_ones() -> None:
    """A block of another shape costs itself."""
    blocks = [5, {"type": "text", "text": 7}, {"type": "text", "text": "a"}, {"type": "text", "text": "b\ud83d"}]
    raw = json.dumps(blocks).encode()
    line = decoded(b'{"type":"message","id":"a","message":{"role":"user","content":' + raw + b"}}")
    record = line.records[0]
    assert isinstance(record, Entry)
    assert record.content == UserMessage("\na\nb\ud83d", 0)


def test_agent_message() -> None:
    """An answer has its calls, why it ended, what it cost and which model gave it."""
    message = message_of(
        "assistant",
        content=[
            {"type": "thinking", "thinking": "hm", "id": "no"},
            {"type": "text", "text": "I look."},
            {"type": "toolCall", "id": "c1", "name": "bash", "arguments": {"command": "ls", "intent": "Look."}},
            {"type": "toolCall", "id": "c2", "name": "read", "arguments": {"path": "f", "rationale": "It says so."}},
        ],
        stopReason="toolUse",
        model="glm",
        durationMs=12,
        usage={"input": 10, "output": 5, "cacheRead": 90, "cacheWrite": 3, "cost": {"input": 0.1, "total": 0.25}},
    )
    assert message == AgentMessage(
        calls=(
            CallRequest("c1", "bash", "ls", "", "Look.", None),
            CallRequest("c2", "read", "f", "", None, "It says so."),
        ),
        stop_reason="toolUse",
        error=None,
        timed=True,
        usage=Usage(10, 5, 90, 0.25),
        model="glm",
    )


def test_agent_message_with_an_error() -> None:
    """The host's error is kept, a long one shortened."""
    message = message_of("assistant", content=[], stopReason="error", errorMessage="overloaded" + "x" * 5000)
    assert isinstance(message, AgentMessage)
    assert (message.stop_reason, message.timed, message.usage) == ("error", False, Usage())
    assert message.error == "overloaded" + "x" * 1990


def test_agent_message_with_text_alone() -> None:
    """An answer whose content is one text makes no calls."""
    assert message_of("assistant", content="done") == AgentMessage((), "", None, False, Usage(), "")


@pytest.mark.parametrize(
    ("arguments", "target"),
    [
        ({"path": "src/a.py"}, "src/a.py"),
        ({"command": "\n  ls -l\npwd"}, "ls -l"),
        ({"path": "f", "command": "ls"}, "f"),
        ({"path": "", "command": "ls"}, "ls"),
        ({"path": 5, "command": "ls"}, "ls"),
        ({"command": ["ls"]}, None),
        ({"command": " \n "}, None),
        ({"command": "x" * 9000}, "x" * 400),
        ({"path": "p" * 9000}, "p" * 400),
        ({"query": "x"}, None),
        ({}, None),
    ],
)
def test_target(arguments: object, target: str | None) -> None:
    """A call is aimed at its path, else at the first line of its command that says something (spec K1)."""
    assert request_of(arguments).target == target


@pytest.mark.parametrize(
    ("arguments", "brief"),
    [
        ({"query": "retry", "limit": 3}, "query=retry limit=3"),
        ({"query": "é", "intent": "no", "rationale": "no", "deep": {"a": [1]}}, 'query=é deep={"a": [1]}'),
        ({"a": "x" * 70}, f"a={'x' * 60}…"),
        ({f"k{number}": number for number in range(9)}, "k0=0 k1=1 k2=2 k3=3 k4=4 k5=5"),
        ({"a": "x" * 200_000}, ""),
        ({"path": "f", "query": "x"}, ""),
        ({}, ""),
        ([1], ""),
        ("text", ""),
        (None, ""),
    ],
)
def test_brief(arguments: object, brief: str) -> None:
    """A call without a target is told by its first arguments, shortened and without provenance."""
    assert request_of(arguments, "mcp__rig__find").brief == brief


def test_brief_is_never_long() -> None:
    """However many long arguments a call has, its brief has 120 characters at the most."""
    assert len(request_of({f"k{number}": "x" * 50 for number in range(9)}).brief) == 120


def test_arguments_of_another_shape() -> None:
    """A call whose arguments are no object is a call without any; an intent that is no text is none."""
    assert request_of([1, 2]) == CallRequest("c", "bash", None, "", None, None)
    assert request_of({"command": "ls", "intent": 5}) == CallRequest("c", "bash", "ls", "", None, None)
    assert request_of({"command": "ls", "intent": ""}).intent == ""


def test_call_without_a_name() -> None:
    """A call block without its fields is a call without a name."""
    message = message_of("assistant", content=[{"type": "toolCall"}])
    assert isinstance(message, AgentMessage)
    assert message.calls == (CallRequest("", "", None, "", None, None),)


def test_tool_result() -> None:
    """A result that went well is held without its text."""
    content = [{"type": "text", "text": "x" * 9000}]
    result = result_of(toolCallId="c", toolName="bash", content=content, isError=False, durationMs=1.6)
    assert result == ToolResult("c", "bash", False, 2, "", ())


def test_tool_result_that_failed() -> None:
    """An error's text is held, of a long one both ends; without a duration it never ran."""
    assert result_of(content="bad", isError=True) == ToolResult("", "", True, None, "bad", ())
    text = result_of(content=[{"type": "text", "text": "a" * 3000 + "z" * 3000}], isError=True).text
    assert text == "a" * 2000 + "\n…\n" + "z" * 2000


def test_nested_calls() -> None:
    """The calls that a tool made stand in its result, each with its own target and error."""
    calls = [
        {"id": "c/1", "name": "read", "arguments": {"path": "f"}, "status": "ok", "durationMs": 3},
        {"id": "c/2", "name": "find", "arguments": {"q": "x"}, "status": "error", "error": "e" * 9000},
        {"id": "c/3", "name": "find", "status": "unfinished"},
    ]
    result = result_of(content=[], nestedCalls={"calls": calls, "complete": False})
    assert result.nested == (
        NestedCall("c/1", "read", "f", "", "ok", 3, ""),
        NestedCall("c/2", "find", None, "q=x", "error", None, "e" * 2000),
        NestedCall("c/3", "find", None, "", "unfinished", None, ""),
    )


@pytest.mark.parametrize("nested", [None, [], {}, {"calls": None}, {"calls": {}}, {"calls": [5]}, "x"])
def test_nested_calls_of_another_shape(nested: object) -> None:
    """Nested calls of another shape are none."""
    assert result_of(content=[], nestedCalls=nested).nested == ()


def test_shell_command() -> None:
    """A command of the person is held with its exit code."""
    assert message_of("bashExecution", command="ls", exitCode=2, output="x") == ShellCommand("ls", 2)
    assert message_of("bashExecution", command="x" * 900) == ShellCommand("x" * 400, None)


@pytest.mark.parametrize("role", ["custom", "hookMessage"])
def test_custom_message(role: str) -> None:
    """A message by an extension is the same whether it is a message or an entry, old or new."""
    expected = CustomMessage("mine", "x" * 400)
    assert message_of(role, customType="mine", content="x" * 900) == expected
    assert (
        content_of(type="custom_message", customType="mine", content=[{"type": "text", "text": "x" * 900}]) == expected
    )


@pytest.mark.parametrize(
    ("details", "pairs", "step"),
    [
        ({"pairs": [["You did x.", "AGENTS.md: do y"]], "step": 8}, (("You did x.", "AGENTS.md: do y"),), 8),
        ({"step": None, "other": [["a", "b"], ["c", "d"]]}, (("a", "b"), ("c", "d")), None),
        ({"pairs": [["a", "b", "c"]]}, (), None),
        ({"pairs": [["a", 5]]}, (), None),
        ({"pairs": []}, (), None),
        ({"pairs": "x"}, (), None),
        ([], (), None),
        (None, (), None),
    ],
)
def test_reminder(details: object, pairs: tuple[tuple[str, str], ...], step: int | None) -> None:
    """A reminder's pairs are found under whatever name they stand, and its text is kept without them."""
    content = content_of(type="custom_message", customType=REMINDER_TYPE, content="Mind this.", details=details)
    assert content == Reminder(pairs, "Mind this.", step)


def test_reminder_without_details() -> None:
    """A reminder that is text alone is a reminder."""
    message = message_of("custom", customType=REMINDER_TYPE, content="Mind this.")
    assert message == Reminder((), "Mind this.", None)


def test_entries_that_are_no_messages() -> None:
    """Each type that a row needs has its content."""
    assert content_of(type="compaction", summary="s" * 900, tokensBefore=12.0) == Compaction("s" * 400, 12)
    assert content_of(type="compaction", summary=5) == Compaction("", None)
    assert content_of(type="branch_summary", summary="s" * 900) == BranchSummary("s" * 400)
    assert content_of(type="session_info", name="N") == SessionName("N")
    assert content_of(type="session_info") == SessionName("")
    assert content_of(type="model_change", provider="p", modelId="m") == ModelChange("p", "m")
    assert content_of(type="thinking_level_change", thinkingLevel="high") == ThinkingChange("high")


@pytest.mark.parametrize("kind", ["usage", "context_edit", "custom", "label"])
def test_bookkeeping(kind: str) -> None:
    """Bookkeeping has no content and is known."""
    entry = entry_of(type=kind, targetId="x", replacement=None, data={"message": "x"})
    assert entry.content is None
    assert is_known(entry)


def test_unknown_type_with_a_message() -> None:
    """An entry of an unknown type has no content, even if it holds something called a message (spec F1)."""
    entry = entry_of(type="tomorrow", message={"role": "user", "content": "x"})
    assert (entry.type, entry.role, entry.content) == ("tomorrow", "", None)
    assert not is_known(entry)
    assert content_of(type="session_info", name="N", message={"role": "user", "content": "x"}) == SessionName("N")


def test_unknown_role() -> None:
    """A message of an unknown role is an entry without content, which says its role."""
    entry = entry_of(type="message", message={"role": "tomorrow", "content": "x"})
    assert (entry.role, entry.content, is_known(entry)) == ("tomorrow", None, False)
    assert is_known(entry_of(type="message", message={"role": "system", "content": "", "sections": {}}))


@pytest.mark.parametrize(
    ("name", "contents"),
    [
        ("plain", {UserMessage, AgentMessage, ToolResult, ModelChange, ThinkingChange}),
        ("notes", {SessionName, ShellCommand, CustomMessage}),
        ("compaction", {Compaction}),
        ("branch", {BranchSummary}),
        ("version1", {Compaction, UserMessage, ToolResult}),
        ("version2", {CustomMessage, BranchSummary, Compaction}),
    ],
)
def test_recorded_contents(data: Path, name: str, contents: set[type]) -> None:
    """What the real Pi writes is known to the last entry, and gives the contents that it is made of."""
    session = read_session(data / f"{name}.jsonl")
    assert session.tally.unknown == 0
    assert contents <= {type(entry.content) for entry in session.tree.entries}


def test_recorded_provenance(data: Path) -> None:
    """The intents that the real Pi recorded are on their calls."""
    entries = read_session(data / "intents.jsonl").tree.entries
    calls = [call for entry in entries if isinstance(entry.content, AgentMessage) for call in entry.content.calls]
    assert any(call.intent for call in calls)
    assert any(call.intent is None for call in calls)
    assert all(call.target for call in calls if call.tool in ("read", "bash"))


def test_recorded_nested_calls(data: Path) -> None:
    """The nested calls that the real Pi recorded are on their result, the failed one with its error."""
    entries = read_session(data / "codemode.jsonl").tree.entries
    nested = [call for entry in entries if isinstance(entry.content, ToolResult) for call in entry.content.nested]
    assert {call.status for call in nested} == {"ok", "error"}
    assert all(bool(call.error) == (call.status == "error") for call in nested)
