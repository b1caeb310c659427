"""Recordings name no machine: its folders get neutral names, and their own again when one is resumed."""

import re
from collections.abc import Mapping

HOME = "/home/dev"
"""The home folder of every recording."""

PACKAGES = "/opt/pi"
"""Where recordings say that Pi is installed."""


def neutral(content: str, names: Mapping[str, str]) -> str:
    """Rename a machine's folders in a session file; `names` holds the neutral name of each folder."""
    return _renamed(content, {**names, **{_encoded(own): _encoded(name) for own, name in names.items()}})


def restored(content: str, names: Mapping[str, str]) -> str:
    """Give a recording the folders of this machine."""
    return _renamed(content, {name: own for own, name in names.items()})


def _renamed(content: str, names: Mapping[str, str]) -> str:
    """Replace all names in one pass, longer ones first, where they are not part of a longer word."""
    words = sorted(names, key=len, reverse=True)
    pattern = "|".join(map(re.escape, words))
    return re.sub(rf"({pattern})(?![\w-])", lambda found: names[found[1]], content)


def _encoded(path: str) -> str:
    """Name a folder as Pi does in the name of its session folder."""
    return f"--{path.strip('/').replace('/', '-')}--"
