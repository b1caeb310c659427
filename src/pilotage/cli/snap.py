"""`pilotage snap`: a session as text, or its entries one by one (spec J1 to J4)."""

import argparse
import json

from pilotage.calls.build import Calls
from pilotage.calls.detail import iso_time
from pilotage.cli.open import account, add_session, count, open_session, say_damage
from pilotage.cli.output import DONE, WRONG_USE, print_object, print_row, print_text, say
from pilotage.records.entry import Entry
from pilotage.sessions.read import WHOLE, Session
from pilotage.trajectory.render import items, render
from pilotage.trajectory.trace import trace_cells


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The command and its arguments."""
    parser = commands.add_parser(
        "snap",
        help="a session told as text",
        description="Tell a session as text: what was said and done on its active branch, without outputs.",
    )
    add_session(parser)
    parser.add_argument("entry", metavar="ENTRY", nargs="?", help="the id of an entry: show its fields")
    parser.add_argument("--tail", type=count, metavar="N", help="the last N items only")
    parser.add_argument("--trace", action="store_true", help="every entry of the file, one line each")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the text, the trace or the entry; the exit status."""
    session = open_session(arguments.session)
    if arguments.entry:
        return _print_entry(session, arguments.entry, as_json=arguments.json)
    if arguments.trace:
        return _print_trace(session, arguments.tail, as_json=arguments.json)
    return _print_trajectory(session, arguments.tail, as_json=arguments.json)


def _print_trajectory(session: Session, tail: int | None, *, as_json: bool) -> int:
    calls = Calls(session)
    calls.take(WHOLE)
    told = items(calls, tail)
    if as_json:
        for item in told:
            print_object({"kind": item.kind, "entry": item.entry, "time": iso_time(item.time), "text": item.text})
    elif told:
        print_text(render(told))
    say_damage(session)
    return DONE


def _print_trace(session: Session, tail: int | None, *, as_json: bool) -> int:
    entries = session.tree.entries
    first = max(0, len(entries) - tail) if tail is not None else 0
    for index in range(first, len(entries)):
        if as_json:
            print_object(_as_object(session, index))
        else:
            print_row(trace_cells(session, index))
    say(account(session))
    return DONE


def _as_object(session: Session, index: int) -> dict[str, object]:
    entry = session.entry(index)
    parent = session.tree.parents[index]
    return {
        "id": entry.id,
        "parent_id": session.entry(parent).id if parent >= 0 else None,
        "type": entry.type,
        "role": entry.role or None,
        "time": iso_time(entry.time),
        "active": bool(session.tree.active[index]),
        "line": entry.place.line,
        "offset": entry.place.offset,
        "length": entry.place.length,
    }


def _print_entry(session: Session, entry_id: str, *, as_json: bool) -> int:
    """Every field of one entry."""
    index = session.tree.find(entry_id)
    if index is None:
        say(f"pilotage: no entry {entry_id!r} in {session.path}; `pilotage snap SESSION --trace` lists all with ids")
        return WRONG_USE
    fields = session.body(session.entry(index))
    if as_json:
        print_object(fields)
        return DONE
    for name, value in _flat(fields, _header_of(session.entry(index))):
        print_text(f"{name}: {value}")
    return DONE


def _header_of(entry: Entry) -> str:
    return f"line {entry.place.line}, {entry.place.length:,} bytes at byte {entry.place.offset:,}"


def _flat(fields: dict[str, object], place: str) -> list[tuple[str, str]]:
    """The fields as names and values, one level of a message opened."""
    flat = [("place", place)]
    for name, value in fields.items():
        if name == "message" and isinstance(value, dict):
            flat += [(f"message.{key}", _shown(inner)) for key, inner in value.items()]
        else:
            flat.append((name, _shown(value)))
    return flat


def _shown(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
