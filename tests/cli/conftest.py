"""What every command's tests need: a folder with sessions, and `pilotage` to call."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from pilotage.cli.main import main

NEW = 2_000_000_000
"""A time of writing that is later than any other."""


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    status: int
    """Its exit status."""
    out: str
    """Its data."""
    err: str
    """Its words."""

    @property
    def records(self) -> list[dict[str, object]]:
        """The data as JSON objects, one a line."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def lines(self) -> list[str]:
        """The data as lines, the space at their ends left out."""
        return [line.rstrip() for line in self.out.splitlines()]


Pilotage = Callable[..., Ran]


@pytest.fixture
def pilotage(capsys: pytest.CaptureFixture[str]) -> Pilotage:
    """Return a function that runs a command in this process."""

    def run(*arguments: str | Path) -> Ran:
        capsys.readouterr()
        try:
            status: object = main([str(argument) for argument in arguments])
        except SystemExit as ended:
            status = ended.code
        assert isinstance(status, int)
        return Ran(status, *capsys.readouterr())

    return run


@dataclass(frozen=True)
class Store:
    """A folder that a host runs in, and the folder of its sessions."""

    cwd: Path
    """Where the command runs."""
    root: Path
    """Where sessions lie."""
    data: Path
    """Recorded sessions."""

    def add(self, recording: str, session_id: str, cwd: str | Path | None = None, written: int = NEW) -> Path:
        """Put a recorded session there, under this id and folder and with this time of writing."""
        head, body = (self.data / f"{recording}.jsonl").read_text().split("\n", 1)
        fields = json.loads(head) | {"id": session_id, "cwd": str(cwd or self.cwd)}
        path = self.root / f"2026-01-05T09-00-00-000Z_{session_id}.jsonl"
        path.write_text(f"{json.dumps(fields)}\n{body}")
        os.utime(path, (written, written))
        return path


@pytest.fixture
def store(tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """Return an empty store; commands run in its folder and look for sessions in it."""
    found = Store(tmp_path / "work", tmp_path / "sessions", data)
    found.cwd.mkdir()
    found.root.mkdir()
    monkeypatch.chdir(found.cwd)
    monkeypatch.setenv("PI_CODING_AGENT_SESSION_DIR", str(found.root))
    return found
