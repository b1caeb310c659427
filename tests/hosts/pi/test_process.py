"""The process that the extension starts, as the doctor tries it."""

import json
import sys
from pathlib import Path

import pytest

from pilotage.hosts.pi.finding import Verdict
from pilotage.hosts.pi.install import SERVING, install
from pilotage.hosts.pi.process import examine_process


def test_the_process_answers(tmp_path: Path) -> None:
    """What is installed starts and answers."""
    install(tmp_path / "pilotage")
    found = examine_process(tmp_path / "pilotage")
    assert (found.verdict, found.mend) == (Verdict.OK, "")
    assert f"{sys.executable} -P -m pilotage bridge" in found.words


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["/nowhere/python"], "cannot be started"),
        ([], "cannot be started"),
        (["sh", "-c", "echo no such module >&2; exit 1"], "does not answer: no such module"),
        (["sh", "-c", "exit 3"], "does not answer: it ended with 3"),
        (["sh", "-c", "echo hello"], "does not answer"),
    ],
)
def test_a_process_that_does_not(command: list[str], words: str, tmp_path: Path) -> None:
    """A process that is missing, fails or says something else is wrong, with what it said and the mend."""
    (tmp_path / SERVING).write_text(json.dumps({"command": command}), "utf-8")
    found = examine_process(tmp_path)
    assert found.verdict is Verdict.WRONG
    assert words in found.words
    assert "pilotage install pi" in found.mend


@pytest.mark.parametrize("text", [None, "{", "[]"])
def test_a_faulty_list(text: str | None, tmp_path: Path) -> None:
    """A file that is missing, broken or of another shape is wrong as well."""
    if text is not None:
        (tmp_path / SERVING).write_text(text, "utf-8")
    assert examine_process(tmp_path).verdict is Verdict.WRONG
