"""The review itself, and what it prints."""

import argparse
import asyncio
import contextlib
from collections.abc import Mapping
from pathlib import Path

from pilotage.calls.build import Calls
from pilotage.cli.open import this_folder
from pilotage.cli.output import DONE, FOUND, Progress, print_object, print_text, say
from pilotage.cli.surroundings import surroundings_of
from pilotage.cli.waiting import waiting
from pilotage.evidence.diagnostics import UNSOURCED
from pilotage.evidence.under_way import Stopped
from pilotage.figures import counted, duration
from pilotage.inference.question import RequestFailed
from pilotage.plain import plain_line, safe_json
from pilotage.records.attempt import ReminderState, ReviewedPair
from pilotage.records.fields import as_dict
from pilotage.review.by_hand import Observer, Position, Rhythm, position_of
from pilotage.review.run import Reviewed
from pilotage.search.surroundings import Surroundings
from pilotage.sessions.follow import FileState
from pilotage.sessions.locate import resolve
from pilotage.sessions.read import Session, UnreadableSession
from pilotage.sessions.summary import read_header
from pilotage.settings import FaultySettings, load_settings

POLL = 0.2
"""Seconds between two looks at the file."""

_STATES = {
    ReminderState.REPEATED: "told before",
    ReminderState.UNSOURCED: "kept from an agent",
}
"""What a person is told of reminders that are not simply for them."""


def review(arguments: argparse.Namespace) -> int:
    """Review, print; the exit status. Raises NoSuchSession and UnreadableSession."""
    path = resolve(arguments.session, this_folder())
    header = read_header(path)
    surroundings = surroundings_of(Path(header.cwd) if header and header.cwd else this_folder())
    try:
        hold = load_settings().hold_unsourced
    except FaultySettings as fault:
        say(f"pilotage: {fault}")
        return FOUND
    if surroundings.configuration is None:
        say(f"pilotage: {surroundings.fault}")
        return FOUND
    observer = Observer(path, surroundings, hold_unsourced=hold)
    if arguments.dry_run:
        return asyncio.run(_print_request(observer, surroundings))
    printer = _Printer(path, surroundings, as_json=arguments.json)
    if arguments.follow:
        every = arguments.every or surroundings.configuration.trajectory_warning_every_steps
        with contextlib.suppress(KeyboardInterrupt):
            return asyncio.run(_follow(observer, printer, every))
        return DONE
    return asyncio.run(_once(observer, printer))


async def _once(observer: Observer, printer: "_Printer") -> int:
    async with waiting(f"asking {printer.model}"):
        done = await observer.review()
    printer.print(done, None)
    return DONE if done.outcome == "ok" else FOUND


async def _print_request(observer: Observer, surroundings: Surroundings) -> int:
    try:
        unsent = await observer.request()
    except (Stopped, RequestFailed) as error:
        say(f"pilotage: {plain_line(str(error))}")
        if isinstance(error, RequestFailed):
            _say_mend(surroundings)
        return FOUND
    print(safe_json(unsent.body))
    say(f"for {unsent.model} at {plain_line(unsent.url)}: {counted(len(unsent.body.encode()), 'byte')}")
    say(f"{counted(unsent.replaced, 'secret')} replaced; nothing was sent")
    _say_coverage(unsent.coverage)
    return DONE


async def _follow(observer: Observer, printer: "_Printer", every: int) -> int:
    """Review every so many steps until the person ends it; one review at a time."""
    if not every:
        say("pilotage: trajectoryWarningEverySteps is 0, which is never; name the steps with --every")
        return FOUND
    session = Session(observer.path)
    calls, rhythm = Calls(session), Rhythm(every)
    progress, is_begun = Progress("reading"), False
    at_work: asyncio.Task[None] | None = None
    try:
        while True:
            reading = session.follower.read()
            if reading.state is FileState.UNREADABLE or (reading.state is FileState.MISSING and not session.tree):
                msg = f"{observer.path}: {reading.reason}"
                raise UnreadableSession(msg)
            calls.take(session.take(reading))
            if reading.behind:
                progress.tell(session.follower.read_to, session.follower.read_to + reading.behind)
                continue
            position = position_of(calls)
            if not is_begun:
                progress.end()
                say(f"{observer.path}: reviewed every {counted(every, 'step')} from here on; stop with Ctrl-C")
                is_begun = True
            if at_work is not None and at_work.done():
                at_work.result()
                at_work = None
            if rhythm.is_due(position) and at_work is None:
                at_work = asyncio.create_task(_review_at(observer, printer, position))
            await asyncio.sleep(POLL)
    finally:
        if at_work is not None:
            at_work.cancel()
            await asyncio.wait([at_work])


async def _review_at(observer: Observer, printer: "_Printer", position: Position) -> None:
    printer.print(await observer.review(position), position)


class _Printer:
    """Prints reviews: data on stdout, words on stderr."""

    def __init__(self, path: Path, surroundings: Surroundings, *, as_json: bool) -> None:
        self.model = plain_line(surroundings.model, 60)
        """The model, fit for a terminal."""
        self._path = path
        self._surroundings = surroundings
        self._as_json = as_json

    def print(self, done: Reviewed, position: Position | None) -> None:
        """Print one review; `position` is where the session stood, where that is known."""
        if self._as_json:
            print_object(self._as_object(done, position), at_once=True)
        else:
            for number, pair in enumerate(done.pairs, 1):
                print_text(_told(number, pair))
        self._say(done, position)

    def _say(self, done: Reviewed, position: Position | None) -> None:
        at = f"step {position.step}: " if position and position.step is not None else ""
        if done.outcome == "ok" and not done.pairs:
            say(f"{at}no reminder, which is no approval")
        elif done.outcome != "ok":
            say(f"pilotage: {at}the review failed: {plain_line(done.words)}")
            if done.failure in ("no-model", "no-key", "unreachable"):
                _say_mend(self._surroundings)
        exchange = done.exchange
        tokens = f"{counted(exchange.input_tokens, 'token')} sent, {exchange.output_tokens:,} received"
        if exchange.requests:
            say(f"{self.model}, {duration(round(1000 * done.seconds))}, {tokens}")
        _say_coverage(done.coverage)
        for reason in done.unnoted:
            say(f"pilotage: not noted: {plain_line(reason)}")
        if done.child:
            say(f"evidence: {done.child.file}")

    def _as_object(self, done: Reviewed, position: Position | None) -> dict[str, object]:
        exchange = done.exchange
        return {
            "session": str(self._path),
            "attempt": done.attempt,
            "step": position.step if position else None,
            "model": self._surroundings.model,
            "outcome": done.outcome,
            "failure": {"kind": done.failure, "message": done.words} if done.failure else None,
            "reminders": [
                {
                    "deviation": pair.deviation,
                    "source": pair.source,
                    "sourceFound": pair.source_found,
                    "state": str(pair.state),
                }
                for pair in done.pairs
            ],
            "tokens": {"input": exchange.input_tokens, "output": exchange.output_tokens},
            "seconds": round(done.seconds, 3),
            "child": {"file": done.child.file, "id": done.child.id} if done.child else None,
            "coverage": dict(done.coverage),
        }


def _told(number: int, pair: ReviewedPair) -> str:
    """One reminder for people: each half on one line, so that none can pass for another."""
    state = f" ({_STATES[pair.state]})" if pair.state in _STATES else ""
    mark = "" if pair.source_found else f" ({UNSOURCED})"
    deviation, source = plain_line(pair.deviation), plain_line(pair.source)
    return f"{number}. {deviation}{state}\n   Source{mark}: {source}"


def _say_coverage(coverage: Mapping[str, object]) -> None:
    """What the model was not shown of the trajectory: from what it does not see nothing follows (spec R5)."""
    trajectory = as_dict(coverage.get("trajectory"))
    left_out, whole = trajectory.get("leftOut"), trajectory.get("characters")
    if isinstance(left_out, int) and isinstance(whole, int) and (left_out or trajectory.get("hasEarlier")):
        earlier = " and nothing before them" if trajectory.get("hasEarlier") else ""
        say(f"it sees the last {whole - left_out:,} of {whole:,} characters of the trajectory{earlier}")


def _say_mend(surroundings: Surroundings) -> None:
    """Where nobody named a model, say what to set and where."""
    if not surroundings.names_model:
        mend = f"set provider and model of capabilityDiscovery in {surroundings.agent / 'settings.json'}"
        say(f"no model is named, so {plain_line(surroundings.model, 60)} is asked; to ask another, {mend}")
