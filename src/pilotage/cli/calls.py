"""`pilotage calls`: a session as calls, once or as they happen (spec K5)."""

import argparse
import contextlib
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from pilotage.calls.build import Calls
from pilotage.calls.detail import as_object, as_seen, read_detail
from pilotage.cli.open import add_session, list_damages, open_session, say_damage, this_folder
from pilotage.cli.output import DONE, print_object, print_row, say
from pilotage.figures import clock, duration
from pilotage.plain import plain_line
from pilotage.records.call import Call, Outcome
from pilotage.sessions.choose import Chooser
from pilotage.sessions.follow import FileState, Reading
from pilotage.sessions.locate import find_root, resolve
from pilotage.sessions.read import WHOLE, Session, UnreadableSession

POLL = 0.04
"""Seconds between two looks at the file."""


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The command and its arguments."""
    parser = commands.add_parser(
        "calls",
        help="every call of a session: why it was made and what became of it",
        description="List the calls of a session's active branch, each with its intent and its outcome.",
    )
    add_session(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument(
        "--follow",
        action="store_true",
        help="go on: print a call when it appears and again when its outcome is known",
    )
    parser.add_argument("--all-branches", action="store_true", help="calls of abandoned branches too")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the calls; the exit status."""
    if arguments.follow:
        with contextlib.suppress(KeyboardInterrupt):
            _follow(arguments)
        return DONE
    session = open_session(arguments.session)
    calls = Calls(session)
    calls.take(WHOLE)
    printer = _Printer(calls, as_json=arguments.json)
    for number in calls.in_order():
        if calls.items[number].active or arguments.all_branches:
            printer.print(number, live=False)
    say_damage(session)
    return DONE


class _Printer:
    """Prints calls, and in a followed session only what was not printed just so before."""

    def __init__(self, calls: Calls, *, as_json: bool, at_once: bool = False) -> None:
        self.calls = calls
        self._as_json = as_json
        self._at_once = at_once
        self._printed: dict[tuple[str, float | None], tuple[Outcome, bool]] = {}

    def print(self, number: int, *, live: bool) -> None:
        """Print one call. Raises UnreadableSession when the file changed meanwhile."""
        call = as_seen(self.calls.items[number], live=live)
        if self._as_json:
            print_object(as_object(call, read_detail(self.calls, number)), at_once=self._at_once)
        else:
            print_row(_cells(call), at_once=self._at_once)

    def print_changed(self, numbers: Iterable[int], *, live: bool, all_branches: bool) -> None:
        """Print those calls that are not printed yet with this outcome, or that left the active branch."""
        for number in numbers:
            if number >= len(self.calls.items):
                continue
            call = as_seen(self.calls.items[number], live=live)
            before = self._printed.get((call.id, call.time))
            now = (call.outcome, call.active)
            if before == now or not (call.active or all_branches or before):
                continue
            try:
                self.print(number, live=live)
            except UnreadableSession as error:
                say(f"pilotage: {error}")
            else:
                self._printed[call.id, call.time] = now
        sys.stdout.flush()


def _cells(call: Call) -> list[str]:
    """One call for people."""
    step = f"{call.turn}.{'-' if call.step is None else call.step}"
    name = f"{'  ' if call.parent_id else ''}{call.tool}"
    target = call.target or call.brief
    words = [call.intent or "", f"[{target}]" if call.intent and target else target]
    away = "" if call.active else "(abandoned branch)"
    return [
        clock(call.time),
        f"{step:>6}",
        f"{name:<6}",
        f"{_outcome(call):<24}",
        *map(plain_line, words),
        away,
    ]


def _outcome(call: Call) -> str:
    parts = [str(call.outcome)]
    if call.rejection and call.outcome is Outcome.REJECTED:
        parts = [f"rejected {call.rejection.kind}"]
    elif call.exit_code is not None:
        parts = [f"failed exit {call.exit_code}"]
    if call.duration_ms is not None:
        parts.append(duration(call.duration_ms))
    if call.chain and call.chain.attempt > 1:
        parts.append(f"try {call.chain.attempt}")
    return " ".join(parts)


def _follow(arguments: argparse.Namespace) -> None:
    """Print the calls as they happen, until the person ends it."""
    path = _awaited(arguments.session)
    session = Session(path)
    printer = _Printer(Calls(session), as_json=arguments.json, at_once=True)
    state, pending, was_live = FileState.PRESENT, set[int](), False
    while True:
        reading = session.follower.read()
        if reading.state is FileState.UNREADABLE:
            msg = f"{path}: {reading.reason}"
            raise UnreadableSession(msg)
        _say_change(reading, state, path)
        state = reading.state
        pending |= printer.calls.take(session.take(reading))
        if reading.behind:
            continue
        live = session.follower.is_live(time.time())
        numbers = range(len(printer.calls.items)) if live != was_live else sorted(pending)
        printer.print_changed(numbers, live=live, all_branches=arguments.all_branches)
        pending, was_live = set(), live
        time.sleep(POLL)


def _awaited(name: str | None) -> Path:
    """The session to follow; where this folder has none yet, the first that appears."""
    cwd = this_folder()
    if name:
        return resolve(name, cwd)
    chooser = Chooser(cwd)
    newest = chooser.look(None).path
    if newest is None:
        say(f"no session of {cwd} in {find_root(cwd).path} yet; waiting for the first")
    while newest is None:
        time.sleep(POLL * 5)
        newest = chooser.look(None).path
    return newest


def _say_change(reading: Reading, before: FileState, path: Path) -> None:
    """Say when the file vanished, came back or became another one, and what in it is no record."""
    if reading.state is FileState.MISSING and before is FileState.PRESENT:
        say(f"{path} is gone; waiting for it to come back")
    if reading.restarted:
        say(f"{path} was rewritten; reading it anew")
    elif reading.state is FileState.PRESENT and before is FileState.MISSING:
        say(f"{path} is back")
    if reading.damages:
        say(f"{path} is damaged:")
        list_damages(reading.damages)
