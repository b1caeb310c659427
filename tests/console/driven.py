"""The console, driven without a terminal: opened on a file, given keys, read as text."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual.events import Key
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.strip import Strip
from textual.widget import Widget

from pilotage.calls.timeline import Timeline
from pilotage.console.app import Console, Start
from pilotage.console.details import detail_lines
from pilotage.console.pieces import PieceLine
from pilotage.console.rows import Sight, row_line
from pilotage.console.screens.pane import PaneScreen
from pilotage.console.screens.picker import PickerScreen
from pilotage.console.screens.watch import WatchScreen
from pilotage.console.themes import Palette, load_palettes
from pilotage.console.widgets.bar import Bar
from pilotage.console.widgets.lines import LineList
from pilotage.records.row import Row, RowKind
from pilotage.search.surroundings import Surroundings
from pilotage.sessions.read import WHOLE, Session, read_session
from pilotage.settings import Settings
from tests.handmade import Fields

PATIENCE = 20.0
"""Seconds after which a state that does not come about is given up."""
NOW = 1_767_603_660.0
"""A minute after the handmade sessions begin."""
LIVE = Sight(NOW, live=True)
PALETTE = load_palettes()[0]["dark"]

Driven = Pilot[int]


def run(test: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run what awaits."""
    asyncio.run(test())


class Clock:
    """A clock that a test sets."""

    def __init__(self, now: float = NOW) -> None:
        self.now = now

    def __call__(self) -> float:
        """Tell the time."""
        return self.now


@asynccontextmanager
async def console(
    path: Path | None,
    *,
    size: tuple[int, int] = (120, 30),
    cwd: Path = Path("/nowhere"),
    clock: Callable[[], float] | None = None,
    settings: Settings | None = None,
    faults: Iterable[str] = (),
    picks: bool = False,
    no_colour: bool = False,
    is_read: bool = True,
    has_toasts: bool = False,
    surroundings: Callable[[Path], Surroundings] = Surroundings,
) -> AsyncIterator[Driven]:
    """Open the console; a session that is named `is_read` before this gives it. `has_toasts` paints notifications."""
    start = Start(cwd, path, picks, clock or Clock(), surroundings)
    app = Console(start, settings or Settings(), list(faults), no_colour=no_colour)
    async with app.run_test(size=size, notifications=has_toasts) as pilot:
        if path is not None and is_read and not picks:
            await until(pilot, lambda: watched(pilot).is_up_to_date)
        await settle(pilot)
        yield pilot


def watched(pilot: Driven) -> WatchScreen:
    """Give the screen of the session, whatever is in front of it."""
    return next(screen for screen in reversed(pilot.app.screen_stack) if isinstance(screen, WatchScreen))


def picker(pilot: Driven) -> PickerScreen:
    """Give the list of sessions that is in front."""
    assert isinstance(pilot.app.screen, PickerScreen)
    return pilot.app.screen


async def until(pilot: Driven, is_so: Callable[[], bool]) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        if time.monotonic() > deadline:
            message = f"it does not come about; on the screen:\n{on_screen(pilot)}"
            raise AssertionError(message)
        await pilot.pause(0.01)
    await settle(pilot)


async def press(pilot: Pilot[Any], *keys: str) -> None:
    """Type; after each key what it brings about is done. Unlike `Pilot.press` this does not wait for idle time."""
    for key in keys:
        is_sign = len(key) == 1 and not key.isalnum()
        pilot.app.post_message(Key(_character_to_key(key) if is_sign else key, key if len(key) == 1 else None))
        await settle(pilot)


async def settle(pilot: Pilot[Any]) -> None:
    """Let everything be done that was asked for, and what that asks for in turn."""
    for _ in range(4):
        await pilot.pause(0)


async def grow(pilot: Driven, path: Path, text: str) -> None:
    """Append whole lines to the session's file, and wait until the console has them."""
    screen = watched(pilot)
    assert screen.timeline is not None
    tree = screen.timeline.session.tree
    wanted = len(tree) + text.count("\n")
    with path.open("a", encoding="utf-8") as file:
        file.write(text)
    await until(pilot, lambda: len(tree) == wanted and screen.is_up_to_date)


async def up(pilot: Driven, lines: int) -> None:
    """Move the cursor up, row by row."""
    for _ in range(lines):
        watched(pilot).listing.action_cursor_up()
    await settle(pilot)


def strips(pilot: Driven) -> list[tuple[Widget, Strip]]:
    """Give every line of ours on the screen in front, as it is painted."""
    found: list[tuple[Widget, Strip]] = []
    for widget in pilot.app.screen.query("LineList, Bar"):
        if isinstance(widget, LineList | Bar) and widget.region.area:
            found += [(widget, widget.render_line(y)) for y in range(widget.size.height)]
    return found


def on_screen(pilot: Driven) -> str:
    """Give all words of ours on the screen in front."""
    return "\n".join(strip.text.rstrip() for _, strip in strips(pilot))


def shown(widget: LineList | Bar) -> list[str]:
    """Give the lines of one widget in sight, without blanks at their ends."""
    return [widget.render_line(y).text.rstrip() for y in range(widget.size.height)]


def bar(pilot: Driven, name: str) -> str:
    """Give what the head or the foot says."""
    return pilot.app.screen.query_one(f"#{name}", Bar).render_line(0).text.strip()


def chosen(pilot: Driven) -> str:
    """Give the line under the cursor of the line of time."""
    listing = watched(pilot).listing
    return listing.render_line(listing.cursor - round(listing.scroll_y)).text.strip()


def toasts(pilot: Driven) -> list[str]:
    """Give what the console has notified of, the last one last."""
    return [notification.message for notification in pilot.app._notifications]


def timeline_of(path: Path) -> Timeline:
    """Read a session at once, as a line of time."""
    timeline = Timeline(read_session(path))
    timeline.take(WHOLE)
    return timeline


def growing(path: Path) -> Timeline:
    """Open a session as one that is followed; its rows come with `taken`."""
    return Timeline(Session(path))


def call_rows(timeline: Timeline) -> list[Row]:
    """Give the rows of calls."""
    return [row for row in timeline.rows if row.kind is RowKind.CALL]


def text_of(line: PieceLine) -> str:
    """Give a line's text."""
    return "".join(piece.text for piece in line)


def texts(lines: Iterable[PieceLine]) -> list[str]:
    """Give the text of lines."""
    return [text_of(line).rstrip() for line in lines]


def row_texts(timeline: Timeline, width: int = 100, sight: Sight = LIVE) -> list[str]:
    """Give each row as it is shown."""
    return [text_of(row_line(timeline, row, width, sight)) for row in timeline.rows]


def detail_text(timeline: Timeline, row: Row, width: int = 60, sight: Sight = LIVE) -> str:
    """Give a row's detail as it is shown."""
    return "\n".join(texts(detail_lines(timeline, row, width, sight)))


def role_of(line: PieceLine, text: str) -> str:
    """Give the role of the piece in which a text stands."""
    return next(piece.role for piece in line if text in piece.text)


def reminder(*pairs: tuple[str, str], **fields: object) -> Fields:
    """Give a reminder as a review writes it into the session."""
    details = {"version": 1, "step": 5, "pairs": [list(pair) for pair in pairs]}
    content = "\n".join(f"- {deviation}\n  Source: {source}" for deviation, source in pairs)
    message = {"type": "custom_message", "customType": "capability-trajectory-warning", "content": content}
    return {**message, "display": True, "details": details, **fields}


def name(text: str) -> Fields:
    """Give the entry that names a session."""
    return {"type": "session_info", "name": text}


def nested(call_id: str, *made: tuple[str, str]) -> Fields:
    """Give the result of a call that made others while it ran: pairs of tool and state."""
    calls = [
        {"id": f"{call_id}/{number}", "name": tool, "status": state, "arguments": {"command": f"nested {number}"}}
        for number, (tool, state) in enumerate(made, 1)
    ]
    message = {"role": "toolResult", "toolCallId": call_id, "content": [], "durationMs": 9, "isError": False}
    return {"type": "message", "message": {**message, "nestedCalls": {"calls": calls}}}


def palettes() -> list[Palette]:
    """Give the palettes that are shipped."""
    return list(load_palettes()[0].values())


def as_json(text: str) -> str:
    """Give a text as it stands inside a string of JSON."""
    return json.dumps(text)[1:-1]


def listed(screen: PaneScreen) -> list[str]:
    """Give the lines of a pane's list that say something."""
    return [line.strip() for line in shown(screen.listing) if line.strip()]
