"""Files that a test writes for a catalog to be found in."""

import json
from pathlib import Path


def write_skill(path: Path, front: str = "description: d") -> Path:
    """Write a skill's file with this front matter, and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\n{front}\n---\nBody.\n")
    return path


def write_json(path: Path, value: object) -> None:
    """Write a JSON file, and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))
