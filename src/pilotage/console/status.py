"""What head, foot and help say."""

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from pilotage.calls.timeline import Timeline
from pilotage.console.commands import key_table
from pilotage.console.panes import Pane
from pilotage.console.pieces import Piece
from pilotage.console.rows import Sight
from pilotage.figures import age, counted, money, short_number
from pilotage.plain import plain_line
from pilotage.records.call import Outcome
from pilotage.records.row import RowKind
from pilotage.sessions.follow import FRESH, FileState
from pilotage.sessions.tree import NO_PARENT

BarWords = tuple[list[Piece], list[Piece]]


def head_words(timeline: Timeline | None, state: FileState, cwd: Path, sight: Sight) -> BarWords:
    """Project and name; model, tokens, cost, findings, state."""
    if timeline is None:
        return [Piece(plain_line(cwd.name), "text", bold=True)], [Piece("waiting", "running")]
    session = timeline.session
    project = Path(session.header.cwd).name if session.header else session.id
    totals = timeline.totals
    name = session.name or totals.first_words
    findings = timeline.count_findings()
    return (
        [Piece(plain_line(project, 60), "text", bold=True), Piece(plain_line(name, 200), "middle")],
        [
            Piece(plain_line(totals.model, 40), "middle"),
            Piece(f"{short_number(totals.tokens)} tokens" if totals.tokens else "", "dim"),
            Piece(money(totals.cost), "dim"),
            Piece(_step(timeline), "middle"),
            Piece(counted(findings, "finding") if findings else "", "rejected", command="next-finding"),
            _state(timeline, state, sight),
        ],
    )


class FootState(Struct, frozen=True):
    """What the foot tells beside the session itself."""

    pane: Pane
    """The pane that is shown."""
    follows: bool
    """Whether the end is followed."""
    behind: int
    """Bytes of the file that are still to be read."""
    other: Path | None
    """Another session that is live here."""
    filtered: str
    """What the filter hides, in words; empty without a filter."""
    counts: Mapping[Pane, str] = {}
    """What waits in panes."""


def foot_words(timeline: Timeline | None, foot: FootState) -> BarWords:
    """The panes on the left; the reader's health, filter, following, and help on the right (spec U6)."""
    left = pane_tabs(foot.counts, foot.pane)
    following = Piece(
        "following" if foot.follows else "staying", "ok" if foot.follows else "middle", command="toggle-follow"
    )
    last = [
        Piece("/ filter", "dim", command="filter-rows"),
        following,
        Piece("? help", "dim", command="show-help"),
    ]
    other = Piece(f"also live: {plain_line(foot.other.stem[-12:])}" if foot.other else "", "reminder")
    if foot.filtered:
        last = [other, following, Piece(foot.filtered, "rejected", command="filter-rows")]
    elif foot.other:
        last = [following, other]
    behind, faults = _health(timeline, foot.behind)
    hints = [behind, Piece("n finding", "dim", command="next-finding")]
    if faults.text and not foot.filtered and not foot.other:
        return left, [*hints, last[0], last[2], faults, following]
    return left, [*hints, faults, *last]


def pane_tabs(counts: Mapping[Pane, str], shown: Pane) -> list[Piece]:
    """The panes, the one that is shown among them marked, with what waits in them."""
    tabs = []
    for pane in Pane:
        text = f"{pane} {counts[pane]}" if counts.get(pane) else str(pane)
        chosen = pane is shown
        ground = "cursor" if chosen else ""
        tabs.append(Piece(text, "text" if chosen else "middle", chosen, ground, f"show-{pane}"))
    return tabs


def _health(timeline: Timeline | None, behind: int) -> tuple[Piece, Piece]:
    """How far behind the reader is, and what of the file was not as it should be."""
    if timeline is None:
        return Piece(""), Piece("")
    tally = timeline.session.tally
    faults = [
        (tally.damaged, "skipped"),
        (tally.recovered, "recovered"),
        (tally.unknown, "unknown"),
        (timeline.session.tree.attached, "lost parent"),
    ]
    words = " · ".join(f"{number:,} {name}" for number, name in faults if number)
    return Piece(f"{short_number(behind)}B behind" if behind else "0 behind", "dim"), Piece(words, "rejected")


def _state(timeline: Timeline, state: FileState, sight: Sight) -> Piece:
    """What the file tells of its host."""
    if state is not FileState.PRESENT:
        return Piece("file gone" if state is FileState.MISSING else "unreadable", "failed", bold=True)
    modified = timeline.session.follower.modified
    if modified is None:
        return Piece("waiting", "running", bold=True)
    idle = sight.now - modified
    if idle <= FRESH:
        return Piece("live", "ok", bold=True)
    return Piece(f"idle {age(idle)}", "middle", bold=True)


def _step(timeline: Timeline) -> str:
    """The turn and step that the session has come to."""
    if not timeline.calls.moments or timeline.session.tree.leaf == NO_PARENT:
        return ""
    moment = timeline.calls.moments[timeline.session.tree.leaf]
    return f"turn {moment.turn} step {moment.step}"


def help_text(keys: dict[str, str]) -> str:
    """Keys and signs, for the help screen; `keys` are those that the person gave."""
    lines = []
    for where, rows in key_table(keys):
        lines += [f"{where.capitalize()}", ""]
        lines += [f"  {names:<17} {words}" for names, _, words in rows]
        lines.append("")
    lines += ["Signs in front of a row", ""]
    lines += [f"  {sign:<18}{meaning}" for sign, meaning in SIGN_MEANINGS]
    lines += ["", "Filter", ""]
    lines += [f"  {form:<18}{meaning}" for form, meaning in FILTER_FORMS]
    return "\n".join(lines)


FILTER_FORMS = (
    ("late ack", "rows in which all these words stand"),
    ("tool:bash", "calls of a tool, or of those that begin so"),
    ("is:finding", "failed, rejected and blocked calls, failed requests"),
    ("is:rejected", "calls with an outcome: " + ", ".join(map(str, Outcome))),
    ("is:reminder", "rows of a kind: " + ", ".join(str(kind) for kind in RowKind if kind is not RowKind.CALL)),
)

SIGN_MEANINGS = (
    ("*", "running: no result yet"),
    ("!", "failed: it ran and failed, or the model's request failed"),
    ("x", "rejected: the contract or the host's schema refused it; it never ran"),
    ("#", "blocked: a guard stopped it; it never ran"),
    ("/", "aborted: the person stopped it"),
    ("?", "unanswered: it has no result"),
    (">", "reminder: what a review told the agent"),
    (".", "reminder that did not reach the agent: late, or held back"),
    ("+ -", "preparation or review in the evidence, folded or unfolded"),
    ("c", "one of them whose input is to be compared with another's"),
    ("=", "summary: the conversation so far was compacted"),
    ("<", "branch: the conversation went back and took another way"),
    ("$", "you ran: a command that the person ran in the host"),
    ("~", "on an abandoned branch"),
    ("┌ │ └", "a batch of parallel calls"),
    ("└", "a later try of a rejected call, or a call that another tool made"),
)
