"""Upload one file."""

from dataclasses import dataclass

from kestrel.part import split
from kestrel.retry import Link, send_part


@dataclass(frozen=True)
class Receipt:
    """What an upload took."""

    parts: int
    sent: int


def upload(name: str, data: bytes, link: Link, part_size: int = 64) -> Receipt:
    """Send `data` part by part and say how many parts there were and how many were sent."""
    parts = split(name, data, part_size)
    return Receipt(len(parts), sum(send_part(part, link) for part in parts))
