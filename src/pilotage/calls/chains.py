"""Chains of tries: a rejected call, its corrections, and the call that was accepted at last (spec K4)."""

from typing import Generic, Protocol, TypeVar

from msgspec import Struct

from pilotage.records.call import ChainLink


class Try(Protocol):
    """What a chain needs to know of a call."""

    @property
    def id(self) -> str:
        """The host's own id of the call."""

    @property
    def tool(self) -> str:
        """The tool's name."""

    @property
    def target(self) -> str | None:
        """The path, or the command's first line."""

    @property
    def entry(self) -> int:
        """The index of the entry that made the call."""

    @property
    def chain(self) -> ChainLink | None:
        """Its place in a chain, if it is a later try."""


T = TypeVar("T", bound=Try)


class _Open(Struct, Generic[T], frozen=True):
    """A rejected call that nothing has corrected yet."""

    call: T
    """The call."""
    link: ChainLink
    """Its own place in its chain."""


class Chains(Generic[T]):
    """Links each call to the rejection that it corrects.

    The link is the next call of the same tool and target in the turn, or of the same tool where the rejected call
    named no target. A call of the same message corrects nothing: it was made before the rejection was read.
    """

    def __init__(self) -> None:
        self._open: dict[tuple[int, str, str | None], list[_Open[T]]] = {}

    def corrected_by(self, call: T, turn_root: int) -> tuple[T, ChainLink] | None:
        """The rejected call that `call` is the next try of, with that one's link; it is open no longer."""
        for target in (None,) if call.target is None else (call.target, None):
            waiting = self._open.get((turn_root, call.tool, target), [])
            for number, rejected in enumerate(waiting):
                if rejected.call.entry != call.entry:
                    del waiting[number]
                    return rejected.call, rejected.link
        return None

    def reject(self, call: T, turn_root: int) -> ChainLink:
        """Open a chain at a rejected call, or go on with the one that it is part of; its link."""
        link = call.chain or ChainLink(call.id, 1, identical=False)
        key = (turn_root, call.tool, call.target)
        self._open.setdefault(key, []).append(_Open(call, link))
        return link
