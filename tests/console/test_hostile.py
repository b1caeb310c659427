"""Nothing that a session holds steers the console or the terminal: it is shown literally, or as visible signs."""

import json
import re
import time
from pathlib import Path

import pytest
from textual.geometry import Region

from pilotage.console.screens.whole import TextLines
from pilotage.console.widgets.detail import DetailPane
from pilotage.console.widgets.timeline import TimelineList
from pilotage.plain import plain_line
from tests.console.driven import (
    Driven,
    bar,
    chosen,
    console,
    on_screen,
    press,
    reminder,
    run,
    settle,
    strips,
    toasts,
    until,
    watched,
)
from tests.console.terminal import Terminal, painted, pilotage, sequences
from tests.handmade import HOSTILE, Fields, agent, call, header, lines_of, ran, refused, user

MARKUP = (
    "[/bold]",
    "[/",
    "list[int]",
    "[@click=app.quit]x[/]",
    "[link=http://e]x[/link]",
    "a\\[b]",
    "x\\",
    "[bold",
    "$x",
    "]",
)
STEERING = (
    "\x1b]52;c;ZXZpbA==\x07",
    "\x9d52;c;ZXZpbA==\x9c",
    "\x1b]52;c;ZXZpbA==\x1b\\",
    "\x1b[2J\x1b[H",
    "\x9b2J",
    "\x1b]8;;http://e\x1b\\x\x1b]8;;\x1b\\",
    "\x1bc",
    "\x1bP+q544e\x1b\\",
    "\x00\x07\x08\x0b\x0c\x0e\x0f\x7f\x85",
    "\r\n\rover",
)
UNICODE = (
    "\u202eevil\u202c \u2066x\u2069 \u200e\u200f\u061c",
    "\ud800 \udfff \udc41",
    "".join(chr(0xE0000 + ord(char)) for char in "A tag"),
    "\u200b\u2060\ufeff\u00ad\u034f\u115f\u3164\uffa0",
    "漢字かな한글 ａｂｃ",
    "e\u0301 " + "z" + "\u0335" * 60,
    "✅ ❤\ufe0f 👨\u200d👩\u200d👧 🇩🇪 1\ufe0f\u20e3 👍🏽 ☺\ufe0e",
    "\u2028\u2029",
)
ALL = (*MARKUP, *STEERING, *UNICODE, HOSTILE)
FEATURE = re.compile(r"\x1b\[[<>?=0-9;:$]*[A-Za-z~]|\x1b\]22;[a-z]+\x07|\x1b[=>78]")
"""The sequences that Textual itself writes: styles, moves, modes, queries, the shape of the pointer."""


def everywhere(text: str) -> list[Fields]:
    """Give entries that hold a text wherever a session can hold one."""
    made = call("c" + text, text, intent=text, rationale=text, path=text, **{text + "k": {text: [text]}})
    return [
        {"type": "session_info", "name": text},
        user(text),
        agent(made, text=text),
        ran("c" + text, text, is_error=True),
        agent(call("d" + text, "bash", command=text, intent=text)),
        refused("d" + text, "bash", text),
        agent(call("e" + text, "edit", path=text, edits=[{"oldText": text, "newText": text + text}], intent=text)),
        ran("e" + text, text),
        reminder((text, text)),
        {"type": text, "content": text},
        {"type": "message", "message": {"role": "bashExecution", "command": text, "output": text}},
        {"type": "compaction", "summary": text, "tokensBefore": 9},
        agent(stop="error", errorMessage=text),
    ]


def written(path: Path, *texts: str) -> Path:
    """Write a session that holds these texts everywhere."""
    entries = [entry for text in texts for entry in everywhere(text)]
    path.write_text(header(cwd="/home/" + texts[0]) + "".join(lines_of(entries)))
    return path


def check(pilot: Driven) -> None:
    """Prove that every line in sight is printable and exactly as wide as its widget."""
    for widget, strip in strips(pilot):
        assert strip.text.isprintable(), ascii(strip.text)
        assert strip.cell_length == widget.size.width, ascii(strip.text)
        for segment in strip:
            assert segment.control is None
            assert not (segment.style and (segment.style.link or segment.style.meta))


@pytest.mark.parametrize("size", [(120, 30), (70, 20)])
def test_every_row_and_detail(tmp_path: Path, size: tuple[int, int]) -> None:
    """Hostile text in every field is shown fit for a terminal, in rows, details, head and foot, and nothing ends."""
    path = written(tmp_path / "s.jsonl", *ALL)

    async def test() -> None:
        async with console(path, size=size) as pilot:
            screen = watched(pilot)
            check(pilot)
            if size[0] < 110:
                await press(pilot, "enter")
            screen.listing.action_go_first()
            before = -1
            while screen.listing.cursor != before:
                before = screen.listing.cursor
                screen.listing.action_cursor_down()
                screen.detail.update(from_top=True)
                check(pilot)
            assert screen.listing.count >= 8 * len(ALL)
            assert pilot.app.return_value is None

    run(test)


@pytest.mark.parametrize("text", MARKUP)
def test_markup_is_shown_literally(tmp_path: Path, text: str) -> None:
    """What looks like markup stands letter for letter in head, row, detail and notification."""
    path = written(tmp_path / "s.jsonl", text)

    async def test() -> None:
        async with console(path) as pilot:
            assert text in bar(pilot, "head")
            await press(pilot, "g", "j")
            assert text in chosen(pilot)
            assert text in "\n".join(strip.text for widget, strip in strips(pilot) if isinstance(widget, DetailPane))
            watched(pilot).action_open_target()
            await settle(pilot)
            assert text.replace("//", "/") in toasts(pilot)[-1]

    run(test)


def test_notifications(tmp_path: Path) -> None:
    """Notifications that repeat text of a session paint it letter for letter, what would steer as signs."""
    path = written(tmp_path / "s.jsonl", *MARKUP, *STEERING)

    async def test() -> None:
        async with console(path, size=(200, 30), has_toasts=True) as pilot:
            for text in (*MARKUP, *STEERING):
                pilot.app.clear_notifications()
                await until(pilot, lambda: not pilot.app.screen.query("Toast"))
                watched(pilot)._filter_by(f"is:{''.join(text.split())}", complain=True)
                await until(pilot, lambda: bool(pilot.app.screen.query("Toast")))
                toast = pilot.app.screen.query("Toast").last()
                lines = toast.render_lines(Region(0, 0, *toast.size))
                assert all(strip.text.isprintable() for strip in lines)
                assert plain_line("".join(text.lower().split())) in "".join(strip.text.strip() for strip in lines)

    run(test)


def test_a_click_on_session_text(tmp_path: Path) -> None:
    """A click on text of a session chooses its row and does nothing else, whatever the text looks like."""
    path = written(tmp_path / "s.jsonl", "[@click=app.quit]xxxxxxxxxxxx[/]", "[link=http://e]xxxxxxxxxxxx[/link]")

    async def test() -> None:
        async with console(path) as pilot:
            for y in range(1, 12):
                await pilot.click(TimelineList, offset=(22, y))
            for y in range(8):
                await pilot.click(DetailPane, offset=(8, y))
            for x in (3, 12, 30):
                await pilot.click("#head", offset=(x, 0))
            await press(pilot, "enter", "enter")
            await pilot.click(TextLines, offset=(12, 0))
            assert pilot.app.return_value is None
            assert pilot.app.is_running
            assert len(pilot.app.screen_stack) <= 3

    run(test)


def test_searched_and_filtered(tmp_path: Path) -> None:
    """Hostile text that the person pastes into a filter or a search is shown fit for a terminal as well."""
    path = written(tmp_path / "s.jsonl", HOSTILE)

    async def test() -> None:
        async with console(path) as pilot:
            screen = watched(pilot)
            for text in (HOSTILE, "[/bold]", "\x9b2J"):
                screen._filter_by(text, complain=True)
                await settle(pilot)
                check(pilot)
                screen._searching = text
                screen._search(text)
                await until(pilot, lambda: "shown" in bar(pilot, "foot"))
                check(pilot)
                assert all(notice.isprintable() for notice in toasts(pilot))

    run(test)


@pytest.mark.parametrize("width", [1, 2, 3, 5, 8, 13, 20, 33])
def test_narrow_widths(tmp_path: Path, width: int) -> None:
    """Down to one column every line is exactly as wide as its widget: wide signs are clipped, and nothing fails."""
    path = written(tmp_path / "s.jsonl", "漢字かな한글", "👨\u200d👩\u200d👧 ✅", "e\u0301" * 40)

    async def test() -> None:
        async with console(path, size=(max(width, 2), 8)) as pilot:
            await pilot.resize_terminal(width, 8)
            await settle(pilot)
            check(pilot)
            await press(pilot, "enter")
            check(pilot)

    run(test)


def test_a_line_of_twenty_megabytes(tmp_path: Path) -> None:
    """A session with an output of twenty megabytes on one line opens, with its row and a part of the output."""
    entries = agent(call("c", command="cat big", intent="See it")), ran("c", "x" * 20_000_000)
    path = tmp_path / "s.jsonl"
    path.write_text(header() + "".join(lines_of(entries)))

    async def test() -> None:
        async with console(path) as pilot:
            assert "See it" in chosen(pilot)
            await until(pilot, lambda: "1 line, 20,000,000 characters" in on_screen(pilot))
            check(pilot)
            await press(pilot, "enter", "enter", "G")
            check(pilot)

    run(test)


def forbidden(output: bytes) -> list[str]:
    """Give what a terminal received that neither is text nor comes from Textual."""
    text = output.decode("utf-8", "replace")
    left = FEATURE.sub("", text)
    return re.findall(
        r"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b-\u200f\ufe0f\ufeff].{0,20}", left
    )


def test_what_a_terminal_receives(tmp_path: Path) -> None:
    """No byte of a session, or of its file's name, reaches a real terminal otherwise than as text."""
    name = "x\x1b]52;c;ZXZpbA==\x07\x9b2J\u202e[bold].jsonl"
    path = written(tmp_path / name, *ALL, "END of it")
    with Terminal(pilotage("watch", str(path)), size=(120, 40)) as terminal:
        terminal.wait_for("END of it")
        for keys in ("g", "j" * 15, "\r", "\r", "G", "q", "\x1b", "2", "1", "z", "Z", "Z", "a"):
            terminal.press(keys)
            time.sleep(0.1)
        terminal.press("/\x9b2J\r")
        terminal.wait_for(" shown, ")
        terminal.press("q")
        assert terminal.end() == 0
        output = terminal.output
    assert forbidden(output) == []
    assert b"\x1b]52" not in output
    assert b"\x1b[2J" not in output
    assert "␛]52;c;ZXZpbA==" in painted(output) or "]52;c;ZXZpbA==" in painted(output)
    assert not any("52;" in code for code in sequences(output) if code.startswith("\x1b]"))


def test_hostile_file_names(tmp_path: Path) -> None:
    """A file that is missing under a hostile name is said with signs in its place."""
    folder = tmp_path / "\x1b[2J\u202e"
    folder.mkdir()

    async def test() -> None:
        async with console(
            folder / f"{json.dumps(HOSTILE)[:40]}.jsonl".replace("/", ""), is_read=False, cwd=folder
        ) as pilot:
            await until(pilot, lambda: "The session's file is not there." in on_screen(pilot))
            check(pilot)
            assert "␛[2J<U+202E>" in on_screen(pilot).replace("\n ", "")
        async with console(None, cwd=folder) as pilot:
            check(pilot)
            assert "No session here yet." in on_screen(pilot)

    run(test)
