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
from shutil import copytree

from msgspec import Struct
from textual.pilot import Pilot

from pilotage import paths
from pilotage.console.app import Console, Start
from pilotage.console.screens.pane import PaneScreen
from pilotage.console.screens.picker import PickerScreen
from pilotage.console.screens.watch import WatchScreen
from pilotage.evidence.moved import child_name, with_child
from pilotage.settings import Settings

CELL = 12.2
"""The width of a cell in the pictures."""
PATIENCE = 20.0
"""Seconds that a scene may take to come to rest."""
AGENT = ".pi/agent"
"""Pi's own folder, seen from the home folder, in which a scene is drawn."""
SESSIONS = Path(AGENT, "sessions", "--home-dev-kestrel-api--")
"""Where the session lies."""
CHILDREN = Path(AGENT, "sessions", "--tmp-pilotage--")
"""Where its children lie."""


class Scene(Struct, frozen=True):
    """One picture: how far the session had come, how large the terminal is, what was typed."""

    name: str
    """The name of its file, before the theme's."""
    size: tuple[int, int]
    """Columns and rows."""
    until: str = ""
    """What the last line of the recording holds that there is; nothing for all lines."""
    keys: tuple[str, ...] = ()
    """What the person typed."""
    picks: bool = False
    """Whether it is the list of sessions."""


def _typed(words: str) -> tuple[str, ...]:
    """The keys that write these words."""
    return tuple("space" if sign == " " else sign for sign in words)


SCENES = (
    Scene("calls", (150, 38), "call_sixty_seeds", ("k", "k", "k")),
    Scene("narrow", (80, 24), "call_every_failure"),
    Scene("rejection", (120, 32), '"toolCallId":"call_pinned"', ("k", "j")),
    Scene("reminders", (130, 30), keys=("2", "j", "j")),
    Scene("evidence", (130, 32), keys=("2", "j", "j", "e")),
    Scene("prepared", (130, 30), keys=("4", "G", "k", "k")),
    Scene("search", (120, 24), keys=("3", *_typed("past results of a test"))),
    Scene("searches", (120, 20), keys=("3", "tab", "G", "k")),
    Scene("filter", (100, 24), keys=("slash", *"is:finding", "enter", "k")),
    Scene("picker", (100, 16), picks=True),
)
"""What the README shows."""

OTHERS = (
    ("kestrel-api", "name the columns of the export", 55, 4_000),
    ("kestrel-api", "", 19, 90_000),
    ("heron-maps", "tiles come twice after a reconnect", 94, 250),
    ("heron-maps", "why is the legend empty", 39, 400_000),
    ("wren", "read the old archive format", 109, 2_000_000),
)
"""Sessions in the picture of the list: project, name, lines of the recording, seconds since they were written."""


def draw(scene: Scene, theme: str, recording: Path) -> str:
    """The scene in a theme, as SVG; the recording's children lie in the folder of its name."""
    lines, children = recording.read_bytes().splitlines(keepends=True), recording.with_suffix("").resolve()
    with _at_home():
        if not scene.picks:
            copytree(children, CHILDREN)
        return asyncio.run(_draw(scene, theme, list(map(_at_place, lines))))


@contextmanager
def _at_home() -> Iterator[None]:
    """A home folder as on a new machine, in which everything has a name without it; times of day are in UTC.

    Nothing of this person's own is seen: sessions, settings, skills, servers, marks.
    """
    environ, cwd = dict(os.environ), Path.cwd()
    with tempfile.TemporaryDirectory(prefix="pilotage-scene-") as home:
        for name in [name for name in environ if name == paths.SESSION_DIR or name.startswith("XDG_")]:
            del os.environ[name]
        os.environ |= {"TZ": "UTC", "HOME": home, paths.AGENT_DIR: AGENT}
        os.chdir(home)
        time.tzset()
        try:
            yield
        finally:
            os.chdir(cwd)
            os.environ.clear()
            os.environ.update(environ)
            time.tzset()


def _at_place(line: bytes) -> bytes:
    """The line, pointing to its child where that is copied to."""
    entry = json.loads(line)
    name = child_name(entry)
    return json.dumps(with_child(entry, CHILDREN / name), ensure_ascii=False).encode() + b"\n" if name else line


async def _draw(scene: Scene, theme: str, lines: list[bytes]) -> str:
    header = json.loads(lines[0])
    SESSIONS.mkdir(parents=True, exist_ok=True)
    name = f"{header['timestamp'].replace(':', '-').replace('.', '-')}_{header['id']}.jsonl"
    path, now = _write(SESSIONS / name, _until(scene.until, lines), "", "")
    if scene.picks:
        _write_others(lines, now)
    start = Start(Path("/home/dev/kestrel-api"), path, scene.picks, clock=lambda: now + 4)
    app = Console(start, Settings(theme=theme), [])
    async with app.run_test(size=scene.size) as pilot:
        await _settled(pilot, scene)
        for key in scene.keys:
            await pilot.press(key)
            await _settled(pilot, scene)
        await pilot.pause(0.1)
        return tidied(app.export_screenshot(title="pilotage"))


def _until(words: str, lines: list[bytes]) -> list[bytes]:
    """The lines up to the first that holds these words."""
    end = next(number for number, line in enumerate(lines, 1) if words.encode() in line) if words else len(lines)
    return lines[:end]


def _write(path: Path, lines: list[bytes], project: str, name: str) -> tuple[Path, float]:
    """A session of so many lines, last written when its last line was; and when that was."""
    written = datetime.fromisoformat(json.loads(lines[-1])["timestamp"]).timestamp()
    texts = [line.decode() for line in lines]
    if project:
        header = json.loads(texts[0]) | {"cwd": f"/home/dev/{project}", "id": path.stem}
        texts = [json.dumps(header) + "\n", *(text for text in texts[1:] if '"session_info"' not in text)]
        if name:
            texts.insert(1, json.dumps({"type": "session_info", "id": "name", "parentId": None, "name": name}) + "\n")
    path.write_text("".join(texts), "utf-8")
    os.utime(path, (written, written))
    return path, written


def _write_others(lines: list[bytes], now: float) -> None:
    """The sessions of the list."""
    for number, (project, name, count, ago) in enumerate(OTHERS):
        path, _ = _write(SESSIONS / f"{number}.jsonl", lines[:count], project, name)
        os.utime(path, (now - ago, now - ago))


async def _settled(pilot: Pilot[int], scene: Scene) -> None:
    """Wait until everything that was to be read is read and painted."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        await pilot.pause(0.05)
        screen = pilot.app.screen
        if isinstance(screen, WatchScreen) and screen.is_up_to_date:
            break
        if isinstance(screen, PaneScreen) and screen.is_settled and screen.listing.count:
            break
        if isinstance(screen, PickerScreen) and screen.counted == len(OTHERS) + 1:
            break
    else:
        raise TimeoutError(f"the scene {scene.name} did not come to rest")


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
