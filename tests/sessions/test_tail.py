import json
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pilotage.calls.build import Calls
from pilotage.records.entry import Compaction, UserMessage
from pilotage.sessions.prompt import prompt_of
from pilotage.sessions.read import WHOLE, Session, UnreadableSession, read_session
from pilotage.sessions.tail import read_tail
from pilotage.trajectory.render import items, render
from tests.handmade import Fields, agent, call, header, lines_of, ran, result, user, write_session
from tests.sessions.raw import unhurried

TINY = 64
"""The size of a first block that holds no line."""


def told(session: Session, count: int) -> str:
    """Tell the last items of a session."""
    calls = Calls(session)
    calls.take(WHOLE)
    return render(items(calls, count))


def last_input(session: Session) -> list[str]:
    """Give the user's words since the last answer that had words before it."""
    words: list[str] = []
    for index in reversed(session.tree.path()):
        entry = session.entry(index)
        if isinstance(entry.content, UserMessage):
            words.append(entry.content.text)
        elif words and entry.role == "assistant":
            break
    return words


def is_alike(path: Path, count: int, first_block: int = TINY) -> None:
    """Prove that the end alone tells what the whole session tells."""
    whole, tail = read_session(path), read_tail(path, count, first_block=first_block)
    assert told(tail, count) == told(whole, count)
    assert last_input(tail) == last_input(whole)
    assert prompt_of(tail) == prompt_of(whole)
    assert tail.id == whole.id


def system(**message: object) -> Fields:
    """Give a system message."""
    return {"type": "message", "message": {"role": "system", "content": "", **message}}


def long_session(folder: Path, *last: Fields, steps: int = 300) -> Path:
    """Write a session whose only input, prompt and tool stand far above its end."""
    first = [system(sections={"preamble": "Be brief.", "cwd": "/a"}, toolsAdded=[{"name": "bash"}]), user("Count all.")]
    entries = [*first]
    for number in range(steps):
        entries += [agent(call(f"c{number}", command=f"echo {number}")), ran(f"c{number}")]
        if number == steps // 2:
            entries.append(system(sections={"cwd": "/b"}, toolsAdded=[{"name": "grep"}]))
    return write_session(folder / "s.jsonl", *entries, *last)


@pytest.mark.parametrize("count", [1, 5, 160])
def test_recordings(data: Path, count: int) -> None:
    """The end of every recorded session is told like the end of the whole one (spec J5)."""
    paths = sorted(data.glob("*.jsonl"))
    assert paths
    for path in paths:
        is_alike(path, count)


def test_only_the_end_is_read(tmp_path: Path) -> None:
    """Of a long session only the last items become entries, with the input and the prompt from far above."""
    path = long_session(tmp_path)
    is_alike(path, 10)
    tail = read_tail(path, 10, first_block=TINY)
    assert len(tail.tree) < 40
    assert last_input(tail) == ["Count all."]
    assert list(prompt_of(tail).sections.values()) == ["Be brief.", "/b"]
    assert [tool["name"] for tool in prompt_of(tail).tools] == ["bash", "grep"]


def test_without_the_prompt_the_head_is_left_alone(tmp_path: Path) -> None:
    """Where nobody wants the prompt, nothing is read beyond the last items and the last input."""
    path = long_session(tmp_path, user("And now?"), agent(call("z", command="echo z")), ran("z"))
    before = read_tail(path, 10, prompt=False, first_block=TINY)
    # What stands in the middle is no JSON any more, and nobody notices.
    text = path.read_text().splitlines(keepends=True)
    path.write_text("".join([text[0], *("x" * (len(line) - 1) + "\n" for line in text[1:100]), *text[100:]]))
    after = read_tail(path, 10, prompt=False, first_block=TINY)
    assert told(after, 10) == told(before, 10)
    assert last_input(after) == ["And now?"]
    assert prompt_of(after).text == ""


def test_input_of_several_messages(tmp_path: Path) -> None:
    """Messages of the user with no answer between them are one input, however far above it began (spec W)."""
    steps = [entry for n in range(50) for entry in (agent(call(f"c{n}", command="x")), ran(f"c{n}"))]
    path = write_session(tmp_path / "s.jsonl", agent(text="Hi."), user("One."), user("Two."), *steps)
    assert last_input(read_tail(path, 5, first_block=TINY)) == ["Two.", "One."]
    assert last_input(read_tail(path, 5, prompt=False, first_block=TINY)) == ["Two.", "One."]


def test_prompt_ends_at_a_compaction(tmp_path: Path) -> None:
    """A compaction holds the prompt of its time, and what stands before it is not looked for."""
    checkpoint = {"role": "system", "content": "", "sections": {"preamble": "After."}}
    compaction: Fields = {"type": "compaction", "summary": "So far.", "systemMessage": checkpoint}
    path = long_session(tmp_path, compaction, user("On."), *([agent(call("a", command="y")), ran("a")] * 30))
    tail = read_tail(path, 10, first_block=TINY)
    assert prompt_of(tail).text == "After."
    assert any(isinstance(entry.content, Compaction) for entry in tail.tree.entries)
    is_alike(path, 10)


def test_branch_that_leads_far_back(tmp_path: Path) -> None:
    """Where the last entry hangs under an early one, the reading goes there, and no left branch is told."""
    path = long_session(tmp_path, {**user("Another way."), "parentId": "e6"})
    for count in (1, 4, 160):
        is_alike(path, count)
    assert told(read_tail(path, 160, first_block=TINY), 160).startswith("user: Count all.\ncall bash: command=echo 0")


def test_result_on_a_branch_that_was_left(tmp_path: Path) -> None:
    """A call is answered by a result on another branch, too."""
    asked = {**agent(call("q", command="ask")), "id": "asked"}
    answer = {**ran("q", "no", is_error=True), "parentId": "asked"}
    path = long_session(tmp_path, asked, answer, {**user("Never mind."), "parentId": "asked"})
    is_alike(path, 3)
    assert told(read_tail(path, 2, first_block=TINY), 2) == "call bash: command=ask\n  failed\nuser: Never mind."


def test_error_without_duration_behind_one_with(tmp_path: Path) -> None:
    """Whether an error ran is told by durations that stand before it, so the reading goes on to one."""
    silent = [agent(call("q", command="x"), timed=False), result("q", "No.", isError=True)]
    quiet = [agent(text=f"{n}.", timed=False, stop="stop") for n in range(30)]
    path = write_session(tmp_path / "s.jsonl", user(), agent(text="Hm."), *silent, *quiet)
    is_alike(path, 31)
    assert "  blocked" in told(read_tail(path, 31, first_block=TINY), 31)


@pytest.mark.parametrize(
    "content",
    ["", "\n", header(), header() + "x\n", "".join(lines_of([user()])), header() + '{"type":"message","id":"a"'],
)
def test_strange_files(tmp_path: Path, content: str) -> None:
    """Files without a header, an entry or an end are read as the whole reading reads them."""
    path = tmp_path / "s.jsonl"
    path.write_text(content)
    is_alike(path, 5)


def test_nothing_to_read(tmp_path: Path) -> None:
    """A missing file, a folder and a pipe are refused in words, and a pipe is not waited for."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "none.jsonl", tmp_path, tmp_path / "pipe"):
        with pytest.raises(UnreadableSession, match=str(path)):
            read_tail(path, 5)


def test_last_line_without_newline_and_carriage_returns(tmp_path: Path) -> None:
    """A last line without its newline counts, and lines may end as on Windows (spec F2)."""
    path = long_session(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n").removesuffix(b"\r\n"))
    is_alike(path, 10)


def test_bodies_are_found(tmp_path: Path) -> None:
    """An entry's body is read from where it stands in the file, whatever was left out before it."""
    path = long_session(tmp_path, user("Last words."))
    tail = read_tail(path, 1, first_block=TINY)
    assert tail.body(tail.entry(tail.tree.leaf))["message"] == {"role": "user", "content": "Last words."}


KINDS = st.sampled_from(["user", "agent", "result", "custom", "compaction", "system", "error", "note"])
PARENTS = st.sampled_from(["last"] * 12 + ["earlier", "root", "lost", "later", "none"])
NODES = st.lists(st.tuples(KINDS, PARENTS, st.integers(0, 10_000), st.booleans()), max_size=40)
"""Each entry of a forest: what it is, how its parent is found, a number to choose with, and whether a line is lost."""

REGULAR = st.lists(
    st.tuples(KINDS, st.sampled_from(["last"] * 9 + ["earlier"]), st.integers(1, 28), st.just(False)), max_size=60
)
"""As Pi itself writes them: every parent is there, and no entry twice."""


def entry_of(kind: str, number: int, asked: list[str]) -> Fields:
    """Give one entry of a forest; a result answers the last call, or any other."""
    if kind == "agent":
        asked.append(f"c{number}")
        return agent(call(f"c{number}", command=f"echo {number}"), text="Now." if number % 2 else "")
    if kind == "error":
        return agent(text="", stop="error", errorMessage="overloaded")
    if kind == "result" and asked:
        return ran(asked.pop(), "no", is_error=bool(number % 3), ms=None if number % 5 == 0 else 3)
    fields: dict[str, Fields] = {
        "user": user(f"Say {number}."),
        "custom": {"type": "custom", "customType": "x", "data": number},
        "compaction": {"type": "compaction", "summary": f"Sum {number}.", "systemMessage": {"content": f"C{number}"}},
        "system": system(sections={f"s{number % 3}": None if number % 4 == 0 else f"text {number}"}),
        "note": {"type": "custom_message", "customType": "n", "content": f"note {number}"},
    }
    return fields.get(kind, fields["custom"])


def grow(nodes: list[tuple[str, str, int, bool]]) -> str:
    """Write a forest: an id comes twice where a copy of an entry is appended."""
    lines = [header()]
    asked: list[str] = []
    for number, (kind, parent, choice, is_lost) in enumerate(nodes):
        above: dict[str, str | None] = {
            "last": f"n{number - 1}" if number else None,
            "earlier": f"n{choice % number}" if number else None,
            "root": None,
            "lost": "gone",
            "later": f"n{number + 1 + choice % 3}",
        }
        entry = entry_of(kind, number, asked) | {"id": f"n{number}", "timestamp": f"2026-01-05T09:00:{number:02}.000Z"}
        if parent != "none":
            entry["parentId"] = above[parent]
        line = json.dumps(entry) + "\n"
        lines.append("x" * 30 + "\n" if is_lost and choice % 7 == 0 else line)
        if choice % 29 == 0:
            lines.append(line)
    return "".join(lines)


@unhurried
@given(NODES | REGULAR, st.integers(1, 12), st.sampled_from([1, TINY, 4096]))
@example([("agent", "last", 1, False), ("user", "last", 1, False), ("result", "earlier", 0, False)], 1, 1)
def test_forests(nodes: list[tuple[str, str, int, bool]], count: int, first_block: int) -> None:
    """Whatever the forest, its end alone is told as the whole reading tells it (spec F5)."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.jsonl"
        path.write_text(grow(nodes))
        is_alike(path, count, first_block)
