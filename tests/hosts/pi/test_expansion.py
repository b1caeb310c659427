"""Where the extension puts what was prepared, run by Node (spec P6, P8); the whole of it in tests/pi."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from pilotage.hosts.pi.install import extension_folder, install
from tests.pi.find import Pi

pytestmark = pytest.mark.pi

HERE = Path(__file__).parent
Json = dict[str, Any]

BATCH: list[Json] = [{"role": "assistant", "content": "calls"}, {"role": "toolResult", "content": "result"}]
TEXT: Json = {"role": "user", "content": "as text"}
COMPLETIONS: Json = {"api": "openai-completions", "reasoning": True}
ANTHROPIC: Json = {"api": "anthropic-messages", "reasoning": True}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an installed copy of the extension."""
    folder = extension_folder(tmp_path_factory.mktemp("agent"))
    install(folder)
    return folder


def said(entry_id: str, role: str = "user") -> Json:
    """Give an entry with a message."""
    return {"id": entry_id, "type": "message", "message": {"role": role, "content": entry_id}}


def record(user_entry: str, *messages: Json, kind: str = "custom", **fields: object) -> Json:
    """Give a record for an input."""
    data = {"userEntry": user_entry, "prefetch": {"rounds": [{"messages": list(messages)}]}, "asText": TEXT}
    return {"id": f"r-{user_entry}", "type": kind, "customType": "capability-prefetch", "data": data, **fields}


def put(
    pi: Pi,
    copy: Path,
    *branch: Json,
    hidden: tuple[str, ...] = (),
    model: Json = COMPLETIONS,
    thinking: str = "off",
    changed: bool = False,
) -> list[object] | None:
    """Give the contents of the list that Pi gets; entries that are `hidden` are not in the context."""
    entries = [
        {"sourceEntry": entry, "messages": [entry["message"]]}
        for entry in branch
        if entry["type"] == "message" and entry["id"] not in hidden
    ]
    messages = [message for entry in entries for message in entry["messages"] if message["role"] != "system"]
    given = {
        "branch": list(branch),
        "entries": entries,
        "messages": messages[1:] if changed else messages,
        "model": model,
        "thinkingLevel": thinking,
    }
    words = [str(pi.node), "--no-warnings", str(HERE / "expand.js"), str(copy)]
    done = subprocess.run(words, input=json.dumps(given), capture_output=True, check=True, text=True, timeout=60)
    came = json.loads(done.stdout)
    return came and [message["content"] for message in came]


BRANCH = (said("s", "system"), said("u1"), record("u1", *BATCH), said("a1", "assistant"), said("u2"))


def test_right_behind_its_input(pi: Pi, copy: Path) -> None:
    """A record is put right behind its input, by the entry's id and never by its own place (spec P6)."""
    expected = ["u1", "calls", "result", "a1", "u2"]
    assert put(pi, copy, *BRANCH) == expected
    system, first, kept, answer, second = BRANCH
    assert put(pi, copy, system, first, answer, second, kept) == expected


def test_nothing_to_put(pi: Pi, copy: Path) -> None:
    """Without a record, or when its input is no longer in the context, the list stays as it is (spec P8)."""
    assert put(pi, copy, said("u1")) is None
    assert put(pi, copy, *BRANCH, hidden=("u1",)) == ["a1", "u2"]


@pytest.mark.parametrize(
    ("model", "thinking", "expected"),
    [
        (COMPLETIONS, "high", ["calls", "result"]),
        (ANTHROPIC, "off", ["calls", "result"]),
        ({**ANTHROPIC, "reasoning": False}, "high", ["calls", "result"]),
        (ANTHROPIC, "high", ["as text"]),
    ],
)
def test_text_where_a_batch_would_be_refused(
    pi: Pi, copy: Path, model: Json, thinking: str, expected: list[str]
) -> None:
    """A model that refuses a batch of calls without a thinking block gets one text (spec P6)."""
    assert put(pi, copy, *BRANCH, model=model, thinking=thinking) == ["u1", *expected, "a1", "u2"]


def test_a_list_that_another_extension_changed(pi: Pi, copy: Path) -> None:
    """Where places cannot be told any more nothing is put anywhere."""
    assert put(pi, copy, *BRANCH, changed=True) is None


def test_other_carriers_are_not_replayed(pi: Pi, copy: Path) -> None:
    """The original extension's carrier is a message of its own, and a record that names no input is none (spec P6)."""
    theirs = record("u1", *BATCH, kind="custom_message")
    nameless = record("", *BATCH)
    assert put(pi, copy, said("u1"), theirs, nameless) is None
