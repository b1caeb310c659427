import json
from typing import Any

from pilotage.contract.check import Accepted, check
from pilotage.prepare.messages import Speaker, prefetch, text_message, tool_messages
from pilotage.records.capability import Catalog
from pilotage.records.preparation import ActionResult, Bash, Read, Suggestion
from tests.prepare.preparation import CATALOG, SKILL

SPEAKER = Speaker("openrouter", "glm-5.3", "openai-completions")
SUGGESTED = [Suggestion("skill:release-notes", "The notes\nare asked for."), Suggestion("tool:notify", "Say so.")]
RESULTS = [
    ActionResult(Read("project:a.py", "See it."), "text", False, 1000, 1010, path="a.py", sha256="x", size=4),
    ActionResult(Read("project:b.py", "See it."), "", True, 1010, 1011, refusal="it is gone"),
    ActionResult(Bash("git log", "See what changed."), "no repo\n\nCommand exited with code 128", True, 1011, 1050),
]


def batch(suggestions: list[Suggestion], results: list[ActionResult], input_id: str = "e1") -> Any:
    """Give the messages as they are stored and read again."""
    made = tool_messages(input_id, suggestions, results, catalog=CATALOG, speaker=SPEAKER, at=990)
    return json.loads(json.dumps(made))


def test_batch() -> None:
    """Done actions are one assistant message with its calls and one result for each, in order (spec P6)."""
    first, *answers = batch([], RESULTS)
    assert [block["type"] for block in first["content"]] == ["toolCall"] * 2
    assert (first["role"], first["stopReason"], first["timestamp"]) == ("assistant", "toolUse", 1000)
    assert (first["provider"], first["model"], first["api"]) == ("openrouter", "glm-5.3", "openai-completions")
    assert [answer["toolCallId"] for answer in answers] == [call["id"] for call in first["content"]]
    assert [answer["toolName"] for answer in answers] == ["read", "bash"]
    assert [answer["isError"] for answer in answers] == [False, True]
    assert [answer["timestamp"] for answer in answers] == [1010, 1050]
    assert answers[0]["content"] == [{"type": "text", "text": "text"}]


def test_usage() -> None:
    """The usage is there and nothing but zeros, or every request of the host fails (PROBES.md a)."""
    usage = batch([], RESULTS)[0]["usage"]
    cost = usage.pop("cost")
    assert set(usage) == {"input", "output", "cacheRead", "cacheWrite", "totalTokens"}
    assert {*usage.values(), *cost.values()} == {0}


def test_contract_holds() -> None:
    """Each call is one that the contract accepts, its intent being what the action was for (spec C1)."""
    for call in batch([], RESULTS)[0]["content"]:
        accepted = check(call["name"], call["arguments"])
        assert isinstance(accepted, Accepted)
        assert accepted.notes == ()
        assert accepted.provenance.intent.startswith("See")


def test_ids() -> None:
    """Ids are the same each time, of one input alone, and such as every provider takes."""
    ids = [call["id"] for call in batch([], RESULTS)[0]["content"]]
    assert ids == [call["id"] for call in batch([], RESULTS)[0]["content"]]
    others = [call["id"] for call in batch([], RESULTS, "e2")[0]["content"]]
    assert len({*ids, *others}) == 4
    assert all(len(one) <= 40 and one.replace("_", "").isalnum() for one in ids)


def test_same_bytes() -> None:
    """What is made twice from the same is the same to the byte (spec P6)."""
    assert json.dumps(batch(SUGGESTED, RESULTS)) == json.dumps(batch(SUGGESTED, RESULTS))


def test_suggestions() -> None:
    """Suggestions stand before the batch as a text that says whose it is and that nothing was loaded (spec P2)."""
    first, second, *_ = batch(SUGGESTED, RESULTS)
    assert (first["role"], first["timestamp"], second["role"]) == ("user", 990, "assistant")
    text = first["content"][0]["text"]
    assert text.startswith("[Pilotage, not the user]")
    assert "Nothing was loaded" in text
    assert "tool_search" in text
    assert text.endswith(f"\n- skill:release-notes: The notes are asked for. [{SKILL}]\n- tool:notify: Say so.")


def test_nothing_to_say() -> None:
    """Where nothing was suggested and nothing done, there is no message; refusals alone are nothing."""
    assert batch([], []) == batch([], RESULTS[1:2]) == []
    assert text_message([], RESULTS[1:2], catalog=CATALOG, at=1) == ()
    assert [message["role"] for message in batch(SUGGESTED, [])] == ["user"]


def test_text() -> None:
    """For a model that refuses a tool batch, one text says the same, each result between its own marks."""
    (message,) = text_message(SUGGESTED, RESULTS, catalog=CATALOG, at=990)
    assert (message["role"], message["timestamp"]) == ("user", 990)
    text = json.dumps(message["content"], ensure_ascii=False)
    for part in ("tool:notify: Say so.", "read: See it.", "=== a.py · ", "=== end of git log · ", "code 128"):
        assert part in text
    assert "b.py" not in text


def test_forgotten_capability() -> None:
    """A suggestion whose entry is gone is told by its id alone."""
    made = tool_messages("e1", SUGGESTED, [], catalog=Catalog(()), speaker=SPEAKER, at=1)
    assert "- skill:release-notes: The notes are asked for." in json.dumps(made)


def test_record() -> None:
    """The stored record holds the messages by rounds (spec P6)."""
    messages = batch(SUGGESTED, RESULTS)
    assert prefetch([messages]) == {"rounds": [{"messages": messages}]}
