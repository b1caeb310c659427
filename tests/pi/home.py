"""A throwaway home and project for one run of Pi."""

import json
import os
import shutil
import struct
import sys
import zlib
from pathlib import Path
from typing import Any

from tests.pi.find import Pi
from tests.pi.neutral import HOME, PACKAGES
from tests.pi.scenario import HERE, Scenario

Json = dict[str, Any]

PROJECT = "kestrel-api"
"""The project's name in every run."""

MODEL: Json = {
    "id": "glm-5.3",
    "name": "GLM 5.3",
    "reasoning": True,
    "contextWindow": 200_000,
    "maxTokens": 32_768,
    "input": ["text", "image"],
    "cost": {"input": 0.6, "output": 2.2, "cacheRead": 0.11, "cacheWrite": 0},
}
"""The model of models.json where a scenario says nothing else."""

SETTINGS: Json = {
    "quietStartup": True,
    "enableInstallTelemetry": False,
    "defaultThinkingLevel": "off",
    "retry": {"baseDelayMs": 100, "maxRetries": 2},
}
"""Pi's settings where a scenario says nothing else."""


class Home:
    """The folders of one run; what is in them is written by `fill`."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        """Everything lies below it."""
        self.folder = self.root / "home"
        """What Pi takes for the user's home."""
        self.project = self.root / PROJECT
        """The folder that Pi works in."""
        self.temporary = self.root / "tmp"
        """The folder for temporary files."""
        self.agent = self.folder / ".pi" / "agent"
        """Pi's agent folder."""
        self.sessions = self.agent / "sessions"
        """Where Pi keeps sessions, one folder for each project."""
        self.session_folder = self.sessions / f"--{str(self.project).strip('/').replace('/', '-')}--"
        """Where this project's session files will be; Pi makes it when it starts."""

    def session_files(self) -> list[Path]:
        """List the session files there are now, oldest first."""
        return sorted(self.sessions.rglob("*.jsonl"))

    def names(self, pi: Pi) -> dict[str, str]:
        """Give the neutral name of each folder that a session may mention."""
        own = [self.project, self.folder, self.temporary, pi.packages, HERE]
        return dict(zip(map(str, own), (f"{HOME}/{PROJECT}", HOME, "/tmp", PACKAGES, "/opt/rig"), strict=True))

    def environment(self, pi: Pi) -> dict[str, str]:
        """Return Pi's small environment; Node comes last in the path, so that its folder hides no program."""
        return {
            "PATH": os.environ.get("PATH", os.defpath) + os.pathsep + str(pi.node.parent),
            "HOME": str(self.folder),
            "TMPDIR": str(self.temporary),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "TZ": "UTC",
            "PI_OFFLINE": "1",
            "PI_SKIP_VERSION_CHECK": "1",
            "PI_TELEMETRY": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def fill(self, scenario: Scenario, model_url: str) -> None:
        """Make the folders, Pi's configuration and the project's files."""
        for folder in (self.agent, self.project, self.temporary):
            folder.mkdir(parents=True, exist_ok=True)
        self._configure(scenario, model_url)
        if scenario.project:
            source = HERE / "projects" / scenario.project
            left_out = shutil.ignore_patterns("__pycache__", ".ruff_cache")
            shutil.copytree(source, self.project, dirs_exist_ok=True, ignore=left_out)
        for name, content in scenario.files.items():
            path = self.folder / name[2:] if name.startswith("~/") else self.project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(tiny_png() if content == "@png" else content.encode())

    def _configure(self, scenario: Scenario, model_url: str) -> None:
        """Write models.json, settings.json and, where there are servers, mcp.json."""
        model = {**MODEL, **scenario.model}
        server = {
            "baseUrl": model_url,
            "api": "openai-completions",
            "apiKey": "example-key",
            "models": [model],
        }
        settings = {
            **SETTINGS,
            "defaultProvider": scenario.provider,
            "defaultModel": model["id"],
            "extensions": [str(HERE / "ext" / name) for name in scenario.extensions],
            **scenario.settings,
        }
        self._write_json("models.json", {"providers": {scenario.provider: server}})
        self._write_json("settings.json", settings)
        if scenario.mcp:
            self._write_json("mcp.json", scenario.mcp)

    def _write_json(self, name: str, value: Json) -> None:
        text = json.dumps(value, indent=1).replace("{HERE}", str(HERE)).replace("{PYTHON}", sys.executable)
        (self.agent / name).write_text(text, "utf-8")


def tiny_png(side: int = 4) -> bytes:
    """Make a picture of one colour, `side` by `side` pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + b"\x2a\x6f\x97" * side for _ in range(side))
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
