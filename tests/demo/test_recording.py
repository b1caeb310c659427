import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path, PurePath
from typing import Any

import pytest
import yaml

from pilotage.calls.build import Calls
from pilotage.catalog.host import host_catalog
from pilotage.cli.demo import RECORDING
from pilotage.evidence.contents import Evidence, read_child
from pilotage.evidence.prepared import action_fates, fates
from pilotage.evidence.read import Attempts, read_attempts
from pilotage.records.attempt import Attempt, Purpose, ReminderState, SuggestionState
from pilotage.records.call import Outcome
from pilotage.records.fields import as_dict, as_text
from pilotage.review.sources import searchable, source_found
from pilotage.search.answer import answer
from pilotage.search.index import Index, build_index
from pilotage.sessions.read import WHOLE, Session, read_session
from tests.pi.ci_server import ABOUT, TOOLS
from tests.pi.scenario import HERE

Json = dict[str, Any]

SCENARIO: Json = tomllib.loads((HERE / "scenarios" / "demo.toml").read_text("utf-8"))
ALLOWED = ("/home/dev", "/tmp/before", "/tmp/pilotage", "/opt/pi", "/dev/null", "/usr/bin/env")
"""Where the recording's machine has its folders."""


@pytest.fixture(scope="module")
def recording() -> Iterator[Path]:
    """Give the recording's file."""
    with as_file(files("pilotage.demo")) as shipped:
        yield shipped / RECORDING


@pytest.fixture(scope="module")
def session(recording: Path) -> Session:
    """Give the recorded session."""
    return read_session(recording)


@pytest.fixture(scope="module")
def attempts(session: Session) -> Attempts:
    """Give its attempts."""
    return read_attempts(session, is_over=True)


@pytest.fixture(scope="module")
def calls(session: Session) -> Calls:
    """Give its calls."""
    known = Calls(session)
    known.take(WHOLE)
    return known


def child_of(recording: Path, attempt: Attempt) -> Evidence:
    """Give the child of an attempt as it is shipped."""
    assert attempt.child is not None
    return read_child(recording.with_suffix("") / PurePath(attempt.child.file).name)


def asked_of(child: Evidence) -> str:
    """Give the user part of what went over the wire."""
    body = json.loads(child.request)
    return str(body["messages"][1]["content"])


def principles_in(asked: str) -> list[str]:
    """Give the blocks of a review's request that a source may stand in."""
    names = ("system-prompt", "request", "skills")
    blocks = (re.search(rf"<{name}-(\d+)>\n(.*?)\n</{name}-\1>", asked, re.DOTALL) for name in names)
    return [block[2] for block in blocks if block]


def searches(session: Session) -> dict[str, Json]:
    """Give the details of each answer to a search, by the call's id."""
    messages = (session.body(entry).get("message") for entry in session.tree.entries)
    results = (one for one in messages if isinstance(one, dict) and one.get("toolName") == "tool_search")
    return {str(one["toolCallId"]): one["details"] for one in results}


def catalog_of_the_host() -> Index:
    """Give the catalog that Pi told at the first search, with nothing loaded."""
    about = {"name": "mcp__ci", "instructions": ABOUT["instructions"], "aliases": ["ci"]}
    about["description"] = SCENARIO["mcp"]["mcpServers"]["ci"]["description"]
    tools = [
        {
            "name": f"mcp__ci__{tool['name']}",
            "description": tool["description"],
            "parameters": tool["inputSchema"],
            "exposure": "deferred",
            "namespace": about,
            "active": False,
        }
        for tool in TOOLS
    ]
    texts = {path: text for path, text in SCENARIO["files"].items() if path.endswith("/SKILL.md")}
    skills = [{**yaml.safe_load(text.split("---")[1]), "filePath": path} for path, text in texts.items()]
    return build_index(host_catalog({"tools": tools, "skills": skills}))


def test_every_child_is_shipped(recording: Path, session: Session, attempts: Attempts) -> None:
    """Each attempt's child is there and says so itself, and there is no other (spec E1, E2)."""
    shipped = {path.name for path in recording.with_suffix("").iterdir()}
    assert shipped == {PurePath(attempt.child.file).name for attempt in attempts.items if attempt.child}
    assert len(shipped) == len(attempts.items)
    for attempt in attempts.items:
        child = child_of(recording, attempt)
        assert attempt.child is not None
        assert child.id == attempt.child.id
        assert child.purpose is attempt.purpose
        assert child.origin is not None
        assert (child.origin.session, child.origin.attempt) == (session.id, attempt.id)
        assert child.input == asked_of(child)
        assert child.response


def test_sources_stand_in_what_was_sent(recording: Path, attempts: Attempts) -> None:
    """A reminder has a source just where its words stand in the request that was really sent (spec R9)."""
    pairs = [(attempt, pair) for attempt in attempts.items for pair in attempt.pairs]
    for attempt, pair in pairs:
        principles = principles_in(asked_of(child_of(recording, attempt)))
        assert len(principles) == 3
        assert source_found(pair.source, [searchable(text) for text in principles]) is pair.source_found
        quoted = pair.source.split('"', 1)[1].removesuffix('"')
        assert any(quoted in text for text in principles) is pair.source_found
    assert Counter(pair.source_found for _, pair in pairs) == {True: 4, False: 1}


def test_reminders_are_the_models_own_words(recording: Path, attempts: Attempts) -> None:
    """No reminder was made up by anybody but the model that was asked."""
    for attempt in attempts.items:
        if attempt.pairs:
            answered = json.loads(child_of(recording, attempt).output)
            assert answered == {"reminders": [[pair.deviation, pair.source] for pair in attempt.pairs]}


def test_what_became_of_reviews(attempts: Attempts) -> None:
    """Reviews every five steps: reminders that were read or came too late, a failure, and some that say nothing."""
    reviews = [attempt for attempt in attempts.items if attempt.purpose is Purpose.TRAJECTORY]
    assert all(review.step is not None and review.step % 5 == 0 for review in reviews)
    assert Counter(pair.state for review in reviews for pair in review.pairs) == {
        ReminderState.DELIVERED: 4,
        ReminderState.LATE: 1,
    }
    assert [review.failure for review in reviews if review.outcome == "failed"] == ["not-json"]
    assert sum(review.outcome == "ok" and not review.pairs for review in reviews) == 2


def test_what_became_of_preparations(calls: Calls, attempts: Attempts) -> None:
    """Of what was prepared for the first input some was used and some was not; a command was run (spec P9)."""
    first = attempts.prepared[0]
    used, unused = SuggestionState.USED, SuggestionState.UNUSED
    assert fates(calls, first) == (used, unused)
    assert action_fates(calls, first) == (used, unused, None)
    assert [action.tool for action in first.actions] == ["read", "read", "bash"]
    inputs = [attempt for attempt in attempts.items if attempt.purpose is Purpose.PREPARATION]
    assert len(inputs) == 5
    assert len(attempts.prepared) == 3


def test_a_model_changes_what_is_found(session: Session, calls: Calls) -> None:
    """What the model chose for the first wish is called next, and words alone load something else (spec D6)."""
    chosen = searches(session)["call_machines"]
    assert (chosen["mode"], chosen["loaded"]) == ("semantic", ["mcp__ci__test_history"])
    assert any(call.tool == "mcp__ci__test_history" and call.outcome is Outcome.OK for call in calls.items)
    (wish,) = [call for call in calls.items if call.id == "call_machines"]
    index = catalog_of_the_host()
    words = answer(index.catalog, index, as_text(as_dict(calls.raw_arguments(wish))["query"]))
    assert (words.mode, words.loaded) == ("native", ("mcp__ci__upload_report",))


def test_a_model_that_fails_is_told_of(session: Session) -> None:
    """The second wish is answered by words, with the model's failure beside them (spec D6)."""
    failed = searches(session)["call_times"]
    assert failed["mode"] == "native"
    assert failed["routingError"].startswith("server-error: ")
    assert [one["name"] for one in failed["suggestions"]] == ["profiling", "mcp__ci__compare_timings"]


def test_what_the_contract_says(calls: Calls) -> None:
    """Rejections are the product's own sentences, once with two of them before the call was accepted."""
    rejected = [call for call in calls.items if call.outcome is Outcome.REJECTED and call.rejection]
    kinds = Counter(str(call.rejection.kind) for call in rejected if call.rejection)
    assert kinds == {"missing-intent": 5, "structure": 1, "unknown-tool": 1}
    assert all(
        call.rejection.message.startswith("Contract: ")
        for call in rejected
        if call.rejection and call.rejection.kind == "missing-intent"
    )
    assert sum(call.chain is not None and call.chain.attempt == 3 for call in calls.items) == 2


def test_no_path_of_a_machine(recording: Path) -> None:
    """Recording and children name no folder of the machine that they were made on."""
    for path in [recording, *recording.with_suffix("").iterdir()]:
        text = path.read_text("utf-8")
        for word in ("pilotage-pi-", str(HERE), str(HERE.parents[1]), "example-key"):
            assert word not in text, (path.name, word)
        found = re.findall(r"(?<![\w.$<~])/(?:home|root|tmp|opt|usr|var|dev|Users|private|work|mnt)/[\w./-]*", text)
        assert [one for one in found if not one.startswith(ALLOWED)] == []
