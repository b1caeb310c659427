import subprocess
import sys
from pathlib import Path

import pytest

COSTLY = {"textual", "httpx", "pydantic", "rich", "mcp"}
"""Libraries that cost a start-up dear (spec L2)."""


def loaded(statement: str, typed: str = "") -> set[str]:
    """Name the costly libraries that a fresh Python has loaded after the statement."""
    code = f"import sys\n{statement}\nprint('', *sys.modules, sep='\\n', file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], input=typed, capture_output=True, check=True, text=True)
    return COSTLY & set(done.stderr.splitlines())


def after(*arguments: str, typed: str = "") -> set[str]:
    """Name the costly libraries that a command has loaded when it is done."""
    run = f"try:\n    main({list(arguments)!r})\nexcept SystemExit:\n    pass"
    return loaded(f"from pilotage.cli.main import main\n{run}", typed)


@pytest.mark.parametrize(
    "arguments",
    [
        ["calls"],
        ["calls", "--json"],
        ["calls", "--all-branches"],
        ["snap"],
        ["snap", "--json"],
        ["snap", "--trace"],
        ["sessions"],
        ["sessions", "--json"],
        ["study", "--json"],
    ],
    ids=" ".join,
)
def test_reading_commands_load_nothing_costly(data: Path, arguments: list[str]) -> None:
    """Commands that read a recording load neither Textual nor rich, httpx or pydantic (spec L2)."""
    command, *options = arguments
    assert after(command, str(data / "intents.jsonl"), *options) == set()


def test_table_for_people_loads_rich_alone(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table of sessions loads rich and nothing else; as JSON it loads nothing (spec L2)."""
    monkeypatch.setenv("PI_CODING_AGENT_SESSION_DIR", str(data))
    assert after("sessions", "--all") == {"rich"}
    assert after("sessions", "--all", "--json") == set()


def test_study_loads_what_it_is_asked_for(data: Path) -> None:
    """A study for people loads rich, one that judges anew pydantic, and neither loads more (spec L2)."""
    assert after("study", str(data)) == {"rich"}
    assert after("study", str(data), "--replay", "--json") == {"pydantic"}


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["people", "json"])
def test_check_loads_pydantic_alone(options: list[str]) -> None:
    """A check loads what judges, and nothing for a screen or the net (spec L2, N7)."""
    assert after("check", "bash", *options, typed='{"command": "ls", "intent": "see"}') == {"pydantic"}


@pytest.mark.parametrize("arguments", [["schema"], ["install", "pi"], ["uninstall", "pi"], ["doctor"]], ids=" ".join)
def test_contract_commands_load_pydantic_alone(arguments: list[str]) -> None:
    """What hands the contract to a host loads its models, and nothing for a screen or the net (spec L2)."""
    assert after(*arguments) == {"pydantic"}


def test_help_loads_nothing_costly() -> None:
    """The whole command line's help costs nothing."""
    assert after("--help") == set()


def test_hosts_load_nothing_for_the_screen() -> None:
    """A host starts without Textual, rich and httpx, whichever of its modules is imported."""
    source = Path(__file__).parents[1] / "src"
    modules = [path.relative_to(source).with_suffix("") for path in (source / "pilotage" / "hosts").rglob("*.py")]
    names = [".".join(module.parts).removesuffix(".__init__") for module in modules]
    assert {"pilotage.hosts.replay", "pilotage.hosts.pi.install"} <= set(names)
    assert not {"textual", "rich", "httpx"} & loaded(f"import {', '.join(names)}")
