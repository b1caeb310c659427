"""Which session of a folder is watched when there is more than one (spec U1)."""

import time
from pathlib import Path

from msgspec import Struct

from pilotage.records.entry import AgentMessage, ToolResult, UserMessage
from pilotage.sessions.follow import FRESH
from pilotage.sessions.locate import find_folders, find_root, is_same_folder, newest_first, paths_in
from pilotage.sessions.read import Session
from pilotage.sessions.summary import read_header
from pilotage.sessions.tree import NO_PARENT

SETTLED = 3_000_000_000
"""Nanoseconds after which a folder's own time is trusted to tell of a change."""


class Choice(Struct, frozen=True):
    """What to watch, and whether something else is going on."""

    path: Path | None
    """The file to watch; none while there is none."""
    other: Path | None
    """Another session of the folder that is live as well."""


class Chooser:
    """Looks at a folder's sessions again and again, and moves along with the host."""

    def __init__(self, cwd: Path) -> None:
        self._cwd = cwd
        self._here: dict[Path, bool] = {}
        self._folders: list[Path] = []
        self._root_time: int | None = None
        self._listed: dict[Path, tuple[int | None, list[Path]]] = {}
        self._seen: set[Path] | None = None
        self._left: dict[Path, float] = {}

    def look(self, current: Session | None) -> Choice:
        """What to watch now, given what is watched.

        A session that began after ours is the host's next one when ours has come to rest; while ours is still at
        work it is another host's. A session that was there before is followed only when ours is not live.
        """
        files = [(path, status.st_mtime) for path, status in newest_first(self._find_here())]
        if self._seen is None:
            self._seen = {path for path, _ in files}
        if current is None:
            return self._choose(files[0][0] if files else None)
        now = time.time()
        live = [path for path, written in files if path != current.path and self._is_live(path, written, now)]
        ours_is_live = current.follower.modified is not None and now - current.follower.modified <= FRESH
        new = [path for path in live if path not in self._seen]
        if new and (is_at_rest(current) or not ours_is_live):
            return self._choose(new[0], current.path)
        if live and not ours_is_live:
            return self._choose(live[0], current.path)
        return Choice(current.path, live[0] if live else None)

    def _choose(self, path: Path | None, left: Path | None = None) -> Choice:
        """Watch another session; the one that is left counts as live only when it is written again."""
        if left is not None:
            self._left[left] = time.time()
        if path is not None and self._seen is not None:
            self._seen.add(path)
        return Choice(path, None)

    def _is_live(self, path: Path, written: float, now: float) -> bool:
        return now - written <= FRESH and written > self._left.get(path, 0.0)

    def _find_here(self) -> list[Path]:
        """The sessions of this folder; only folders in which something came or went are looked through again."""
        root = find_root(self._cwd)
        changed = self._folder_time(root.path)
        if changed != self._root_time or changed is None:
            self._folders, self._root_time = find_folders(root), changed
        here: list[Path] = []
        for folder in self._folders:
            changed = self._folder_time(folder)
            known = self._listed.get(folder)
            if known is None or changed is None or known[0] != changed:
                paths = paths_in(folder)
                found = [path for path in paths if self._is_here(path)]
                all_told = all(path in self._here for path in paths)
                known = self._listed[folder] = (changed if all_told else None, found)
            here += known[1]
        return here

    def _folder_time(self, folder: Path) -> int | None:
        """When something came or went in a folder; none while that is so fresh that more may follow unseen."""
        try:
            changed = folder.stat().st_mtime_ns
        except OSError:
            return None
        return changed if time.time_ns() - changed > SETTLED else None

    def _is_here(self, path: Path) -> bool:
        """Whether a file is a session of this folder; one without a header yet is asked again."""
        if path not in self._here:
            header = read_header(path)
            if header is None:
                return False
            self._here[path] = is_same_folder(header.cwd, self._cwd)
        return self._here[path]


def is_at_rest(session: Session) -> bool:
    """Whether the agent has given its last answer: nothing that it said or was told waits for more."""
    index = session.tree.leaf
    while index != NO_PARENT:
        content = session.entry(index).content
        if isinstance(content, AgentMessage):
            return not content.calls or not content.is_step
        if isinstance(content, UserMessage | ToolResult):
            return False
        index = session.tree.parents[index]
    return True
