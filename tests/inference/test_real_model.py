import asyncio
import os
from pathlib import Path

import pytest

from pilotage.inference.question import Failure, Question, Reply, RequestFailed
from pilotage.inference.request import ask
from pilotage.inference.resolve import resolve
from pilotage.records.configuration import Configuration

pytestmark = pytest.mark.model

PAIR = {"type": "array", "items": {"type": "string", "maxLength": 40}, "minItems": 2, "maxItems": 2}
QUESTION = Question(
    purpose="trajectory",
    system="Answer with JSON: an object with the key reminders, an array of at most two pairs of short texts.",
    user="The agent was told to run the tests first and did not.",
    schema={
        "type": "object",
        "properties": {"reminders": {"type": "array", "items": PAIR, "maxItems": 2}},
        "required": ["reminders"],
        "additionalProperties": False,
    },
    max_tokens=160,
)


def asked(url: str, folder: Path, question: Question, *, stream: bool) -> Reply:
    """Ask the local server as Pi's files would name it."""

    async def run() -> Reply:
        target = await resolve(Configuration(), folder, {**os.environ, "LLAMA_BASE_URL": url})
        return await ask(target, question, level="medium", deadline=60, stream=stream)

    return asyncio.run(run())


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "in one piece"])
def test_a_bounded_schema_is_kept(small_model: str, tmp_path: Path, stream: bool) -> None:
    """A real llama.cpp server answers within the schema, or is cut off and that is told by its name (spec M1, M6)."""
    try:
        reply = asked(small_model, tmp_path, QUESTION, stream=stream)
    except RequestFailed as failed:
        assert failed.failure is Failure.CUT_OFF, failed  # noqa: PT017 both ends are right
        exchange = failed.exchange
    else:
        assert isinstance(reply.value, dict)
        assert list(reply.value) == ["reminders"]
        assert all(len(pair) == 2 for pair in reply.value["reminders"])
        exchange = reply.exchange
    assert (exchange.status, exchange.model) == (200, "llama/iq3")
    assert exchange.input_tokens > 20
    assert 0 < exchange.output_tokens <= 160
    assert exchange.response.startswith("data: ") is stream


def test_a_cut_answer_is_told(small_model: str, tmp_path: Path) -> None:
    """An answer that a real server cuts at its limit is told by its name."""
    question = Question(QUESTION.purpose, QUESTION.system, QUESTION.user, QUESTION.schema, max_tokens=3)
    with pytest.raises(RequestFailed) as raised:
        asked(small_model, tmp_path, question, stream=True)
    assert raised.value.failure is Failure.CUT_OFF
    assert raised.value.exchange.output_tokens == 3
