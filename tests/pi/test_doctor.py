"""The doctor's dry run in the real Pi."""

import os
from pathlib import Path

import pytest

from pilotage.hosts.pi.dry_run import try_contract
from pilotage.hosts.pi.finding import Verdict
from pilotage.hosts.pi.install import extension_folder, install
from tests.pi.find import Pi
from tests.pi.scenario import HERE

pytestmark = pytest.mark.pi


@pytest.fixture
def program(pi: Pi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return Pi's program, with its Node on the search path."""
    monkeypatch.setenv("PATH", f"{pi.node.parent}{os.pathsep}{os.environ['PATH']}")
    return pi.program


def test_installed(program: Path, tmp_path: Path) -> None:
    """With the extension Pi refuses a call without intent and runs one with it; nothing is left behind (spec H1)."""
    agent, work = tmp_path / "agent", tmp_path / "work"
    work.mkdir()
    install(extension_folder(agent))
    found = try_contract(program, work, agent)
    assert (found.verdict, found.mend) == (Verdict.OK, "")
    assert list(work.iterdir()) == []
    assert [path.name for path in agent.iterdir()] == ["extensions"]


def test_not_installed(program: Path, tmp_path: Path) -> None:
    """Without the extension Pi runs a call without intent, and that is wrong."""
    found = try_contract(program, tmp_path, tmp_path / "agent")
    assert found.verdict is Verdict.WRONG
    assert found.words.startswith("Pi ran a call without intent.")


def test_broken_copy(program: Path, tmp_path: Path) -> None:
    """What the extension says of itself when it is broken is part of the finding."""
    install(extension_folder(tmp_path))
    (extension_folder(tmp_path) / "contract.json").write_text("{")
    found = try_contract(program, tmp_path, tmp_path)
    assert found.verdict is Verdict.WRONG
    assert "pilotage: calls need no intent: " in found.words


def test_another_extension(program: Path, tmp_path: Path) -> None:
    """An extension beside it that takes another tool does no harm to the check."""
    install(extension_folder(tmp_path))
    (tmp_path / "extensions" / "other_bash.js").write_text((HERE / "ext" / "other_bash.js").read_text())
    assert try_contract(program, tmp_path, tmp_path).verdict is Verdict.OK
