from pathlib import Path

import pytest

from pilotage.console.themes import (
    GROUNDS,
    ROLES,
    TERMINAL_NAMES,
    WORDS,
    FaultyTheme,
    Palette,
    load_palette,
    load_palettes,
    theme_folder,
    without_colour,
)
from tests.console.driven import palettes

HEX = [palette for palette in palettes() if not palette.is_terminals]


def luminance(colour: str) -> float:
    """Give the relative luminance of a colour, as WCAG 2.2 has it."""
    channels = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Give the contrast of two colours: from 1 to 21."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_itself() -> None:
    """Black on white has a contrast of 21, a colour on itself of 1, a known grey what WCAG says."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#777777") == 1
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("palette", HEX, ids=lambda palette: palette.name)
def test_words_can_be_read(palette: Palette) -> None:
    """Every role of words has a contrast of 4.5 on each ground that it stands on, and of 7 in `contrast`."""
    pairs = [(word, ground) for word in WORDS for ground in ("ground", "head", "cursor")]
    pairs += [(word, ground) for word in ("ok", "failed", "dim") for ground in ("added-ground", "removed-ground")]
    least = 7 if palette.name == "contrast" else 4.5
    poor = {pair: contrast(palette.colours[pair[0]], palette.colours[pair[1]]) for pair in pairs}
    assert {pair: value for pair, value in poor.items() if value < least} == {}


@pytest.mark.parametrize("palette", HEX, ids=lambda palette: palette.name)
def test_the_cursor_is_seen(palette: Palette) -> None:
    """The grounds of the cursor, of the head and of a diff are others than the ground itself."""
    assert len({palette.colours[ground] for ground in GROUNDS}) == len(GROUNDS)


@pytest.mark.parametrize("palette", HEX, ids=lambda palette: palette.name)
def test_dark_is_said_rightly(palette: Palette) -> None:
    """A theme that says it is dark has the lighter words."""
    assert palette.dark == (luminance(palette.colours["text"]) > luminance(palette.colours["ground"]))


def test_shipped_themes() -> None:
    """Dark, light, high contrast and the terminal's own are shipped, each with every role and nothing else."""
    assert [palette.name for palette in palettes()] == ["contrast", "dark", "light", "terminal"]
    assert all(palette.colours.keys() == set(ROLES) for palette in palettes())


def test_the_terminals_own() -> None:
    """The terminal's theme uses its sixteen colours on its own ground, and reverse for the cursor."""
    palette = next(palette for palette in palettes() if palette.is_terminals)
    style = palette.style("failed")
    assert (str(style.color and style.color.name), style.bgcolor and style.bgcolor.name) == ("red", "default")
    assert palette.style("failed", "cursor").reverse
    assert palette.style("dim").dim


def test_without_colour() -> None:
    """Without colour no style has any, and nothing but bold, dim and reverse is left."""
    plain = without_colour(load_palettes()[0])
    for word in (*WORDS, "faint"):
        for ground in GROUNDS:
            style = plain.style(word, ground, bold=True)
            assert style.color is not None
            assert style.bgcolor is not None
            assert style.color.is_default
            assert style.bgcolor.is_default
            assert set(str(style).split()) <= {"bold", "not", "dim", "reverse", "default", "on"}
    assert plain.style("text", "cursor").reverse
    assert plain.style("faint").dim
    assert set(plain.style_sheet_colours().values()) >= {"ansi_default"}
    assert all(plain.style_sheet_colours()[role] == "ansi_default" for role in ROLES)


def written(folder: Path, text: str, name: str = "mine.toml") -> Path:
    """Write a theme file."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text(text, "utf-8")
    return file


def theme_with(role: str, line: str) -> str:
    """Give the dark theme with another line for one role; an empty one leaves the role out."""
    text = (theme_folder() / "dark.toml").read_text("utf-8")
    return "\n".join(line if old.startswith(f"{role} =") else old for old in text.split("\n"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (theme_with("dim", ""), "roles.dim is missing"),
        (theme_with("dim", 'dim = "#8e9aa7"\nloud = "#ffffff"'), "roles.loud is unknown"),
        (theme_with("dim", 'dim = "#8e9aa"'), "roles.dim is '#8e9aa'; a colour is written #rrggbb"),
        (theme_with("dim", 'dim = "grey"'), "roles.dim is 'grey'"),
        (theme_with("dim", "dim = 3"), "roles.dim is 3"),
        (theme_with("dim", 'dim = ["#8e9aa7"]'), "roles.dim is"),
        (theme_with("ground", 'ground = "default"'), "with ground = 'default'"),
        ("shade = 1\n" + theme_with("-", ""), "shade is unknown"),
        ("dark = 'yes'\n" + theme_with("dark", ""), "dark must be true or false"),
        ("dark = true", "roles is missing"),
        ("roles = 3", "roles is missing"),
        ("dark =", "Invalid value"),
        ("", "roles is missing"),
    ],
)
def test_faulty_files(tmp_path: Path, text: str, words: str) -> None:
    """A faulty theme is refused with the file and the key."""
    file = written(tmp_path, text)
    with pytest.raises(FaultyTheme) as refusal:
        load_palette(file)
    assert str(refusal.value).startswith(f"{file}: ")
    assert words in str(refusal.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """A file that is missing, a folder, or not text is refused with its name."""
    (tmp_path / "folder.toml").mkdir()
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    for name in ("missing.toml", "folder.toml", "bytes.toml"):
        with pytest.raises(FaultyTheme, match=name):
            load_palette(tmp_path / name)


def test_own_themes(tmp_path: Path) -> None:
    """The person's own themes come after those shipped and may take their place; a faulty one costs only itself."""
    written(tmp_path, theme_with("dim", 'dim = "#ffffff"'), "dark.toml")
    written(tmp_path, theme_with("dim", 'dim = "#eeeeee"'), "dusk.toml")
    written(tmp_path, "nonsense", "broken.toml")
    found, faults = load_palettes(tmp_path)
    assert list(found) == ["contrast", "dark", "light", "terminal", "dusk"]
    assert found["dark"].colours["dim"] == "#ffffff"
    assert len(faults) == 1
    assert "broken.toml" in faults[0]


def test_no_folder_of_ones_own(tmp_path: Path) -> None:
    """Without themes of one's own there are those that are shipped, and no fault."""
    assert load_palettes(tmp_path / "nothing") == load_palettes()


def test_a_mark_at_the_beginning(tmp_path: Path) -> None:
    """A byte order mark, as some editors write it, does no harm."""
    file = written(tmp_path, "\ufeff" + theme_with("-", ""))
    assert load_palette(file).name == "mine"


def test_names_of_the_terminals_colours() -> None:
    """The terminal's colours are the sixteen and its default."""
    assert len(TERMINAL_NAMES) == len(set(TERMINAL_NAMES)) == 17
