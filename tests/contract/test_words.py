import pytest

from pilotage.contract.words import spaceless, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Read src/app.py, then stop.", ["read", "src", "app", "py", "then", "stop"]),
        ("snake_case --dry-run", ["snake", "case", "dry", "run"]),
        ("Проверить «повтор»", ["проверить", "повтор"]),
        ("读取src/app.py。", ["读取", "src", "app", "py"]),
        ("हिन्दी पाठ", ["हिन्दी", "पाठ"]),
        ("Straße", ["strasse"]),
        ("ＡＢＣ１", ["abc1"]),
        ("… —", []),
        ("", []),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    """Words are found in any script, without case and punctuation, and with their vowel signs."""
    assert words_of(text) == words


@pytest.mark.parametrize(
    ("text", "count"), [("登录页面 abc", 4), ("ログイン", 4), ("ภาษาไทย", 7), ("plain", 0), ("한국어", 0)]
)
def test_scripts_without_spaces(text: str, count: int) -> None:
    """Characters of scripts that put no spaces between words are counted, others are not."""
    assert spaceless(text) == count
