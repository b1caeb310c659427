from types import MappingProxyType

import pytest
from msgspec import UNSET

from pilotage.contract.decode import Digits
from pilotage.contract.provenance import (
    PROVENANCE_TOOLS,
    Provenance,
    has_visible_character,
    recorded_provenance,
    split_provenance,
)


@pytest.mark.parametrize(
    "text",
    [
        "a",
        " . ",
        "…",
        "理由",
        "\u200bx",
        "e\u0301",
        "🙂",
        "\ufffd",
        "\u3000終",
        "\u0e01",
    ],
)
def test_visible(text: str) -> None:
    """A text with anything that a reader would see has a visible character."""
    assert has_visible_character(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        " \t\u200b\u3000",
        "\n\r\n",
        "\u00a0\u2003\u202f",
        "\u200b\u200c\u200d\u2060\ufeff",
        "\u202e\u2066",
        "\u2028\u2029",
        "\u0301",
        "\u00ad",
        "\u115f\u1160\u3164\uffa0",
        "\u2800",
        "\x00\x1b",
        "\ud83d",
        "\ufe0f",
    ],
)
def test_invisible(text: str) -> None:
    """Spaces, controls, zero-width signs, lone marks and blank letters of any script are not visible."""
    assert not has_visible_character(text)


def test_tools_of_the_contract() -> None:
    """The contract is on four tools."""
    assert PROVENANCE_TOOLS == ("bash", "write", "edit", "read")


def test_split_takes_both_halves_out() -> None:
    """Provenance is taken out of the arguments and the rest stays as it was."""
    given = {"command": "ls", "intent": "See what is there.", "timeout": 3, "rationale": "The user asked."}
    assert split_provenance("bash", given) == (
        {"command": "ls", "timeout": 3},
        "See what is there.",
        "The user asked.",
    )


def test_split_tells_absent_from_null() -> None:
    """A half that is absent is told apart from one that is null."""
    assert split_provenance("read", {"rationale": None}) == ({}, UNSET, None)


def test_split_leaves_what_it_is_given() -> None:
    """What is split stays unchanged, even where it could not be changed."""
    given = MappingProxyType({"path": "a", "intent": "b"})
    bare, _, _ = split_provenance("read", given)
    assert given == {"path": "a", "intent": "b"}
    assert bare == {"path": "a"}


def test_split_takes_nothing_from_edits() -> None:
    """Only the top level of a call carries provenance."""
    edits = [{"oldText": "a", "newText": "b", "intent": "c"}]
    assert split_provenance("edit", {"path": "p", "edits": edits})[0]["edits"] == edits


@pytest.mark.parametrize("tool", ["mcp__planner__note", "grep", "codemode", "Bash", ""])
def test_other_tools_have_no_provenance(tool: str) -> None:
    """An `intent` of a tool outside the contract is an argument of its own."""
    given = {"intent": "book a room", "rationale": 3}
    assert split_provenance(tool, given) == (given, UNSET, UNSET)
    assert recorded_provenance(tool, given) == (None, None)


def test_recorded_provenance() -> None:
    """A recorded call gives back its intent and its rationale."""
    assert recorded_provenance("bash", {"command": "ls", "intent": "See.", "rationale": "Asked."}) == (
        "See.",
        "Asked.",
    )


@pytest.mark.parametrize("value", [None, 5, True, [], ["x"], {}, {"text": "x"}, 1.5, Digits("9" * 5000)])
def test_only_text_is_recorded_provenance(value: object) -> None:
    """What is not text is no provenance, however it was recorded."""
    assert recorded_provenance("write", {"intent": value, "rationale": value}) == (None, None)


def test_blank_text_is_recorded_as_it_stands() -> None:
    """A blank intent is told as it was: it is for the marks to say that it is hollow."""
    assert recorded_provenance("write", {"intent": " "}) == (" ", None)


@pytest.mark.parametrize("arguments", [None, [], "intent", 7, True])
def test_recorded_arguments_may_be_anything(arguments: object) -> None:
    """Arguments that are no object have no provenance, and do no harm."""
    assert recorded_provenance("read", arguments) == (None, None)


def test_provenance_cannot_be_changed() -> None:
    """Provenance is frozen."""
    with pytest.raises(AttributeError):
        Provenance("a", None).intent = "b"  # type: ignore[misc]
