from pathlib import Path

import pytest

from pilotage.records.call import Place
from pilotage.records.entry import Entry, Header
from pilotage.sessions.read import UnreadableSession, read_session
from pilotage.sessions.skim import WHOLE_FILE, find_stretches, skim_session
from tests.handmade import header, lines_of, user

RECORDINGS = sorted(path.stem for path in (Path(__file__).parents[1] / "data").glob("*.jsonl"))


def skimmed(path: Path) -> list[tuple[str, str, Place]]:
    """Give id, type and place of each entry."""
    return [(record.id, record.entry.type, record.place) for record in skim_session(path)]


def read(path: Path) -> list[tuple[str, str, Place]]:
    """Give the same as the reader has it, the header first."""
    session = read_session(path)
    heads: list[Header | Entry] = [session.header] if session.header else []
    records = [*heads, *session.tree.entries]
    return [(record.id, record.type if isinstance(record, Entry) else "session", record.place) for record in records]


@pytest.mark.parametrize("name", RECORDINGS)
def test_recordings(data: Path, name: str) -> None:
    """Every record that the reader finds is skimmed, at the same place and under the same id."""
    assert skimmed(data / f"{name}.jsonl") == read(data / f"{name}.jsonl")


@pytest.mark.parametrize("tail", [b"", b"\n", b"\r\n", b'{"type":"mess', b"\0\0\0", b"\xff\n"])
def test_damaged_lines(tmp_path: Path, tail: bytes) -> None:
    """Two objects on a line, a byte order mark, torn lines and bytes that are no text are read as the reader does."""
    one, two, three = (line.strip().encode() for line in lines_of([user(), user(), user("\u2028")]))
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + header().encode() + one + two + b"\r\n\n" + b"[1]\n" + three + tail)
    assert skimmed(path) == read(path)


def test_fields_of_other_types(tmp_path: Path) -> None:
    """A field of another type than Pi's counts as absent and costs nothing else (spec F1)."""
    path = tmp_path / "s.jsonl"
    path.write_text('{"type":"message","id":7,"parentId":[],"message":{"role":"user","content":5,"usage":"x"}}\n')
    (record,) = skim_session(path)
    assert (record.id, record.entry.message and record.entry.message.role) == ("L1", "user")


def test_progress(data: Path) -> None:
    """Who asks hears how far the file was read."""
    told: list[tuple[int, int]] = []
    list(skim_session(data / "plain.jsonl", lambda done, total: told.append((done, total))))
    size = (data / "plain.jsonl").stat().st_size
    assert told == [(size, size)]


@pytest.mark.parametrize(("name", "why"), [("missing", "No such file"), (".", "a folder")])
def test_unreadable(tmp_path: Path, name: str, why: str) -> None:
    """What cannot be read raises, with the file and the reason."""
    with pytest.raises(UnreadableSession, match=why):
        list(skim_session(tmp_path / name))
    with pytest.raises(UnreadableSession, match=why):
        find_stretches(tmp_path / name, 2)


def test_stretches_begin_with_inputs(data: Path) -> None:
    """The stretches of a file follow one another without a gap, and each but the first begins with an input."""
    path = data / "steer.jsonl"
    stretches = find_stretches(path, 3)
    assert len(stretches) > 1
    assert [stretch.start for stretch in stretches[1:]] == [stretch.end for stretch in stretches[:-1]]
    whole = skimmed(path)
    for stretch in stretches[1:]:
        first = next(skim_session(path, stretch=stretch))
        assert first.entry.message
        assert first.entry.message.role == "user"
        assert first.entry.parent_id == stretch.parent_id
    parts = [record.place.offset for stretch in stretches for record in skim_session(path, stretch=stretch)]
    assert parts == [place.offset for _, _, place in whole]


def test_file_without_inputs(data: Path, tmp_path: Path) -> None:
    """A file in which no place to cut is found stays in one piece."""
    (tmp_path / "s.jsonl").write_text("x\n" * 100)
    assert find_stretches(tmp_path / "s.jsonl", 4) == [WHOLE_FILE]
    assert find_stretches(data / "version1.jsonl", 4) == [WHOLE_FILE]
