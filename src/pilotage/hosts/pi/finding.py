"""One thing that the doctor looked at."""

from enum import StrEnum

from msgspec import Struct


class Verdict(StrEnum):
    """How it is."""

    OK = "ok"
    """As it should be."""
    WRONG = "wrong"
    """Not as it should be; there is a mend."""
    NOTE = "note"
    """Neither: nothing that would need a mend, or nothing that could be looked at."""


class Finding(Struct, frozen=True):
    """What was looked at, how it is, and how to mend it."""

    check: str
    """What was looked at: a word or two, the same on every machine."""
    verdict: Verdict
    """How it is."""
    words: str
    """What was seen."""
    mend: str = ""
    """What to do about it."""


def ok(check: str, words: str) -> Finding:
    """It is as it should be."""
    return Finding(check, Verdict.OK, words)


def wrong(check: str, words: str, mend: str) -> Finding:
    """It is not as it should be."""
    return Finding(check, Verdict.WRONG, words, mend)


def note(check: str, words: str, mend: str = "") -> Finding:
    """It is neither."""
    return Finding(check, Verdict.NOTE, words, mend)
