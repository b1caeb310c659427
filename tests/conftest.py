"""Every test has a home folder of its own and a plain environment; `pi` is the real Pi, if there is one."""

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pi.find import NoPiError, Pi, find_pi

collect_ignore = ["pi/projects"]

# Programs that tests start would compile all sources anew each time where a machine says so.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

_UNSET = (
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "PI_CODING_AGENT_DIR",
    "PI_CODING_AGENT_SESSION_DIR",
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLORTERM",
    "COLUMNS",
    "LINES",
    "EDITOR",
    "VISUAL",
)
"""What a person's own environment may hold and a test must not see."""


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of all home folders; numbering them one by one would take longer than the tests."""
    return tmp_path_factory.mktemp("homes")


@pytest.fixture(autouse=True)
def home(homes: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give each test an empty home folder, UTC, and none of the person's own variables."""
    folder = Path(tempfile.mkdtemp(dir=homes))
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("TZ", "UTC")
    for name in _UNSET:
        monkeypatch.delenv(name, raising=False)
    time.tzset()
    yield folder
    monkeypatch.undo()
    time.tzset()


@pytest.fixture(scope="session")
def pi() -> Pi:
    """Return the real Pi; without one the test is skipped, or fails where `CI` is set."""
    try:
        return find_pi()
    except NoPiError as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def data() -> Path:
    """Return the folder of recorded sessions."""
    return Path(__file__).parent / "data"
