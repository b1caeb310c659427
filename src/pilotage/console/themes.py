"""Themes: files of semantic roles, the only place where a colour is written."""

import re
import tomllib
from functools import cache
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace
from rich.style import Style
from textual.theme import BUILTIN_THEMES, Theme

GROUNDS = ("ground", "head", "cursor", "added-ground", "removed-ground")
"""Roles that lie behind words."""

WORDS = (
    "intent",
    "text",
    "middle",
    "dim",
    "ok",
    "failed",
    "rejected",
    "reminder",
    "running",
    "user",
)
"""Roles that words have."""

ROLES = (*GROUNDS, *WORDS, "faint")
"""What a colour can mean; a theme names each of them. `faint` is for rules and brackets, never for words."""

TERMINAL_NAMES = (
    "default",
    *(
        f"{bright}{name}"
        for bright in ("", "bright-")
        for name in ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
    ),
)
"""The terminal's own colours, for a theme that leaves the choice to it."""

REVERSE = "reverse"
"""What a terminal's own theme may say for the ground of the cursor."""

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
_HUSHED = frozenset({"dim", "faint"})


class FaultyTheme(Exception):
    """A theme file that cannot be used; its text names the file and the key."""


class Palette(Struct, frozen=True):
    """One theme's colours by role."""

    name: str
    """The theme's name: that of its file."""
    dark: bool
    """Whether light words stand on a dark ground."""
    colours: dict[str, str]
    """For each role `#rrggbb`, or a name of the terminal's own."""
    plain_signs: bool = False
    """Whether brackets and rules are drawn in ASCII."""
    monochrome: bool = False
    """Whether nothing but bold, dim and reverse may be used."""

    @property
    def is_terminals(self) -> bool:
        """Whether the colours are the terminal's own."""
        return self.colours["ground"] == "default"

    def style(self, role: str, ground: str = "ground", *, bold: bool = False) -> Style:
        """The style of words of a role on a ground."""
        if not self.is_terminals:
            return _style(self.colours[role], self.colours[ground], bold)
        if self.colours[ground] == REVERSE:
            return _terminal_style("default", bold, dim=False, reverse=True)
        colour = "default" if self.monochrome else self.colours[role].replace("-", "_")
        return _terminal_style(colour, bold, dim=role in _HUSHED, reverse=False)

    def textual_theme(self) -> Theme:
        """The theme as Textual knows it; each role is a variable `$<role>` in style sheets."""
        colours = self.style_sheet_colours()
        return Theme(
            name=self.name,
            dark=self.dark,
            primary=colours["running"],
            foreground=colours["text"],
            background=colours["ground"],
            surface=colours["ground"],
            panel=colours["head"],
            warning=colours["rejected"],
            error=colours["failed"],
            success=colours["ok"],
            accent=colours["reminder"],
            secondary=colours["reminder"],
            boost=colours["ground"],
            variables=colours,
            ansi=self.is_terminals,
        )

    def style_sheet_colours(self) -> dict[str, str]:
        """The colours by role, as style sheets write them."""
        if not self.is_terminals:
            return dict(self.colours)
        from_textual = BUILTIN_THEMES["ansi-dark" if self.dark else "ansi-light"].variables
        names = {role: "default" if self.monochrome or name == REVERSE else name for role, name in self.colours.items()}
        return from_textual | {role: f"ansi_{name.replace('-', '_')}" for role, name in names.items()}


@cache
def _style(colour: str, ground: str, bold: bool) -> Style:
    return Style(color=colour, bgcolor=ground, bold=bold)


@cache
def _terminal_style(colour: str, bold: bool, *, dim: bool, reverse: bool) -> Style:
    return Style(color=colour, bgcolor="default", bold=bold, dim=dim, reverse=reverse)


def theme_folder() -> Path:
    """The folder of the themes that are shipped: in the wheel beside the package, in a checkout at its top."""
    shipped = Path(__file__).parents[1] / "themes"
    return shipped if shipped.is_dir() else Path(__file__).parents[3] / "themes"


def load_palette(file: Path) -> Palette:
    """The palette in one file. Raises FaultyTheme, which names the file and the first faulty key."""
    try:
        data = tomllib.loads(file.read_text("utf-8-sig"))
    except (OSError, ValueError) as error:
        raise FaultyTheme(f"{file}: {error}") from error
    roles, dark = data.get("roles"), data.get("dark", True)
    for name in data.keys() - {"dark", "roles"}:
        raise FaultyTheme(f"{file}: {name} is unknown; a theme has `dark` and a table `roles`")
    if not isinstance(roles, dict):
        raise FaultyTheme(f"{file}: roles is missing; it is a table with a colour for each of {', '.join(ROLES)}")
    if not isinstance(dark, bool):
        raise FaultyTheme(f"{file}: dark must be true or false")
    for name in sorted(roles.keys() ^ set(ROLES)):
        raise FaultyTheme(f"{file}: roles.{name} is {'unknown' if name in roles else 'missing'}")
    _check_colours(file, roles)
    return Palette(file.stem, dark, roles)


def _check_colours(file: Path, roles: dict[str, object]) -> None:
    terminals = roles["ground"] == "default"
    for name, colour in roles.items():
        allowed = (*TERMINAL_NAMES, REVERSE) if name == "cursor" else TERMINAL_NAMES
        if terminals and colour not in allowed:
            raise FaultyTheme(f"{file}: roles.{name} is {colour!r}; with ground = 'default' it is one of {allowed}")
        if not terminals and not (isinstance(colour, str) and _COLOUR.fullmatch(colour)):
            raise FaultyTheme(f"{file}: roles.{name} is {colour!r}; a colour is written #rrggbb")


def load_palettes(own: Path | None = None) -> tuple[dict[str, Palette], list[str]]:
    """The palettes that are shipped and those in the person's own folder, by name; and what is wrong with files.

    A file of the person's own that has the name of a shipped one takes its place.
    """
    palettes: dict[str, Palette] = {}
    faults = []
    for folder in (theme_folder(), own):
        for file in sorted(folder.glob("*.toml")) if folder else ():
            try:
                palettes[file.stem] = load_palette(file)
            except FaultyTheme as fault:
                faults.append(str(fault))
    return palettes, faults


def without_colour(palettes: dict[str, Palette]) -> Palette:
    """The palette of a terminal that is to show no colour: bold, dim and reverse are all that is left."""
    return replace(palettes["terminal"], name="no-colour", monochrome=True)
