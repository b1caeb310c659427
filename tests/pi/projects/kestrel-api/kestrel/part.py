"""A file, cut into parts that travel on their own."""

from dataclasses import dataclass
from unicodedata import normalize


@dataclass(frozen=True)
class Part:
    """One part of an upload, counted from 1."""

    name: str
    number: int
    data: bytes


def split(name: str, data: bytes, size: int) -> list[Part]:
    """Cut `data` into parts of `size` bytes; the name is sent composed (NFC)."""
    composed = normalize("NFC", name)
    starts = range(0, len(data), size)
    return [Part(composed, number, data[start : start + size]) for number, start in enumerate(starts, 1)]
