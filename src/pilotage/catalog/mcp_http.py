"""A client for the SDK's transport over streamable HTTP: it bounds what is taken and notes the status."""

from collections.abc import AsyncIterator, Mapping

import httpx2

from pilotage.catalog.mcp_stdio import MOST_BYTES


class HttpTranscript:
    """What a server showed of itself beside its messages."""

    def __init__(self) -> None:
        self.status: int | None = None
        """The last answer's status."""
        self.overran = False
        """Whether it sent more than is taken, or what cannot be measured."""
        self.is_packed = False
        """Whether it compressed an answer."""
        self.taken = 0
        """How many bytes it sent."""


def open_client(headers: Mapping[str, str], limit: float, transcript: HttpTranscript) -> httpx2.AsyncClient:
    """A client for one server; `limit` is the time for each step of a request, in seconds."""

    async def note(response: httpx2.Response) -> None:
        transcript.status = response.status_code
        if response.headers.get("content-encoding", "identity") != "identity":
            # What is packed could unpack to anything, and it was not asked for.
            transcript.overran = transcript.is_packed = True
            raise httpx2.DecodingError("compressed")
        if isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _Bounded(response.stream, transcript)

    return httpx2.AsyncClient(
        headers={**headers, "Accept-Encoding": "identity"}, timeout=limit, event_hooks={"response": [note]}
    )


class _Bounded(httpx2.AsyncByteStream):
    """An answer's body up to the bound for its server."""

    def __init__(self, stream: httpx2.AsyncByteStream, transcript: HttpTranscript) -> None:
        self._stream = stream
        self._transcript = transcript

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            self._transcript.taken += len(chunk)
            if self._transcript.taken > MOST_BYTES:
                self._transcript.overran = True
                raise httpx2.ReadError("too much")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()
