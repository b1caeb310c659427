import pytest
from msgspec.structs import replace

from pilotage.console.attempt_lines import (
    cost_lines,
    failure_lines,
    outcome_piece,
    pi_command,
    place_lines,
    short_cost,
    snap_command,
)
from pilotage.console.coverage_lines import coverage_lines
from pilotage.console.pieces import PieceLine
from pilotage.console.rows import Sight
from pilotage.console.spending import Spent
from pilotage.inference.question import Failure
from pilotage.records.attempt import Attempt, ChildSession, Purpose
from tests.console.driven import texts
from tests.handmade import HOSTILE

ATTEMPT = Attempt("a", Purpose.TRAJECTORY, "", "e1", started=1000.0)


def words(lines: object) -> str:
    """Give lines as one run of words."""
    told: list[PieceLine] = list(lines)  # type: ignore[call-overload]
    return " ".join(" ".join(texts(told)).split())


@pytest.mark.parametrize(
    ("fields", "live", "expected"),
    [
        ({}, True, ("running 12 s", "running")),
        ({}, False, ("incomplete", "rejected")),
        ({"is_observed": True}, False, ("running 12 s", "running")),
        ({"started": 2.0}, True, ("incomplete", "rejected")),
        ({"started": None}, True, ("incomplete", "rejected")),
        ({"outcome": "ok"}, True, ("ok", "ok")),
        ({"outcome": "failed", "failure": "timeout"}, True, ("failed: timeout", "failed")),
        ({"outcome": "failed"}, True, ("failed", "failed")),
        ({"outcome": "void", "failure": "cancelled"}, True, ("called off", "middle")),
        ({"outcome": "skipped", "failure": "diagnostic"}, True, ("skipped", "rejected")),
        ({"outcome": "strange\x1b[m"}, True, ("strange␛[m", "middle")),
        ({"ended": 1010.0}, True, ("ended", "middle")),
    ],
)
def test_outcome(fields: dict[str, object], live: bool, expected: tuple[str, str]) -> None:
    """How an attempt went is said in a word or two, whatever its writer calls it."""
    piece = outcome_piece(replace(ATTEMPT, **fields), Sight(1012.0, live=live))
    assert (piece.text, piece.role) == expected


def test_cost() -> None:
    """Requests, tokens, time, and the share of the whole; where nothing is told that is said."""
    told = replace(ATTEMPT, requests=1, tokens=(900, 12), milliseconds=1250)
    assert words(cost_lines([told, told], Spent(20, 4000), 60)) == (
        "cost 2 requests, 1,800 tokens sent, 24 received, 2.5 s 10% of the session's requests, 46% of its tokens"
    )
    assert words(cost_lines([ATTEMPT], Spent(), 60)) == "cost not told"
    asked = replace(ATTEMPT, requests=0, milliseconds=3)
    assert words(cost_lines([asked], Spent(4, 0), 60)) == "cost 0 requests, 3 ms 0% of the session's requests"
    assert short_cost(told) == "912 tokens, 1.2 s"
    assert short_cost(ATTEMPT) == ""


@pytest.mark.parametrize("failure", [Failure.NO_MODEL, Failure.NO_KEY, Failure.UNREACHABLE, Failure.NOT_ALLOWED])
def test_failures_that_want_a_setting(failure: Failure) -> None:
    """Where no model could be asked it is said what to set and where."""
    told = words(failure_lines(replace(ATTEMPT, failure=failure, words="Why."), "/agent/settings.json", 60))
    expected = "Why. Which model is asked: provider and model of capabilityDiscovery in /agent/settings.json"
    assert told == expected


def test_other_failures() -> None:
    """Another failure is told in its own words."""
    failed = replace(ATTEMPT, failure=Failure.NOT_JSON, words=f"Why. {HOSTILE}")
    told = list(failure_lines(failed, "/x", 60))
    assert all(line.isprintable() for line in texts(told))
    assert "Which model" not in words(told)


def test_places() -> None:
    """Where the evidence lies, with commands that can be pasted, whatever stands in the path."""
    assert words(place_lines(ATTEMPT, 80)).endswith("that comes with the attempt's end")
    assert "nothing was asked" in words(place_lines(replace(ATTEMPT, outcome="ok"), 80))
    nameless = replace(ATTEMPT, child=ChildSession("", "child-id"))
    assert "session child-id, its file is not named" in words(place_lines(nameless, 80))
    told = words(place_lines(replace(ATTEMPT, child=ChildSession("/a b/c.jsonl", "x")), 80))
    assert told == "evidence e opens it here in Pi pi --session '/a b/c.jsonl' as text pilotage snap '/a b/c.jsonl'"
    found = words(place_lines(ATTEMPT, 80, ChildSession("/c.jsonl", "x")))
    assert found.startswith("evidence found by the attempt that it names")
    assert pi_command("/c;rm -rf ~") == "pi --session '/c;rm -rf ~'"
    assert snap_command("/c.jsonl") == "pilotage snap /c.jsonl"


def test_coverage() -> None:
    """What was given, what was left out, what never is, and how many secrets were replaced (spec R5)."""
    coverage: dict[str, object] = {
        "systemPrompt": {"sections": ["rules"], "characters": 40_000, "leftOut": 8_000},
        "request": {"characters": 62, "leftOut": 0},
        "skills": {"given": ["one", "two"], "leftOut": 1},
        "trajectory": {"items": 160, "characters": 9_000, "leftOut": 3_000, "hasEarlier": True},
        "notGiven": ["images"],
        "secretsReplaced": 2,
    }
    assert words(coverage_lines(coverage, 70)) == (
        "saw the last 160 items of the trajectory, 6,000 characters; the request, 62 characters; the system prompt,"
        " 32,000 characters; 2 skills left out 3,000 characters of the trajectory; 8,000 characters of the system"
        " prompt; 1 skill never given: images 2 secrets replaced before it was sent"
    )


def test_coverage_of_others() -> None:
    """A coverage without items, and one of another writer, are told as far as they go."""
    assert words(coverage_lines({}, 60)) == ""
    told = words(coverage_lines({"trajectory": {"items": None, "characters": 10, "hasEarlier": True}}, 60))
    assert told == "saw the trajectory, 10 characters left out what came before in the trajectory"
    assert words(coverage_lines({"chars": 12, "deep": [1], HOSTILE: "x"}, 60)).startswith("saw chars 12, deep …, ")
