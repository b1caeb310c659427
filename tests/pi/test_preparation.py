"""Preparations in the real Pi, judged by the requests that the model's server received (spec P)."""

import json
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from pilotage.evidence.contents import read_child
from pilotage.evidence.prepared import action_fates, fates
from pilotage.evidence.read import read_attempts
from pilotage.prepare.execute import HELD
from pilotage.records.attempt import SuggestionState
from pilotage.sessions.read import read_session
from tests.calls.opened import opened
from tests.pi.find import Pi
from tests.pi.model_server import Request
from tests.pi.preparing import (
    ELSE,
    ON,
    Json,
    brought,
    data_of,
    ends,
    is_main,
    own_session,
    predicts,
    questions,
    reading,
    running,
    served,
    told,
)
from tests.pi.run import RunningPi
from tests.pi.scenario import Scenario

pytestmark = pytest.mark.pi

INTENT = {"intent": "Does the file say how many there are? Another number would say no"}
SKILL = "---\nname: tides\ndescription: Know the tides.\n---\nAsk the harbour.\n"
RECORD = "capability-prefetch"


def calling(*calls: tuple[str, Json]) -> Json:
    """Give a turn of the main model that makes these calls at once."""
    return {"tool_calls": [{"name": name, "arguments": {**given, **INTENT}} for name, given in calls]}


def main_requests(playing: RunningPi) -> list[Request]:
    """Give the main model's requests until now."""
    return [request for request in playing.server.requests if is_main(request)]


def wait_until(is_so: Callable[[], object], seconds: float = 20) -> None:
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it never came to be so"
        time.sleep(0.005)


def as_bytes(messages: list[Json]) -> bytes:
    """Give messages as they were sent."""
    return json.dumps(messages, ensure_ascii=False).encode()


def test_every_request_of_a_session(pi: Pi, tmp_path: Path) -> None:
    """Results stand right behind their input from its first request on, once and byte for byte the same (spec P6, P8).

    That holds in later turns, after a retry, for later inputs, on another branch and in a session gone on with; what
    an edit took out of the context and what lies on an abandoned branch is not there.
    """
    first = predicts("Look at", *reading("notes.txt"), running("wc -l < notes.txt"), capabilities=["skill:tides"])
    rules = [first, predicts("Forget", *reading("other.txt")), predicts("Instead", *reading("third.txt"))]
    look = calling(("bash", {"command": "cat notes.txt"}))
    names = ("notes.txt", "other.txt", "third.txt")
    settings = {"capabilityDiscovery": ON}
    scenario = Scenario(
        mode="rpc",
        rules=rules,
        turns=[
            {"error": {"status": 500}},
            calling(("bash", {"command": "true"}), ("read", {"path": "~/.pi/agent/skills/tides/SKILL.md"})),
            look,
            {"text": "Two herons."},
            calling(("bash", {"command": "true"})),
            {"text": "Gone."},
            {"text": "Third."},
        ],
        files={**{name: f"{name}\nend\n" for name in names}, "~/.pi/agent/skills/tides/SKILL.md": SKILL},
        extensions=["forget.js", "walk_tree.js"],
        settings=settings,
    )
    with served(scenario, pi, tmp_path) as playing:
        playing.rpc.prompt("Look at the herons.")
        asked = main_requests(playing)
        assert [len(told(request)) for request in asked] == [1] * 4, "a retry and three steps"
        text, batch = told(asked[0])[0]
        assert text == "Look at the herons."
        assert brought(batch) == [("notes.txt", "notes.txt\nend\n"), ("wc -l < notes.txt", "2\n")]
        assert "skill:tides" in batch[0]["content"][0]["text"]
        assert {as_bytes(told(request)[0][1]) for request in asked} == {as_bytes(batch)}
        heads = [request.body["messages"] for request in asked]
        assert heads[0] == heads[1]
        assert all(later[: len(earlier)] == earlier for earlier, later in pairwise(heads))

        playing.rpc.prompt("Forget herons.")
        before, after = main_requests(playing)[4:]
        assert told(before)[0] == (text, batch)
        assert brought(told(before)[1][1]) == [("other.txt", "other.txt\nend\n")]
        assert told(after) == told(before)[1:], "the input was edited away, and what was prepared for it with it"

        playing.rpc.prompt("/back 2")
        playing.rpc.prompt("Instead.")
        (instead,) = main_requests(playing)[6:]
        assert [given for given, _ in told(instead)] == [text, "Instead."]
        assert told(instead)[0][1] == batch
        assert brought(told(instead)[1][1]) == [("third.txt", "third.txt\nend\n")]
        assert len(questions(playing.server.requests)) == 3
        run = playing.finish()
    entries = own_session(run)
    assert [data["prefetch"]["rounds"][0]["messages"][0]["role"] for data in data_of(entries, RECORD)] == [
        *("user", "assistant", "assistant")
    ]
    assert ends(entries) == [("ok", "")] * 3
    check_evidence(playing.home.session_files()[0])

    again = Scenario(prompts=["And now?"], arguments=["-c"], rules=[ELSE], settings=settings)
    with served(again, pi, tmp_path) as playing:
        run = playing.finish()
        (request,) = main_requests(playing)
    assert told(request) == [*told(instead), ("And now?", [])]
    assert (run.exit_code, ends(own_session(run))[-1]) == (0, ("failed", "not-json"))


def check_evidence(path: Path) -> None:
    """Check that the evidence of the first preparation tells what was asked, done and used (spec E1, E2, P9)."""
    attempts = read_attempts(read_session(path))
    attempt, prepared = attempts.items[0], attempts.prepared[0]
    assert (attempt.outcome, attempt.context_ready, attempt.requests) == ("ok", True, 1)
    assert (prepared.attempt, prepared.preparation_id, prepared.input_id) == (attempt.id, attempt.id, attempt.input_id)
    assert prepared.tokens == attempt.tokens != (0, 0)
    assert attempt.child is not None
    child = read_child(Path(attempt.child.file))
    assert "Look at the herons." in child.input
    assert [(action.tool, action.text, action.executor) for action in child.actions] == [
        ("read", "notes.txt\nend\n", "pilotage"),
        ("bash", "2\n", "pilotage"),
    ]
    assert all(0 < action.began < time.time() for action in child.actions)
    calls = opened(path)
    assert fates(calls, prepared, attempt) == (SuggestionState.USED,)
    assert action_fates(calls, prepared, attempt) == (SuggestionState.USED, None)


def test_only_what_is_not_in_the_context_is_read(pi: Pi, tmp_path: Path) -> None:
    """A file is not read again exactly if the context holds all of it, unchanged and under that name (spec P7).

    After a compaction what it took is read anew, and what was prepared before does not come back (spec P8).
    """
    names = ["whole", "same", "part", "late", "edited", "changed", "target", "through", "dropped"]
    files = {f"{name}.txt": f"{name} words\n2\n3\n" for name in names}
    files["cut.txt"] = "line\n" * 2500
    scenario = Scenario(
        mode="rpc",
        rules=[
            {"match": "context summarization assistant", "where": "first", "turn": {"text": "## Done\nRead."}},
            {"match": "checkpoint of the user's request", "turn": {"text": "## Done\nRead."}},
            predicts(
                "Forget",
                *reading("whole.txt", "part.txt", "cut.txt", "late.txt", "edited.txt", "changed.txt"),
                *reading("alias.txt", "target.txt"),
            ),
            predicts("The rest", *reading("through.txt", "same.txt", "dropped.txt", "part.txt", "late.txt")),
            predicts("Once more", *reading("whole.txt", "part.txt", "through.txt")),
            ELSE,
        ],
        turns=[
            calling(
                ("read", {"path": "whole.txt"}),
                ("read", {"path": "./same.txt"}),
                ("read", {"path": "part.txt", "offset": 2}),
                ("read", {"path": "cut.txt"}),
                ("read", {"path": "late.txt"}),
                ("read", {"path": "edited.txt"}),
                ("read", {"path": "changed.txt"}),
                ("read", {"path": "alias.txt"}),
                ("read", {"path": "through.txt"}),
                ("read", {"path": "dropped.txt"}),
            ),
            calling(
                ("edit", {"path": "edited.txt", "edits": [{"oldText": "3", "newText": "4"}]}),
                ("edit", {"path": "link.txt", "edits": [{"oldText": "3", "newText": "4"}]}),
                ("bash", {"command": "echo 4 >> changed.txt; echo late > late.txt"}),
            ),
            {"text": "Read."},
            calling(("bash", {"command": "true"})),
            {"text": "Forgotten."},
            {"text": "The rest."},
            {"text": "Once more."},
        ],
        files=files,
        extensions=["forget.js"],
        settings={
            "capabilityDiscovery": {**ON, "maxSuggestedActions": 8},
            "compaction": {"enabled": True, "reserveTokens": 2000, "keepRecentTokens": 1},
        },
    )
    with served(scenario, pi, tmp_path, links={"alias.txt": "target.txt", "link.txt": "through.txt"}) as playing:
        playing.rpc.prompt("Read them.")
        playing.rpc.prompt("Forget dropped.")
        playing.rpc.prompt("The rest.")
        last = told(main_requests(playing)[-1])
        playing.rpc.call({"type": "compact"})
        playing.rpc.prompt("Once more.")
        compacted = told(main_requests(playing)[-1])
        run = playing.finish()
    assert [given for given, _ in last] == ["Read them.", "Forget dropped.", "The rest."]
    assert [text for text, _ in brought(last[1][1])] == [
        *("part.txt", "cut.txt", "late.txt", "edited.txt", "changed.txt", "target.txt")
    ]
    assert brought(last[2][1]) == [
        ("through.txt", "through words\n2\n4\n"),
        ("dropped.txt", "dropped words\n2\n3\n"),
    ]
    again, batch = compacted[-1]
    assert (again, [name for name, _ in brought(batch)]) == ("Once more.", ["whole.txt", "part.txt", "through.txt"])
    assert [messages for _, messages in compacted[:-1] if messages] == []
    assert ends(own_session(run)) == [("failed", "not-json"), *[("ok", "")] * 3]
    attempts = read_attempts(read_session(playing.home.session_files()[0])).items
    assert attempts[1].child is not None
    done = [action.text for action in read_child(Path(attempts[1].child.file)).actions]
    assert [text == f"Not done: {HELD}." for text in done] == [True, *[False] * 5, True, False]


def test_what_comes_too_late_is_void(pi: Pi, tmp_path: Path) -> None:
    """A cancel, a steer and a session switch end the wait at once, and what was asked for is void (spec P8, M4)."""
    slow = [predicts(word, *reading("notes.txt"), delay_ms=30_000) for word in ("Cancel", "Steer", "Switch")]
    scenario = Scenario(
        mode="rpc",
        rules=[*slow, predicts("After", *reading("notes.txt")), predicts("Elsewhere", running("echo elsewhere"))],
        files={"notes.txt": "one\n"},
        settings={"capabilityDiscovery": ON},
    )

    def begin(playing: RunningPi, text: str) -> None:
        """Give an input, and wait until its preparation was asked for."""
        before = len(questions(playing.server.requests))
        playing.rpc.call({"type": "prompt", "message": text})
        wait_until(lambda: len(questions(playing.server.requests)) > before)

    with served(scenario, pi, tmp_path) as playing:
        begin(playing, "Cancel this.")
        assert "Cancel this." in playing.home.session_files()[0].read_text(), "it is saved before anyone waits"
        playing.rpc.call({"type": "abort"})
        assert main_requests(playing) == []

        begin(playing, "Steer this.")
        playing.rpc.call({"type": "steer", "message": "This way."})
        playing.rpc.wait_for("agent_settled")
        steered = [told(request) for request in main_requests(playing)]
        assert [inputs[1:] for inputs in steered] == [
            [("Steer this.", [])],
            [("Steer this.", []), ("This way.", [])],
        ]
        assert len(questions(playing.server.requests)) == 2

        playing.rpc.prompt("After that.")
        after = told(main_requests(playing)[-1])
        assert [brought(batch) for _, batch in after] == [[], [], [], [("notes.txt", "one\n")]]

        begin(playing, "Switch now.")
        playing.rpc.call({"type": "new_session"})
        playing.rpc.prompt("Elsewhere.")
        elsewhere = told(main_requests(playing)[-1])
        assert [(text, brought(batch)) for text, batch in elsewhere] == [
            ("Elsewhere.", [("echo elsewhere", "elsewhere\n")])
        ]
        left = [request.number for request in questions(playing.server.requests)]
        assert set(playing.server.script.called_off) == {left[0], left[1], left[3]}
        run = playing.finish()
    old, new = own_session(run), own_session(run, 1)
    void = ("void", "cancelled")
    assert ends(old) == [void, void, ("ok", ""), void]
    assert (len(data_of(old, RECORD)), len(data_of(new, RECORD)), ends(new)) == (1, 1, [("ok", "")])
    assert not [message for message in playing.rpc.seen if message.get("type") == "extension_error"]


def test_what_is_off_or_fails_costs_nothing_but_a_warning(pi: Pi, tmp_path: Path) -> None:
    """Off, without a budget, set wrongly, without a model: the main model is asked as ever (spec P2, G2, M8)."""
    cases: list[tuple[Json, str, list[tuple[str, str]]]] = [
        ({**ON, "capabilityPrediction": False, "maxSuggestedActions": 0}, "", []),
        ({**ON, "capabilityPrediction": False, "actionPrediction": False}, "", []),
        ({**ON, "prefetch": {"enabled": True}}, "prefetch is not a key of capabilityDiscovery", []),
        ({**ON, "provider": "nowhere"}, "the provider of nowhere/glm-5.3 stands in no file", [("failed", "no-model")]),
    ]
    scenario = Scenario(mode="rpc", files={"notes.txt": "one\n"}, settings={"capabilityDiscovery": ON})
    with served(scenario, pi, tmp_path) as playing:
        settings = playing.home.agent / "settings.json"
        for number, (block, warning, outcomes) in enumerate(cases):
            settings.write_text(json.dumps({**json.loads(settings.read_text()), "capabilityDiscovery": block}))
            playing.rpc.call({"type": "new_session"})
            heard = len(playing.rpc.seen)
            playing.rpc.prompt(f"Input {number}.")
            assert told(main_requests(playing)[-1]) == [(f"Input {number}.", [])]
            warned = [said["message"] for said in playing.rpc.seen[heard:] if said.get("method") == "notify"]
            assert [warning in words for words in warned] == [True] * bool(warning)
            path = sorted(playing.home.session_files(), key=lambda file: file.stat().st_mtime)
            session = [json.loads(line) for line in path[-1].read_text().splitlines()]
            assert ends(session) == outcomes
        run = playing.finish()
    assert questions(playing.server.requests) == []
    assert len(run.sessions) == len(cases) + 1, "only what was begun has a child"
