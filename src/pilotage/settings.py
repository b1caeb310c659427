"""The console's own settings: a TOML file in the platform's config folder (spec G3).

Strict: one fault makes the whole file void, and every fault is named.
"""

import tomllib
from collections.abc import Callable
from pathlib import Path

import platformdirs
from msgspec import Struct, field

FILE = "settings.toml"


class FaultySettings(Exception):
    """A settings file that cannot be used; its text names the file and every fault."""


class Settings(Struct, frozen=True):
    """What a person may set for the console."""

    theme: str | None = None
    """The name of a theme; none: dark, or the terminal's own colours where colour is not wanted."""
    editor: str | None = None
    """The command that opens a file; none: `$VISUAL` or `$EDITOR`."""
    plain_signs: bool = False
    """Whether brackets and rules are drawn in ASCII, for poor terminals."""
    hold_unsourced: bool = False
    """Whether reminders are held back whose source does not stand in what the review was given (spec R9)."""
    confined_only: bool = False
    """Whether a preparation runs no command that cannot be confined (spec P5)."""
    keys: dict[str, str] = field(default_factory=dict)
    """For a command its keys, separated by commas, in Textual's names."""


def config_dir() -> Path:
    """The folder of the settings and of the person's own themes."""
    return Path(platformdirs.user_config_dir("pilotage", appauthor=False))


def load_settings(
    command_ids: frozenset[str] | None = None,
    clashes: Callable[[dict[str, str]], list[str]] = lambda _: [],
    folder: Path | None = None,
) -> Settings:
    """The settings of this person; the defaults where there is no file.

    `command_ids` are the commands that keys may be given to, and `clashes` says what is wrong with keys that stand
    for more than one of them; whoever has no keys leaves both out, and keys are not looked at. Raises
    FaultySettings.
    """
    file = (folder or config_dir()) / FILE
    try:
        data = tomllib.loads(file.read_text("utf-8-sig"))
    except FileNotFoundError:
        return Settings()
    except (OSError, ValueError) as error:
        msg = f"{file}: {error}"
        raise FaultySettings(msg) from error
    faults = _faults(data, command_ids) or clashes(data.get("keys", {}))
    if faults:
        msg = f"{file}: {'; '.join(faults)}"
        raise FaultySettings(msg)
    return Settings(**{name.replace("-", "_"): value for name, value in data.items()})


class _Kind(Struct, frozen=True):
    """One setting of the file."""

    type: type
    """What its value is."""
    wanted: str
    """The same in words."""
    means: str
    """What it is for, for people."""


_TYPES = {
    "theme": _Kind(str, "text", "the name of a theme; `dark` where nothing is said"),
    "editor": _Kind(str, "text", "the command that opens a file; else `$VISUAL` or `$EDITOR`"),
    "plain-signs": _Kind(bool, "true or false", "brackets and rules in ASCII, for poor terminals"),
    "hold-unsourced": _Kind(bool, "true or false", "hold back reminders whose source does not stand in what was given"),
    "confined-only": _Kind(bool, "true or false", "let a preparation run no command that cannot be confined"),
    "keys": _Kind(dict, "a table [keys]", 'for a command its keys, as in `next-finding = "n,ctrl+n"`'),
}


def setting_table() -> list[tuple[str, str, str]]:
    """Each setting with what its value must be, and what it is for."""
    return [(name, kind.wanted, kind.means) for name, kind in _TYPES.items()]


def _faults(data: dict[str, object], command_ids: frozenset[str] | None) -> list[str]:
    """Everything that is wrong with the settings, one sentence each."""
    faults = []
    for name, value in data.items():
        if name not in _TYPES:
            faults.append(f"{name} is not a setting; there are {', '.join(_TYPES)}")
        elif not isinstance(value, _TYPES[name].type):
            faults.append(f"{name} must be {_TYPES[name].wanted}")
    keys = data.get("keys")
    if isinstance(keys, dict) and command_ids is not None:
        faults += _key_faults(keys, command_ids)
    return faults


def _key_faults(keys: dict[str, object], command_ids: frozenset[str]) -> list[str]:
    faults = [f"keys.{name} is not a command; `pilotage keys` lists all" for name in keys if name not in command_ids]
    faults += [
        f"keys.{name} must be text, as in 'n' or 'n,ctrl+n'" for name, key in keys.items() if not isinstance(key, str)
    ]
    empty = [name for name, key in keys.items() if isinstance(key, str) and not key.strip(" ,")]
    return faults + [f"keys.{name} is empty" for name in empty]
