"""Opening what lies beneath a folder, step by step and through no link (spec P4).

Each step is taken from the open folder before it, so that nothing that is swapped between a check and its use leads
outside.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def open_root(folder: str) -> Iterator[int]:
    """Open the folder that everything else is beneath, by its real path. Raises OSError."""
    descriptor = os.open(folder, _FOLDER)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def open_beneath(root: int, parts: Sequence[str]) -> Iterator[int]:
    """Open a folder beneath an open one, name by name. Raises OSError, for a link as well."""
    held = os.dup(root)
    try:
        for part in parts:
            step = os.open(part, _FOLDER, dir_fd=held)
            os.close(held)
            held = step
        yield held
    finally:
        os.close(held)
