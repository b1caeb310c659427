from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pilotage.catalog.frontmatter import FaultyFront, Front, parse_front

LETTERS = "abcdefghij"
BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{after}: &{after} [{','.join([f'*{before}'] * 9)}]\n" for before, after in pairwise(LETTERS)
)


def front(*lines: str) -> str:
    """Give a file's head with these lines of front matter."""
    return "\n".join(["---", *lines, "---", "Body."])


def test_what_is_read() -> None:
    """Name, description, the short description and the switch are read, and nothing else."""
    text = front(
        "name: tides",
        "description: |",
        "  Reads tide tables.",
        "  Use it before a passage.",
        "disable-model-invocation: true",
        "metadata:",
        "  catalog-description: Tide tables.",
        "license: MIT",
    )
    assert parse_front(text) == Front("tides", "Reads tide tables.\nUse it before a passage.", "Tide tables.", True)


@pytest.mark.parametrize("text", ["", "Body.", "--", "---\nname: x", "---\n---\n", front(), front("- x"), front("5")])
def test_a_file_without_fields(text: str) -> None:
    """A file without front matter, or with one that is no object, has no fields and no fault."""
    assert parse_front(text) == Front()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("description: yes", "yes"),
        ("description: off", "off"),
        ("description: 2026-01-05", "2026-01-05"),
        ("description: 12:30:00", "12:30:00"),
        ("description: 12", ""),
        ("description: 1.5e3", ""),
        ("description: true", ""),
        ("description: ~", ""),
        ("description:", ""),
        ("description: [a]", ""),
        ("description: !!str 12", "12"),
    ],
)
def test_types_are_those_of_yaml_1_2(line: str, expected: str) -> None:
    """A word or date that YAML 1.1 makes something else of is text, as in Pi; a number is none."""
    assert parse_front(front(line)).description == expected


@pytest.mark.parametrize(("word", "is_disabled"), [("true", True), ("True", True), ("yes", False), ('"true"', False)])
def test_only_a_truth_value_switches_off(word: str, is_disabled: bool) -> None:
    """Only YAML 1.2's own true switches a skill off."""
    assert parse_front(front("description: x", f"disable-model-invocation: {word}")).is_disabled is is_disabled


def test_line_ends_and_a_byte_order_mark() -> None:
    """A byte order mark, CRLF and lone CR are taken."""
    assert parse_front("\ufeff---\r\nname: a\rdescription: b\r\n---\r\n") == Front("a", "b")


@pytest.mark.parametrize(
    ("lines", "line", "word"),
    [
        (["name: a", "description: one: two"], 3, "mapping values"),
        (["name: a", "name: b"], 3, "twice"),
        (["name: a", "", "x: !!python/object/apply:os.system [ls]"], 4, "python"),
        (["name: [a"], 2, "expected"),
        (["name: *gone"], 2, "alias"),
        (["a: &a {x: 1}", "b: {!!merge <<: [*a, *a]}"], 3, "merge"),
        (["x: &x a", *[f"k{number}: *x" for number in range(101)]], 103, "too many aliases"),
        (["name: \x07"], 2, "character"),
        (["name: !!timestamp x"], 2, "cannot be read"),
        ([f"name: {'[' * 5000}"], 2, "cannot be read"),
    ],
)
def test_a_fault_names_its_line(lines: list[str], line: int, word: str) -> None:
    """What is no YAML, gives a key twice, runs code or never ends is a fault with its line and a mend."""
    with pytest.raises(FaultyFront, match=word) as caught:
        parse_front(front(*lines))
    assert caught.value.line == line
    assert caught.value.mend


def test_a_bomb_stays_small() -> None:
    """Aliases that stand for a billion values leave nothing that holds them."""
    assert parse_front(front(BOMB, "description: x")) == Front(description="x")


def test_no_lone_surrogate_comes_out() -> None:
    """An escaped half of a character becomes a sign that can be written."""
    assert parse_front(front('description: "a\\ud800b"')).description == "a\ufffdb"


@example('a: "\\UFFFFFFFF"')
@given(st.text(alphabet=st.sampled_from("abn:-?[]{}&*!|>'\"%@`#,. \n\t~0x"), max_size=60))
def test_hostile_text_is_a_fault_at_most(text: str) -> None:
    """Whatever stands there, it is read or is a fault."""
    with suppress(FaultyFront):
        assert isinstance(parse_front(f"---\n{text}\n---\n"), Front)
