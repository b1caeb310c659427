import pytest
from rich.cells import cell_len

from pilotage.console.diffs import CONTEXT, LONGEST, diff_lines
from pilotage.console.pieces import PieceLine
from tests.console.driven import text_of, texts
from tests.handmade import HOSTILE

PATCH = """--- retry.py
+++ retry.py
@@ -15,6 +15,6 @@
 a
 b
 while attempt < limit:
-    if not ack: retry()
+    if not ack and not done: retry()
     attempt += 1
 c
 d
@@ -40,2 +40,3 @@
 e
+f
 g
"""


def painted(patch: str = "", width: int = 60, **arguments: object) -> list[PieceLine]:
    """Give the diff of a patch that a host made, or of a call's arguments."""
    result: dict[str, object] = {"details": {"patch": patch}} if patch else {}
    return list(diff_lines(result, arguments, width))


def test_patch_of_the_host() -> None:
    """The host's own patch is shown with numbers and two lines around each change; a gap is marked."""
    assert texts(painted(PATCH)) == [
        "  16    b",
        "  17    while attempt < limit:",
        "  18 -      if not ack: retry()",
        "  18 +      if not ack and not done: retry()",
        "  19        attempt += 1",
        "  20    c",
        "     ~",
        "  40    e",
        "  41 +  f",
        "  42    g",
    ]


def test_signs_and_grounds() -> None:
    """What is added and what is removed has a sign, a colour and a ground of its own."""
    by_sign = {text_of(line)[5]: line[-1] for line in painted(PATCH)}
    assert (by_sign["+"].role, by_sign["+"].ground) == ("ok", "added-ground")
    assert (by_sign["-"].role, by_sign["-"].ground) == ("failed", "removed-ground")
    assert (by_sign[" "].role, by_sign[" "].ground) == ("dim", "")


def test_from_the_arguments() -> None:
    """An edit without a patch is shown from what it asked for, without numbers, edit by edit."""
    edits = [{"oldText": "a\nb\nc", "newText": "a\nB\nc"}, {"oldText": "x", "newText": "y"}]
    assert texts(painted(edits=edits)) == [
        "        a",
        "     -  b",
        "     +  B",
        "        c",
        "     ~",
        "     -  x",
        "     +  y",
    ]
    assert texts(painted(oldText="x", newText="y")) == ["     -  x", "     +  y"]


def test_only_what_is_near() -> None:
    """Lines far from a change are left out."""
    old = "\n".join(map(str, range(30)))
    shown = texts(painted(edits=[{"oldText": old, "newText": old.replace("\n15\n", "\nX\n")}]))
    assert len(shown) == 2 * CONTEXT + 2


def test_long_diffs_are_cut() -> None:
    """A long diff says how much of it is not shown."""
    patch = "@@ -0,0 +1,500 @@\n" + "\n".join(f"+{number}" for number in range(500))
    shown = texts(painted(patch))
    assert len(shown) == LONGEST + 1
    assert shown[-1] == "… 300 more lines"


@pytest.mark.parametrize("edits", [None, "no list", [], [None, 3, "x"], [{"oldText": 3}], {"oldText": "a"}])
def test_arguments_of_any_shape(edits: object) -> None:
    """Arguments of any shape give a diff or none, and no error."""
    assert isinstance(painted(edits=edits), list)


@pytest.mark.parametrize(
    "patch", ["", "no patch", "@@ -x +y @@\n+a", "@@ -1 +1 @@", "@@ -99999999999999999999 +1 @@\n-a\n+b"]
)
def test_patches_of_any_shape(patch: str) -> None:
    """A patch that is none gives no lines."""
    assert isinstance(texts(painted(patch or "x")), list)


def test_hostile_lines() -> None:
    """Lines of a diff are fit for a terminal and cut to the width, wide signs among them."""
    for line in painted(edits=[{"oldText": HOSTILE, "newText": "漢" * 500}], width=30):
        text = text_of(line)
        assert text.isprintable()
        assert cell_len(text) <= 30


def test_many_lines_that_are_alike() -> None:
    """Hundreds of lines that nearly match are compared as whole lines."""
    old = "\n".join(f"value_{number} = compute(alpha, {number})" for number in range(400))
    shown = painted(edits=[{"oldText": old, "newText": old.replace("alpha", "beta")}])
    assert len(shown) == LONGEST + 1
