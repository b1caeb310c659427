import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilotage.evidence.answer import answer_text
from tests.sessions.raw import unhurried


def event(delta: object) -> str:
    """Give one event of a stream."""
    return f"data: {json.dumps({'choices': [{'delta': delta}]})}\r\n\r\n"


def test_completion() -> None:
    """A whole completion's words are its message's content."""
    assert answer_text('{"choices":[{"message":{"content":"[]"}}]}') == "[]"


def test_stream() -> None:
    """The words of a stream are those of its events, up to where it broke; comments and thinking are none."""
    parts = [": hello\n\n", event({"role": "assistant", "content": ""}), event({"content": "a\u2028"})]
    parts += [event({"reasoning_content": "hm"}), event({"content": "b"}), 'data: {"choices":[{"delta":{"content":"c']
    assert answer_text("".join(parts)) == "a\u2028b"
    assert answer_text("".join(parts) + "\n\ndata: [DONE]\n\n") == "a\u2028b"


@pytest.mark.parametrize(
    "body",
    ["", "<html>", "[]", "{}", '{"choices":{}}', '{"choices":[null]}', '{"choices":[{"message":{"content":null}}]}'],
)
def test_nothing(body: str) -> None:
    """Where there are no words there are none."""
    assert answer_text(body) == ""


@unhurried
@given(st.text() | st.text(alphabet='{}[]":, \ndatchoies0').map(lambda text: f"data:{text}"))
def test_anything(body: str) -> None:
    """Whatever a server sent is no reason to fail."""
    answer_text(body)
    answer_text("[" * 100_000)
