"""`small_model` is the address of a real llama.cpp server with a small model, if there is one."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.model.find import NoModelError, find_model

SERVE = Path(__file__).parents[1] / "model" / "serve.py"


@pytest.fixture(scope="session")
def small_model() -> Iterator[str]:
    """Serve the small model; without one the test is skipped, or fails where `CI` is set."""
    try:
        model = find_model()
    except NoModelError as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(str(error))
    command = [sys.executable, str(SERVE), str(model.packages), str(model.weights)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdin
        assert server.stdout
        url = server.stdout.readline().strip()
        assert url.startswith("http"), "the small model's server did not start"
        yield url
        server.stdin.close()
