"""The diff of an edit: from the host's own result where it ran, else from what the call asked for."""

import difflib
import re
from collections.abc import Iterator

from pilotage.console.pieces import Piece, PieceLine, cut
from pilotage.plain import plain
from pilotage.records.fields import as_dict, as_list, as_text

CONTEXT = 2
"""Lines around a change that are shown."""
LONGEST = 200
"""Lines of a diff that are shown."""

_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")

DiffLine = tuple[str, str, str]
"""The sign (blank, - or +), the line's number or nothing, and its text."""


def diff_lines(result: dict[str, object], arguments: dict[str, object], width: int) -> Iterator[PieceLine]:
    """The diff, with two lines around each change, one line each."""
    patch = as_text(as_dict(result.get("details")).get("patch"))
    lines = list(_of_patch(patch) if patch else _of_arguments(arguments))
    shown = _near_changes(lines)
    for sign, number, text in shown[:LONGEST]:
        yield _painted(sign, number, text, width)
    if len(shown) > LONGEST:
        yield [Piece(f"… {len(shown) - LONGEST} more lines", "dim")]


def _painted(sign: str, number: str, text: str, width: int) -> PieceLine:
    role, ground = {"-": ("failed", "removed-ground"), "+": ("ok", "added-ground")}.get(sign, ("dim", ""))
    shown = cut(plain(text[:2000]), width - 8)
    return [Piece(f"{number:>4} ", "dim", ground=ground), Piece(f"{sign}  {shown}", role, ground=ground)]


def _of_patch(patch: str) -> Iterator[DiffLine]:
    """The lines of a unified diff, each with its number in the file before or after."""
    old = new = 0
    inside = False
    for line in patch.split("\n"):
        hunk = _HUNK.match(line)
        if hunk:
            if inside:
                yield "~", "", ""
            old, new, inside = int(hunk.group(1)), int(hunk.group(2)), True
        elif inside and line.startswith("-"):
            yield "-", str(old), line[1:]
            old += 1
        elif inside and line.startswith("+"):
            yield "+", str(new), line[1:]
            new += 1
        elif inside and line.startswith(" "):
            yield " ", str(new), line[1:]
            old, new = old + 1, new + 1


def _of_arguments(arguments: dict[str, object]) -> Iterator[DiffLine]:
    """What the call asked for, edit by edit; there are no line numbers, as the file was not looked at."""
    edits = [as_dict(edit) for edit in as_list(arguments.get("edits"))]
    if not edits and "oldText" in arguments:
        edits = [arguments]
    for number, edit in enumerate(edits):
        if number:
            yield "~", "", ""
        old, new = (as_text(edit.get(name)).split("\n") for name in ("oldText", "newText"))
        yield from _compared(old[:LONGEST], new[:LONGEST])


def _compared(old: list[str], new: list[str]) -> Iterator[DiffLine]:
    """Two texts line by line; unlike `difflib.ndiff` it stays quick where many lines are alike."""
    for kind, old_at, old_to, new_at, new_to in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            yield from ((" ", "", line) for line in old[old_at:old_to])
            continue
        yield from (("-", "", line) for line in old[old_at:old_to])
        yield from (("+", "", line) for line in new[new_at:new_to])


def _near_changes(lines: list[DiffLine]) -> list[DiffLine]:
    """The changes with a little around them; what lies between is left out and marked."""
    near = {
        other
        for at, (sign, _, _) in enumerate(lines)
        if sign in "-+"
        for other in range(at - CONTEXT, at + CONTEXT + 1)
    }
    shown: list[DiffLine] = []
    for at, line in enumerate(lines):
        if at in near and line[0] != "~":
            shown.append(line)
        elif shown and shown[-1][0] != "~":
            shown.append(("~", "", ""))
    while shown and shown[-1][0] == "~":
        shown.pop()
    return shown
