import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilotage.contract.marks import marks
from pilotage.records.call import Mark
from tests.contract.examples import unhurried


def test_missing_intent_has_no_mark() -> None:
    """Where there is no intent there is nothing to mark."""
    assert marks(None, target="a.py", previous="x", request="Do the thing that I said.") == ()


@pytest.mark.parametrize(
    "intent",
    [
        "",
        " \u200b",
        "…",
        "?!",
        "🙂",
        "run the command",
        "Run the command.",
        "next step",
        "Next step:",
        "continue",
        "Continue...",
        "test",
        "Read the file",
        "edit file",
        "Let me check this now",
        "继续",
        "执行命令。",
        "下一步",
        "続ける",
        "次へ",
        "Продолжить",
        "следующий шаг",
        "Nächster Schritt",
        "Étape suivante",
        "다음 단계",
    ],
)
def test_hollow(intent: str) -> None:
    """An intent of nothing but signs and filler is hollow, in any language."""
    assert marks(intent) == (Mark.HOLLOW,)


@pytest.mark.parametrize(
    ("intent", "target"),
    [
        ("src/app.py", "src/app.py"),
        ("Read src/app.py", "src/app.py"),
        ("read the file `src/app.py`.", "src/app.py"),
        ("Read app.py", "src/app.py"),
        ("Open ./src/app.py now", "src/app.py"),
        ("读取src/app.py", "src/app.py"),
        ("Прочитать", "прочитать"),
        ("查看 文档/说明.md", "文档/说明.md"),
        ("SRC/APP.PY", "src/app.py"),
    ],
)
def test_repeats_a_path(intent: str, target: str) -> None:
    """An intent that is the path again, or its name, with nothing but filler around it is marked."""
    assert marks(intent, target=target) == (Mark.REPEATS_TARGET,)


@pytest.mark.parametrize(
    ("intent", "command"),
    [
        ("npm run lint", "npm run lint"),
        ("Run npm run lint", "npm run lint"),
        ("Execute: git status --short", "git status --short"),
        ("ls -la", "ls -la\npwd"),
        ("Run ls -la && pwd", "ls -la &&\npwd"),
    ],
)
def test_repeats_a_command(intent: str, command: str) -> None:
    """An intent that is the command again, or its first line, is marked."""
    assert marks(intent, target=command.split("\n")[0], command=command) == (Mark.REPEATS_TARGET,)


@pytest.mark.parametrize(
    ("intent", "target", "command"),
    [
        ("Read src/app.py to see how retry decides it is done", "src/app.py", None),
        ("Find out where app.py sets the limit", "src/app.py", None),
        ("Verify no regressions before commit", "npm test", "npm test"),
        ("Run npm test to prove that the retry limit holds", "npm test", "npm test"),
        ("Make the loop stop", "make", "make"),
        ("Add token refresh logic required by spec section 3.2.", "src/auth.ts", None),
        ("Узнать, где задан предел повторов в src/app.py", "src/app.py", None),
        ("查明重试上限在哪里设置", "src/app.py", None),
        ("Test whether the cache is cold after a restart", "pytest -q", "pytest -q"),
        ("Fix the flaky test", "tests/test_retry.py", None),
        ("Prove that nothing is printed", ".", "."),
    ],
)
def test_sound_intents_have_no_mark(intent: str, target: str, command: str | None) -> None:
    """An intent that says more than its target has no mark."""
    assert marks(intent, target=target, command=command, previous="Another one.", request="Please help me.") == ()


def test_repeats_previous() -> None:
    """An intent that is the previous one word for word is marked, whatever its case and signs."""
    intent = "Prove that the limit holds."
    assert marks(intent, previous=intent) == (Mark.REPEATS_PREVIOUS,)
    assert marks(intent, previous="prove that the limit  HOLDS") == (Mark.REPEATS_PREVIOUS,)
    assert marks("Доказать предел", previous="доказать предел!") == (Mark.REPEATS_PREVIOUS,)
    assert marks(intent, previous="Prove that the limit holds twice.") == ()
    assert marks(intent, previous="") == ()
    assert marks(intent, previous=None) == ()


def test_wordless_intents_repeat_only_themselves() -> None:
    """Signs alone repeat the same signs and no others."""
    assert marks("…", previous="…") == (Mark.HOLLOW, Mark.REPEATS_PREVIOUS)
    assert marks("…", previous="?") == (Mark.HOLLOW,)


@pytest.mark.parametrize(
    ("intent", "request_text"),
    [
        ("Fix the flaky retry test", "Fix the flaky retry test"),
        ("fix the flaky retry test.", "Hello! Fix the flaky retry test. Then tell me."),
        ("Now: fix the flaky retry test", "Hello\nfix the flaky retry test\nthanks"),
        ("Update src/app.py to v2.1 today", "Update src/app.py to v2.1 today! Quick."),
        ("修复登录页面的超时错误并重试", "你好。修复登录页面的超时错误并重试！谢谢"),
        ("ログイン画面のタイムアウトを直す", "ログイン画面のタイムアウトを直す。"),
        ("แก้ไขข้อผิดพลาดในการเข้าสู่ระบบ", "แก้ไขข้อผิดพลาดในการเข้าสู่ระบบ"),
        ("Исправь мигающий тест повторов", "Привет. Исправь мигающий тест повторов."),
    ],
)
def test_copies_the_request(intent: str, request_text: str) -> None:
    """An intent that is a whole sentence of the user's is marked, in any script."""
    assert marks(intent, request=request_text) == (Mark.COPIES_REQUEST,)


@pytest.mark.parametrize(
    ("intent", "request_text"),
    [
        ("Fix it please today", "Fix it please. Today."),
        ("Find out why the test is flaky", "Fix the flaky retry test."),
        (
            "Fix the flaky retry test by waiting for the event that the server sends once its queue is empty",
            "Fix the flaky retry test.",
        ),
        ("Fix the flaky retry", "Fix the flaky retry test."),
        ("修复登录", "修复登录。"),
        ("确认登录超时由代理引起", "修复登录页面的超时错误并重试！"),
        ("Fix the flaky retry tests", "fix the flaky retry test"),
    ],
)
def test_short_or_partial_likeness_is_no_copy(intent: str, request_text: str) -> None:
    """A short sentence, a part of one, or one that is but the start of more is no copy."""
    assert marks(intent, request=request_text) == ()


def test_all_marks_in_order() -> None:
    """Several marks come in the order of their list."""
    text = "run the test file"
    assert marks(text, target=text, command=text, previous=text, request=text) == tuple(Mark)


def test_huge_texts_cost_little() -> None:
    """Marks look at the beginning of a text only, however long it is."""
    words, letters, signs = "a b c d. " * 1_000_000, "x" * 10_000_000, "あいう。" * 1_000_000
    began = time.perf_counter()
    for intent in (words, letters, signs):
        for other in (words, letters, signs):
            marks(intent, target=other, command=other, previous=other, request=other)
    assert time.perf_counter() - began < 5


@unhurried
@given(*[st.none() | st.text(st.characters()) for _ in range(5)])
def test_no_text_crashes(
    intent: str | None, target: str | None, command: str | None, previous: str | None, said: str | None
) -> None:
    """Any texts at all have marks of the closed list, each once."""
    found = marks(intent, target=target, command=command, previous=previous, request=said)
    assert len(set(found)) == len(found)
    assert set(found) <= set(Mark)


WIDE = str.maketrans({chr(code): chr(code + 0xFEE0) for code in range(33, 127) if chr(code).isalnum()})
"""Letters and digits of ASCII in the width of Chinese ones: the same words, which no short cut takes."""

WORDS = st.sampled_from(
    ["run", "the", "test", "Why", "fails", "src/app.py", "a_b", "x2", ".", "!", "?", "\n", "\t", "/"]
)
TEXTS = st.lists(WORDS, max_size=8).flatmap(lambda words: st.sampled_from([" ".join(words), "".join(words)]))


@unhurried
@given(st.data())
def test_marks_of_ascii(data: st.DataObject) -> None:
    """A text of ASCII has the marks that it has in letters of another width, whatever it is held against."""
    intent = data.draw(TEXTS)
    alike = st.sampled_from([intent, intent.upper(), f"run {intent} now", f"{intent}.", intent[3:], intent[:-3]])
    others = {name: data.draw(st.none() | alike | TEXTS) for name in ("target", "command", "previous", "request")}
    wide = {name: text and text.translate(WIDE) for name, text in others.items()}
    found = marks(intent, **others)
    assert marks(intent.translate(WIDE), **wide) == found
    assert marks(intent, **wide) == found
    assert marks(intent.translate(WIDE), **others) == found


@unhurried
@given(st.text(st.characters()))
def test_an_intent_repeats_itself(text: str) -> None:
    """An intent always repeats a previous one that is the same."""
    assert Mark.REPEATS_PREVIOUS in marks(text, previous=text)
