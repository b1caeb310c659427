import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilotage.review.likeness import is_same, likeness

TESTS = 'System prompt: "Run the tests before each commit."'
DEFINITION = 'User request: "agree the definition of an active user with me first"'
BUILD = 'User request: "make the build pass"'
INTERFACE = 'User request: "leave the public interface as it is"'
BACKUP = 'System prompt: "Make a backup before any migration and announce it in the channel."'
CHINESE = "用户请求：“先和我确认活跃用户的定义”"

SAME = [
    (
        ("Code was written before the definition of an active user was agreed; ask the user for it first.", DEFINITION),
        (
            "You started to write code without an agreed definition of an active user. Stop and ask the user.",
            DEFINITION,
        ),
    ),
    (
        ("You committed without running the tests. Run them now.", TESTS),
        ("The commit was made before the tests were run; run them now and amend the commit if one fails.", TESTS),
    ),
    (
        ("The tests were not run before the commit. Run them.", TESTS),
        (
            "Tests have still not been run before committing.",
            'System prompt (rules): "Run the tests before each commit"',
        ),
    ),
    (
        ("You ran the same failing build four times without changing anything; read its first error.", BUILD),
        ("The same build was run a fifth time without a change. Read the first error before you run it again.", BUILD),
    ),
    (
        ("You say that the upload is mended, but ran nothing after the edit; run tests/test_upload.py.", BUILD),
        ("That the upload is mended was not checked: run tests/test_upload.py several times.", BUILD),
    ),
    (
        ("尚未确认活跃用户的定义就开始实现；请先向用户确认。", CHINESE),
        ("在没有确认活跃用户定义的情况下开始了实现，请停下来先向用户确认定义。", CHINESE),
    ),
    (
        ("Die Migration lief ohne Sicherung. Lege jetzt eine an.", BACKUP),
        ("Es gibt noch keine Sicherung, obwohl die Migration schon lief; lege sie jetzt an.", BACKUP),
    ),
]

DIFFERENT = [
    (
        ("You committed without running the tests. Run them now.", TESTS),
        ("You committed to main. Open a pull request.", 'System prompt: "Never commit to main."'),
    ),
    (
        ("You changed src/part.py without running the tests; run them now.", TESTS),
        ("You changed src/retry.py without running the tests; run them now.", TESTS),
    ),
    (
        ("The public signature of parse was changed; restore it.", INTERFACE),
        ("A public function named render was removed; bring it back.", INTERFACE),
    ),
    (
        ("You ran the same failing build four times without changing anything; read its first error.", BUILD),
        ("You switched the failing tests off to make the build pass; switch them on and mend the cause.", BUILD),
    ),
    (
        ("The migration ran without a backup. Make one now.", BACKUP),
        ("The migration was not announced. Announce it in the channel.", BACKUP),
    ),
    (
        ("尚未确认活跃用户的定义就开始实现；请先向用户确认。", CHINESE),
        ("报告的时间范围改成了三十天，请改回七天。", "用户请求：“最近七天”"),
    ),
    (
        (
            "You looked at the file with cat although read is asked for; use read.",
            'System prompt: "Use read, not cat."',
        ),
        ("You changed the file with sed although edit is asked for; use edit.", 'System prompt: "Use edit, not sed."'),
    ),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_in_other_words(one: tuple[str, str], other: tuple[str, str]) -> None:
    """A deviation that is worded anew, in any script, is the same deviation (spec R6)."""
    assert is_same(one, other)
    assert is_same(other, one)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_another_deviation(one: tuple[str, str], other: tuple[str, str]) -> None:
    """Another deviation is another one, though it leaves the same principle or is worded alike (spec R6)."""
    assert not is_same(one, other)
    assert not is_same(other, one)


def test_another_principle_for_the_same_words() -> None:
    """The same words are the same deviation, whatever principle they are said to leave."""
    said = "The tests were not run before the commit. Run them."
    assert is_same((said, TESTS), (f"{said.upper()}  ", BUILD))


@given(st.text(), st.text(), st.text())
def test_any_text(one: str, other: str, source: str) -> None:
    """Likeness is symmetric, lies between 0 and 1, and a reminder is the same as itself."""
    assert 0 <= likeness(one, other) == likeness(other, one) <= 1
    assert is_same((one, source), (one, source))
    assert is_same((one, source), (other, source)) == is_same((other, source), (one, source))
