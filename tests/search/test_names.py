import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilotage.search.names import distance, find_exact, find_similar, index_names
from tests.search.catalogs import OFFICE, mcp_tool, tool

INDEX = index_names(OFFICE.entries)


@pytest.mark.parametrize("typed", ["weather_forecast", "Weather_Forecast", " WEATHER_FORECAST\n"])
def test_a_full_name_in_any_case(typed: str) -> None:
    """A name is found however its letters are written."""
    assert find_exact(INDEX, typed).full == ("tool:weather_forecast",)


def test_a_local_name_of_two_servers() -> None:
    """What stands after the last `__` names the tools of every server that has one."""
    found = find_exact(INDEX, "Create_Issue")
    assert found.full == ()
    assert found.local == ("mcp:mcp__github__create_issue", "mcp:mcp__gitlab__create_issue")


def test_signs_between_words_make_variants() -> None:
    """Names that differ in `-`, `_` or `.` only are all given, whichever was typed (`cases.md` F4)."""
    entries = [tool("read-file"), tool("read_file"), tool("read.file"), tool("readfiles")]
    for typed in ("read-file", "read_file", "read.file", "READFILE"):
        assert set(find_exact(index_names(entries), typed).variants) == {
            "tool:read-file",
            "tool:read_file",
            "tool:read.file",
        }


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("weather", "tool:weather_forecast"),
        ("wether_forecast", "tool:weather_forecast"),
        ("weahter_forecast", "tool:weather_forecast"),
        ("weather_forcsat", "tool:weather_forecast"),
        ("read document", "tool:read_document"),
        ("notifi", "tool:notify"),
        ("creat_issue", "mcp:mcp__github__create_issue"),
        ("browserclick", "mcp:mcp__playwright__browser_click"),
    ],
)
def test_a_name_that_may_be_meant(typed: str, expected: str) -> None:
    """Beginnings, mistakes and spaces for signs still lead to the name."""
    assert find_similar(INDEX, typed)[0] == expected


@pytest.mark.parametrize("typed", ["", "x", "we", "notary", "what a fine day", "w" * 200, "天"])
def test_a_name_that_is_not_meant(typed: str) -> None:
    """What is too short, too far off or a sentence leads to none."""
    assert find_similar(INDEX, typed) == []


def test_nearer_names_come_first() -> None:
    """Of several names the one with the fewest mistakes comes first, and the shortest of those that begin so."""
    entries = [tool("send_messages_now"), tool("send_message"), mcp_tool("mail", "send_massage")]
    found = find_similar(index_names(entries), "send_messag")
    assert found == ["tool:send_message", "tool:send_messages_now", "mcp:mcp__mail__send_massage"]


def _plain_distance(one: str, other: str) -> int:
    rows = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i in range(len(one) + 1):
        for j in range(len(other) + 1):
            if not i or not j:
                rows[i][j] = i + j
                continue
            rows[i][j] = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (one[i - 1] != other[j - 1]))
            if i > 1 and j > 1 and one[i - 1] == other[j - 2] and one[i - 2] == other[j - 1]:
                rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
    return rows[-1][-1]


@given(st.text("abc", max_size=8), st.text("abc", max_size=8))
def test_mistakes_are_counted(one: str, other: str) -> None:
    """The count is that of the textbook, up to the bound."""
    expected = _plain_distance(one, other)
    found = distance(one, other, 2)
    assert found == expected if expected <= 2 else found > 2


@given(st.text("abcdefgh", min_size=8, max_size=14), st.data())
def test_any_two_mistakes_are_found(name: str, data: st.DataObject) -> None:
    """No quick look at the letters hides a name that is two mistakes away."""
    typed = list(name)
    for _ in range(2):
        place = data.draw(st.integers(0, len(typed) - 1))
        what = data.draw(st.sampled_from(["out", "in", "other"]))
        if what == "out" and len(typed) > 8:
            typed.pop(place)
        elif what == "in":
            typed.insert(place, data.draw(st.sampled_from("abcdefghxyz")))
        else:
            typed[place] = data.draw(st.sampled_from("abcdefghxyz"))
    assert f"tool:{name}" in find_similar(index_names([tool(name)]), "".join(typed))


@given(st.text(max_size=40), st.lists(st.text(max_size=20), max_size=5))
def test_any_name_can_be_looked_up(typed: str, names: list[str]) -> None:
    """Neither a typed name nor a tool's is too odd."""
    index = index_names(tool(name) for name in names)
    known = {f"tool:{name}" for name in names}
    assert set(find_exact(index, typed).ids) <= known
    assert set(find_similar(index, typed)) <= known
