import subprocess
import sys

import pytest


def loaded(statement: str) -> set[str]:
    """Give the top-level names of all modules that a fresh Python has loaded after the statement."""
    code = f"import sys; {statement}; print(*{{name.split('.')[0] for name in sys.modules}})"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout.split())


@pytest.mark.parametrize("module", ["decode", "kinds", "marks", "provenance", "repair", "scalars", "wording", "words"])
def test_reading_recorded_calls_needs_no_pydantic(module: str) -> None:
    """What reading commands use of the contract does not load pydantic (spec L2)."""
    assert "pydantic" not in loaded(f"import pilotage.contract.{module}")


def test_check_loads_nothing_for_the_screen_or_the_net() -> None:
    """A check loads neither a terminal library nor a network client."""
    assert not {"textual", "rich", "httpx", "mcp"} & loaded("import pilotage.contract.check")
