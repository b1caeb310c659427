"""Recorded calls held against the present contract (spec S2).

It stands apart from the study, as judging loads pydantic and counting does not.
"""

import msgspec
from msgspec import Raw

from pilotage.contract.check import Refused, check, check_text
from pilotage.records.call import Kind


def refusal_today(tool: str, arguments: Raw, is_cut_off: bool) -> Kind | None:
    """Why the present contract would refuse a recorded call; none where it would accept it.

    `arguments` is JSON as the file has it. What the host could not parse it keeps as an empty object, which is
    refused as well.
    """
    data = bytes(arguments)
    try:
        judged = check(tool, msgspec.json.decode(data), cut_off=is_cut_off) if data else check(tool, None)
    except (ValueError, RecursionError):
        # Beyond the fast decoder: numbers without bounds, lone surrogates, brackets without end.
        judged = check_text(tool, data.decode("utf-8", "replace"), cut_off=is_cut_off)
    return judged.kind if isinstance(judged, Refused) else None
