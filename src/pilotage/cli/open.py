"""The session that a command was told to read, and words on the state of its file."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from pilotage.cli.output import Progress, say
from pilotage.figures import counted
from pilotage.sessions.decode import Damage
from pilotage.sessions.locate import NoSuchSession, resolve
from pilotage.sessions.read import Session, read_session


def add_session(parser: argparse.ArgumentParser) -> None:
    """The argument SESSION, the same everywhere (spec J4)."""
    parser.add_argument(
        "session",
        metavar="SESSION",
        nargs="?",
        help="a file, an id or the beginning of one; nothing: the newest of this folder",
    )


def count(text: str) -> int:
    """The number that an argument such as `--tail` gives."""
    if not text.isdecimal():
        msg = f"a whole number, not {text!r}"
        raise argparse.ArgumentTypeError(msg)
    return int(text)


def this_folder() -> Path:
    """The folder that the command runs in. Raises NoSuchSession when it is gone."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        msg = "the folder that this runs in is gone; change into one that is there"
        raise NoSuchSession(msg) from None


def open_session(name: str | None) -> Session:
    """The session read as it is now. Raises NoSuchSession and UnreadableSession."""
    progress = Progress("reading")
    session = read_session(resolve(name, this_folder()), progress.tell)
    progress.end()
    return session


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
    list_damages(session.damages)


def list_damages(damages: Sequence[Damage]) -> None:
    """Say which bytes belong to no record."""
    for damage in damages[:10]:
        say(f"  line {damage.line}: {counted(damage.length, 'byte')} at byte {damage.offset:,} belong to no record")
    if len(damages) > 10:
        say(f"  and {len(damages) - 10} more")


def _line_kinds(session: Session) -> list[tuple[str, int]]:
    tally = session.tally
    names = ("clean", "recovered", "damaged", "blank")
    return [(name, getattr(tally, name)) for name in names]
