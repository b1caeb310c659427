from pathlib import Path

import pytest

from pilotage.records.call import Outcome
from tests.calls.opened import by_id, opened
from tests.handmade import Fields, agent, call, ran, refused, result, user, write_session

Link = tuple[str, int, bool]


def links(path: Path) -> dict[str, Link | None]:
    """Give each call's place in its chain."""
    return {
        name: found.chain and (found.chain.id, found.chain.attempt, found.chain.identical)
        for name, found in by_id(path).items()
    }


def read(call_id: str, path: str = "a.md", **arguments: object) -> Fields:
    """Give a message that reads one file."""
    return agent(call(call_id, "read", path=path, **arguments))


@pytest.mark.parametrize(
    ("call_id", "link"),
    [
        ("call_1_0", ("call_1_0", 1, False)),
        ("call_2_0", ("call_1_0", 2, False)),
        ("call_3_0", ("call_1_0", 3, False)),
        ("call_4_0", None),
    ],
)
def test_rejected_corrected_accepted(data: Path, call_id: str, link: Link | None) -> None:
    """A rejection, its corrections and the accepted call are one chain, which then is over (spec K4)."""
    assert links(data / "rejects.jsonl")[call_id] == link


def test_rejection_without_target_is_corrected_by_the_next_call_of_its_tool(data: Path) -> None:
    """A rejected call that named no target is linked to the next call of its tool, whatever that one aims at."""
    found = links(data / "rejects.jsonl")
    assert found["call_12_0"] == ("call_12_0", 1, False)
    assert found["call_14_0"] == ("call_12_0", 2, False)


def test_identical_retries(data: Path) -> None:
    """The same rejected arguments sent again are marked identical: JSON or not, without an intent or with one."""
    rejects, intents = links(data / "rejects.jsonl"), links(data / "intents.jsonl")
    assert rejects["call_7_0"] == ("call_6_0", 2, True)
    assert rejects["call_10_0"] == ("call_9_0", 2, True)
    assert rejects["call_11_0"] == ("call_9_0", 3, False)
    assert intents["call_2_0"] == ("call_1_0", 2, True)
    assert intents["call_3_0"] == ("call_1_0", 3, False)


def test_another_intent_is_another_try(data: Path) -> None:
    """Provenance belongs to the arguments: null and empty intents are two tries, not one sent twice."""
    found = links(data / "intents.jsonl")
    assert [found[f"call_{n}_0"] for n in (4, 5, 6)] == [
        ("call_4_0", 1, False),
        ("call_4_0", 2, False),
        ("call_4_0", 3, False),
    ]


@pytest.mark.parametrize("call_id", ["call_5_0", "call_11_0", "call_13_0"])
def test_never_corrected(data: Path, call_id: str) -> None:
    """A rejection that nothing follows up is a chain that ends with it (spec K4)."""
    calls = opened(data / "rejects.jsonl").items
    chain = next(found.chain for found in calls if found.id == call_id)
    assert chain is not None
    last = [found for found in calls if found.chain and found.chain.id == chain.id][-1]
    assert (last.id, last.outcome) == (call_id, Outcome.REJECTED)


def test_old_files_have_chains(data: Path) -> None:
    """A schema rejection of version 1 is linked to its correction as well."""
    found = [link for link in links(data / "version1.jsonl").values() if link]
    assert [link[1:] for link in found] == [(1, False), (2, False)]


@pytest.mark.parametrize("name", ["plain", "failures", "edits", "parallel", "abort_tool", "codemode"])
def test_failures_make_no_chain(data: Path, name: str) -> None:
    """Calls that ran, well or not, are in no chain."""
    assert set(links(data / f"{name}.jsonl").values()) == {None}


def test_blocked_call_opens_no_chain(data: Path) -> None:
    """A guard's refusal is no rejection to be followed through."""
    assert links(data / "rejects.jsonl")["call_15_0"] is None


def test_another_target_corrects_nothing(tmp_path: Path) -> None:
    """A call of the same tool with another target leaves a rejection open for its own."""
    path = write_session(
        tmp_path / "s.jsonl",
        *(user(), read("c1"), refused("c1", "read")),
        *(read("c2", "b.md"), ran("c2"), agent(call("c3", "edit", path="a.md")), ran("c3"), read("c4"), ran("c4")),
    )
    assert links(path) == {"c1": ("c1", 1, False), "c2": None, "c3": None, "c4": ("c1", 2, True)}


def test_another_turn_corrects_nothing(tmp_path: Path) -> None:
    """A chain does not reach beyond its turn."""
    path = write_session(
        tmp_path / "s.jsonl",
        *(user(), read("c1"), refused("c1", "read"), agent(text="I give up.", stop="stop")),
        *(user("Again."), read("c2"), ran("c2")),
    )
    assert links(path) == {"c1": ("c1", 1, False), "c2": None}


def test_call_of_the_same_message_corrects_nothing(tmp_path: Path) -> None:
    """Calls of one batch were made before any of them was rejected: each rejection waits for a try of its own."""
    path = write_session(
        tmp_path / "s.jsonl",
        user(),
        agent(*(call(name, "read", path="a.md") for name in ("c1", "c2"))),
        *(refused("c1", "read"), refused("c2", "read")),
        *(read("c3", limit=2), ran("c3"), read("c4"), ran("c4"), read("c5"), ran("c5")),
    )
    assert links(path) == {
        "c1": ("c1", 1, False),
        "c2": ("c2", 1, False),
        "c3": ("c1", 2, False),
        "c4": ("c2", 2, True),
        "c5": None,
    }


def test_failed_call_ends_a_chain(tmp_path: Path) -> None:
    """A call that was accepted and failed was corrected all the same."""
    path = write_session(
        tmp_path / "s.jsonl",
        *(user(), read("c1"), refused("c1", "read"), read("c2"), ran("c2", "ENOENT", is_error=True)),
        *(read("c3"), ran("c3")),
    )
    assert links(path) == {"c1": ("c1", 1, False), "c2": ("c1", 2, True), "c3": None}


def test_order_of_keys_makes_no_difference(tmp_path: Path) -> None:
    """The same arguments in another order are the same arguments."""
    path = write_session(
        tmp_path / "s.jsonl",
        *(user(), agent(call("c1", "read", path="a.md", limit="x")), refused("c1", "read")),
        *(agent(call("c2", "read", limit="x", path="a.md")), refused("c2", "read")),
    )
    assert links(path)["c2"] == ("c1", 2, True)


def test_other_text_that_is_not_json_is_another_try(tmp_path: Path) -> None:
    """Arguments that are not JSON are told apart by the host's words on them, as it keeps none of them."""

    def made(call_id: str, text: str) -> list[Fields]:
        words = f"Unterminated string\n\nReceived arguments:\n{text}" if text else ""
        block = call(call_id) | ({"argumentsError": words} if words else {})
        return [agent(block), result(call_id, f'Invalid arguments for tool "bash": {words}', isError=True)]

    path = write_session(
        tmp_path / "s.jsonl",
        *(user(), *made("c1", '{"command": "ls'), *made("c2", '{"command": "ls -l')),
        *(*made("c3", '{"command": "ls -l'), *made("c4", "")),
    )
    assert [link and link[1:] for link in links(path).values()] == [(1, False), (2, False), (3, True), (4, False)]


def test_chain_goes_on_over_many_tries(tmp_path: Path) -> None:
    """Every further rejection of the same call is one try more of the same chain."""
    tries = [part for n in range(40) for part in (read(f"c{n}"), refused(f"c{n}", "read"))]
    found = links(write_session(tmp_path / "s.jsonl", user(), *tries))
    assert [found[f"c{n}"] for n in range(40)] == [("c0", n + 1, n > 0) for n in range(40)]
