"""`pilotage sessions`: the sessions that there are, or an account of one (spec F8)."""

import argparse
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from pilotage import paths
from pilotage.calls.counts import COUNTS_FILE, Counts, CountsCache
from pilotage.calls.detail import iso_time
from pilotage.cli.open import add_session, count, open_session, this_folder
from pilotage.cli.output import DONE, Progress, print_object, say
from pilotage.figures import age
from pilotage.plain import plain_line
from pilotage.records.call import FINDINGS
from pilotage.sessions.child import is_child
from pilotage.sessions.follow import FRESH
from pilotage.sessions.locate import find_files, find_root, is_same_folder
from pilotage.sessions.summary import Summary, read_header, read_summary


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The command and its arguments."""
    parser = commands.add_parser(
        "sessions",
        help="the sessions that there are",
        description="List the sessions of this folder, the newest first; or give an account of one.",
    )
    add_session(parser)
    parser.add_argument("--all", action="store_true", help="those of all folders")
    parser.add_argument("--counts", action="store_true", help="count calls and lines: reads whole files")
    parser.add_argument("--limit", type=count, metavar="N", help="the newest N only")
    parser.add_argument("--children", action="store_true", help="those too that hold what a model was asked")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the list; the exit status."""
    cwd = this_folder()
    cache = CountsCache.load(paths.cache_dir() / COUNTS_FILE)
    if arguments.session:
        return _print_one(arguments, cache)
    files = _files(cwd, of_all=arguments.all)
    if not files:
        where = "" if arguments.all else f" of {cwd}"
        more = "" if arguments.all else "; --all lists those of all folders"
        say(f"no session{where} in {find_root(cwd).path}{more}")
        return DONE
    progress = Progress("counting sessions" if arguments.counts else "reading sessions")
    found = _read_rows(files, cache, progress, with_counts=arguments.counts, with_children=arguments.children)
    rows = list(islice(found, arguments.limit))
    progress.end()
    cache.save()
    _print_rows(rows, as_json=arguments.json)
    return DONE


def _files(cwd: Path, *, of_all: bool) -> list[Path]:
    files = [path for path, _ in find_files(find_root(cwd))]
    if of_all:
        return files
    return [path for path in files if (header := read_header(path)) and is_same_folder(header.cwd, cwd)]


def _read_rows(
    files: list[Path], cache: CountsCache, progress: Progress, *, with_counts: bool, with_children: bool
) -> Iterator[tuple[Summary, Counts | None]]:
    """Summaries with the counts that are known, or that are wanted; counting may take a while.

    Sessions that hold evidence are left out unless they are asked for (spec E3).
    """
    for done, path in enumerate(files):
        progress.tell(done, len(files))
        summary = read_summary(path)
        if with_children or not is_child(summary.cwd, summary.name):
            yield summary, cache.counted(path) if with_counts else cache.known(path)


def _print_one(arguments: argparse.Namespace, cache: CountsCache) -> int:
    """The account of one session, counted."""
    session = open_session(arguments.session)
    counts = cache.counted(session.path, session)
    cache.save()
    fields = as_object(read_summary(session.path), counts)
    if arguments.json:
        print_object(fields)
    else:
        _print_fields(fields)
    return DONE


def _print_fields(fields: dict[str, object]) -> None:
    for name, value in fields.items():
        shown = ", ".join(f"{key} {number:,}" for key, number in value.items()) if isinstance(value, dict) else value
        if shown is not None and shown != "":
            print(f"{name + ':':<13}{plain_line(str(shown))}")


def as_object(summary: Summary, counts: Counts | None) -> dict[str, object]:
    """One session as a JSON object; what was not counted is null."""
    return {
        "id": summary.id,
        "path": str(summary.path),
        "cwd": summary.cwd or None,
        "name": _name(summary, counts) or None,
        "first_words": summary.first_words or None,
        "version": summary.version or None,
        "started": iso_time(summary.started),
        "modified": iso_time(summary.modified),
        "live": _is_live(summary),
        "size": summary.size,
        "parent": summary.parent,
        "lines": counts.lines if counts else None,
        "entries": counts.entries if counts else None,
        "unknown": counts.unknown if counts else None,
        "calls": counts.calls if counts else None,
        "outcomes": counts.outcomes if counts else None,
    }


def _name(summary: Summary, counts: Counts | None) -> str:
    """The session's name; what was counted is surer than a file's head and tail."""
    return counts.name if counts else summary.name


def _is_live(summary: Summary) -> bool:
    return time.time() - summary.modified <= FRESH


def _print_rows(rows: list[tuple[Summary, Counts | None]], *, as_json: bool) -> None:
    if as_json:
        for summary, counts in rows:
            print_object(as_object(summary, counts))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name, justify in (("id", "left"), ("written", "right"), ("calls", "right"), ("findings", "right")):
        table.add_column(name, justify=justify, no_wrap=True)  # type: ignore[arg-type]
    table.add_column("project", no_wrap=True, overflow="ellipsis")
    table.add_column("name or first words", no_wrap=True, overflow="ellipsis")
    for summary, counts in rows:
        table.add_row(*(Text(plain_line(cell)) for cell in _cells(summary, counts)))
    console = Console()
    with console.capture() as drawn:
        console.print(table)
    print(drawn.get(), end="")
    if any(counts is None for _, counts in rows):
        say("calls and findings of some are not counted yet: --counts reads whole files and keeps the counts")


def _cells(summary: Summary, counts: Counts | None) -> list[str]:
    written = "live" if _is_live(summary) else f"{age(time.time() - summary.modified)} ago"
    findings = sum(counts.outcomes.get(str(outcome), 0) for outcome in FINDINGS) if counts else 0
    return [
        summary.id[:13],
        written,
        str(counts.calls) if counts else "",
        str(findings) if counts else "",
        Path(summary.cwd).name or "?",
        _name(summary, counts) or summary.first_words or summary.path.name,
    ]
