"""One long file studied in stretches at once, and put together again where that changes nothing.

A stretch begins with an input. Chains and marks do not reach beyond a turn, so a stretch that refers to nothing
before it comes to the same by itself; where one does refer there (a branch that goes back, mostly), the file is
studied from its beginning in one go.
"""

from array import array
from collections.abc import Sequence
from itertools import pairwise

from msgspec.structs import replace

from pilotage.calls.study_facts import Fact, Seam, SessionFacts
from pilotage.sessions.child import is_child


def join(parts: Sequence[tuple[SessionFacts, Seam]]) -> SessionFacts | None:
    """The session that its stretches make, in order; none where they must not be studied apart."""
    if not _fit([seam for _, seam in parts]) or _share_keys([facts for facts, _ in parts]):
        return None
    whole = parts[0][0]
    keys, tokens, retries = array("Q"), array("q"), bytearray()
    made_by, fact_of, chains = array("L"), array("L"), []
    numbers: dict[Fact, int] = {}
    for facts, _ in parts:
        before = len(keys)
        own = [numbers.setdefault(fact, len(numbers)) for fact in facts.facts]
        keys += facts.keys
        tokens += facts.tokens
        retries += facts.retries
        made_by.extend([before + answer for answer in facts.made_by])
        fact_of.extend([own[number] for number in facts.fact_of])
        chains += [replace(chain, answer=before + chain.answer) for chain in facts.chains]
    names = [seam.name for _, seam in parts if seam.name is not None]
    return replace(
        whole,
        is_child=is_child(parts[0][1].cwd or "", names[-1] if names else ""),
        keys=keys,
        tokens=tokens,
        retries=retries,
        made_by=made_by,
        fact_of=fact_of,
        facts=tuple(numbers),
        chains=tuple(chains),
    )


def _fit(seams: Sequence[Seam]) -> bool:
    """Whether each stretch goes on where the one before ended, and refers to nothing else before it."""
    for before, after in pairwise(seams):
        if after.strays or after.cwd is not None or before.last_id != after.parent_id or not before.is_answered:
            return False
    timed_before = False
    for seam in seams:
        if timed_before and seam.has_untimed:
            return False
        timed_before = timed_before or seam.is_timed
    return True


def _share_keys(parts: Sequence[SessionFacts]) -> bool:
    """Whether an answer stands in two of the stretches."""
    seen: set[int] = set()
    for part in parts:
        if not seen.isdisjoint(part.keys):
            return True
        seen.update(part.keys)
    return False
