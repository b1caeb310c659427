"""Children lie in a temporary folder of the test's own."""

from pathlib import Path

import pytest

from pilotage.evidence.child import Child, begin_child
from tests.evidence.asked import ORIGIN, QUESTION


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder that stands for the machine's temporary one."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def child() -> Child:
    """Return a child that was just begun."""
    return begin_child(QUESTION, "example/glm-5.3", ORIGIN)
