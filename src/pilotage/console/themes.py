"""Themes: files of semantic roles, the only place where a colour is written."""

import re
import tomllib
from functools import cache
from pathlib import Path

from msgspec import Struct
from rich.style import Style
from textual.theme import Theme

ROLES = (
    "ground",
    "head",
    "cursor",
    "added-ground",
    "removed-ground",
    "intent",
    "text",
    "middle",
    "dim",
    "faint",
    "ok",
    "failed",
    "rejected",
    "reminder",
    "running",
    "user",
)
"""What a colour can mean; a theme names each of them."""

GROUNDS = frozenset({"ground", "head", "cursor", "added-ground", "removed-ground"})
"""Roles that lie behind words."""

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


class FaultyTheme(Exception):
    """A theme file that cannot be used; its text names the file and the key."""


class Palette(Struct, frozen=True):
    """One theme's colours by role."""

    name: str
    """The theme's name: that of its file."""
    dark: bool
    """Whether light words stand on a dark ground."""
    colours: dict[str, str]
    """For each role `#rrggbb`."""

    def style(self, role: str, ground: str = "ground", *, bold: bool = False) -> Style:
        """The style of words of a role on a ground."""
        return _style(self.colours[role], self.colours[ground], bold)

    def textual_theme(self) -> Theme:
        """The theme as Textual knows it; each role is a variable `$<role>` in style sheets."""
        return Theme(
            name=self.name,
            dark=self.dark,
            primary=self.colours["running"],
            foreground=self.colours["text"],
            background=self.colours["ground"],
            surface=self.colours["ground"],
            panel=self.colours["head"],
            warning=self.colours["rejected"],
            error=self.colours["failed"],
            success=self.colours["ok"],
            variables=dict(self.colours),
        )


@cache
def _style(colour: str, ground: str, bold: bool) -> Style:
    return Style(color=colour, bgcolor=ground, bold=bold)


def theme_folder() -> Path:
    """The folder of the themes that are shipped: in the wheel beside the package, in a checkout at its top."""
    shipped = Path(__file__).parents[1] / "themes"
    return shipped if shipped.is_dir() else Path(__file__).parents[3] / "themes"


def load_palette(file: Path) -> Palette:
    """The palette in one file. Raises FaultyTheme."""
    try:
        data = tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        msg = f"{file}: {error}"
        raise FaultyTheme(msg) from error
    roles = data.get("roles", {})
    for name in data.keys() - {"dark", "roles"}:
        msg = f"{file}: unknown key {name!r}; a theme has `dark` and `roles`"
        raise FaultyTheme(msg)
    for name in roles.keys() ^ set(ROLES):
        msg = f"{file}: roles.{name} is {'unknown' if name in roles else 'missing'}"
        raise FaultyTheme(msg)
    for name, colour in roles.items():
        if not isinstance(colour, str) or not _COLOUR.fullmatch(colour):
            msg = f"{file}: roles.{name} is {colour!r}; a colour is written #rrggbb"
            raise FaultyTheme(msg)
    return Palette(file.stem, bool(data.get("dark", True)), roles)


def load_palettes() -> dict[str, Palette]:
    """The palettes that are shipped, by name. Raises FaultyTheme."""
    return {file.stem: load_palette(file) for file in sorted(theme_folder().glob("*.toml"))}
