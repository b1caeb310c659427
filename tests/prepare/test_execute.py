import asyncio
import os
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from pilotage.prepare.candidates import Candidates, candidates
from pilotage.prepare.confine import Confinement
from pilotage.prepare.execute import LONGEST_COMMAND, command_fault, run_actions
from pilotage.prepare.index import build_index
from pilotage.records.preparation import Action, ActionResult, Bash, Read
from tests.prepare.conftest import UNCONFINED
from tests.prepare.processes import alive
from tests.prepare.trees import plant

NONE = Candidates({})


def done(
    folder: Path,
    actions: Sequence[Action],
    walls: Confinement = UNCONFINED,
    *,
    budget: int = 8,
    require_confinement: bool = False,
) -> tuple[ActionResult, ...]:
    """Do actions in a folder, with its files as candidates."""
    known = candidates(folder, build_index(folder, lambda: 0.0), [])
    doing = run_actions(
        actions, known, folder, budget=budget, confinement=walls, require_confinement=require_confinement
    )
    return asyncio.run(doing)


def refusals(results: Sequence[ActionResult]) -> list[str]:
    """Give why each was refused."""
    return [result.refusal for result in results]


def test_in_order(folder: Path, either: Confinement) -> None:
    """Reads and commands are done one after the other, in order, with their times in milliseconds."""
    plant(folder, {"a": "A", "b": "B"})
    before = time.time_ns() // 1_000_000
    results = done(
        folder, [Read("project:b", "see b"), Bash("echo hi; exit 2", "see hi"), Read("project:a", "w")], either
    )
    assert [result.text for result in results] == ["B", "hi\n\n\nCommand exited with code 2", "A"]
    assert [result.is_error for result in results] == [False, True, False]
    assert [result.confined for result in results] == [False, either.works, False]
    assert [result.path for result in results] == ["b", "", "a"]
    times = [time for result in results for time in (result.started, result.ended)]
    assert times == sorted(times)
    assert times[0] >= before


def test_only_candidates(folder: Path) -> None:
    """What is no candidate is not read, whatever it is called (spec P4)."""
    plant(folder, {"a": "A", ".env": "secret"})
    paths = ["a", "project:A", "project:../x", "project:.env", "/etc/passwd", "project:", "project:a/", "project:./a"]
    results = done(folder, [Read(path, "w") for path in paths])
    assert set(refusals(results)) == {"the path is no candidate of this input"}
    assert all(result.is_error and not result.text for result in results)


def test_all_reads_together(folder: Path) -> None:
    """100,000 bytes are read in all; a file that is too large for what is left does not keep a smaller one out."""
    plant(folder, dict.fromkeys("ab", "x" * 49000) | {"c": "x" * 2001, "d": "x" * 2000, "e": "x", "f": ""})
    results = done(folder, [Read(f"project:{name}", "w") for name in "abcdef"])
    refused = "100,000 bytes are read for one input in all"
    assert [bool(result.refusal) for result in results] == [False, False, True, False, True, False]
    assert [result.refusal.endswith(refused) for result in results] == [False, False, True, False, True, False]
    assert sum(result.size or 0 for result in results) == 100_000


def test_budget(folder: Path) -> None:
    """What is over the budget is not done (spec P2)."""
    results = done(folder, [Bash("touch one", "w"), Bash("touch two", "w")], budget=1)
    assert refusals(results) == ["", "no more than 1 actions are done for one input"]
    assert not (folder / "two").exists()
    assert refusals(done(folder, [Bash("touch two", "w")], budget=0)) != [""]


@pytest.mark.parametrize(
    ("command", "fault"),
    [
        ("", "the command is empty"),
        (" \n\t", "the command is empty"),
        ("echo a\0b", "the command holds a NUL"),
        (": " + "x" * (LONGEST_COMMAND - 1), "the command has more than 2,000 characters"),
        ("echo \ud800", "the command is not text that can be encoded"),
        (": " + "x" * (LONGEST_COMMAND - 2), ""),
    ],
    ids=["empty", "blank", "NUL", "long", "surrogate", "longest"],
)
def test_commands_that_are_none(folder: Path, command: str, fault: str) -> None:
    """A command is not empty, has at most 2,000 characters and no NUL (spec P5)."""
    assert command_fault(command) == fault
    assert refusals(done(folder, [Bash(command, "w")])) == [fault]


def test_confinement_required(folder: Path) -> None:
    """A person can refuse every command that would not run confined; reads go on (spec P5)."""
    plant(folder, {"a": "A"})
    closed = Confinement(False, "commands run unconfined: no `bwrap` on the search path")
    results = done(folder, [Bash("touch x", "w"), Read("project:a", "w")], closed, require_confinement=True)
    assert results[0].refusal.startswith("only confined commands may run; commands run unconfined")
    assert results[1].text == "A"
    assert not (folder / "x").exists()


def test_confinement_required_and_there(folder: Path, walls: Confinement) -> None:
    """Where it works, they run and are said to be confined."""
    (result,) = done(folder, [Bash("touch x; echo on", "w")], walls, require_confinement=True)
    assert (result.confined, result.refusal) == (True, "")
    assert result.text.endswith("on\n")
    assert not (folder / "x").exists()


def test_unconfined_writes(folder: Path) -> None:
    """Unconfined, nothing but the prompt's words keeps a command from writing, and the result says so."""
    (result,) = done(folder, [Bash("touch x", "w")])
    assert not result.confined
    assert (folder / "x").exists()


def test_linked_folder(folder: Path, either: Confinement) -> None:
    """A main folder that is named through a link is the real one."""
    plant(folder, {"real/a": "A"})
    (folder / "link").symlink_to("real")
    results = done(folder / "link", [Bash("pwd", "w"), Read("project:a", "w")], either)
    assert [result.text for result in results] == [f"{os.path.realpath(folder)}/real\n", "A"]


def test_folder_is_gone(folder: Path) -> None:
    """A folder that is gone is a refusal, not a crash."""
    assert refusals(done(folder / "gone", [Bash("true", "w")])) == [
        "the command cannot be started: No such file or directory"
    ]


def test_cancelled(folder: Path, either: Confinement) -> None:
    """When the task is cancelled, the command and all its processes are gone, and nothing after it is done."""
    mark = f"77.{os.getpid()}{either.works:d}"

    async def cancel_soon() -> float:
        actions = [Bash(f"setsid -f sleep {mark}; sleep {mark}", "w"), Bash("touch later", "w")]
        doing = asyncio.create_task(run_actions(actions, NONE, folder, budget=8, confinement=either))
        while not alive(mark):
            await asyncio.sleep(0.01)
        start = time.monotonic()
        doing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await doing
        return time.monotonic() - start

    assert asyncio.run(cancel_soon()) < 1.5
    assert alive(mark) == []
    assert not (folder / "later").exists()


def test_others_go_on(folder: Path) -> None:
    """While a command runs, whatever else the loop has to do goes on."""

    async def both() -> int:
        doing = asyncio.create_task(
            run_actions([Bash("sleep 0.3", "w")], NONE, folder, budget=1, confinement=UNCONFINED)
        )
        turns = 0
        while not doing.done():
            turns += 1
            await asyncio.sleep(0.01)
        return turns

    assert asyncio.run(both()) > 3
