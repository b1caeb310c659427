"""Server-sent events: the bytes of a stream cut into the data that they carry."""


class EventStream:
    """Takes a stream in pieces that may end anywhere, and gives the data of each whole event.

    Lines end with LF or CRLF; comments and fields other than `data` are passed over; an event of several data lines
    is one text.
    """

    def __init__(self) -> None:
        self._pending = bytearray()
        self._data: list[bytes] = []

    def feed(self, chunk: bytes) -> list[str]:
        """Take more bytes; give the data of the events that they complete."""
        start = len(self._pending)
        self._pending += chunk
        if self._pending.find(b"\n", start) < 0:
            return []
        *lines, rest = self._pending.split(b"\n")
        self._pending = bytearray(rest)
        return [data for line in lines for data in self._take(bytes(line).removesuffix(b"\r"))]

    def finish(self) -> list[str]:
        """Give the data of the event at the very end, which no empty line completed."""
        last = bytes(self._pending).removesuffix(b"\r")
        self._pending.clear()
        return [*self._take(last), *self._take(b"")]

    def _take(self, line: bytes) -> list[str]:
        """Take one line; an empty one completes an event."""
        if not line:
            data, self._data = self._data, []
            return [b"\n".join(data).decode("utf-8", "replace")] if data else []
        if line == b"data" or line.startswith(b"data:"):
            self._data.append(line[5:].removeprefix(b" "))
        return []
