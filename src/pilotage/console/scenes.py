"""The console's pictures: scenes on the shipped recording, drawn byte for byte alike on each run."""

import asyncio
import json
import os
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from msgspec import Struct
from textual.pilot import Pilot

from pilotage import paths
from pilotage.console.app import Console, Start
from pilotage.console.screens.picker import PickerScreen
from pilotage.console.screens.watch import WatchScreen
from pilotage.settings import Settings

CELL = 12.2
"""The width of a cell in the pictures."""
PATIENCE = 20.0
"""Seconds that a scene may take to come to rest."""


class Scene(Struct, frozen=True):
    """One picture: how far the session had come, how large the terminal is, what was typed."""

    name: str
    """The name of its file, before the theme's."""
    size: tuple[int, int]
    """Columns and rows."""
    lines: int
    """How many lines of the recording there are; 0 for all."""
    keys: tuple[str, ...] = ()
    """What the person typed."""
    picks: bool = False
    """Whether it is the list of sessions."""


SCENES = (
    Scene("calls", (150, 38), 68, ("k", "k", "k")),
    Scene("narrow", (80, 24), 29),
    Scene("rejection", (120, 32), 79, ("k", "j")),
    Scene("reminders", (120, 24), 0, ("2",)),
    Scene("filter", (100, 24), 0, ("slash", *"is:finding", "enter", "k")),
    Scene("picker", (100, 16), 0, picks=True),
)
"""What the README shows."""

OTHERS = (
    ("kestrel-api", "name the columns of the export", 40, 4_000),
    ("kestrel-api", "", 15, 90_000),
    ("heron-maps", "tiles come twice after a reconnect", 68, 250),
    ("heron-maps", "why is the legend empty", 29, 400_000),
    ("wren", "read the old archive format", 79, 2_000_000),
)
"""Sessions in the picture of the list: project, name, lines of the recording, seconds since they were written."""


def draw(scene: Scene, theme: str, recording: bytes) -> str:
    """The scene in a theme, as SVG."""
    with tempfile.TemporaryDirectory(prefix="pilotage-scene-") as folder, _in_utc():
        return asyncio.run(_draw(scene, theme, recording.splitlines(keepends=True), Path(folder)))


@contextmanager
def _in_utc() -> Iterator[None]:
    """Times of day in UTC, and nothing of this person's own sessions and settings."""
    names = ("TZ", paths.AGENT_DIR, paths.SESSION_DIR)
    before = {name: os.environ.get(name) for name in names}
    os.environ["TZ"] = "UTC"
    time.tzset()
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        time.tzset()


async def _draw(scene: Scene, theme: str, lines: list[bytes], folder: Path) -> str:
    path, now = _write(folder / "session.jsonl", lines[: scene.lines or len(lines)], "", "", 0.0)
    if scene.picks:
        _write_others(folder, lines, now)
    start = Start(Path("/home/dev/kestrel-api"), path, scene.picks, clock=lambda: now + 4)
    app = Console(start, Settings(theme=theme), [])
    async with app.run_test(size=scene.size) as pilot:
        await _settled(pilot, scene)
        for key in scene.keys:
            await pilot.press(key)
            await pilot.pause()
        await _settled(pilot, scene)
        return tidied(app.export_screenshot(title="pilotage"))


def _write(path: Path, lines: list[bytes], project: str, name: str, ago: float) -> tuple[Path, float]:
    """A session of so many lines, last written when its last line was; and when that was."""
    written = datetime.fromisoformat(json.loads(lines[-1])["timestamp"]).timestamp() - ago
    texts = [line.decode() for line in lines]
    if project:
        header = json.loads(texts[0]) | {"cwd": f"/home/dev/{project}", "id": path.stem}
        texts = [json.dumps(header) + "\n", *(text for text in texts[1:] if '"session_info"' not in text)]
        if name:
            texts.insert(1, json.dumps({"type": "session_info", "id": "name", "parentId": None, "name": name}) + "\n")
    path.write_text("".join(texts), "utf-8")
    os.utime(path, (written, written))
    return path, written


def _write_others(folder: Path, lines: list[bytes], now: float) -> None:
    """The sessions of the list, in a folder that takes the place of Pi's."""
    sessions = folder / "sessions"
    sessions.mkdir()
    os.environ[paths.SESSION_DIR] = str(sessions)
    os.utime((folder / "session.jsonl").rename(sessions / "session.jsonl"), (now, now))
    for number, (project, name, count, ago) in enumerate(OTHERS):
        path, _ = _write(sessions / f"{number}.jsonl", lines[:count], project, name, 0.0)
        os.utime(path, (now - ago, now - ago))


async def _settled(pilot: Pilot[int], scene: Scene) -> None:
    """Wait until everything that was to be read is read and painted."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        await pilot.pause(0.05)
        screen = pilot.app.screen
        if isinstance(screen, WatchScreen) and screen.is_up_to_date:
            break
        if isinstance(screen, PickerScreen) and screen.counted == len(OTHERS) + 1:
            break
    else:
        raise TimeoutError(f"the scene {scene.name} did not come to rest")
    await pilot.pause(0.1)


_FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
_INDENTED = re.compile(
    r'(<text [^>]*?x=")([\d.]+)("[^>]*?textLength=")([\d.]+)("[^>]*>)((?:&#160;)+)(?=[^&<]|&(?!#160;))'
)


def tidied(svg: str) -> str:
    """The picture without fonts from elsewhere, and with blanks before a text turned into its place.

    Some programs that draw SVG drop blanks at the beginning of a text.
    """
    return _INDENTED.sub(_moved, _FONTS.sub("", svg))


def _moved(match: re.Match[str]) -> str:
    head, x, middle, length, end, blanks = match.groups()
    shift = CELL * (len(blanks) // len("&#160;"))
    return f"{head}{float(x) + shift:g}{middle}{float(length) - shift:g}{end}"
