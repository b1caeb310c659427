from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilotage.records.capability import Capability
from pilotage.search.lexical import index_words, rank, related
from tests.search.catalogs import mcp_tool, tool

MANY = [
    tool("translate_text", "翻译文本。把文字从一种语言译成另一种语言。"),
    tool("law_search", "日本の法令を検索します。"),
    tool("weather_ru", "Прогноз погоды в городе."),
    tool("weather_th", "พยากรณ์อากาศสำหรับเมือง"),
    tool("calendar_ko", "일정을 캘린더에 추가합니다."),
    tool("news_ar", "اخر الاخبار من العالم"),
    tool("recipe_el", "Συνταγές μαγειρικής"),
    tool("train_hi", "रेल टिकट की जानकारी"),
    tool("read_file", "Read a text file from disk."),
    tool("send_mail", "Send a mail to somebody."),
]


def names(entries: list[Capability], query: str) -> list[str]:
    """Give the names of what matches, in order."""
    by_id = {entry.id: entry.name for entry in entries}
    return [by_id[found.id] for found in rank(index_words(entries), query)]


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("帮我翻译这段文字", "translate_text"),
        ("法令", "law_search"),
        ("法", "law_search"),
        ("この法令を検索してください", "law_search"),
        ("какая погода завтра", "weather_ru"),
        ("อากาศวันนี้", "weather_th"),
        ("캘린더에 일정 추가해줘", "calendar_ko"),
        ("ما هي الاخبار", "news_ar"),
        ("συνταγή", "recipe_el"),
        ("रेल टिकट", "train_hi"),
        ("reading files", "read_file"),
    ],
)
def test_every_script(query: str, name: str) -> None:
    """A wish finds its tool in whatever script both are written (`cases.md` F1)."""
    assert names(MANY, query)[:1] == [name]


def test_parameters_count() -> None:
    """What only a parameter's name or description says is found."""
    schema = {"properties": {"celsius": {"description": "Degrees in Kelvin are refused."}}}
    entries = [tool("convert", "Converts.", parameters=schema), tool("other", "Does other things.")]
    assert names(entries, "kelvin") == names(entries, "celsius") == ["convert"]


def test_a_bad_schema_costs_one_tool_its_words() -> None:
    """A tool whose schema is nonsense is found by the rest of it, and so are all others."""
    schema = {"properties": {"x": {"$ref": "#/$defs/Gone"}}, "allOf": 5, "items": {"$ref": "#"}}
    entries = [tool("resize", "Resize a picture.", parameters=schema), tool("crop", "Crop a picture.")]
    assert set(names(entries, "picture")) == {"resize", "crop"}


def test_words_that_mean_nearly_the_same_are_found() -> None:
    """A wish in other words than the description's finds it, behind one in the same words."""
    entries = [
        tool("purchase_item", "Purchase an item."),
        tool("photo_filter", "Put a filter on a photo."),
        tool("picture_filter", "Put a filter on a picture."),
    ]
    assert names(entries, "buy flowers") == ["purchase_item"]
    assert names(entries, "filter my picture") == ["picture_filter", "photo_filter"]
    assert "photo" in related("pictur")


def test_a_common_word_alone_is_no_match() -> None:
    """What shares nothing but a word that every tool has is not found (spec D7)."""
    entries = [tool(f"get_{thing}_data", f"Reads the data of {thing}.") for thing in _things(500)]
    entries.append(tool("tide_table", "Tells high and low water; reads data of harbours."))
    assert names(entries, "data of the tides in a harbour") == ["tide_table"]


def test_a_common_word_is_enough_where_it_is_all() -> None:
    """Who asks for what every tool has, gets them."""
    entries = [tool(f"get_{thing}_data", f"Reads the data of {thing}.") for thing in _things(500)]
    assert len(names(entries, "data")) == 500
    assert names(entries, "the data of my postcards from granny") == []


def test_every_sentence_is_answered() -> None:
    """A wish of several sentences finds the tool for each, however long the others are."""
    entries = [
        tool("book_flight", "Book a flight between two airports on a date for passengers in a cabin class."),
        tool("flight_status", "Tell whether a flight is late at an airport on a date."),
        tool("airport_map", "Show a map of an airport with its gates."),
        tool("translate", "Translate a text."),
    ]
    wish = (
        "Book a flight from the airport of Oslo to the airport of Rome for two passengers on that date in the cheapest "
        "cabin class. Then translate a greeting."
    )
    found = names(entries, wish)
    assert found[0] == "book_flight"
    assert "translate" in found


def test_quoted_values_say_little() -> None:
    """A title within quotation marks does not outweigh what is asked for."""
    entries = [tool("find_book", "Find a book by its title."), tool("train_times", "Times of the trains in the night.")]
    assert names(entries, 'Find the book "Night train to the times"')[0] == "find_book"


def test_an_all_quoted_wish_is_still_one() -> None:
    """Quotation marks around all of a wish take nothing away."""
    assert names(MANY, '"read a file"')[:1] == ["read_file"]


def test_nothing_in_common_is_no_match() -> None:
    """A wish that shares no word finds nothing."""
    assert names(MANY, "zzyzx quux") == []
    assert names([], "anything at all") == []


def test_the_order_of_connecting_does_not_matter() -> None:
    """Entries in another order are ranked alike, ties included."""
    entries = [mcp_tool(server, f"open_{n}", "Open a tab.") for server in ("b", "a") for n in range(5)] + MANY
    expected = [(found.id, found.score) for found in rank(index_words(entries), "open a tab and read a file")]
    for seed in range(5):
        Random(seed).shuffle(entries)
        found = rank(index_words(entries), "open a tab and read a file")
        assert [(one.id, one.score) for one in found] == expected


@given(st.text(max_size=300), st.lists(st.tuples(st.text(max_size=20), st.text(max_size=60)), max_size=6))
def test_any_text_can_be_ranked(query: str, texts: list[tuple[str, str]]) -> None:
    """Neither a wish nor a description is too odd, and every score is from 0 to 1, the best one 1."""
    entries = [tool(f"{n}{name}", description) for n, (name, description) in enumerate(texts)]
    scores = [found.score for found in rank(index_words(entries), query)]
    assert scores == sorted(scores, reverse=True)
    assert not scores or scores[0] == 1
    assert all(0 < score <= 1 for score in scores)


def _things(count: int) -> list[str]:
    letters = "bcdfghklmnprstvz"
    return [f"{letters[n % 16]}o{letters[n // 16 % 16]}u{letters[n // 256]}ok" for n in range(count)]
