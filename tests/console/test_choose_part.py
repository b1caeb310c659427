from pathlib import Path

import pytest
from textual.app import App

from pilotage.console.parts import Part, is_there, parts_of, row_name, target_file
from pilotage.console.screens.choose_part import ChoosePart, PartList
from tests.console.driven import PALETTE, call_rows, console, press, run, settle, shown, timeline_of
from tests.handmade import HOSTILE, agent, call, ran, user, write_session

PARTS = [Part("i", "intent", "See"), Part("c", "command", "ls\n-la"), Part("o", "output", HOSTILE)]


class Asking(App[None]):
    """Asks, and keeps the answer."""

    CSS = "Screen { background: $ground; }"

    def __init__(self) -> None:
        super().__init__()
        self.answers: list[Part | None] = []

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The roles."""
        return PALETTE.style_sheet_colours()


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        (["o"], PARTS[2]),
        (["i"], PARTS[0]),
        (["enter"], PARTS[0]),
        (["j", "enter"], PARTS[1]),
        (["G", "k", "enter"], PARTS[1]),
        (["escape"], None),
        (["y"], None),
        (["p", "enter"], PARTS[0]),
    ],
)
def test_answers(keys: list[str], answer: Part | None) -> None:
    """A part is chosen by its key, or by the cursor and Enter; Escape chooses none, another key does nothing."""

    async def test() -> None:
        app = Asking()
        async with app.run_test(size=(80, 20)) as pilot:
            app.push_screen(ChoosePart(PALETTE, PARTS), app.answers.append)
            await settle(pilot)
            await press(pilot, *keys)
            await settle(pilot)
            assert app.answers == [answer]

    run(test)


def test_looks() -> None:
    """Each part has one line: key, name and its first words, fit for a terminal; a second click chooses."""

    async def test() -> None:
        app = Asking()
        async with app.run_test(size=(80, 20)) as pilot:
            app.push_screen(ChoosePart(PALETTE, PARTS), app.answers.append)
            await settle(pilot)
            lines = shown(app.screen.query_one(PartList))
            assert lines[:2] == [" i  intent     See", " c  command    ls -la"]
            assert not any(lines[3:])
            assert lines[2].isprintable()
            await pilot.click(PartList, offset=(4, 1))
            assert app.answers == []
            await pilot.click(PartList, offset=(5, 1))
            assert app.answers == [PARTS[1]]

    run(test)


def test_parts_of_a_call(tmp_path: Path) -> None:
    """What a call has can be copied as the session has it, and nothing that it has not."""
    made = call("c", "bash", command="ls -la\npwd", intent="See", rationale="Asked")
    path = write_session(
        tmp_path / "s.jsonl", user(HOSTILE), agent(made), ran("c", "out\x1b[31m"), agent(call("d", "grep"))
    )
    timeline = timeline_of(path)
    words, first, second = timeline.rows
    assert [(part.key, part.text) for part in parts_of(timeline, first)] == [
        ("i", "See"),
        ("r", "Asked"),
        ("c", "ls -la\npwd"),
        ("o", "out\x1b[31m"),
    ]
    assert parts_of(timeline, second) == []
    assert [part.key for part in parts_of(timeline, words)] == ["t"]
    keys = [part.key for part in parts_of(timeline, first)]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize(
    ("named", "file"),
    [
        ("src/a.py", "/home/dev/reeds/src/a.py"),
        ("/etc/hosts", "/etc/hosts"),
        ("@src/a.py", "/home/dev/reeds/src/a.py"),
        ("~nobody-has-this-name/a", "/home/dev/reeds/~nobody-has-this-name/a"),
    ],
)
def test_target_file(tmp_path: Path, named: str, file: str) -> None:
    """A path is that of the session's folder, whatever the agent wrote."""
    timeline = timeline_of(write_session(tmp_path / "s.jsonl", agent(call("c", "read", path=named))))
    assert target_file(timeline, timeline.rows[0]) == Path(file)


@pytest.mark.parametrize("named", ["", "a\0b", 3, None, ["x"]])
def test_no_target_file(tmp_path: Path, named: object) -> None:
    """What is no path names no file, and neither does a row that is no call."""
    timeline = timeline_of(write_session(tmp_path / "s.jsonl", user(), agent(call("c", "read", path=named))))
    assert [target_file(timeline, row) for row in timeline.rows] == [None, None]


def test_paths_that_no_file_system_takes(tmp_path: Path) -> None:
    """A path that is too long, or not text, is not there."""
    assert not is_there(Path("x" * 100_000))
    assert not is_there(Path("a\ud800"))
    assert is_there(tmp_path)


def test_names_of_rows(data: Path) -> None:
    """A row is named after its tool and target, or after its kind."""
    timeline = timeline_of(data / "plain.jsonl")
    assert row_name(timeline, timeline.rows[0]) == "input"
    found = timeline.calls.items[0]
    assert row_name(timeline, call_rows(timeline)[0]) == f"{found.tool} {found.target}"


def test_nothing_to_copy(tmp_path: Path) -> None:
    """A call with nothing to copy opens no question."""
    path = write_session(tmp_path / "s.jsonl", agent(call("d", "grep")))

    async def test() -> None:
        async with console(path) as pilot:
            await press(pilot, "y")
            assert not isinstance(pilot.app.screen, ChoosePart)

    run(test)
