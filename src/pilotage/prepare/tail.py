"""The end of a command's output, in bounded memory, told as the host's own bash tells it (`HOST.md` b)."""

MOST_LINES = 2_000
MOST_BYTES = 50 * 1024

_KEPT = 2 * MOST_BYTES
_NOTHING = "(no output)"


class Tail:
    """Takes output of any length and keeps its end."""

    def __init__(self) -> None:
        self._kept = bytearray()
        self._is_cut = False
        self._bytes = 0
        self._newlines = 0
        self._line = 0
        """Bytes of the line that has not ended."""

    def add(self, data: bytes) -> None:
        """Take what came."""
        self._bytes += len(data)
        newline = data.rfind(b"\n")
        self._newlines += data.count(b"\n")
        self._line = self._line + len(data) if newline < 0 else len(data) - newline - 1
        self._kept += data
        if len(self._kept) > 2 * _KEPT:
            self._is_cut = True
            del self._kept[:-_KEPT]

    def text(self, ending: str = "", nothing: str = _NOTHING) -> str:
        """The output as an agent reads it, with a note where its beginning is missing, and then `ending`.

        The host would name a file with the whole output; here it is kept nowhere, and the note says so.
        """
        told = self._told() or nothing
        return "\n\n".join(part for part in (told, ending) if part)

    def _told(self) -> str:
        lines = self._newlines + (self._line > 0)
        if lines <= MOST_LINES and self._bytes <= MOST_BYTES:
            return self._kept.decode("utf-8", "replace")
        shown = self._last_lines()
        if not shown:
            return self._end_of_line(lines)
        limit = "" if len(shown) == MOST_LINES else f" ({MOST_BYTES / 1024:.1f}KB limit)"
        note = f"[Showing lines {lines - len(shown) + 1}-{lines} of {lines}{limit}. The full output was not kept.]"
        return b"\n".join(shown).decode("utf-8", "replace") + f"\n\n{note}"

    def _last_lines(self) -> list[bytes]:
        """The last whole lines that fit; none where the last alone does not."""
        lines = bytes(self._kept).removesuffix(b"\n").split(b"\n")
        # The first line that is kept may lack its beginning.
        whole = lines[1:] if self._is_cut else lines
        shown: list[bytes] = []
        size = -1
        for line in reversed(whole[-MOST_LINES:]):
            size += len(line) + 1
            if size > MOST_BYTES:
                break
            shown.append(line)
        return shown[::-1]

    def _end_of_line(self, lines: int) -> str:
        """The end of a last line that is too long, from the start of a character."""
        last = bytes(self._kept).removesuffix(b"\n")[-MOST_BYTES:]
        while last and last[0] & 0xC0 == 0x80:
            last = last[1:]
        note = f"[Showing last {_size(len(last))} of line {lines}. The full output was not kept.]"
        return last.decode("utf-8", "replace") + f"\n\n{note}"


def _size(count: int) -> str:
    return f"{count}B" if count < 1024 else f"{count / 1024:.1f}KB"
