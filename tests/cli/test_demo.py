import json
from importlib.resources import as_file, files

import pytest

from pilotage.cli.demo import RECORDING
from tests.cli.conftest import Pilotage


@pytest.mark.parametrize("speed", ["0", "1001", "x", "nan", "inf", "-1", ""])
def test_speed_that_is_none(pilotage: Pilotage, speed: str) -> None:
    """A speed that is no number, or one that nobody could follow, is wrong use."""
    done = pilotage("demo", f"--speed={speed}")
    assert (done.status, done.out) == (2, "")
    assert f"argument --speed: a number from 0.1 to 1000, not {speed!r}" in done.err


def test_recording_is_shipped() -> None:
    """The recorded session and its children are part of the package and whole (spec L3)."""
    with as_file(files("pilotage.demo")) as shipped:
        children = sorted((shipped / RECORDING).with_suffix("").iterdir())
        assert children
        for path in [shipped / RECORDING, *children]:
            records = [json.loads(line) for line in path.read_bytes().splitlines()]
            assert records[0]["type"] == "session"
            assert all("timestamp" in record for record in records)
