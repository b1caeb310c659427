import base64
import os
import sys
from pathlib import Path

import pytest

from pilotage.console.screens.choose_part import ChoosePart
from pilotage.console.screens.whole import WholeText
from pilotage.settings import Settings
from tests.console.driven import chosen, console, on_screen, press, run, settle, toasts, until, watched
from tests.console.terminal import Terminal, pilotage, write_program
from tests.handmade import HOSTILE, agent, call, ran, user, write_session


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a session with one call, watched from an empty folder."""
    for name in ("TMUX", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    entries = user(), agent(call("c", "read", path="a.py", intent="See what it says")), ran("c", "first\nlast\n")
    return write_session(tmp_path / "s.jsonl", *entries, cwd=str(folder))


def test_copy(path: Path) -> None:
    """A part is copied by two keys, and it is said how."""

    async def test() -> None:
        async with console(path) as pilot:
            await press(pilot, "y")
            assert isinstance(pilot.app.screen, ChoosePart)
            await press(pilot, "p")
            assert pilot.app.clipboard == "a.py"
            assert toasts(pilot)[-1].startswith("path copied, 4 characters, by ")

    run(test)


@pytest.mark.skipif(sys.platform == "darwin", reason="pbcopy comes first there")
def test_copy_by_a_program(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the terminal may not take it, the tool of the place gets the text as well."""
    kept = tmp_path / "kept"
    write_program(tmp_path / "bin", "tmux", f'cat > "{kept}"')
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("TMUX", "x")

    async def test() -> None:
        async with console(path) as pilot:
            await press(pilot, "y", "o")
            assert pilot.app.clipboard == "first\nlast\n"
            assert kept.read_text() == "first\nlast\n"
            assert toasts(pilot)[-1] == "output copied, 11 characters, by tmux"

    run(test)


def test_hostile_copies(tmp_path: Path, path: Path) -> None:
    """What is copied is the text as the session has it; a lone surrogate becomes a question mark."""
    write_session(path, agent(call("c", "bash", command=HOSTILE)), ran("c", HOSTILE))

    async def test() -> None:
        async with console(path) as pilot:
            await press(pilot, "y", "o")
            assert pilot.app.clipboard == HOSTILE.replace("\ud800", "?").replace("\udcff", "?")

    run(test)


def test_whole_output(path: Path) -> None:
    """Enter opens the detail, and from there the whole output; Escape twice is back on the same row."""

    async def test() -> None:
        async with console(path) as pilot:
            before = chosen(pilot)
            await press(pilot, "enter", "enter")
            assert isinstance(pilot.app.screen, WholeText)
            assert "first" in on_screen(pilot)
            await press(pilot, "x")
            assert toasts(pilot)[-1] == f"saved 11 characters to {path.parent / 'work' / 'read-a.py.txt'}"
            assert (path.parent / "work" / "read-a.py.txt").read_text() == "first\nlast\n"
            await press(pilot, "escape", "escape")
            assert watched(pilot).listing.has_focus
            assert chosen(pilot) == before

    run(test)


def test_no_output(path: Path) -> None:
    """A row without an output says so, and opens nothing."""
    write_session(path, agent(call("c", command="x")))

    async def test() -> None:
        async with console(path) as pilot:
            await press(pilot, "enter", "enter", "O", "o")
            assert toasts(pilot) == ["this row has no output", "this row has no output", "this row names no file"]
            assert pilot.app.screen is watched(pilot)

    run(test)


def test_saving_asks_for_a_name(path: Path) -> None:
    """Saving offers a name that is free, refuses to overwrite, and says what the system says."""
    work = path.parent / "work"

    async def test() -> None:
        async with console(path) as pilot:
            await press(pilot, "x")
            assert watched(pilot).prompt.value == str(work / "read-a.py.txt")
            await press(pilot, "enter")
            assert (work / "read-a.py.txt").read_text() == "first\nlast\n"
            (work / "mine").write_text("mine")
            for name, words in (
                ("mine", "mine is there already; choose another name"),
                (str(work / "no" / "x"), "No such file or directory"),
                ("~nobody-has-this-name/x", "No such file or directory"),
                (str(work), "is there already"),
            ):
                watched(pilot).save_to(name)
                await settle(pilot)
                assert words in toasts(pilot)[-1]
            assert (work / "mine").read_text() == "mine"
            count = len(toasts(pilot))
            watched(pilot).save_to("  ")
            await press(pilot, "x", "escape")
            assert len(toasts(pilot)) == count

    run(test)


@pytest.mark.parametrize(
    "named", ["x" * 5000, "~nobody-has-this-name/x", "\ud800", "no/such/file", HOSTILE.replace("\0", "")]
)
def test_targets_that_are_not_there(path: Path, named: str) -> None:
    """A target that is not there, or that no file system takes, is said; nothing else happens."""
    write_session(path, agent(call("c", "read", path=named)))

    async def test() -> None:
        async with console(path) as pilot:
            await press(pilot, "o")
            assert toasts(pilot)[-1].endswith("is not there")
            assert all(notice.isprintable() for notice in toasts(pilot))

    run(test)


def test_a_file_that_changed_meanwhile(path: Path) -> None:
    """Where the session no longer holds the row, its parts cannot be taken, and that is said."""

    async def test() -> None:
        async with console(path) as pilot:
            screen = watched(pilot)
            screen._feed.stop()
            path.write_text("gone\n")
            for command in ("copy_part", "open_output"):
                await screen.run_action(command)
            await settle(pilot)
            assert len(toasts(pilot)) == 2
            assert [notice for notice in toasts(pilot) if "read the session again" not in notice] == []

    run(test)


def started(path: Path, editor: str, home: Path, **environment: str) -> Terminal:
    """Give the console on a session, with this editor in the settings."""
    folder = home / "config" / "pilotage"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "settings.toml").write_text(f"editor = '{editor}'\n" if editor else "")
    return Terminal(pilotage("watch", str(path)), XDG_CONFIG_HOME=str(folder.parent), **environment)


@pytest.mark.skipif(sys.platform == "darwin", reason="the settings lie elsewhere there")
def test_editor(path: Path, home: Path) -> None:
    """The editor of the settings gets a copy of an output, never the session; then the console is back."""
    before = path.read_bytes()
    kept = path.parent / "kept"
    editor = write_program(
        path.parent / "bin", "ed it", f'echo "editor has it"; echo "$@" >> {kept}; cat "$2" >> {kept}; echo x >> "$2"'
    )
    (path.parent / "work" / "a.py").write_text("import os\n")
    with started(path, f'"{editor}" --wait', home) as terminal:
        terminal.wait_for("See what it says")
        terminal.press("O")
        terminal.wait_for("editor has it")
        at = len(terminal.output)
        terminal.wait_for("See what it says", at)
        terminal.press("o")
        terminal.wait_for("editor has it", at)
        at = len(terminal.output)
        terminal.wait_for("See what it says", at)
        terminal.press("q")
        assert terminal.end() == 0
    words = kept.read_text().split("\n")
    assert words[0].startswith("--wait ")
    assert words[1:3] == ["first", "last"]
    assert words[0].split()[1] != str(path)
    assert words[3] == f"--wait {path.parent / 'work' / 'a.py'}"
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("editor", "words"),
    [("/no/such/editor", "/no/such/editor: No such file or directory; set"), ("false", "false ended with 1")],
)
def test_editors_that_fail(path: Path, home: Path, editor: str, words: str) -> None:
    """An editor that cannot be run, or that fails, is said, with what to do; the console goes on."""
    with started(path, "", home, EDITOR=editor) as terminal:
        terminal.wait_for("See what it says")
        terminal.press("O")
        terminal.wait_for(words)
        terminal.press("q")
        assert terminal.end() == 0


def test_osc_52(path: Path, home: Path) -> None:
    """What is copied reaches the terminal as OSC 52, and only when it is copied."""
    with started(path, "", home) as terminal:
        terminal.wait_for("See what it says")
        assert b"]52;" not in terminal.output
        terminal.press("y")
        terminal.wait_for("intent     See")
        terminal.press("i")
        terminal.wait_for("intent copied")
        assert b"\x1b]52;c;" + base64.b64encode(b"See what it says") + b"\x07" in terminal.output


def test_no_editor_without_a_terminal(path: Path) -> None:
    """Where the console cannot step aside it says where the file is."""

    async def test() -> None:
        async with console(path, settings=Settings(editor="true")) as pilot:
            await press(pilot, "O")
            await until(pilot, lambda: bool(toasts(pilot)))
            assert "no editor here; the file is" in toasts(pilot)[-1]

    run(test)
