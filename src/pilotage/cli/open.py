"""The session that a command was told to read, or the sentence that says why not."""

import argparse
from pathlib import Path

from pilotage.calls.timeline import Timeline
from pilotage.cli.output import FOUND, WRONG_USE, say
from pilotage.figures import counted
from pilotage.sessions.locate import NoSuchSession, resolve
from pilotage.sessions.read import WHOLE, Session, UnreadableSession, read_session


def add_session(parser: argparse.ArgumentParser) -> None:
    """The argument SESSION, the same everywhere (spec J4)."""
    parser.add_argument(
        "session",
        metavar="SESSION",
        nargs="?",
        help="a file, an id or the beginning of one; nothing: the newest of this folder",
    )


def open_session(name: str | None) -> Session | int:
    """The session read as it is now, or the exit status after its failure was told."""
    try:
        return read_session(resolve(name, Path.cwd()))
    except NoSuchSession as error:
        say(f"pilotage: {error}")
        return WRONG_USE
    except UnreadableSession as error:
        say(f"pilotage: {error}")
        return FOUND


def whole_timeline(session: Session) -> Timeline:
    """The line of time of a session that was read at once."""
    timeline = Timeline(session)
    timeline.take(WHOLE)
    return timeline


def account(session: Session) -> str:
    """What the file's lines were, in one sentence; it always says how many records they gave."""
    tally = session.tally
    parts = [f"{number:,} {name}" for name, number in _line_kinds(session) if number or name == "clean"]
    records = counted(tally.entries, "entry", "entries")
    return f"{counted(tally.lines, 'line')}: {', '.join(parts)}; {records} and {counted(tally.headers, 'header')}"


def say_damage(session: Session) -> None:
    """Say what was lost or recovered, if anything was (spec F3)."""
    tally = session.tally
    if not tally.recovered and not tally.damaged:
        return
    say(account(session))
    for damage in session.damages[:10]:
        say(f"  line {damage.line}: {counted(damage.length, 'byte')} at byte {damage.offset:,} belong to no record")
    if len(session.damages) > 10:
        say(f"  and {len(session.damages) - 10} more")


def _line_kinds(session: Session) -> list[tuple[str, int]]:
    tally = session.tally
    names = ("clean", "recovered", "damaged", "blank")
    return [(name, getattr(tally, name)) for name in names]
