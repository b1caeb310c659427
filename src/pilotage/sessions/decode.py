"""One line into the records on it, with an account of what was not a record (spec F3)."""

from enum import StrEnum

from msgspec import Struct

from pilotage.records.call import Place
from pilotage.records.entry import Entry, Header
from pilotage.sessions.lines import Line
from pilotage.sessions.pi import is_known, to_record
from pilotage.sessions.tolerant import find_objects, gaps
from pilotage.sessions.wire import WireEntry, decode


class LineState(StrEnum):
    """How a line was read."""

    CLEAN = "clean"
    """It is one record."""
    RECOVERED = "recovered"
    """It holds records, and something else or more than one."""
    DAMAGED = "damaged"
    """It holds no whole record."""
    BLANK = "blank"
    """It holds nothing but white space."""


class Damage(Struct, frozen=True, gc=False):
    """Bytes of a line that belong to no record."""

    line: int
    """The line, from 1."""
    offset: int
    """The byte of the file at which they begin."""
    length: int
    """How many there are."""


class DecodedLine(Struct, frozen=True):
    """What one line held."""

    state: LineState
    """How it was read."""
    records: tuple[Header | Entry, ...] = ()
    """Its records, in order."""
    damages: tuple[Damage, ...] = ()
    """The rest."""


class Tally(Struct):
    """The account of a whole file: lines = clean + recovered + damaged + blank."""

    clean: int = 0
    """Lines that are one record each."""
    recovered: int = 0
    """Lines with records and something else, or with several."""
    damaged: int = 0
    """Lines without a whole record."""
    blank: int = 0
    """Empty lines."""
    headers: int = 0
    """Header records."""
    entries: int = 0
    """All other records."""
    unknown: int = 0
    """Entries of a type or role that no known version of Pi writes."""

    @property
    def lines(self) -> int:
        """All lines."""
        return self.clean + self.recovered + self.damaged + self.blank

    def add(self, line: DecodedLine) -> None:
        """Count one more line."""
        match line.state:
            case LineState.CLEAN:
                self.clean += 1
            case LineState.RECOVERED:
                self.recovered += 1
            case LineState.DAMAGED:
                self.damaged += 1
            case LineState.BLANK:
                self.blank += 1
        for record in line.records:
            if isinstance(record, Header):
                self.headers += 1
            else:
                self.entries += 1
                self.unknown += not is_known(record)


def decode_line(line: Line) -> DecodedLine:
    """The records on a line. Never raises: what cannot be read is damage."""
    try:
        place = Place(line.number, line.offset, len(line.data))
        return DecodedLine(LineState.CLEAN, (to_record(decode(line.data, WireEntry), place),))
    except (ValueError, RecursionError):
        return _recover(line)


def _recover(line: Line) -> DecodedLine:
    if not line.data.strip():
        return DecodedLine(LineState.BLANK)
    found = find_objects(line.data)
    records: list[Header | Entry] = []
    for nth, item in enumerate(found, 1):
        place = Place(line.number, line.offset + item.start, item.end - item.start)
        records.append(to_record(decode(line.data[item.start : item.end], WireEntry), place, nth))
    damages = tuple(Damage(line.number, line.offset + start, end - start) for start, end in gaps(line.data, found))
    return DecodedLine(LineState.RECOVERED if records else LineState.DAMAGED, tuple(records), damages)
