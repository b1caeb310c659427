"""Which session of a folder is watched when there is more than one (spec U1)."""

import time
from pathlib import Path

from msgspec import Struct

from pilotage.records.entry import AgentMessage, ToolResult, UserMessage
from pilotage.sessions.follow import FRESH
from pilotage.sessions.locate import find_files, find_root, is_same_folder
from pilotage.sessions.read import Session
from pilotage.sessions.summary import read_header


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
        self._at_start: set[Path] | None = None

    def look(self, current: Session | None) -> Choice:
        """What to watch now, given what is watched.

        A session that began after ours is the host's next one when ours has come to rest; while ours is still at
        work it is another host's. An older session that comes to life is followed only when ours is not live.
        """
        files = [(path, status.st_mtime) for path, status in find_files(find_root(self._cwd)) if self._is_here(path)]
        if self._at_start is None:
            self._at_start = {path for path, _ in files}
        if current is None:
            return Choice(files[0][0] if files else None, None)
        now = time.time()
        fresh = [path for path, written in files if path != current.path and now - written <= FRESH]
        if not fresh:
            return Choice(current.path, None)
        began_since = [path for path in fresh if path not in self._at_start]
        modified = current.follower.modified
        ours_is_live = modified is not None and now - modified <= FRESH
        if not ours_is_live or (began_since and is_at_rest(current)):
            following = (began_since or fresh)[0]
            self._at_start.add(following)
            return Choice(following, None)
        return Choice(current.path, fresh[0])

    def _is_here(self, path: Path) -> bool:
        if path not in self._here:
            header = read_header(path)
            if header is None:
                return False
            self._here[path] = is_same_folder(header.cwd, self._cwd)
        return self._here[path]


def is_at_rest(session: Session) -> bool:
    """Whether the agent has given its last answer: nothing that it said or was told waits for more."""
    for index in reversed(session.tree.path()):
        content = session.entry(index).content
        if isinstance(content, AgentMessage):
            return not content.calls or content.stop_reason in ("aborted", "error")
        if isinstance(content, UserMessage | ToolResult):
            return False
    return True
