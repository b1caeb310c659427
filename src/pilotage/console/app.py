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
from pilotage.console.messages import OpenSession, WatchedGrew
from pilotage.console.palette import RegistryProvider
from pilotage.console.panes import Pane
from pilotage.console.screens.pane import PaneScreen
from pilotage.console.screens.picker import PickerScreen
from pilotage.console.screens.split import SplitScreen
from pilotage.console.screens.study import StudyScreen
from pilotage.console.screens.watch import WatchScreen
from pilotage.console.screens.whole import WholeText
from pilotage.console.status import help_text
from pilotage.console.themes import Palette, load_palettes, without_colour
from pilotage.plain import plain_line
from pilotage.search.surroundings import Surroundings
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
    surroundings: Callable[[Path], Surroundings] = Surroundings
    """Where a search looks from a project, and which model may be asked."""


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
            self._open(self._start.path)
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
        watch = self._watch
        if self._sweeper:
            self._sweeper.tick(watch.timeline if watch and watch.is_up_to_date else None)

    @property
    def _watch(self) -> WatchScreen | None:
        """The screen of the session, whatever is in front of it; none while none is watched."""
        return next((screen for screen in self.screen_stack if isinstance(screen, WatchScreen)), None)

    def _open(self, path: Path | None, *, at_rejection: bool = False) -> None:
        """Watch another session; everything of the one before goes."""
        start = self._start
        screen = WatchScreen(
            self._palette,
            path,
            start.cwd,
            start.clock,
            self._settings.editor,
            start.surroundings,
            hold_unsourced=self._settings.hold_unsourced,
        )
        screen.goes_to_rejection = at_rejection
        while len(self.screen_stack) > 2:
            self.pop_screen()
        if len(self.screen_stack) > 1:
            self.switch_screen(screen)
        else:
            self.push_screen(screen)

    def _pick(self) -> None:
        self.push_screen(PickerScreen(self._palette, self._start.cwd, self._start.clock), self._picked)

    def _picked(self, path: Path | None) -> None:
        """Watch what was picked; without a pick, go on as before, or leave where there is nothing behind."""
        if path is not None:
            self.call_later(self._open, path)
        elif len(self.screen_stack) < 2:
            self.exit(0)

    def on_open_session(self, message: OpenSession) -> None:
        """A pane wants another session."""
        self._open(message.path, at_rejection=message.at_rejection)

    def on_watched_grew(self, _: WatchedGrew) -> None:
        """Panes in front of the session may have more to tell."""
        for screen in self.screen_stack:
            if isinstance(screen, PaneScreen) and screen.is_built:
                screen.grew()

    def _show(self, pane: Pane) -> None:
        """Show a pane, in place of the one that is shown."""
        watch, front = self._watch, self.screen
        if watch is None or (isinstance(front, PaneScreen) and front.pane is pane):
            return
        made = _screen_of(pane)
        watch.show_calls()
        if isinstance(front, PaneScreen) and made:
            self.switch_screen(made(self._palette, watch))
        elif isinstance(front, PaneScreen):
            self.pop_screen()
        elif made:
            self.push_screen(made(self._palette, watch))

    def action_show_calls(self) -> None:
        """The line of time."""
        self._show(Pane.CALLS)

    def action_show_reminders(self) -> None:
        """The reminders."""
        self._show(Pane.REMINDERS)

    def action_show_search(self) -> None:
        """The search for capabilities."""
        self._show(Pane.SEARCH)

    def action_show_prepared(self) -> None:
        """What was prepared."""
        self._show(Pane.PREPARED)

    def action_show_evidence(self) -> None:
        """The evidence, at the attempt behind what is chosen."""
        watch, front = self._watch, self.screen
        attempt = front.chosen_attempt() if isinstance(front, SplitScreen) else None
        if watch is not None and attempt is not None:
            watch.aimed = attempt.id
        self._show(Pane.EVIDENCE)

    def action_show_study(self) -> None:
        """Rejected calls in this project."""
        self._show(Pane.STUDY)

    def action_review_now(self) -> None:
        """Review the session; what comes of it is shown among the reminders."""
        watch = self._watch
        if watch is None:
            return
        self._show(Pane.REMINDERS)
        if not watch.review_now():
            words = "a review is under way" if watch.timeline else "there is no session to review yet"
            self.notify(words, timeout=3, markup=False)

    def action_pick_session(self) -> None:
        """Choose another session."""
        self._pick()

    def action_next_theme(self) -> None:
        """The next theme, by name."""
        names = list(self._palettes)
        self._palette = self._palettes[names[(names.index(self._palette.name) + 1) % len(names)]]
        self.theme = self._palette.name
        for screen in self.screen_stack:
            if isinstance(screen, SplitScreen):
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


def _screen_of(pane: Pane) -> type[PaneScreen] | None:
    """The screen of a pane; none where the screen of the session shows it itself."""
    if pane is Pane.SEARCH:
        # Loaded when it is wanted: the console opens sooner without.
        from pilotage.console.screens.search import SearchScreen

        return SearchScreen
    if pane is Pane.REMINDERS:
        from pilotage.console.screens.reminders import RemindersScreen

        return RemindersScreen
    if pane is Pane.PREPARED:
        from pilotage.console.screens.prepared import PreparedScreen

        return PreparedScreen
    if pane is Pane.EVIDENCE:
        from pilotage.console.screens.evidence import EvidenceScreen

        return EvidenceScreen
    return StudyScreen if pane is Pane.STUDY else None


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
