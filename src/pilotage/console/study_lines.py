"""The study as lines: what was counted, bars for the kinds, and the rate of each session in the order of time."""

from functools import partial
from pathlib import Path

from pilotage.calls.study_counts import ChainCounts, SessionRate, Study
from pilotage.console.pieces import Piece, PieceLine, cut
from pilotage.console.widgets.choices import Choice, told
from pilotage.figures import clock, counted, duration, short_number
from pilotage.plain import plain_line
from pilotage.records.call import Outcome

BAR = "━"
LONGEST_BAR = 40
"""Cells of the longest bar of a kind."""
RATE_BAR = 30
"""Cells of a bar for a rate of 100%."""


def study_lines(study: Study) -> list[Choice]:
    """All lines of a study; those of sessions stand for their files."""
    kinds = {str(kind): number for kind, number in study.by_kind.items()}
    lines = [*_summary(study), [], *_bars("rejected by kind", kinds), *_bars("by tool", study.by_tool)]
    choices = [told([Piece(" "), *line] if line else []) for line in lines]
    if study.rates:
        head = "rejected calls of each session, the oldest first; Enter opens one at its first rejection"
        choices.append(Choice(lambda width: [Piece(" "), Piece(cut(head, width - 2), "dim")]))
    return choices + [Choice(partial(_rate_line, session), Path(session.path)) for session in study.rates]


def _summary(study: Study) -> list[PieceLine]:
    """The figures that matter most."""
    rejected = study.outcomes[Outcome.REJECTED]
    share = f"{100 * rejected / study.calls:.1f}%" if study.calls else "none"
    lines: list[PieceLine] = [
        [
            Piece(counted(rejected, "rejected call"), "rejected", bold=True),
            Piece("  "),
            Piece(f"{share} of {counted(study.calls, 'call')} in {counted(study.sessions, 'session')}", "middle"),
        ],
        [
            Piece(f"{study.outcomes[Outcome.FAILED]:,} failed", "failed"),
            Piece("  "),
            Piece(f"{study.outcomes[Outcome.BLOCKED]:,} blocked", "rejected"),
            Piece("  "),
            Piece(counted(study.identical_retries, "identical retry", "identical retries"), "middle"),
        ],
    ]
    if study.worst is not None and study.median_rate is not None:
        rates = f"rate: median {100 * study.median_rate:.1f}%, worst {100 * study.worst.rate:.1f}% in {study.worst.id}"
        lines.append([Piece(plain_line(rates), "middle")])
    if study.chains.count:
        lines.append([Piece(_chain_words(study.chains), "middle")])
    return lines


def _chain_words(chains: ChainCounts) -> str:
    """What it took until rejected calls were accepted."""
    words = [f"{counted(chains.count, 'chain')}: {chains.accepted:,} accepted, {chains.never:,} never"]
    if chains.tries:
        words.append(f"{chains.tries.median:g} tries")
    if chains.duration_ms:
        words.append(duration(round(chains.duration_ms.median)))
    words.append(f"{short_number(chains.tokens_of_all)} tokens in all")
    return ", ".join(words)


def _bars(title: str, numbers: dict[str, int]) -> list[PieceLine]:
    """A bar for each number, the longest for the greatest."""
    if not numbers:
        return []
    most = max(numbers.values())
    lines: list[PieceLine] = [[Piece(title, "dim")]]
    for name, number in sorted(numbers.items(), key=lambda item: -item[1]):
        bar = BAR * max(1, round(LONGEST_BAR * number / most))
        label = cut(plain_line(name, 60), 20)
        lines.append([Piece(f"{label:<21}"), Piece(bar, "rejected"), Piece(" "), Piece(f"{number:,}", "middle")])
    return [*lines, []]


def _rate_line(session: SessionRate, width: int) -> PieceLine:
    """One session: when it began, its rate as a bar, how many of how many."""
    began = _day(session.time)
    bar = BAR * round(RATE_BAR * session.rate)
    figures = f"{session.rejected:,} of {counted(session.calls, 'call')}"
    left = [Piece(" "), Piece(f"{began}  "), Piece(f"{100 * session.rate:5.1f}% ", "text"), Piece(bar, "rejected")]
    pad = " " * (RATE_BAR - len(bar) + 1)
    name = cut(plain_line(Path(session.path).stem), max(0, width - 64))
    return [*left, Piece(pad), Piece(f"{figures:<18}", "middle"), Piece(name, "dim")]


def _day(seconds: float | None) -> str:
    return clock(seconds, "%m-%d %H:%M") if seconds is not None else "--:--      "
