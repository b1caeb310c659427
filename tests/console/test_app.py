import asyncio
import os
import re
import signal
import sys
from pathlib import Path

import pytest

from pilotage.console.app import Console, Start
from pilotage.console.screens.watch import WatchScreen
from pilotage.console.screens.whole import WholeText
from pilotage.settings import FILE, Settings, config_dir
from tests.console.driven import (
    Clock,
    bar,
    console,
    on_screen,
    palettes,
    press,
    run,
    strips,
    toasts,
    until,
    watched,
)
from tests.console.terminal import Terminal, pilotage, sequences
from tests.handmade import HOSTILE, agent, call, ran, user, write_session


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Give a small session."""
    return write_session(tmp_path / "s.jsonl", user("Find out why"), agent(call("c", command="ls")), ran("c", "out"))


def configured(text: str) -> None:
    """Write the person's settings."""
    config_dir().mkdir(parents=True, exist_ok=True)
    (config_dir() / FILE).write_text(text, "utf-8")


def test_first_theme(path: Path) -> None:
    """The console opens in the dark theme, or in the one of the settings."""

    async def test() -> None:
        for wanted, name in ((None, "dark"), ("light", "light"), ("terminal", "terminal")):
            async with console(path, settings=Settings(theme=wanted)) as pilot:
                assert pilot.app.theme == name
                assert toasts(pilot) == []

    run(test)


def test_unknown_theme(path: Path) -> None:
    """A theme that is not there is said, with those that are, and the dark one is taken."""

    async def test() -> None:
        async with console(path, settings=Settings(theme="dusk")) as pilot:
            assert pilot.app.theme == "dark"
            assert toasts(pilot) == ["there is no theme 'dusk'; there are contrast, dark, light, terminal"]

    run(test)


def test_themes_in_turn(path: Path) -> None:
    """A key goes through all themes, and everything is painted in each, the text that is in front as well."""

    async def test() -> None:
        async with console(path) as pilot:
            for name in ("light", "terminal", "contrast", "dark"):
                await press(pilot, "t")
                assert pilot.app.theme == name
                palette = next(one for one in palettes() if one.name == name)
                grounds = {palette.style("text", ground).bgcolor for ground in ("ground", "head", "cursor")}
                for _, strip in strips(pilot):
                    assert {segment.style.bgcolor for segment in strip if segment.style} <= grounds
                await press(pilot, "question_mark")
                assert isinstance(pilot.app.screen, WholeText)
                assert pilot.app.screen._palette.name == name
                await press(pilot, "escape")

    run(test)


def test_plain_signs(path: Path) -> None:
    """With plain signs everything of ours on the screen is ASCII."""
    write_session(path, agent(call("a", command="漢" * 60), call("b", command="x" * 200), call("c", command="y")))

    async def test() -> None:
        async with console(path, settings=Settings(plain_signs=True)) as pilot:
            assert on_screen(pilot).replace("漢", "").isascii()
            await press(pilot, "t")
            assert on_screen(pilot).replace("漢", "").isascii()

    run(test)


def test_no_colour(path: Path) -> None:
    """Without colour only bold, dim and reverse are left, and there is no other theme to turn to."""

    async def test() -> None:
        async with console(path, no_colour=True, settings=Settings(theme="light")) as pilot:
            await press(pilot, "t", "k")
            for _, strip in strips(pilot):
                for segment in strip:
                    assert segment.style is not None
                    words = set(str(segment.style).split())
                    assert words <= {"bold", "dim", "reverse", "default", "on", "not"}
            assert any("reverse" in str(segment.style) for _, strip in strips(pilot) for segment in strip)

    run(test)


def test_faults_are_shown(path: Path) -> None:
    """Faults of settings and themes are shown literally, fit for a terminal; the console opens all the same."""
    folder = config_dir() / "themes"
    folder.mkdir(parents=True)
    (folder / "broken.toml").write_text('dark = true\n[roles]\n"\\u001b[2J[/bold]" = "x"\n')

    async def test() -> None:
        async with console(path, faults=[f"settings: {HOSTILE} [/bold]"]) as pilot:
            assert len(toasts(pilot)) == 2
            assert all(notice.isprintable() for notice in toasts(pilot))
            assert "[/bold]" in toasts(pilot)[0]
            assert "broken.toml: roles." in toasts(pilot)[1]
            assert "Find out why" in on_screen(pilot)

    run(test)


def test_own_theme(path: Path) -> None:
    """A theme of one's own is there beside the others."""
    folder = config_dir() / "themes"
    folder.mkdir(parents=True)
    shipped = next(one for one in palettes() if one.name == "dark")
    roles = "\n".join(f'{role} = "{colour}"' for role, colour in shipped.colours.items())
    (folder / "a b [x].toml").write_text(f"dark = true\n[roles]\n{roles}\n")

    async def test() -> None:
        async with console(path) as pilot:
            for _ in range(3):
                await press(pilot, "t")
            assert pilot.app.theme == "a b [x]"
            assert toasts(pilot)[-1] == "theme a b [x]"

    run(test)


def test_help(path: Path) -> None:
    """A key shows keys, signs and filters, and another goes back."""

    async def test() -> None:
        async with console(path) as pilot:
            await press(pilot, "question_mark")
            assert "keys and signs" in bar(pilot, "head")
            assert "Watching a session" in on_screen(pilot)
            await press(pilot, "G")
            assert "is:reminder" in on_screen(pilot)
            await press(pilot, "q")
            assert pilot.app.screen is watched(pilot)

    run(test)


def test_quit(path: Path) -> None:
    """A key leaves, with status 0."""

    async def test() -> None:
        async with console(path) as pilot:
            await press(pilot, "q")
            assert pilot.app.return_value == 0

    run(test)


def test_nothing_of_the_clock_is_hidden() -> None:
    """A start says by itself what it is about: nothing is looked up before the console is open."""
    start = Start(Path("/nowhere"))
    assert (start.path, start.picks) == (None, False)
    assert Start(Path("/nowhere"), clock=Clock(7)).clock() == 7
    assert Console(start, Settings(), []).return_value is None


RESTORED = ("\x1b[?1049l", "\x1b[?25h", "\x1b[?1000l", "\x1b[?1003l", "\x1b[?1006l", "\x1b[?2004l")
"""The alternate screen left, the cursor shown, mouse and bracketed paste off."""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signals_restore_the_terminal(path: Path, number: signal.Signals) -> None:
    """A console that is told to end leaves the terminal as it was, and says by its status which signal it was."""
    with Terminal(pilotage("watch", str(path))) as terminal:
        terminal.wait_for("Find out why")
        terminal.wait_for("Find out why")
        before = sequences(terminal.output)
        assert "\x1b[?1049h" in before
        terminal.send(number)
        assert terminal.end() == 128 + number
        last = {
            code: max(at for at, one in enumerate(all_codes) if one == code)
            for all_codes in [sequences(terminal.output)]
            for code in RESTORED
        }
        switched_on = [
            at
            for at, one in enumerate(sequences(terminal.output))
            if re.fullmatch(r"\x1b\[\?(1049|1000|1003|1006|2004)h", one)
        ]
        assert all(at > max(switched_on) for at in last.values())


def test_leaving_restores_the_terminal(path: Path) -> None:
    """A console that is left by its key restores the terminal as well."""
    with Terminal(pilotage("watch", str(path))) as terminal:
        terminal.wait_for("Find out why")
        terminal.press("q")
        assert terminal.end() == 0
        assert set(RESTORED) <= set(sequences(terminal.output))


COLOURED = re.compile(r"\x1b\[(?:.*;)?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;.*)?m")


@pytest.mark.parametrize(("value", "coloured"), [("1", False), ("", True), (None, True)])
def test_no_color(path: Path, value: str | None, coloured: bool) -> None:
    """With NO_COLOR set nothing but bold, dim and reverse reaches the terminal; an empty one means nothing."""
    environment: dict[str, str] = {} if value is None else {"NO_COLOR": value}
    with Terminal(pilotage("watch", str(path)), **environment) as terminal:
        terminal.wait_for("Find out why")
        terminal.press("k")
        terminal.wait_for("staying")
        terminal.press("t")
        terminal.wait_for("theme")
        terminal.press("\x10")
        terminal.wait_for("detail of the row")
        found = [code for code in sequences(terminal.output) if COLOURED.fullmatch(code)]
        assert bool(found) is coloured, found[:5]


def test_the_terminals_own_colours(path: Path) -> None:
    """Whatever theme the console began with, `terminal` uses the terminal's own colours on its own ground."""
    with Terminal(pilotage("watch", str(path))) as terminal:
        terminal.wait_for("Find out why")
        terminal.press("t")
        terminal.wait_for("theme light")
        terminal.settle()
        at = len(terminal.output)
        terminal.press("t")
        terminal.wait_for("theme terminal")
        terminal.wait_for("? help", at)
        terminal.settle()
        codes = sequences(terminal.output[at:])
        assert any(code.startswith("\x1b[") and code.endswith("39;49m") for code in codes)
        assert not any("38;2" in code for code in codes[len(codes) // 2 :])


@pytest.mark.skipif(sys.platform == "darwin", reason="the settings lie elsewhere there")
def test_settings_of_the_person(path: Path) -> None:
    """The console takes theme and keys from the settings; a faulty file is named, with all its faults."""
    configured('theme = "light"\n[keys]\nquit-console = "b"\n')
    with Terminal(pilotage("watch", str(path))) as terminal:
        terminal.wait_for("Find out why")
        assert "\x1b[38;2;35;39;44;48;2;236;233;225m" in sequences(terminal.output)
        terminal.press("b")
        assert terminal.end() == 0
    configured("theme = 3\nshade = 2\n")
    with Terminal(pilotage("watch", str(path)), size=(300, 30)) as terminal:
        terminal.wait_for("theme must be text")
        terminal.wait_for("plain-signs")
        terminal.press("q")
        assert terminal.end() == 0


def test_signals_need_no_main_thread(path: Path) -> None:
    """Where no signal can be handled, as beside another loop, the console works without."""

    def in_a_thread() -> None:
        async def test() -> None:
            async with console(path) as pilot:
                await until(pilot, lambda: isinstance(pilot.app.screen, WatchScreen))

        asyncio.run(test())

    async def outside() -> None:
        await asyncio.to_thread(in_a_thread)

    run(outside)
    assert os.environ.get("NO_COLOR") is None
