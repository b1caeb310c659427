"""A folder to run commands in, and the two ways to run them: confined, where that works here, and not."""

from pathlib import Path

import pytest

from pilotage.prepare.confine import Confinement, confinement

UNCONFINED = Confinement(False, "not wanted in this test")


@pytest.fixture(scope="session")
def walls() -> Confinement:
    """Give the confinement of this machine; where there is none, the test is skipped and says why."""
    found = confinement()
    if not found.works:
        pytest.skip(found.words)
    return found


@pytest.fixture(params=["confined", "unconfined"])
def either(request: pytest.FixtureRequest) -> Confinement:
    """Give the confinement of this machine, and then none."""
    if request.param == "unconfined":
        return UNCONFINED
    found: Confinement = request.getfixturevalue("walls")
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a folder to run commands in."""
    return tmp_path
