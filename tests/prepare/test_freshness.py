"""Which files the agent's context still holds whole (spec P7); with the real Pi in tests/pi/test_preparation.py."""

from pathlib import Path

import pytest

from pilotage.prepare.freshness import held_texts
from pilotage.sessions.read import read_session
from tests.handmade import Fields, agent, call, ran, result, user, write_session

CWD = "/home/dev/reeds"
TEXT = "one\ntwo\n"
NOTES = {"n": "notes.txt"}


def held(folder: Path, *entries: Fields, wanted: dict[str, str] | None = None) -> dict[str, str]:
    """Give what the context of a session of these entries holds."""
    return held_texts(read_session(write_session(folder / "s.jsonl", *entries)), CWD, wanted or NOTES)


def read(call_id: str = "a", text: str = TEXT, path: str = "notes.txt", **arguments: object) -> list[Fields]:
    """Give a read and its result."""
    return [agent(call(call_id, "read", path=path, **arguments)), ran(call_id, text)]


def done(call_id: str, tool: str, **arguments: object) -> list[Fields]:
    """Give a call that succeeded."""
    return [agent(call(call_id, tool, **arguments)), ran(call_id)]


def batch(text: str = TEXT, path: str = "notes.txt") -> list[Fields]:
    """Give the messages of a preparation that read a file."""
    return [
        {"role": "assistant", "content": [call("p", "read", path=path, intent="To see.")]},
        {"role": "toolResult", "toolCallId": "p", "content": [{"type": "text", "text": text}], "isError": False},
    ]


def record(user_entry: str, *messages: Fields) -> Fields:
    """Give what an earlier preparation left in the session."""
    data = {"userEntry": user_entry, "prefetch": {"rounds": [{"messages": messages or batch()}]}}
    return {"type": "custom", "customType": "capability-prefetch", "data": data}


def edit(target: str, replacement: object) -> Fields:
    """Give a context edit."""
    return {"type": "context_edit", "targetId": target, "replacement": replacement}


def test_complete_read(tmp_path: Path) -> None:
    """A complete, successful read is held, by whatever name it is asked for; nothing else is (spec P7)."""
    wanted = {"a": "notes.txt", "b": "./notes.txt", "c": f"{CWD}/src/../notes.txt", "d": "src/notes.txt"}
    assert held(tmp_path, user(), *read(), wanted=wanted) == {"a": TEXT, "b": TEXT, "c": TEXT}


@pytest.mark.parametrize(
    ("arguments", "is_held"),
    [({}, True), ({"offset": None, "limit": None}, True), ({"offset": 1}, False), ({"limit": 2000}, False)],
)
def test_partial_read(tmp_path: Path, arguments: Fields, is_held: bool) -> None:
    """A read of a part does not count, even where the part would be all (spec P7)."""
    assert bool(held(tmp_path, user(), *read(**arguments))) is is_held


def test_cut_read(tmp_path: Path) -> None:
    """A read that the host cut does not count, nor one of a picture (spec P7)."""
    cut = ran("a", TEXT, details={"truncation": {"truncated": True}})
    whole = ran("a", TEXT, details={"truncation": {"truncated": False}})
    asked = agent(call("a", "read", path="notes.txt"))
    picture = ran("a", "")
    picture["message"]["content"] = [  # type: ignore[index]
        {"type": "text", "text": "Read image file [image/png]"},
        {"type": "image", "data": "", "mimeType": "image/png"},
    ]
    assert held(tmp_path, user(), asked, cut) == {}
    assert held(tmp_path, user(), asked, picture) == {}
    assert held(tmp_path, user(), asked, whole) == {"n": TEXT}


@pytest.mark.parametrize(
    "answer", [ran("a", TEXT, is_error=True), result("a", TEXT, isError=True), ran("x", TEXT), user("Stop.")]
)
def test_failed_read(tmp_path: Path, answer: Fields) -> None:
    """A read that failed, never ran or has no result does not count (spec P7)."""
    assert held(tmp_path, user(), agent(call("a", "read", path="notes.txt")), answer) == {}


def test_the_last_read_counts(tmp_path: Path) -> None:
    """Of several reads the last complete one is held; a part or a failure after it takes nothing away."""
    failed = [agent(call("c", "read", path="notes.txt")), ran("c", "ENOENT", is_error=True)]
    entries = [*read("a", "old"), *read("b"), *read("d", "one", limit=1), *failed]
    assert held(tmp_path, user(), *entries) == {"n": TEXT}


@pytest.mark.parametrize("tool", ["edit", "write"])
def test_changed_since(tmp_path: Path, tool: str) -> None:
    """What the agent changed since is not held, by whatever name; a later read holds it again (spec P7)."""
    changed = done("b", tool, path=f"{CWD}/./notes.txt")
    assert held(tmp_path, user(), *read(), *changed) == {}
    assert held(tmp_path, user(), *read(), *changed, *read("c", "new")) == {"n": "new"}
    assert held(tmp_path, user(), *done("b", tool, path="notes.txt"), *read()) == {"n": TEXT}
    assert held(tmp_path, user(), *read(), *done("b", tool, path="other.txt")) == {"n": TEXT}


def test_change_that_failed(tmp_path: Path) -> None:
    """An edit that failed or was refused changed nothing; one without a result may have (spec P7)."""
    asked = agent(call("b", "edit", path="notes.txt"))
    for answer in (ran("b", "not found", is_error=True), result("b", "Contract: …", isError=True)):
        assert held(tmp_path, user(), *read(), asked, answer) == {"n": TEXT}
    assert held(tmp_path, user(), *read(), asked) == {}
    assert held(tmp_path, user(), *read(), asked, user("Stop.")) == {}


@pytest.mark.parametrize("order", [("read", "edit"), ("edit", "read")])
def test_batch(tmp_path: Path, order: tuple[str, str]) -> None:
    """A read beside an edit of the same file does not count: which came first is not known (spec P7)."""
    calls = [call(tool, tool, path="notes.txt") for tool in order]
    assert held(tmp_path, user(), agent(*calls), *(ran(tool, TEXT) for tool in order)) == {}


def test_compacted_away(tmp_path: Path) -> None:
    """A read that a compaction took is not held; one that it kept, or that came after, is (spec P7)."""

    def compaction(kept: str) -> Fields:
        return {"type": "compaction", "summary": "Read notes.", "firstKeptEntryId": kept}

    assert held(tmp_path, user(), *read(), user(), compaction("e4")) == {}
    assert held(tmp_path, user(), *read(), user(), compaction("e1")) == {"n": TEXT}
    assert held(tmp_path, user(), compaction("e2"), *read()) == {"n": TEXT}
    # The call alone is gone: the host sends no result without it.
    assert held(tmp_path, user(), *read(), user(), compaction("e3")) == {}


def test_change_that_was_compacted_away(tmp_path: Path) -> None:
    """A change counts even where it is no longer in the context, and a read before it does not come back (spec P7)."""
    dropped = [edit("e4", None), edit("e5", None)]
    assert held(tmp_path, user(), *read(), *done("b", "write", path="notes.txt"), *dropped) == {}


@pytest.mark.parametrize("replacement", [None, {"content": "(left out)"}])
@pytest.mark.parametrize("target", ["e2", "e3"])
def test_edited_away(tmp_path: Path, target: str, replacement: object) -> None:
    """A read whose call or result was edited in the context is not held; a later edit can undo nothing (spec P7)."""
    assert held(tmp_path, user(), *read(), edit(target, replacement)) == {}


def test_other_branch(tmp_path: Path) -> None:
    """A read on an abandoned branch is not held, nor does a change there take anything away by itself (spec P7)."""
    other: Fields = {**user("Another way."), "parentId": "e1"}
    assert held(tmp_path, user(), *read(), other) == {}
    back: Fields = {**user("Another way."), "parentId": "e3"}
    assert held(tmp_path, user(), *read(), *done("b", "write", path="notes.txt"), back) == {"n": TEXT}


def test_earlier_preparation(tmp_path: Path) -> None:
    """What an earlier preparation read is held while its input is in the context, and until it is changed (spec P7)."""
    after = [agent(text="So.", stop="stop")]
    assert held(tmp_path, user(), record("e1"), *after) == {"n": TEXT}
    assert held(tmp_path, user(), record("e9"), *after) == {}
    assert held(tmp_path, user(), record("e1"), *after, edit("e1", None)) == {}
    assert held(tmp_path, user(), record("e1"), *done("b", "edit", path="notes.txt")) == {}
    assert held(tmp_path, user(), *read("a", "old"), user(), record("e4")) == {"n": TEXT}
    gone: Fields = {"type": "compaction", "summary": "", "firstKeptEntryId": "e3"}
    assert held(tmp_path, user(), record("e1"), *after, gone) == {}


@pytest.mark.parametrize(
    "data", [None, 5, {}, {"userEntry": "e1", "prefetch": [1]}, {"userEntry": "e1", "prefetch": {"rounds": [7]}}]
)
def test_broken_records(tmp_path: Path, data: object) -> None:
    """A record that makes no sense holds nothing."""
    broken: Fields = {"type": "custom", "customType": "capability-prefetch", "data": data}
    assert held(tmp_path, user(), broken, *read()) == {"n": TEXT}


def test_the_original_carrier_is_not_replayed(tmp_path: Path) -> None:
    """The original extension's carrier is not replayed, so that what it read is not held (spec P6)."""
    carrier: Fields = {
        "type": "custom_message",
        "customType": "capability-prefetch",
        "content": "(tool records)",
        "details": {"userEntry": "e1", "prefetch": {"rounds": [{"messages": batch()}]}},
    }
    assert held(tmp_path, user(), carrier) == {}
