from collections import Counter
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilotage.calls.detail import as_seen, read_detail
from pilotage.calls.replay import refusal_today
from pilotage.calls.study import study_session
from pilotage.calls.study_counts import Counting, Study
from pilotage.calls.study_facts import Fact, SessionFacts
from pilotage.records.call import Call, Outcome
from pilotage.records.fields import as_dict
from pilotage.sessions.read import UnreadableSession
from tests.calls.opened import opened
from tests.calls.planned import Plan, Truth
from tests.contract.examples import unhurried
from tests.handmade import Fields, agent, call, header, lines_of, ran, refused, result, user, write_session

RECORDINGS = sorted(path.stem for path in (Path(__file__).parents[1] / "data").glob("*.jsonl"))

randoms = st.randoms(use_true_random=False)


def facts_of(session: SessionFacts) -> "Counter[Fact]":
    """Give how many calls have each fact."""
    return Counter(session.facts[number] for number in session.fact_of)


def fact_of(call: Call, **more: object) -> Fact:
    """Give what a study should count of a call as the console knows it."""
    seen = as_seen(call, live=False)
    kind, fields = (seen.rejection.kind, seen.rejection.fields) if seen.rejection else (None, ())
    return Fact(seen.tool, seen.outcome, kind, fields, bool(seen.chain and seen.chain.identical), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", RECORDINGS)
def test_recordings(data: Path, name: str) -> None:
    """A study counts of each recorded call what the console shows of it, marks included."""
    calls = opened(data / f"{name}.jsonl")
    shown = Counter(
        fact_of(call, marks=read_detail(calls, number).marks if call.parent_id is None else ())
        for number, call in enumerate(calls.items)
    )
    assert facts_of(study_session(data / f"{name}.jsonl")) == shown


@pytest.mark.parametrize("name", RECORDINGS)
def test_chains_of_recordings(data: Path, name: str) -> None:
    """A study finds the chains that the console shows, with as many tries and the same end (spec K4)."""
    tries: dict[str, list[Call]] = {}
    for found in opened(data / f"{name}.jsonl").items:
        if found.chain:
            tries.setdefault(found.chain.id, []).append(found)
    shown = [(len(chain), chain[-1].outcome not in (Outcome.REJECTED, Outcome.RUNNING)) for chain in tries.values()]
    chains = study_session(data / f"{name}.jsonl").chains
    assert [(chain.tries, chain.accepted) for chain in chains] == shown


def agree(study: Study, *truths: Truth) -> None:
    """Hold a study against what is true."""

    def total(name: str) -> "Counter[str]":
        return sum((getattr(truth, name) for truth in truths), Counter())

    outcomes = total("outcomes")
    assert Counter(study.calls_by_tool) == total("calls")
    assert {key: times for key, times in study.outcomes.items() if times} == outcomes
    assert Counter(study.by_kind) == total("kinds")
    assert Counter(study.by_field) == total("fields")
    assert study.identical_retries == sum(truth.identical for truth in truths)
    accepted = [chain for truth in truths for chain in truth.accepted]
    chains = study.chains
    assert (chains.accepted, chains.never) == (len(accepted), sum(truth.never for truth in truths))
    spreads = (chains.tries, chains.duration_ms, chains.tokens)
    for spread, values in zip(spreads, zip(*accepted, strict=True), strict=False):
        assert spread
        assert (spread.total, spread.most) == (sum(values), max(values))
    assert chains.tokens_of_all == sum(truth.retry_tokens for truth in truths)
    assert study.replay
    assert Counter(study.replay.spared_by_kind) == +total("spared")
    assert study.replay.added == sum(truth.added for truth in truths)
    expected = [(truth.calls.total(), truth.outcomes["rejected"]) for truth in truths if truth.calls]
    assert [(session.calls, session.rejected) for session in study.rates] == expected


def studied(*paths: Path) -> Study:
    """Study files in this order, with replay."""
    counting = Counting()
    for path in paths:
        counting.add(study_session(path, refusal_today))
    return counting.study(with_replay=True)


@unhurried
@given(randoms, st.integers(0, 8))
def test_planned_session(random: Random, turns: int) -> None:
    """Whatever was planned is counted, and what today's contract would say (spec S1, S2).

    There are parallel rejections, corrections in any order or none, branches, cut-off calls that parse, blank
    intents and misspelt keys.
    """
    plan = Plan(random)
    for _ in range(turns):
        plan.turn()
    with TemporaryDirectory() as folder:
        agree(studied(plan.save(Path(folder) / "a.jsonl", 0)), plan.truth)


@unhurried
@given(randoms, st.integers(0, 4), st.integers(0, 4))
def test_planned_fork(random: Random, before: int, after: int) -> None:
    """Entries that a fork copied are counted once, for the session that began first (spec S1)."""
    plan = Plan(random)
    for _ in range(before):
        plan.turn()
    fork = plan.fork()
    for _ in range(after):
        plan.turn()
        fork.turn()
    with TemporaryDirectory() as folder:
        paths = [plan.save(Path(folder) / "a.jsonl", 0), fork.save(Path(folder) / "b.jsonl", 1)]
        agree(studied(*paths), plan.truth, fork.truth)


@unhurried
@given(randoms, st.integers(1, 6))
def test_planned_session_in_full(random: Random, turns: int) -> None:
    """A session whose lines must all be read the long way, as a field has a wrong type, is counted the same."""
    plan = Plan(random)
    for _ in range(turns):
        plan.turn()
    with TemporaryDirectory() as folder:
        usual = study_session(plan.save(Path(folder) / "a.jsonl", 0))
        plan.lines[:] = [line.replace("{", '{"cwd": 7, ', 1) for line in plan.lines]
        in_full = study_session(plan.save(Path(folder) / "b.jsonl", 0))
        assert facts_of(in_full) == facts_of(usual)
        assert (in_full.keys, in_full.tokens, in_full.chains) == (usual.keys, usual.tokens, usual.chains)


def test_tokens_and_time_of_a_chain(tmp_path: Path) -> None:
    """A chain lasts from its first call to the accepted one, and costs the answers that carried the later tries."""

    def made(call_id: str, tokens: int) -> Fields:
        message = agent(call(call_id, "read", path="a.md"))
        return message | {"message": {**message["message"], "usage": {"input": tokens, "output": 3}}}  # type: ignore[dict-item]

    path = write_session(
        tmp_path / "s.jsonl",
        *(user(), made("c1", 100), refused("c1", "read"), made("c2", 20), refused("c2", "read"), made("c3", 4)),
        ran("c3"),
    )
    (chain,) = study_session(path).chains
    assert (chain.tries, chain.accepted, chain.duration_ms, chain.tokens) == (3, True, 4000, 23 + 7)


@pytest.mark.parametrize(
    ("answers", "accepted"),
    [
        ([ran("c2")], True),
        ([ran("c2", "no", is_error=True)], True),
        ([result("c2", "Not here.", isError=True)], True),
        ([refused("c2", "read")], False),
        ([], False),
    ],
    ids=["ok", "failed", "blocked", "rejected", "unanswered"],
)
def test_end_of_a_chain(tmp_path: Path, answers: list[Fields], accepted: bool) -> None:
    """A chain was accepted when its last try was answered with anything but a rejection."""
    made = [agent(call(call_id, "read", path="a.md")) for call_id in ("c1", "c2")]
    path = write_session(tmp_path / "s.jsonl", user(), made[0], refused("c1", "read"), made[1], *answers)
    (chain,) = study_session(path).chains
    assert (chain.tries, chain.accepted) == (2, accepted)


def test_entry_twice_in_a_file(tmp_path: Path) -> None:
    """An entry that stands in its file twice is counted once."""
    path = write_session(tmp_path / "s.jsonl", user(), agent(call("c1")), ran("c1"))
    path.write_text(path.read_text() + path.read_text().split("\n", 1)[1])
    assert facts_of(study_session(path)).total() == 1


def test_ids_that_come_again(tmp_path: Path) -> None:
    """A result answers the call of the answer above it, though other answers used the same id."""
    path = write_session(
        tmp_path / "s.jsonl",
        *(user(), agent(call("c", "bash")), ran("c"), agent(call("c", "read")), ran("c", is_error=True)),
        agent(call("c", "write")),
    )
    found = {(fact.tool, fact.outcome) for fact in facts_of(study_session(path))}
    assert found == {("bash", "ok"), ("read", "failed"), ("write", "unanswered")}


def test_result_on_another_branch(tmp_path: Path) -> None:
    """A result answers the answer above it, though a later one on another branch used the same id."""
    other = agent(call("c", "read")) | {"parentId": "e1"}
    late = ran("c") | {"parentId": "e2"}
    path = write_session(tmp_path / "s.jsonl", user(), agent(call("c", "bash")), other, late)
    assert {fact.tool: fact.outcome for fact in facts_of(study_session(path))} == {"bash": "ok", "read": "unanswered"}


def test_id_twice_in_an_answer(tmp_path: Path) -> None:
    """Of two calls with one id the first is answered first, also when a later answer used the id as well."""
    twice = agent(call("c", "bash"), call("c", "read"))
    second = ran("c", is_error=True) | {"parentId": "e2"}
    path = write_session(tmp_path / "s.jsonl", user(), twice, ran("c"), second, agent(call("c", "write")))
    expected = {"bash": "ok", "read": "failed", "write": "unanswered"}
    assert {fact.tool: fact.outcome for fact in facts_of(study_session(path))} == expected
    path = write_session(tmp_path / "t.jsonl", user(), twice, agent(call("c", "write")), second, second, second)
    expected = {"bash": "failed", "read": "unanswered", "write": "failed"}
    assert {fact.tool: fact.outcome for fact in facts_of(study_session(path))} == expected


def test_tokens_beyond_counting(tmp_path: Path) -> None:
    """A number that can be no count of tokens counts as none, and costs the study nothing else."""
    made = agent(call("c"))
    message = as_dict(made["message"])
    huge = made | {"message": message | {"usage": {"input": 1e300, "output": 3}}}
    path = write_session(tmp_path / "s.jsonl", user(), huge, ran("c"), made | {"id": "e9"})
    tokens = list(study_session(path).tokens)
    assert tokens[0] == 0
    assert facts_of(study_session(path)).total() == 2


def test_request_of_two_inputs(tmp_path: Path) -> None:
    """An intent is held against the first input of its turn, also where a second one came before the answer."""
    said = "Find out why the upload test fails"
    path = write_session(tmp_path / "s.jsonl", user(f"{said}."), user("Be quick."), agent(call("c", intent=said)))
    assert [fact.marks for fact in facts_of(study_session(path))] == [("copies-request",)]


def test_damaged_lines(tmp_path: Path) -> None:
    """Records on damaged lines are found, and what is no record costs its line only (spec F3)."""
    lines = lines_of([user(), agent(call("c1")), ran("c1"), agent(call("c2")), refused("c2", "bash")])
    text = header() + lines[0] + lines[1].rstrip() + lines[2] + '{"type":"mess\n' + "\0\0\n" + lines[3] + lines[4]
    path = tmp_path / "s.jsonl"
    path.write_text(text.rstrip("\n"))
    assert sorted(fact.outcome for fact in facts_of(study_session(path))) == ["ok", "rejected"]


def test_retry_says_the_same_again(tmp_path: Path) -> None:
    """A try that repeats the intent of the rejected one has no mark for it; another call that does has one."""

    def made(call_id: str, path: str) -> Fields:
        return agent(call(call_id, "read", path=path, intent="Is the limit read before it is checked?"))

    path = write_session(
        tmp_path / "s.jsonl",
        *(user(), made("c1", "a.md"), refused("c1", "read"), made("c2", "a.md"), ran("c2"), made("c3", "b.md")),
    )
    found = {fact.outcome: fact.marks for fact in facts_of(study_session(path))}
    assert found == {"rejected": (), "ok": (), "unanswered": ("repeats-previous",)}


@pytest.mark.parametrize("text", ["", "\n\n", "{}\n", '{"a": 1}\n{"b": 2}\n', "\x89PNG\n"])
def test_no_session(tmp_path: Path, text: str) -> None:
    """A file with neither a header nor a message is no session."""
    (tmp_path / "s.jsonl").write_text(text)
    with pytest.raises(UnreadableSession, match="not a session"):
        study_session(tmp_path / "s.jsonl")
