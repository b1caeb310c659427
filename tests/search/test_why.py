import pytest

from pilotage.search.why import explain, read_sought
from tests.search.catalogs import mcp_tool, tool

FILE = tool(
    "readFile",
    "Read a file and upload it.",
    parameters={"properties": {"path": {"description": "Where the file is."}}},
)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("read this file", "name: read, file; description: read, file; parameter text: file"),
        ("upload", "description: upload"),
        ("the path", "parameter: path"),
        ("attach documents", "name: file (for documents); description: file (for documents), upload (for attach)"),
        ("nothing of the sort", ""),
    ],
)
def test_matched_words_and_fields(query: str, words: str) -> None:
    """An explanation names the entry's own words by field, and what they stand for (spec D7)."""
    found = explain(FILE, read_sought(query)).words
    assert found == words or found.startswith(f"{words}; parameter text: file (for documents)")


def test_stretches_of_scripts_without_spaces() -> None:
    """Pairs of signs that follow one another are told as one."""
    law = tool("law", "日本の法令を検索します")
    assert explain(law, read_sought("法令を検索")).words == "description: 法令を検索"
    assert explain(law, read_sought("法")).words == "description: 法"


def test_what_only_a_server_says() -> None:
    """It is told whether anything but the server's words matches."""
    entry = mcp_tool("weather", "whoami", "Say who is logged in.")
    assert explain(entry, read_sought("weather")).words == "server: weather"
    assert not explain(entry, read_sought("weather")).is_own
    assert explain(entry, read_sought("weather, logged in")).is_own


def test_many_words_are_cut() -> None:
    """Of each field five words are told."""
    entry = tool("x", "alpha beta gamma delta epsilon zeta")
    found = explain(entry, read_sought("alpha beta gamma delta epsilon zeta")).words
    assert found == "description: alpha, beta, gamma, delta, epsilon, …"
