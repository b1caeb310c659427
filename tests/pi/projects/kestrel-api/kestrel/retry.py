"""Send a part again until the server says that it has it."""

from typing import Protocol
from uuid import uuid4

from kestrel.part import Part

PATIENCE = 0.25
"""Seconds to wait for an acknowledgement."""

LIMIT = 4
"""How often one part is sent at most."""


class Link(Protocol):
    """A connection to the service."""

    def send(self, part: Part, key: str) -> None:
        """Send one part. The service drops what it already has under the same key."""

    def next_ack(self, wait: float) -> int | None:
        """The next acknowledged part number, or None after `wait` seconds."""


class NotAcknowledgedError(Exception):
    """The server did not say that it has a part."""


def send_part(part: Part, link: Link) -> int:
    """Send one part until it is acknowledged; return how many tries that took."""
    for attempt in range(1, LIMIT + 1):
        key = uuid4().hex
        link.send(part, key)
        if link.next_ack(PATIENCE) == part.number:
            return attempt
    raise NotAcknowledgedError(f"part {part.number} of {part.name}: no acknowledgement in {LIMIT} tries")
