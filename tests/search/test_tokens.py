import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilotage.search.tokens import folded, index_terms, runs, terms
from pilotage.search.word_lists import common_words, irregular_forms, related_lines, stop_words


def indexed(text: str) -> set[str]:
    """Give the terms under which a text is found."""
    return {term for run in runs(text) for term in index_terms(run)[0]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("getCurrentWeather", ["current", "weather"]),
        ("get_current_weather", ["current", "weather"]),
        ("get-current.weather", ["current", "weather"]),
        ("HTTPServer", ["http", "server", "httpserver"]),
        ("GitHub", ["git", "hub", "github"]),
        ("github", ["github"]),
        ("mp3 files", ["mp", "3", "mp3", "file"]),
        ("crème brûlée", ["creme", "brule"]),
        ("Strasse straße", ["strass", "strass"]),
        ("ﬁle ＦＩＬＥ", ["file", "file"]),
    ],
)
def test_latin_words(text: str, expected: list[str]) -> None:
    """Identifiers come apart at their joints; case, accents and ways to write a sign do not matter."""
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("法令", ["法令"]),
        ("日本の法令", ["日本", "本の", "の法", "法令"]),
        ("法", ["法"]),
        ("翻译 text", ["翻译", "text"]),
        ("날씨", ["날씨"]),
        ("データ", ["デー", "ータ"]),
    ],
)
def test_pairs_of_signs(text: str, expected: list[str]) -> None:
    """Where no spaces are written, neighbouring signs are terms."""
    assert terms(text) == expected


def test_marks_stay_on_their_signs() -> None:
    """A Thai vowel sign is no sign of its own."""
    assert terms("ที่นี่") == ["ที่นี่"]
    assert terms("สวัสดี")[0] == "สวั"


def test_one_sign_finds_a_word_that_holds_it() -> None:
    """A wish of a single sign finds every text with it."""
    assert set(terms("法")) <= indexed("日本の法令を検索します")


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("погоду", "Прогноз погоды для города"),
        ("файл", "Читает файлы"),
        ("ترجمة", "الترجمة الى العربية"),
        ("मौसम", "शहर का मौसम"),
        ("αρχείο", "Ανάγνωση αρχείου"),
        ("מזג", "תחזית מזג האוויר"),
    ],
)
def test_words_of_other_scripts(typed: str, text: str) -> None:
    """Words of scripts with spaces are found, endings and articles aside."""
    assert set(terms(typed)) <= indexed(text)


def test_half_width_and_full_width_are_alike() -> None:
    """The two widths of Japanese signs are the same signs."""
    assert terms("ﾃﾞｰﾀ") == terms("データ")


def test_both_ways_to_write_a_sign_are_alike() -> None:
    """A sign made of parts is the same as the one that has its own number."""
    assert terms("가나") == terms("\u1100\u1161\u1102\u1161")
    assert terms("ガス") == terms("カ\u3099ス")


@pytest.mark.parametrize("words", [stop_words(), common_words(), frozenset(irregular_forms())])
def test_lists_hold_words_as_they_are_looked_up(words: frozenset[str]) -> None:
    """A listed word is folded and in lower case, or it would never be met."""
    assert {word for word in words if folded(word).casefold() != word} == set()


def test_related_words_say_something() -> None:
    """No word of the list of related words is one that says nothing."""
    assert {word for said, meant in related_lines() for word in (*said, *meant) if not terms(word)} == set()


@given(st.text(max_size=200))
def test_any_text_has_terms(text: str) -> None:
    """No text is too odd; what a wish holds is found in the same text."""
    assert set(terms(text)) <= indexed(text)
    assert all(terms(text))
