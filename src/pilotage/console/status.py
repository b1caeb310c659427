"""What head, foot and help say."""

from pathlib import Path

from pilotage.calls.timeline import Timeline
from pilotage.console.commands import Command
from pilotage.console.pieces import Piece
from pilotage.console.rows import Sight
from pilotage.figures import age, counted, money, short_number
from pilotage.plain import plain_line
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
            Piece(counted(findings, "finding") if findings else "", "rejected"),
            _state(timeline, state, sight),
        ],
    )


def foot_words(timeline: Timeline | None, *, follows: bool, behind: int, other: Path | None) -> BarWords:
    """The list's size on the left; the reader's health, following, and help on the right (spec U6)."""
    left = []
    if timeline is not None:
        calls = timeline.totals.calls
        left = [Piece(counted(calls, "call"), "middle", bold=True)]
        if timeline.totals.reminders:
            left.append(Piece(counted(timeline.totals.reminders, "reminder"), "reminder"))
    return left, [
        Piece(f"another session is live: {plain_line(other.stem[-12:])}" if other else "", "reminder"),
        *_health(timeline, behind),
        Piece("following" if follows else "staying", "ok" if follows else "middle"),
        Piece("n finding", "dim"),
        Piece("? help", "dim"),
    ]


def _health(timeline: Timeline | None, behind: int) -> list[Piece]:
    """How far behind the reader is, and what of the file was not as it should be."""
    if timeline is None:
        return []
    tally = timeline.session.tally
    faults = [
        (tally.damaged, counted(tally.damaged, "line") + " skipped"),
        (tally.recovered, counted(tally.recovered, "line") + " recovered"),
        (tally.unknown, counted(tally.unknown, "unknown entry", "unknown entries")),
        (timeline.session.tree.attached, f"{timeline.session.tree.attached} with a lost parent"),
    ]
    words = " · ".join(text for number, text in faults if number)
    return [
        Piece(f"{short_number(behind)}B behind" if behind else "0 behind", "dim"),
        Piece(words, "rejected"),
    ]


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


def help_text(commands: tuple[Command, ...]) -> str:
    """Keys and signs, for the help screen."""
    keys = [f"  {', '.join(map(key_name, command.keys)):<16}{command.words}" for command in commands]
    signs = [f"  {sign:<16}{meaning}" for sign, meaning in SIGN_MEANINGS]
    return "\n".join(["Keys", "", *keys, "", "Signs", "", *signs])


def key_name(key: str) -> str:
    """A key as a person reads it."""
    return _KEY_NAMES.get(key, key)


_KEY_NAMES = {
    "right_square_bracket": "]",
    "left_square_bracket": "[",
    "question_mark": "?",
    "pagedown": "PageDown",
    "pageup": "PageUp",
    "space": "Space",
    "enter": "Enter",
    "escape": "Escape",
    "tab": "Tab",
    "home": "Home",
    "end": "End",
    "down": "Down",
    "up": "Up",
    "left": "Left",
    "right": "Right",
}

SIGN_MEANINGS = (
    ("*", "running: no result yet"),
    ("!", "failed: it ran and failed, or the model's request failed"),
    ("x", "rejected: the contract or the host's schema refused it; it never ran"),
    ("#", "blocked: a guard stopped it; it never ran"),
    ("/", "aborted: the person stopped it"),
    ("?", "unanswered: it has no result"),
    (">", "reminder: what a review told the agent"),
    ("=", "summary: the conversation so far was compacted"),
    ("<", "branch: the conversation went back and took another way"),
    ("$", "you ran: a command that the person ran in the host"),
    ("┌ │ └", "a batch of parallel calls"),
    ("└", "a later try of a rejected call, or a call that another tool made"),
)
