"""Which file a tool's path means, as the host's own tools resolve it (`HOST.md` b)."""

import os
import re
from pathlib import PurePosixPath

_SPACES = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")


def absolute_path(path: str, cwd: str, home: str | None = None) -> str:
    """The path's absolute text; no link is followed, so that two names of one file stay two.

    `cwd` is the folder that the host runs in, `home` the person's own where it is not this process's.
    """
    named = _SPACES.sub(" ", path).removeprefix("@")
    if named == "~" or named.startswith("~/"):
        named = str(PurePosixPath(home or os.path.expanduser("~")) / named[2:])  # noqa: PTH111 - it never raises
    path = os.path.normpath(os.path.join(cwd, named))  # noqa: PTH118 - a path of pathlib's keeps its ..
    return path[1:] if path.startswith("//") else path
