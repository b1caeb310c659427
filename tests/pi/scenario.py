"""What one run of Pi is given: the project, the user's messages and the model's answers."""

import json
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
"""The folder of the rig."""


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """One run, as a file in `scenarios` or a test describes it."""

    prompts: list[str] = field(default_factory=list)
    """The user's messages in `print` and `json` mode."""
    rpc: list[dict[str, Any]] = field(default_factory=list)
    """Steps of `rpc` mode, see `rpc.play`."""
    mode: str = "print"
    """`print`, `json` or `rpc`."""
    turns: list[dict[str, Any]] = field(default_factory=list)
    """The model's answers in order, see `model_server`."""
    rules: list[dict[str, Any]] = field(default_factory=list)
    """Answers to requests that match a pattern; they come before `turns` and are not used up."""
    fallback: dict[str, Any] = field(default_factory=lambda: {"text": "Done."})
    """The answer when `turns` has run out."""
    pace_ms: tuple[int, int] = (0, 0)
    """Bounds of the time that the model takes before it answers, drawn from a seeded generator."""
    files: dict[str, str] = field(default_factory=dict)
    """Text by path in the project; `~/` means the home folder; `@png` is a tiny picture."""
    project: str = ""
    """The name of a folder in `projects` to start from."""
    extensions: list[str] = field(default_factory=list)
    """Names in `ext`, or absolute paths."""
    provider: str = "example"
    """The provider's id in models.json."""
    model: dict[str, Any] = field(default_factory=dict)
    """What differs from the model that models.json names otherwise."""
    settings: dict[str, Any] = field(default_factory=dict)
    """What is added to Pi's settings.json."""
    mcp: dict[str, Any] = field(default_factory=dict)
    """Pi's mcp.json; `{HERE}` is this folder, `{PYTHON}` this Python."""
    arguments: list[str] = field(default_factory=list)
    """Further arguments for Pi."""
    environment: dict[str, str] = field(default_factory=dict)
    """Further environment variables for Pi."""
    resume: str = ""
    """The name of a recording to go on with, its folder changed to this run's project."""


def load_scenario(path: Path) -> Scenario:
    """Read a scenario from a JSON or TOML file.

    `TypeError` is raised when the file names a key that no scenario has.
    """
    text = path.read_text(encoding="utf-8")
    given = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    return Scenario(**given)
