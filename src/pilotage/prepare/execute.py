"""Doing what was predicted: reads and commands in order, within their limits, until called off (spec P4, P5).

Pilotage does them itself and not through the host's tools, so that guards of other extensions do not see them.
"""

import asyncio
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from pilotage.prepare.candidates import Candidates
from pilotage.prepare.command import RunningCommand
from pilotage.prepare.confine import Confinement
from pilotage.prepare.read_file import MOST_BYTES, NotRead, read_text
from pilotage.records.preparation import Action, ActionResult, Bash, Read

ALL_BYTES = 100_000
"""The bytes of all files that are read for one input (spec P4)."""

LONGEST_COMMAND = 2_000
"""Characters of the longest command (spec P5)."""

HELD = "the agent's context still holds all of it, and the file has not changed"
"""Why a file is not read again (spec P7)."""


class _Left(Struct):
    """What may still be done for this input."""

    actions: int
    bytes: int = ALL_BYTES


async def run_actions(
    actions: Sequence[Action],
    candidates: Candidates,
    folder: Path,
    *,
    budget: int,
    confinement: Confinement,
    require_confinement: bool = False,
    held: Mapping[str, str] | None = None,
) -> tuple[ActionResult, ...]:
    """Do the actions one after the other in the main task's folder; one result for each, refusals included.

    `held` gives for candidates the text that the agent has of them: a file that is still the same is not read again.
    Where the confinement works, every command runs in it; `require_confinement` refuses those that would not.
    When the task is cancelled, the command that runs is ended with all its processes before this returns.
    """
    left = _Left(budget)
    results = []
    for action in actions:
        started = _now()
        if left.actions <= 0:
            results.append(_refused(action, started, f"no more than {budget} actions are done for one input"))
            continue
        left.actions -= 1
        if isinstance(action, Read):
            known = (held or {}).get(action.path)
            results.append(await asyncio.to_thread(_read, action, candidates, left, started, known))
        elif require_confinement and not confinement.works:
            results.append(_refused(action, started, f"only confined commands may run; {confinement.words}"))
        else:
            results.append(await _run(action, os.path.realpath(folder), confinement, started))
    return tuple(results)


def command_fault(command: str) -> str:
    """What forbids a command (spec P5); empty where nothing does."""
    if not command.strip():
        return "the command is empty"
    if len(command) > LONGEST_COMMAND:
        return f"the command has more than {LONGEST_COMMAND:,} characters"
    if "\0" in command:
        return "the command holds a NUL"
    try:
        command.encode()
    except UnicodeEncodeError:
        return "the command is not text that can be encoded"
    return ""


def _read(action: Read, candidates: Candidates, left: _Left, started: int, known: str | None) -> ActionResult:
    place = candidates.places.get(action.path)
    if place is None:
        return _refused(action, started, "the path is no candidate of this input")
    try:
        file = read_text(place, min(MOST_BYTES, left.bytes))
    except NotRead as error:
        all_read = left.bytes < MOST_BYTES and str(error).startswith("it has more")
        more = f"; {ALL_BYTES:,} bytes are read for one input in all" if all_read else ""
        return _refused(action, started, f"{error}{more}")
    if file.is_complete and file.text == known:
        return ActionResult(action, "", is_error=False, started=started, ended=_now(), refusal=HELD)
    left.bytes -= file.size
    return ActionResult(
        action,
        file.text,
        is_error=False,
        started=started,
        ended=_now(),
        path=place.path,
        sha256=file.sha256,
        size=file.size,
        is_complete=file.is_complete,
    )


async def _run(action: Bash, folder: str, confinement: Confinement, started: int) -> ActionResult:
    fault = command_fault(action.command)
    if fault:
        return _refused(action, started, fault)
    try:
        running = RunningCommand(action.command, folder, confinement if confinement.works else None)
    except OSError as error:
        return _refused(action, started, f"the command cannot be started: {error.strerror or error}")
    waiting = asyncio.get_running_loop().run_in_executor(None, running.wait)
    try:
        end = await asyncio.shield(waiting)
    except asyncio.CancelledError:
        running.cancel()
        await asyncio.wait([waiting])
        raise
    return ActionResult(action, end.text, end.is_error, started, _now(), confined=confinement.works)


def _refused(action: Action, started: int, why: str) -> ActionResult:
    return ActionResult(action, "", is_error=True, started=started, ended=_now(), refusal=why)


def _now() -> int:
    return time.time_ns() // 1_000_000
