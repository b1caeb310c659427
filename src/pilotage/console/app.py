"""The application: themes, signals, and the screen to begin with."""

import asyncio
import contextlib
import gc
import signal
from pathlib import Path

from textual.app import App

from pilotage.console.screens.watch import WatchScreen
from pilotage.console.themes import load_palettes

FIRST_THEME = "dark"


class Console(App[int]):
    """The live console on one session, or on the newest of a folder."""

    ENABLE_COMMAND_PALETTE = False
    TITLE = "pilotage"

    def __init__(self, path: Path | None, cwd: Path, theme: str = FIRST_THEME) -> None:
        self._palettes = load_palettes()
        self._palette = self._palettes[theme]
        super().__init__()
        self._path = path
        self._cwd = cwd
        for palette in self._palettes.values():
            self.register_theme(palette.textual_theme())
        self.theme = theme

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The roles, for style sheets that are read before a theme is chosen."""
        return dict(self._palette.colours)

    def on_mount(self) -> None:
        """Open the screen, and leave the terminal as it was when the process is told to end."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            # Textual ends on these without restoring the terminal; outside the main thread there are no signals.
            with contextlib.suppress(ValueError, RuntimeError):
                loop.add_signal_handler(number, self.exit, 128 + number)
        self.push_screen(WatchScreen(self._palette, self._path, self._cwd))
        gc.freeze()

    def action_next_theme(self) -> None:
        """The next theme, by name."""
        names = list(self._palettes)
        self.show_theme(names[(names.index(self._palette.name) + 1) % len(names)])

    def show_theme(self, name: str) -> None:
        """Paint with a theme's colours."""
        self._palette = self._palettes[name]
        self.theme = name
        for screen in self.screen_stack:
            if isinstance(screen, WatchScreen):
                screen.set_palette(self._palette)


def watch(path: Path | None, cwd: Path) -> int:
    """Show the console until the person leaves; the exit status."""
    app = Console(path, cwd)
    status = app.run()
    return (app.return_code or 0) if status is None else status
