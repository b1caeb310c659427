import re
from pathlib import Path

import pytest
from textual.binding import Binding
from textual.command import CommandList

from pilotage.console.app import Console
from pilotage.console.commands import (
    COMMANDS,
    TOGETHER,
    Where,
    action_of,
    bindings,
    commands_of,
    key_clashes,
    key_names,
    key_table,
)
from pilotage.console.screens.evidence import EvidenceScreen
from pilotage.console.screens.picker import PickerScreen
from pilotage.console.screens.prepared import PreparedScreen
from pilotage.console.screens.reminders import RemindersScreen
from pilotage.console.screens.search import SearchScreen
from pilotage.console.screens.study import StudyScreen
from pilotage.console.screens.watch import WatchScreen
from pilotage.console.screens.whole import WholeText
from pilotage.console.status import help_text
from pilotage.console.widgets.lines import LineList
from pilotage.settings import Settings
from tests.console.driven import Driven, bar, chosen, console, press, run, settle, toasts, until, watched
from tests.handmade import agent, call, ran, user, write_session

DOERS = {
    Where.SESSION: (WatchScreen, StudyScreen, SearchScreen, RemindersScreen, PreparedScreen, EvidenceScreen),
    Where.WATCH: (WatchScreen,),
    Where.LIST: (LineList,),
    Where.INPUT: (PickerScreen, SearchScreen),
    Where.SEARCH: (SearchScreen,),
    Where.REMINDERS: (RemindersScreen,),
    Where.EVIDENCE: (EvidenceScreen,),
    Where.PICKER: (PickerScreen,),
    Where.TEXT: (WholeText,),
}
"""Who does the commands of each place."""

WATCHING = [command for command in COMMANDS if command.where in (Where.SESSION, Where.WATCH)]
PICKING = [command for command in COMMANDS if command.where in (Where.INPUT, Where.PICKER)]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.id)
def test_every_command_can_be_done(command: object) -> None:
    """Where a command says that it works there is an action for it."""
    found = next(one for one in COMMANDS if one is command)
    for doer in (Console,) if found.by_app else DOERS[found.where]:
        action = getattr(doer, f"action_{found.action.removeprefix('app.')}")
        assert action.__module__.startswith("pilotage."), "an action of Textual's that only has the same name"


def test_ids() -> None:
    """Each command has an id of its own, a kebab-case verb, and a few words."""
    ids = [command.id for command in COMMANDS]
    assert len(ids) == len(set(ids))
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)+", one) for one in ids)
    assert all(0 < len(command.words) <= 50 for command in COMMANDS)
    assert all(action_of(command.id) == command.action for command in COMMANDS)


def test_every_place_is_together_with_itself() -> None:
    """For every place it is known which others take keys at the same time."""
    assert {where for places in TOGETHER for where in places} == set(Where)


@pytest.mark.parametrize("places", TOGETHER, ids=" + ".join)
def test_no_key_twice(places: tuple[Where, ...]) -> None:
    """No two commands that work at the same time share a key; a list, which has the keys first, takes none away."""
    keys = [key for where in places for command in commands_of(where) for key in command.keys.split(",")]
    assert len(keys) == len(set(keys))


def test_a_key_for_two_commands_is_a_fault() -> None:
    """A key that the person gives to two commands which work at the same time is said, and no other."""
    assert key_clashes({"next-finding": "q"}) == ["keys.next-finding: q is the key of quit-console"]
    assert key_clashes({"save-text": "m"}) == []
    assert key_clashes({"cursor-down": "n,down"}) == [
        *("keys.next-finding: n is the key of cursor-down", "keys.next-match: n is the key of cursor-down")
    ]


def test_bindings_carry_ids() -> None:
    """Each binding has its command's id, so that other keys can be given to it."""
    found = [binding for where in Where for binding in bindings(where)]
    assert [binding.id for binding in found if isinstance(binding, Binding)] == [
        command.id for where in Where for command in commands_of(where)
    ]


def test_keys_as_a_person_reads_them() -> None:
    """Keys are named as they are printed on the keyboard."""
    assert key_names("right_square_bracket,question_mark") == "] ?"
    assert key_names("j,down,ctrl+n") == "j Down ctrl+n"


def test_table_has_every_command_once() -> None:
    """The table of keys lists each command, and shows the keys that the person gave."""
    rows = [row for _, rows in key_table({"next-finding": "f7"}) for row in rows]
    assert sorted(row[1] for row in rows) == sorted(command.id for command in COMMANDS)
    assert ("f7", "next-finding", "next finding") in rows


def test_help_has_every_command() -> None:
    """The help shows every command with its keys apart from its words, however many keys there are."""
    text = help_text({"next-finding": "ctrl+n,ctrl+j,ctrl+shift+f7"})
    assert all(command.words in text for command in COMMANDS)
    assert "ctrl+n ctrl+j ctrl+shift+f7 next finding" in text


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """Give a session with a failure in the middle."""
    entries = (
        user(),
        agent(call("a", command="x")),
        ran("a", "no", is_error=True),
        agent(call("b", command="y")),
        ran("b"),
    )
    return write_session(tmp_path / "s.jsonl", *entries)


def test_other_keys_work_and_are_shown(session: Path) -> None:
    """A key that the person gave does what the command says, the old one does not, and the help shows it."""

    async def test() -> None:
        settings = Settings(keys={"previous-finding": "b", "show-help": "f2", "cursor-up": "i"})
        async with console(session, settings=settings) as pilot:
            await press(pilot, "N", "k")
            assert "bash   y" in chosen(pilot)
            await press(pilot, "b")
            assert "bash   x" in chosen(pilot)
            await press(pilot, "i")
            assert "you" in chosen(pilot)
            await press(pilot, "question_mark")
            assert len(pilot.app.screen_stack) == 2
            await press(pilot, "f2")
            screen = pilot.app.screen
            assert isinstance(screen, WholeText)
            lines = screen._lines
            assert "  b                 finding before" in lines
            assert "  f2                keys and signs" in lines
            assert "  i                 row before" in lines

    run(test)


def test_two_keys_change_places(session: Path) -> None:
    """Two commands can take each other's key."""

    async def test() -> None:
        async with console(session, settings=Settings(keys={"toggle-follow": "N", "previous-finding": "f"})) as pilot:
            await press(pilot, "f")
            assert "bash   x" in chosen(pilot)
            await press(pilot, "N")
            assert "following" in bar(pilot, "foot")

    run(test)


async def offered(pilot: Driven) -> list[str]:
    """Open the palette; what it offers."""
    await press(pilot, "ctrl+p")
    await until(pilot, lambda: bool(pilot.app.screen.query(CommandList)))
    options = pilot.app.screen.query_one(CommandList)
    await until(pilot, lambda: options.option_count > 0)
    return [str(options.get_option_at_index(at).prompt) for at in range(options.option_count)]


def test_palette_offers_what_works_here(session: Path) -> None:
    """The palette offers each command of the screen in front with its keys, and none of another screen."""

    async def test() -> None:
        async with console(session, settings=Settings(keys={"next-finding": "f7"})) as pilot:
            labels = await offered(pilot)
            assert labels == [
                f"{command.words}   ({'f7' if command.id == 'next-finding' else key_names(command.keys)})"
                for command in WATCHING
            ]
            await press(pilot, "escape", "question_mark")
            assert len(await offered(pilot)) == len(commands_of(Where.TEXT))
            await press(pilot, "escape", "escape", "p")
            assert len(await offered(pilot)) == len(PICKING)

    run(test)


def test_palette_gives_the_command(session: Path) -> None:
    """What is typed finds the command, and Enter gives it."""

    async def test() -> None:
        async with console(session) as pilot:
            await offered(pilot)
            await press(pilot, *"next theme")
            await pilot.pause(0.3)
            await press(pilot, "enter")
            await until(pilot, lambda: "theme light" in toasts(pilot))

    run(test)


def test_every_command_of_the_session_runs(session: Path) -> None:
    """No command fails, and after each of them the session can be looked at as before."""

    async def test() -> None:
        leaves = {"quit-console", "open-target", "open-output"}
        async with console(session) as pilot:
            for command in WATCHING:
                if command.id in leaves:
                    continue
                await watched(pilot).run_action(command.action)
                await settle(pilot)
                while pilot.app.screen is not watched(pilot):
                    pilot.app.pop_screen()
                watched(pilot).prompt.close()
            await press(pilot, "1", "G")
            assert "bash   y" in chosen(pilot)

    run(test)
