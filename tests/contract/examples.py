"""Calls that several tests need, and how to draw others."""

from hypothesis import settings
from hypothesis import strategies as st

unhurried = settings(deadline=None)
"""For drawn examples: a busy machine is no reason to fail."""

INTENT = "Prove that the retry limit holds when the server stays silent."

BARE: dict[str, dict[str, object]] = {
    "bash": {"command": "pytest -q tests/test_retry.py"},
    "write": {"path": "src/retry.py", "content": "LIMIT = 3\n"},
    "edit": {"path": "src/retry.py", "edits": [{"oldText": "LIMIT = 3", "newText": "LIMIT = 5"}]},
    "read": {"path": "src/retry.py"},
}
"""The smallest arguments of each tool, without provenance."""

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=True, allow_infinity=True)
    | st.text(st.characters())
    | st.sampled_from(["", " ", "\u200b", "10", "2.5", "[]", "\ud83d", "1e999", "ok"])
)
"""Values without members, lone surrogates among them."""

NAMES = st.sampled_from(
    [
        *("command", "timeout", "path", "content", "edits", "oldText", "newText", "offset", "limit"),
        *("intent", "rationale", "extra"),
    ]
) | st.text(max_size=5)
"""Names of fields, known and unknown."""

JSON = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=6))
"""Any value that JSON text can stand for, and the numbers that Python adds."""

TOOLS = st.sampled_from(["bash", "write", "edit", "read", "mcp__rig__find", ""])
"""Tools within and without the contract."""


def call(tool: str, **changes: object) -> dict[str, object]:
    """Give a valid call of the tool, with some arguments changed or added."""
    return {**BARE[tool], "intent": INTENT, **changes}
