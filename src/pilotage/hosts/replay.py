"""A host that plays a recorded session into a file, at a pace that a person can follow.

It writes as Pi does: one whole line at a time, in one append. Whoever follows the file cannot tell it from a host.
What was asked of a model beside the session is there when an entry points to it.
"""

import json
import threading
import time
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from pilotage.evidence.child import EXECUTOR
from pilotage.evidence.moved import Fields, child_name, with_child, with_parent
from pilotage.records.attempt import DIAGNOSTIC_TYPE, PREPARATION_TYPE
from pilotage.records.fields import as_dict, as_text
from pilotage.sessions.write import iso_milliseconds

SHORTEST = 0.15
"""Seconds between two lines at the least."""
LONGEST = 2.5
"""Seconds between two lines at the most."""

_OURS = (DIAGNOSTIC_TYPE, PREPARATION_TYPE)
_MOMENTS = ("timestamp", "time", "began")
_WORDS = ("content", "arguments")


class Replay:
    """Plays one recording into one file, and its children into the folder of the file's name.

    The recorded children lie in the folder of the recording's name; there need be none.
    """

    def __init__(self, recording: Path, target: Path, speed: float = 1.0) -> None:
        self._lines = recording.read_bytes().splitlines(keepends=True)
        self._children = recording.with_suffix("")
        self._target = target
        self._speed = speed
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._play, name="replay", daemon=True)

    def start(self) -> None:
        """Begin to play, in a thread of its own."""
        self._thread.start()

    def stop(self) -> None:
        """End it, in the middle of the session if need be."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()

    def _play(self) -> None:
        # The first lines are there at once, as Pi writes them together with the user's first words.
        with self._target.open("ab", buffering=0) as file:
            for pause, line in paced(self._lines):
                if self._ended.wait(pause / self._speed):
                    return
                entry: Fields = json.loads(line)
                later = time.time() - _moment(entry)
                file.write(_line(self._with_child(_moved(entry, later), later)))

    def _with_child(self, entry: Fields, later: float) -> Fields:
        """The entry, pointing to its child where that is played to; which is done first."""
        name = child_name(entry)
        recorded, played = self._children / name, self._target.with_suffix("") / name
        if not name or not recorded.is_file():
            return entry
        entries = map(json.loads, recorded.read_bytes().splitlines())
        lines = [_line(with_parent(_moved(one, later), self._target)) for one in entries]
        played.parent.mkdir(exist_ok=True)
        played.write_bytes(b"".join(lines))
        return with_child(entry, played)


def paced(lines: Iterable[bytes]) -> Iterator[tuple[float, bytes]]:
    """Each line with the seconds before it: as recorded, within what a person can follow."""
    before: float | None = None
    spoken = False
    for line in lines:
        entry: Fields = json.loads(line)
        moment = _moment(entry)
        pause = 0.0 if before is None or not spoken else min(LONGEST, max(SHORTEST, moment - before))
        spoken = spoken or as_dict(entry.get("message")).get("role") == "user"
        before = moment
        yield pause, line


def _moment(entry: Fields) -> float:
    return datetime.fromisoformat(as_text(entry["timestamp"])).timestamp()


def _line(entry: Fields) -> bytes:
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _moved(entry: Fields, seconds: float) -> Fields:
    """The entry as if it were written so many seconds later; in what others put into it no time is touched."""
    moved = entry | {"timestamp": _later(entry["timestamp"], seconds)}
    message = as_dict(entry.get("message"))
    if "timestamp" in message:
        moved["message"] = message = message | {"timestamp": _later(message["timestamp"], seconds)}
    if as_dict(message.get("details")).get("executor") == EXECUTOR:
        moved["message"] = message | {"details": _all_later(message["details"], seconds)}
    if entry.get("customType") in _OURS:
        moved["data"] = _all_later(entry.get("data"), seconds)
    return moved


def _all_later(value: object, seconds: float) -> object:
    """The value with all its moments later; what was said and done stays as it was."""
    if isinstance(value, list):
        return [_all_later(item, seconds) for item in value]
    if not isinstance(value, dict):
        return value
    known = {key: _later(item, seconds) for key, item in value.items() if key in _MOMENTS}
    return {key: item if key in _WORDS else known.get(key, _all_later(item, seconds)) for key, item in value.items()}


def _later(moment: object, seconds: float) -> object:
    """A moment, in ISO 8601 or in milliseconds since the epoch, so many seconds later; anything else as it is."""
    if isinstance(moment, str):
        return iso_milliseconds(datetime.fromisoformat(moment).timestamp() + seconds)
    if isinstance(moment, int | float):
        return moment + round(1000 * seconds)
    return moment
