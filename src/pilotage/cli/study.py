"""`pilotage study`: how often calls are rejected, why, and what that costs, over any number of sessions (spec S1)."""

import argparse
from collections.abc import Mapping
from itertools import islice, zip_longest
from pathlib import Path

from pilotage.calls.study_counts import ChainCounts, Counting, Replay, SessionRate, Spread, Study, as_object
from pilotage.calls.study_files import Unread, study_files
from pilotage.cli.open import this_folder
from pilotage.cli.output import DONE, FOUND, Progress, print_object, say
from pilotage.evidence.marks import Precision, precision, read_marks
from pilotage.figures import counted, duration, short_number
from pilotage.plain import plain_line
from pilotage.records.call import Kind, Outcome
from pilotage.sessions.locate import NoSuchSession, find_below, find_files, find_root

MOST_ROWS = 12
"""Rows of the table for people; the rest is in the JSON."""


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The command and its arguments."""
    parser = commands.add_parser(
        "study",
        help="how often calls are rejected, why, and what it costs, over many sessions",
        description="Count calls, rejections, retries and their cost over session files.",
    )
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        help="files, and folders with all that lie below them; nothing: all sessions of this machine",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--replay", action="store_true", help="judge every recorded call by the present contract")
    parser.add_argument(
        "--children", action="store_true", help="count the sessions of preparations and reviews as well"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the study; the exit status. Raises NoSuchSession when there is nothing to count."""
    failures: list[str] = []
    paths = _paths(arguments.paths, failures)
    counting = Counting(with_children=arguments.children)
    progress = Progress("studying")
    for session in study_files(paths, replay=arguments.replay, tell=progress.tell):
        if isinstance(session, Unread):
            failures.append(session.reason)
        else:
            counting.add(session)
    progress.end()
    for failure in failures:
        say(f"pilotage: {failure}")
    study = counting.study(with_replay=arguments.replay)
    if not study.sessions:
        msg = "no session to study"
        if study.children:
            msg += f"; {counted(study.children, 'child session')} left out, --children counts them"
        raise NoSuchSession(msg)
    judged = precision(read_marks(), {session.id for session in study.rates})
    if arguments.json:
        print_object(as_object(study) | {"reminders": _judged_object(judged)})
    else:
        _print_study(study, judged)
    return FOUND if failures else DONE


def _paths(names: list[str], failures: list[str]) -> list[Path]:
    """The files that are meant. Raises NoSuchSession for a name that is none, and where there are no files."""
    if not names:
        root = find_root(this_folder())
        paths = [path for path, _ in find_files(root)]
        if not paths:
            msg = f"no session in {root.path}"
            raise NoSuchSession(msg)
        return paths

    def fail(error: OSError) -> None:
        failures.append(f"{error.filename}: {error.strerror}")

    paths = []
    for name in names:
        path = Path(name)
        if path.is_dir():
            paths += find_below(path, fail)
        elif path.exists() or path.is_symlink():
            paths.append(path)
        else:
            msg = f"{name}: no such file or folder"
            raise NoSuchSession(msg)
    return paths


def _judged_object(judged: Precision) -> dict[str, object]:
    """What the person thinks of the reminders in these sessions (spec R7)."""
    return {"right": judged.right, "wrong": judged.wrong, "precision": judged.share}


def _print_study(study: Study, judged: Precision) -> None:
    """The study for people."""
    from rich.console import Console, Group
    from rich.table import Table
    from rich.text import Text

    facts = Table.grid(padding=(0, 2))
    facts.add_column(no_wrap=True, style="bold")
    facts.add_column()
    for name, words in [*_facts(study), *_judged_facts(judged)]:
        facts.add_row(Text(name), Text(plain_line(words)))
    reasons = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for name in ("rejected for", "tool", "field"):
        reasons.add_column(name, no_wrap=True, overflow="ellipsis")
        reasons.add_column("of calls" if name == "tool" else "", justify="right", no_wrap=True)
    for row in _reasons(study):
        reasons.add_row(*(Text(plain_line(cell)) for cell in row))
    console = Console()
    with console.capture() as drawn:
        console.print(Group(facts, Text(), reasons) if study.by_kind else facts)
    print("\n".join(line.rstrip() for line in drawn.get().splitlines()))


def _facts(study: Study) -> list[tuple[str, str]]:
    """The figures that are one line each."""
    rejected = study.outcomes[Outcome.REJECTED]
    left_out = [
        f"{counted(study.children, 'child session')} left out" if study.children else "",
        f"{counted(study.copied, 'copied answer')} counted once" if study.copied else "",
    ]
    notes = "; ".join(note for note in left_out if note)
    facts = [("sessions", f"{study.sessions:,}{f' ({notes})' if notes else ''}")]
    facts.append(("calls", f"{study.calls:,}"))
    facts.append(("rejected", f"{rejected:,}{_share(rejected, study.calls)}"))
    facts.append(("blocked", f"{study.outcomes[Outcome.BLOCKED]:,}"))
    facts.append(("failed", f"{study.outcomes[Outcome.FAILED]:,}"))
    if study.worst:
        facts.append(("rate per session", _rates(study, study.worst)))
    if study.chains.count:
        facts.append(("chains", _chains(study.chains)))
        facts += _costs(study)
        facts.append(("identical retries", f"{study.identical_retries:,}"))
    marks = ", ".join(f"{mark} {times:,}" for mark, times in study.marks.items() if times)
    facts.append(("marks", marks or "none"))
    return facts + (_replay(study.replay) if study.replay else [])


def _judged_facts(judged: Precision) -> list[tuple[str, str]]:
    """How often reminders were right, where the person marked any."""
    if judged.share is None:
        return []
    marked = judged.right + judged.wrong
    return [("reminders", f"{judged.right:,} of {marked:,} marked ones right{_share(judged.right, marked)}")]


def _rates(study: Study, worst: SessionRate) -> str:
    rates = (study.lowest_rate or 0, study.median_rate or 0, worst.rate)
    words = "lowest {}, median {}, worst {}".format(*map(_percent, rates))
    return f"{words} ({worst.id}, {counted(worst.calls, 'call')})" if worst.rejected else words


def _chains(chains: ChainCounts) -> str:
    return f"{chains.count:,}: {chains.accepted:,} accepted at last, {chains.never:,} never"


def _costs(study: Study) -> list[tuple[str, str]]:
    """What chains took until they were accepted, and what all of them cost."""
    chains, rows = study.chains, []
    if chains.tries:
        rows.append(("tries until accepted", _spread(chains.tries)))
    if chains.duration_ms:
        took = chains.duration_ms
        words = (duration(round(took.median)), duration(took.most), duration(took.total))
        rows.append(("time until accepted", "median {}, most {}, in all {}".format(*words)))
    if chains.tokens_of_all:
        share = _share(chains.tokens_of_all, study.tokens, " of all")
        rows.append(("tokens of retries", f"{short_number(chains.tokens_of_all)}{share}"))
    return rows


def _spread(spread: Spread) -> str:
    return f"median {spread.median:g}, most {spread.most:,}"


def _replay(replay: Replay) -> list[tuple[str, str]]:
    """What the present contract would have said."""
    return [
        ("judged anew", f"{counted(replay.judged, 'call')} by the present contract"),
        ("spared", f"{counted(replay.spared, 'rejection')}{_kinds(replay.spared_by_kind)}"),
        ("added", f"{counted(replay.added, 'rejection')}{_kinds(replay.added_by_kind)}"),
    ]


def _kinds(kinds: Mapping[Kind, int]) -> str:
    return f": {', '.join(f'{kind} {times:,}' for kind, times in kinds.items())}" if kinds else ""


def _reasons(study: Study) -> list[list[str]]:
    """Kinds, tools and fields beside one another, the most frequent first."""
    kinds = ((str(kind), f"{times:,}") for kind, times in study.by_kind.items())
    tools = ((tool, f"{times:,} of {study.calls_by_tool[tool]:,}") for tool, times in study.by_tool.items())
    fields = ((field, f"{times:,}") for field, times in study.by_field.items())
    rows = zip_longest(kinds, tools, fields, fillvalue=("", ""))
    return [[cell for pair in row for cell in pair] for row in islice(rows, MOST_ROWS)]


def _percent(part: float) -> str:
    return f"{100 * part:.1f} %"


def _share(part: int, whole: int, more: str = "") -> str:
    return f" ({_percent(part / whole)}{more})" if whole else ""
