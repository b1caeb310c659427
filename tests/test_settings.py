from pathlib import Path

import pytest

from pilotage.console.commands import COMMAND_IDS, key_clashes
from pilotage.settings import FILE, FaultySettings, Settings, config_dir, load_settings, setting_table


def loaded(folder: Path, text: str) -> Settings:
    """Give the settings that a file with this text makes."""
    (folder / FILE).write_text(text, "utf-8")
    return load_settings(COMMAND_IDS, key_clashes, folder)


def test_without_a_file(tmp_path: Path) -> None:
    """Without a file, or with an empty one, everything is as it is shipped."""
    assert load_settings(COMMAND_IDS, key_clashes, tmp_path) == Settings()
    assert loaded(tmp_path, "") == Settings()
    assert load_settings(COMMAND_IDS, key_clashes, tmp_path / "no" / "folder") == Settings()


def test_everything_set(tmp_path: Path) -> None:
    """Every setting of the README's table can be set."""
    flags = ("plain-signs", "hold-unsourced", "confined-only")
    text = 'theme = "light"\neditor = "nano"\n' + "".join(f"{flag} = true\n" for flag in flags)
    found = loaded(tmp_path, f'{text}\n[keys]\nnext-finding = "n,ctrl+n"\n')
    assert found == Settings("light", "nano", True, True, True, {"next-finding": "n,ctrl+n"})
    assert {name for name, _, _ in setting_table()} == {"theme", "editor", *flags, "keys"}


def test_keys_are_not_looked_at(tmp_path: Path) -> None:
    """Whoever has no keys leaves them alone: the process inside Pi knows no commands."""
    (tmp_path / FILE).write_text('confined-only = true\n[keys]\nnowhere = "x"\n', "utf-8")
    assert load_settings(folder=tmp_path).confined_only


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "shade = 1",
            "shade is not a setting; there are theme, editor, plain-signs, hold-unsourced, confined-only, keys",
        ),
        ("plain_signs = true", "plain_signs is not a setting"),
        ("theme = 3", "theme must be text"),
        ("editor = ['vi']", "editor must be text"),
        ("plain-signs = 'yes'", "plain-signs must be true or false"),
        ("plain-signs = 1", "plain-signs must be true or false"),
        ("keys = 'n'", "keys must be a table [keys]"),
        ("[keys]\nnext-bug = 'n'", "keys.next-bug is not a command; `pilotage keys` lists all"),
        ("[keys]\nnext-finding = 3", "keys.next-finding must be text"),
        ("[keys]\nnext-finding = ' , '", "keys.next-finding is empty"),
        ("[keys]\nnext-finding = 'n'\nnext-turn = 'b,n'", "keys.next-turn: n is the key of next-finding"),
        ("theme =", "Invalid value"),
        ("theme = 'a'\ntheme = 'b'", "Cannot overwrite a value"),
    ],
)
def test_faults(tmp_path: Path, text: str, words: str) -> None:
    """A faulty file is refused with its name and the key."""
    with pytest.raises(FaultySettings) as refusal:
        loaded(tmp_path, text)
    assert str(refusal.value).startswith(f"{tmp_path / FILE}: ")
    assert words in str(refusal.value)


def test_every_fault_is_named(tmp_path: Path) -> None:
    """One fault makes the whole file void, and all faults are named at once (spec G3)."""
    text = "theme = 1\nshade = 2\n[keys]\nnope = 'n'\nnext-turn = 4\n"
    with pytest.raises(FaultySettings) as refusal:
        loaded(tmp_path, text)
    assert all(name in str(refusal.value) for name in ("theme must", "shade is", "keys.nope", "keys.next-turn"))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """A folder in the file's place, or bytes that are no text, are refused with its name."""
    (tmp_path / FILE).mkdir()
    with pytest.raises(FaultySettings, match=FILE):
        load_settings(COMMAND_IDS, key_clashes, tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    (other / FILE).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FaultySettings, match=FILE):
        load_settings(COMMAND_IDS, key_clashes, other)


def test_a_mark_at_the_beginning(tmp_path: Path) -> None:
    """A byte order mark does no harm."""
    assert loaded(tmp_path, "\ufefftheme = 'light'").theme == "light"


def test_platforms_folder(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings lie in the platform's config folder."""
    assert config_dir().is_relative_to(home)
    assert config_dir().name == "pilotage"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "elsewhere"))
    assert config_dir() in (home / "elsewhere" / "pilotage", config_dir())
    config_dir().mkdir(parents=True)
    (config_dir() / FILE).write_text("theme = 'contrast'")
    assert load_settings(COMMAND_IDS, key_clashes).theme == "contrast"
