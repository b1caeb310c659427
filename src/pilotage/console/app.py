"""The application: settings, themes, signals, and which screen is in front."""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace
from textual.app import App
from textual.events import Event, InputEvent

from pilotage.console.commands import COMMAND_IDS, key_clashes
from pilotage.console.garbage import Sweeper
from pilotage.console.palette import RegistryProvider
from pilotage.console.screens.picker import PickerScreen
from pilotage.console.screens.study import StudyScreen
from pilotage.console.screens.watch import WatchScreen
from pilotage.console.screens.whole import WholeText
from pilotage.console.status import help_text
from pilotage.console.themes import Palette, load_palettes, without_colour
from pilotage.plain import plain_line
from pilotage.settings import FaultySettings, Settings, config_dir, load_settings

FIRST_THEME = "dark"
NO_COLOUR = "no-colour"


class Start(Struct, frozen=True):
    """How the console begins."""

    cwd: Path
    """The folder whose sessions it is about."""
    path: Path | None = None
    """The session to watch; none: the newest of the folder."""
    picks: bool = False
    """Whether the person chooses the session first."""
    clock: Callable[[], float] = time.time
    """What tells the time, in seconds since the epoch."""


class Console(App[int]):
    """The live console."""

    CSS_PATH = "console.tcss"
    COMMANDS = {RegistryProvider}  # noqa: RUF012 - Textual's own type
    ENABLE_COMMAND_PALETTE = True
    TITLE = "pilotage"

    def __init__(self, start: Start, settings: Settings, faults: list[str], *, no_colour: bool = False) -> None:
        self._start = start
        self._settings = settings
        self._palettes, theme_faults = load_palettes(config_dir() / "themes")
        self._faults = [*faults, *theme_faults]
        self._sweeper: Sweeper | None = None
        self._palette = self._first_palette(no_colour=no_colour)
        super().__init__(ansi_color=True if no_colour else None)
        self.set_keymap(settings.keys)
        for palette in self._palettes.values():
            self.register_theme(palette.textual_theme())
        self.theme = self._palette.name

    def _first_palette(self, *, no_colour: bool) -> Palette:
        """The palette to begin with; where no colour is wanted there is no other."""
        if no_colour:
            plain = without_colour(self._palettes)
            self._palettes = {plain.name: plain}
        elif self._settings.plain_signs:
            self._palettes = {name: replace(p, plain_signs=True) for name, p in self._palettes.items()}
        wanted = self._settings.theme or FIRST_THEME
        if wanted not in self._palettes and not no_colour:
            self._faults.append(f"there is no theme {wanted!r}; there are {', '.join(self._palettes)}")
        return self._palettes.get(wanted) or self._palettes.get(FIRST_THEME) or next(iter(self._palettes.values()))

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The roles, for style sheets that are read before a theme is chosen."""
        return self._palette.style_sheet_colours()

    def on_mount(self) -> None:
        """Open the screen, and leave the terminal as it was when the process is told to end."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            # Textual ends on these without restoring the terminal; outside the main thread there are no signals.
            with contextlib.suppress(ValueError, RuntimeError):
                loop.add_signal_handler(number, self.exit, 128 + number)
        if self._start.picks:
            self._pick()
        else:
            self._watch(self._start.path)
        for fault in self._faults:
            self.notify(plain_line(fault), severity="warning", timeout=20, markup=False)
        self._sweeper = Sweeper()
        self.set_interval(1.0, self._sweep)

    async def on_event(self, event: Event) -> None:
        """Note that the person is at work."""
        if isinstance(event, InputEvent) and self._sweeper:
            self._sweeper.touched()
        await super().on_event(event)

    def _sweep(self) -> None:
        screen = self.screen
        loaded = screen.timeline if isinstance(screen, WatchScreen) and screen.is_up_to_date else None
        if self._sweeper:
            self._sweeper.tick(loaded)

    def _watch(self, path: Path | None, *, at_rejection: bool = False) -> None:
        screen = WatchScreen(self._palette, path, self._start.cwd, self._start.clock, self._settings.editor)
        screen.goes_to_rejection = at_rejection
        if len(self.screen_stack) > 1:
            self.switch_screen(screen)
        else:
            self.push_screen(screen)

    def _pick(self) -> None:
        self.push_screen(PickerScreen(self._palette, self._start.cwd, self._start.clock), self._picked)

    def _picked(self, path: Path | None) -> None:
        """Watch what was picked; without a pick, go on as before, or leave where there is nothing behind."""
        if path is not None:
            self.call_later(self._watch, path)
        elif len(self.screen_stack) < 2:
            self.exit(0)

    def action_show_study(self) -> None:
        """Rejected calls in this project."""
        self.push_screen(StudyScreen(self._palette, self._project()), self._studied)

    def _project(self) -> Path:
        """The folder that the watched session belongs to."""
        timeline = self.screen.timeline if isinstance(self.screen, WatchScreen) else None
        header = timeline.session.header if timeline else None
        return Path(header.cwd) if header and header.cwd else self._start.cwd

    def _studied(self, path: Path | None) -> None:
        """Open what was chosen in the study."""
        if path is not None:
            self.call_later(self._watch, path, at_rejection=True)

    def action_pick_session(self) -> None:
        """Choose another session."""
        self._pick()

    def action_next_theme(self) -> None:
        """The next theme, by name."""
        names = list(self._palettes)
        self._palette = self._palettes[names[(names.index(self._palette.name) + 1) % len(names)]]
        self.theme = self._palette.name
        for screen in self.screen_stack:
            if isinstance(screen, WatchScreen):
                screen.set_palette(self._palette)
        self.notify(f"theme {plain_line(self._palette.name)}", timeout=2, markup=False)

    def action_show_help(self) -> None:
        """Keys and signs."""
        self.push_screen(WholeText(self._palette, "keys and signs", help_text(self._settings.keys)))

    def action_show_palette(self) -> None:
        """All commands."""
        self.action_command_palette()

    def action_quit_console(self) -> None:
        """Leave."""
        self.exit(0)


def run_console(start: Start) -> int:
    """Show the console until the person leaves; the exit status."""
    faults = []
    try:
        settings = load_settings(COMMAND_IDS, key_clashes)
    except FaultySettings as fault:
        settings, faults = Settings(), [str(fault)]
    # An empty NO_COLOR asks for nothing (no-color.org); Textual would take it as set.
    no_colour = bool(os.environ.get("NO_COLOR"))
    if not no_colour:
        os.environ.pop("NO_COLOR", None)
    app = Console(start, settings, faults, no_colour=no_colour)
    status = app.run()
    return (app.return_code or 0) if status is None else status
