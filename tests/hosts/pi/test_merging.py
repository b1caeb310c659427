"""The one section that the extension makes of skills, servers and tools, run by Node; in Pi itself in tests/pi."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from pilotage.hosts.pi.install import extension_folder, install
from tests.pi.find import Pi

pytestmark = pytest.mark.pi

Json = dict[str, Any]

SKILL: Json = {"name": "tides", "description": "Reads tables.", "filePath": "/nowhere/SKILL.md"}
TOOL: Json = {"name": "deploy", "description": "Deploys.\nNow.", "exposure": "deferred"}


@pytest.fixture(scope="module")
def copy(pi: Pi, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an installed copy of the extension that finds Pi's packages."""
    folder = extension_folder(tmp_path_factory.mktemp("agent"))
    install(folder)
    (folder / "node_modules").symlink_to(pi.packages / "node_modules")
    shutil.copy(Path(__file__).parent / "merge.js", folder / "merge.mjs")
    return folder


def merged(copy: Path, pi: Pi, **given: object) -> Json:
    """Merge, and give what came of it."""
    asked = {"skills": [], "selectedTools": ["read", "tool_search"], "tools": [], "servers": "", "takes": True, **given}
    words = [str(pi.node), "--no-warnings", "merge.mjs"]
    ran = subprocess.run(words, cwd=copy, input=json.dumps(asked), capture_output=True, text=True, check=True)
    found: Json = json.loads(ran.stdout)
    return found


def test_all_in_one(copy: Path, pi: Pi) -> None:
    """Skills, servers and deferred tools stand in one section, and Pi's own are not written beside it (spec H5)."""
    found = merged(copy, pi, skills=[SKILL], tools=[TOOL], servers="Servers:\n- mcp__ci (tool_search)")
    text = found["sections"]["capabilities"]
    assert "<name>tides</name>" in text
    assert "- mcp__ci (tool_search)" in text
    assert "- deploy: Deploys." in text
    assert "Now." not in text
    assert "mcp_servers" not in found["sections"]
    assert found["goesOn"]


def test_nothing_to_tell(copy: Path, pi: Pi) -> None:
    """Where there is nothing to tell, nothing is missed."""
    found = merged(copy, pi)
    assert (found["sections"]["capabilities"], found["goesOn"]) == ("", True)


@pytest.mark.parametrize("given", [{"skills": [SKILL]}, {"servers": "Servers:\n- mcp__ci (tool_search)"}])
def test_a_pi_that_does_not_take_it(copy: Path, pi: Pi, given: Json) -> None:
    """Where Pi does not take the section, its own sections stay from then on (spec H5)."""
    found = merged(copy, pi, takes=False, **given)
    assert not found["goesOn"]
    assert found["left"] == {"skills": len(given.get("skills", [])), "own": []}
