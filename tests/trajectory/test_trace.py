from pathlib import Path

import pytest

from pilotage.sessions.read import Session, read_session
from pilotage.trajectory.trace import trace_cells
from tests.handmade import HOSTILE, user, write_session


def row_of(session: Session, entry_id: str) -> list[str]:
    """Give the cells of the entry with this id, without the space around them."""
    index = session.tree.find(entry_id)
    assert index is not None
    return [cell.strip() for cell in trace_cells(session, index)]


def test_cells_of_an_entry(data: Path) -> None:
    """An entry's row has line, id, parent, time, kind and a few words (spec J3)."""
    session = read_session(data / "version2.jsonl")
    assert row_of(session, "5f00a3a6") == [
        "3",
        "5f00a3a6 <- 5f00a1d3",
        "2025-12-03T10:17:44",
        "thinking_level_change",
        "off",
    ]


def test_every_entry_has_a_row(data: Path) -> None:
    """Every entry of a file has a row, bookkeeping and unknown types included (spec J3)."""
    for path in data.glob("*.jsonl"):
        session = read_session(path)
        rows = [trace_cells(session, index) for index in range(len(session.tree))]
        assert len(rows) == session.tally.entries - session.tree.duplicates
        assert all(len(row) == 5 and "\n" not in "".join(row) for row in rows)


def test_abandoned_branches_are_marked(data: Path) -> None:
    """Entries of an abandoned branch carry a sign (spec F5)."""
    session = read_session(data / "version2.jsonl")
    marked = [trace_cells(session, index)[0][1:].strip() for index in range(len(session.tree))]
    signs = [trace_cells(session, index)[0][0] for index in range(len(session.tree))]
    assert [line for line, sign in zip(marked, signs, strict=True) if sign == "~"] == ["9", "10", "11", "12", "13"]


@pytest.mark.parametrize(
    ("name", "entry", "words"),
    [
        ("rejects", "dc7a4e0e", "toolUse read file=report.md"),
        ("rejects", "bec20b7e", "call_1_0 read error"),
        ("rejects", "6c609696", "call_3_0 read ok"),
        ("retry", "c9157395", "error Stream ended without finish_reason"),
        ("notes", "d26e0c66", "survey, second look"),
        ("notes", "00ba0ae5", "echo '[by hand]'; exit 3"),
        ("notes", "5bb11272", "notes.shown The survey of 2026 is final."),
        ("notes", "0b8791bb", "example/glm-5.3"),
        ("notes", "62d6b705", "high"),
        ("notes", "716bf16c", ""),
        ("version2", "5f00b7b7", "Adding Tönning to the list was tried; the guard refused."),
    ],
)
def test_words_of_an_entry(data: Path, name: str, entry: str, words: str) -> None:
    """Each kind of entry is told in a few words; bookkeeping by its type alone."""
    assert row_of(read_session(data / f"{name}.jsonl"), entry)[-1] == words


def test_entry_without_anything(tmp_path: Path) -> None:
    """An entry without type, time and parent has a row all the same."""
    session = read_session(write_session(tmp_path / "s.jsonl", {"type": "", "timestamp": None}))
    assert row_of(session, "e1") == ["2", "e1       <- -", "-", "(no type)", ""]


def test_hostile_words_stay_on_one_line(tmp_path: Path) -> None:
    """Words are one line of plain text, whatever the session holds (spec U8)."""
    session = read_session(write_session(tmp_path / "s.jsonl", user(f"{HOSTILE}\n{HOSTILE}")))
    words = row_of(session, "e1")[-1]
    assert words.isprintable()
    assert "[bold]x[/bold]" in words
