"""The lines of the search pane below its results: the agent's own searches, and what the catalog lacks."""

from collections.abc import Iterator, Sequence

from pilotage.console.agent_searches import AgentSearch
from pilotage.console.pieces import Piece, PieceLine, cut, cut_front, width_of, wrapped
from pilotage.console.widgets.choices import Choice, told
from pilotage.figures import age, clock, counted, duration
from pilotage.plain import plain, plain_line
from pilotage.records.capability import Capability, CapabilityKind, Catalog, CatalogFault
from pilotage.search.exact import is_server


def heading(text: str) -> Choice:
    """A line that says what those below it are."""
    return Choice(lambda width: [Piece(" "), Piece(cut(text, width - 2), "dim")])


def kinds_of(entries: Sequence[Capability]) -> str:
    """How many there are, and of what kinds."""
    servers = sum(entry.kind is CapabilityKind.MCP and is_server(entry) for entry in entries)
    numbers = {kind: sum(entry.kind is kind for entry in entries) for kind in CapabilityKind}
    kinds = [
        (numbers[CapabilityKind.SKILL], "skill"),
        (servers, "MCP server"),
        (numbers[CapabilityKind.MCP] - servers, "MCP tool"),
        (numbers[CapabilityKind.TOOL], "other tool"),
    ]
    words = ", ".join(counted(number, noun) for number, noun in kinds if number)
    return f"{counted(len(entries), 'capability', 'capabilities')}{': ' if words else ''}{words}"


def search_choices(searches: Sequence[AgentSearch]) -> list[Choice]:
    """The agent's searches under a heading; nothing where it made none."""
    if not searches:
        return []
    head = f"the agent searched {counted(len(searches), 'time')}, the latest first"
    return [told([]), heading(head), *(_search_choice(search) for search in searches)]


def fault_choices(catalog: Catalog) -> list[Choice]:
    """What the catalog lacks, under a heading; nothing where it lacks nothing."""
    if not catalog.faults:
        return []
    return [told([]), heading("not as it should be"), *(_fault_choice(fault) for fault in catalog.faults)]


def _search_choice(search: AgentSearch) -> Choice:
    return Choice(lambda width: _search_line(search, width), search_key(search))


def _fault_choice(fault: CatalogFault) -> Choice:
    return Choice(lambda width: _fault_line(fault, width), fault)


def search_key(search: AgentSearch) -> tuple[str, float | None]:
    """What a search's line stands for; it stays the same when the search gets its result, or what it loaded is used."""
    return search.call.id, search.call.time


def _search_line(search: AgentSearch, width: int) -> PieceLine:
    """When, what was searched for, and what came of it."""
    words, role = _outcome(search)
    left = [Piece(f" {clock(search.call.time, '%H:%M')} ", "dim")]
    # Where nothing was found at all, the outcome itself says so.
    failed = [Piece("model failed", "failed"), Piece("  ")] if search.failure and words != "failed" else []
    badge = [*failed, Piece(words, role), Piece(" ")]
    room = width - width_of(left) - width_of(badge) - 2
    query = Piece(cut(plain_line(search.query, 400) or "no query", room), "text")
    gap = max(1, width - width_of([*left, query, *badge]))
    return [*left, query, Piece(" " * gap), *badge]


def _outcome(search: AgentSearch) -> tuple[str, str]:
    """What came of a search, in a few words."""
    if search.call.result is None:
        return "no result", "middle"
    named = len(search.loaded) + len(search.offered)
    if not named:
        return ("failed", "failed") if search.failure else ("nothing found", "rejected")
    verb = f"{len(search.loaded)} loaded" if search.loaded else f"{len(search.offered)} named"
    if not search.used:
        return f"{verb}, none used", "rejected"
    return f"{verb}, {'used' if named == 1 else f'{len(search.used)} used'}", "ok"


def search_detail(search: AgentSearch, width: int) -> Iterator[PieceLine]:
    """One search of the agent in full."""
    call = search.call
    place = f"turn {call.turn}" + (f" step {call.step}" if call.step is not None else "")
    took = duration(call.duration_ms)
    line = [Piece(cut(plain_line(call.tool), width // 2), "text", bold=True), Piece("  "), Piece(place, "dim")]
    yield [*line, Piece(f"  {took}" if took else "", "dim")]
    yield []
    yield from wrapped(plain(search.query).strip() or "no query", width, "intent", bold=True)
    yield []
    if search.failure:
        yield from wrapped(plain(search.failure).strip(), width, "failed")
        yield []
    yield from _named("loaded", search.loaded, search, width)
    yield from _named("named, not loaded", [name for name, _ in search.offered], search, width)
    if call.result is not None and not (search.loaded or search.offered or search.failure):
        yield [Piece("it found nothing", "rejected")]


def _named(title: str, names: Sequence[str], search: AgentSearch, width: int) -> Iterator[PieceLine]:
    if names:
        yield [Piece(title, "dim")]
    for name in names:
        is_used = name in search.used
        fate = Piece("used" if is_used else "not used", "ok" if is_used else "rejected")
        text = cut(plain_line(name, 300), width - 12)
        gap = max(2, width - width_of([Piece(text), fate]) - 2)
        yield [Piece("  "), Piece(text, "text"), Piece(" " * gap), fate]


def _fault_line(fault: CatalogFault, width: int) -> PieceLine:
    where = cut_front(plain_line(fault.where, 400), max(12, width // 3))
    room = width - width_of([Piece(where)]) - 6
    return [
        Piece(" ! ", "rejected"),
        Piece(where, "middle"),
        Piece("  "),
        Piece(cut(plain_line(fault.what, 400), room), "dim"),
    ]


def fault_detail(fault: CatalogFault, width: int) -> Iterator[PieceLine]:
    """Where, what and the mend."""
    yield from wrapped(plain_line(fault.where), width, "text", bold=True)
    yield []
    yield from wrapped(plain(fault.what), width, "rejected")
    if fault.mend:
        yield []
        yield from wrapped(plain(fault.mend), width, "middle")


def ages_words(catalog: Catalog) -> str:
    """Which servers' lists are old ones, and how old."""
    old = [f"{plain_line(name, 60)} {age(seconds)}" for name, seconds in catalog.ages.items()]
    return f"lists from before: {', '.join(old)} ago" if old else ""
