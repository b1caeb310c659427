import json
from pathlib import Path

import pytest

from pilotage.console.search import PORTION, search_text
from tests.console.driven import timeline_of
from tests.handmade import Fields, agent, call, ran, user, write_session


def found(path: Path, text: str) -> set[int]:
    """Give the indexes of the entries in which a text stands."""
    places = [entry.place for entry in timeline_of(path).session.tree.entries]
    return set(list(search_text(path, places, text))[-1].found)


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """Give a session with words in places of every kind."""
    entries: tuple[Fields, ...] = (
        user("Straße nach Würzburg"),
        agent(call("call_77", "bash", command="grep 'a\\b' \"x\"", intent="Find it"), text="Thinking aloud"),
        ran("call_77", "first line\nsecond\tline with toolCall in it"),
        {"type": "custom_message", "customType": "note", "content": [{"type": "image", "data": "aGVsbG8="}]},
    )
    return write_session(tmp_path / "s.jsonl", *entries)


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("FIRST LINE", {2}),
        ("first line\nsecond", {2}),
        ("second\tline", {2}),
        ("a\\b", {1}),
        ('"x"', {1}),
        ("thinking aloud", {1}),
        ("find it", {1}),
        ("WÜRZBURG", {0}),
        ("strasse", set()),
        ("STRAßE", {0}),
        ("nowhere", set()),
    ],
)
def test_all_text_is_searched(session: Path, text: str, entries: set[int]) -> None:
    """Words, arguments and outputs are searched in any case, with quotes, tabs and line ends as they were."""
    assert found(session, text) == entries


@pytest.mark.parametrize("text", ["call_77", "toolResult", "aGVsbG8", "e1", "2026-01-05"])
def test_what_says_nothing_is_not_searched(session: Path, text: str) -> None:
    """Ids, roles, times and pictures are not text."""
    assert found(session, text) == set()


def test_a_key_that_is_also_a_word(session: Path) -> None:
    """A word that the format uses is found where it is text."""
    assert found(session, "toolCall") == {2}


@pytest.mark.parametrize("ascii_only", [True, False])
def test_however_it_is_escaped(tmp_path: Path, ascii_only: bool) -> None:
    """Text is found whether the host escaped it or not."""
    entry = {"type": "message", "id": "a", "parentId": None, "message": {"role": "user", "content": "Grüße, 漢字 😀"}}
    path = tmp_path / "s.jsonl"
    path.write_text(json.dumps(entry, ensure_ascii=ascii_only) + "\n", "utf-8")
    assert found(path, "grüße") == found(path, "漢字") == found(path, "😀") == {0}


def test_reports_on_the_way(tmp_path: Path) -> None:
    """A long search tells now and then how far it has come, and in the end everything."""
    path = write_session(
        tmp_path / "s.jsonl", *(user("needle" if number % 1000 == 0 else "hay") for number in range(PORTION + 10))
    )
    places = [entry.place for entry in timeline_of(path).session.tree.entries]
    reports = [(one.done, one.total, len(one.found)) for one in search_text(path, places, "needle")]
    assert reports == [(PORTION, PORTION + 10, 2), (PORTION + 10, PORTION + 10, 3)]


def test_a_file_that_changed(tmp_path: Path) -> None:
    """A file that was cut short meanwhile gives what is left, and one that is gone an OSError."""
    path = write_session(tmp_path / "s.jsonl", user("needle one"), user("needle two"))
    places = [entry.place for entry in timeline_of(path).session.tree.entries]
    path.write_bytes(path.read_bytes()[: places[1].offset + 30])
    assert list(search_text(path, places, "needle"))[-1].found == {0}
    path.unlink()
    with pytest.raises(FileNotFoundError):
        list(search_text(path, places, "needle"))
