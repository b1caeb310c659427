from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilotage.sessions.context import effective, told_content
from pilotage.sessions.read import Session, UnreadableSession, read_session
from tests.handmade import Fields, agent, call, ran, user, write_session
from tests.sessions.raw import unhurried


def seen(session: Session) -> list[str]:
    """Give what the model sees, each item by its first text or its role."""
    words = []
    for item in effective(session):
        entry = session.entry(item.entry)
        blocks = list(told_content(session, item))
        texts = [str(block["text"]) for block in blocks if block.get("type") == "text"]
        words.append(texts[0] if texts else entry.role or entry.type)
    return words


def of(folder: Path, *entries: Fields, **fields: object) -> list[str]:
    """Give what the model sees of these entries."""
    return seen(read_session(write_session(folder / "s.jsonl", *entries, **fields)))


def compaction(**fields: object) -> Fields:
    """Give a compaction."""
    return {"type": "compaction", "summary": "So far.", **fields}


def edit(target: object, *replacement: object) -> Fields:
    """Give a context edit."""
    given: Fields = {"replacement": replacement[0]} if replacement else {}
    return {"type": "context_edit", "targetId": target, **given}


def test_all_of_a_plain_session(data: Path) -> None:
    """Without compaction and edits the model sees every message and no bookkeeping."""
    session = read_session(data / "plain.jsonl")
    roles = [session.entry(item.entry).role for item in effective(session)]
    assert roles == ["system", "user", "assistant", "toolResult", "assistant", "toolResult", "assistant"]


def test_recorded_compaction(data: Path) -> None:
    """The latest compaction comes first, then what it kept, then what followed (spec F7)."""
    session = read_session(data / "compaction.jsonl")
    kept = [session.entry(item.entry).id for item in effective(session)]
    assert kept == [
        *("6bb684b3", "85140ff5", "478f5a27", "7f440712"),
        *("f53da215", "7fe206cd", "786b5e32", "14b56f0c"),
    ]


def test_recorded_edits(data: Path) -> None:
    """An edit leaves a message out or gives it other words (spec F7)."""
    session = read_session(data / "notes.jsonl")
    words = seen(session)
    assert "A shorter question." in words
    assert "e05a877f" not in [session.entry(item.entry).id for item in effective(session)]
    assert "The survey of 2026 is final." in words


def test_recorded_retries(data: Path) -> None:
    """Failed attempts are not sent again."""
    session = read_session(data / "retry.jsonl")
    stops = [getattr(session.entry(item.entry).content, "stop_reason", "") for item in effective(session)]
    assert "error" not in stops
    assert "stop" in stops


def test_recorded_aborts(data: Path) -> None:
    """An answer that was stopped is not sent, though no edit says so (`HOST.md` a)."""
    assert not any(text.startswith("Long ago") for text in seen(read_session(data / "abort_stream.jsonl")))


def test_recorded_branches(data: Path) -> None:
    """A branch that was left is not seen; its summary is."""
    session = read_session(data / "branch.jsonl")
    indexes = [item.entry for item in effective(session)]
    assert all(session.tree.active[index] for index in indexes)
    assert "branch_summary" in [session.entry(index).type for index in indexes]


def test_first_version(data: Path) -> None:
    """Version 1 names the first entry kept by its number, the header being 0 (`HOST.md`, older files)."""
    session = read_session(data / "version1.jsonl")
    items = effective(session)
    assert session.entry(items[0].entry).type == "compaction"
    assert items[1].entry == 13
    assert session.entry(13).role == "user"


def test_second_version(data: Path) -> None:
    """Version 2 names it by its id, and a message of an extension has another role."""
    session = read_session(data / "version2.jsonl")
    assert [session.entry(item.entry).id for item in effective(session)][:2] == ["5f00c0d6", "5f00bf03"]
    assert session.tree.find("5f00ae98") is not None


@pytest.mark.parametrize(
    "kept", [{}, {"firstKeptEntryId": "gone"}, {"firstKeptEntryId": "e3"}, {"firstKeptEntryId": 7}]
)
def test_nothing_kept(tmp_path: Path, kept: Fields) -> None:
    """A compaction that names itself, nobody or nothing keeps nothing before it."""
    assert of(tmp_path, user("a"), user("b"), compaction(**kept), user("c")) == ["compaction", "c"]


def test_older_compactions_say_nothing(tmp_path: Path) -> None:
    """Of several compactions only the latest counts, even where it kept an older one."""
    entries = [user("a"), compaction(firstKeptEntryId="e1"), user("b"), compaction(firstKeptEntryId="e1"), user("c")]
    assert of(tmp_path, *entries) == ["compaction", "a", "b", "c"]


def test_system_messages_before_a_compaction(tmp_path: Path) -> None:
    """The compaction holds the prompt, so system messages before it are not seen again."""
    system: Fields = {"type": "message", "message": {"role": "system", "content": "", "sections": {"a": "b"}}}
    assert of(tmp_path, user("a"), system, compaction(firstKeptEntryId="e1"), system) == ["compaction", "a", ""]


def test_latest_edit_wins(tmp_path: Path) -> None:
    """Of several edits of one entry the latest counts, whatever it says."""
    entries = [user("a"), user("b"), edit("e1", {"content": "x"}), edit("e1", None), edit("e2", None)]
    assert of(tmp_path, *entries, edit("e2", {"content": [{"type": "text", "text": "y"}]})) == ["y"]


def test_edits_that_were_compacted_away(tmp_path: Path) -> None:
    """An edit counts only where it stands itself among what the model sees."""
    entries = [user("a"), user("b"), edit("e1", None), user("c"), compaction(firstKeptEntryId="e4")]
    assert of(tmp_path, *entries) == ["compaction", "c"]
    assert of(tmp_path, user("a"), edit("e1", None), compaction(firstKeptEntryId="e1")) == ["compaction"]


@pytest.mark.parametrize("odd", [edit("e1"), edit("e1", "text"), edit(7, None), edit("e9", None), edit("e1", [1])])
def test_odd_edits(tmp_path: Path, odd: Fields) -> None:
    """An edit that says nothing usable, or of an entry that is not there, changes nothing."""
    assert of(tmp_path, user("a"), odd) == ["a"]


def test_what_an_edit_cannot_replace(tmp_path: Path) -> None:
    """A summary keeps its words whatever an edit says; it can only be left out."""
    summary: Fields = {"type": "branch_summary", "fromId": "e1", "summary": "That way."}
    assert of(tmp_path, summary, edit("e1", {"content": "x"})) == ["branch_summary"]
    assert of(tmp_path, summary, edit("e1", None)) == []


def test_commands_of_the_person(tmp_path: Path) -> None:
    """A command of the person is seen, unless it was kept out of the context."""

    def ran_by_hand(**message: object) -> Fields:
        return {"type": "message", "message": {"role": "bashExecution", "command": "ls", "output": "", **message}}

    assert of(tmp_path, ran_by_hand(), ran_by_hand(excludeFromContext=True)) == ["bashExecution"]


def test_what_is_no_message(tmp_path: Path) -> None:
    """Labels, names, custom entries and unknown roles are not seen."""
    entries: list[Fields] = [
        {"type": "label", "targetId": "e1", "label": "x"},
        {"type": "session_info", "name": "n"},
        {"type": "custom", "customType": "c", "data": 1},
        {"type": "message", "message": {"role": "moderator", "content": "x"}},
        {"type": "branch_summary", "summary": ""},
    ]
    assert of(tmp_path, *entries) == []


def test_file_that_changed(tmp_path: Path) -> None:
    """Where a body that is needed is gone, that is said."""
    path = write_session(tmp_path / "s.jsonl", user("a"), compaction(firstKeptEntryId="e1"))
    session = read_session(path)
    path.write_text("")
    with pytest.raises(UnreadableSession):
        effective(session)


PARTS = st.lists(
    st.sampled_from(
        [
            *(user("a"), agent(call("c")), ran("c"), compaction(firstKeptEntryId="e2"), compaction()),
            *(edit("e1", None), edit("e3", {"content": "x"}), edit("e2", {"content": []}), agent(stop="error")),
        ]
    ),
    max_size=30,
)


@unhurried
@given(PARTS)
def test_any_session(tmp_path_factory: pytest.TempPathFactory, parts: list[Fields]) -> None:
    """Each entry is seen once at the most, all lie on the active branch, and but for a compaction they are in order."""
    session = read_session(write_session(tmp_path_factory.mktemp("s") / "s.jsonl", *parts))
    indexes = [item.entry for item in effective(session)]
    assert len(set(indexes)) == len(indexes)
    assert set(indexes) <= set(session.tree.path())
    rest = indexes[1:] if indexes and session.entry(indexes[0]).type == "compaction" else indexes
    assert rest == sorted(rest)
    assert not any(session.entry(index).type == "compaction" for index in rest)
