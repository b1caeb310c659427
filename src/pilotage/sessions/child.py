"""Which sessions are evidence: children that hold what a preparation or a review asked and was told (spec E3)."""

import tempfile
from pathlib import PurePath

CHILD_NAMES = ("pilotage · ", "pi-discovery · ")
"""How the names of such sessions begin."""

_FOLDERS = frozenset({"pilotage", "pi-discovery"})


def is_child(cwd: str, name: str) -> bool:
    """Whether a session of this folder and name is evidence.

    Its folder is `pilotage` or `pi-discovery` in the temporary folder, this machine's or the usual one, or its
    name begins so.
    """
    folder = PurePath(cwd)
    in_temporary = folder.name in _FOLDERS and str(folder.parent) in (tempfile.gettempdir(), "/tmp")
    return in_temporary or name.startswith(CHILD_NAMES)
