import pytest

from tests.test_imports import loaded


@pytest.mark.parametrize("module", ["declared", "file", "host", "mcp_config", "mcp_remembered", "merge", "skills"])
def test_only_asking_servers_is_costly(module: str) -> None:
    """Everything but the asking of MCP servers loads neither the SDK nor what it brings: a host pays for none of it."""
    assert loaded(f"import pilotage.catalog.{module}") == set()
