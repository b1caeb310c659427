import io
import json
import sys

import pytest

from tests.cli.conftest import Pilotage, Ran
from tests.cli.program import run
from tests.handmade import HOSTILE

INTENT = "Prove that the limit holds"


@pytest.fixture
def check(pilotage: Pilotage, monkeypatch: pytest.MonkeyPatch) -> Pilotage:
    """Return a function that checks a call whose arguments are typed."""

    def typed(tool: str, arguments: object, *words: str) -> Ran:
        text = arguments if isinstance(arguments, bytes) else json.dumps(arguments).encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
        return pilotage("check", tool, *words)

    return typed


def test_accepted(check: Pilotage) -> None:
    """An accepted call gives arguments without provenance, provenance, notes and marks (spec C6)."""
    done = check("read", {"path": "a.md", "limit": "2", "why": 1, "intent": INTENT, "rationale": None}, "--json")
    assert (done.status, done.err) == (0, "")
    assert done.records == [
        {
            "accepted": True,
            "arguments": {"path": "a.md", "limit": 2},
            "provenance": {"intent": INTENT, "rationale": None},
            "notes": ["limit was text and was read as a number", "ignored why"],
            "marks": [],
        }
    ]
    assert list(done.records[0]) == ["accepted", "arguments", "provenance", "notes", "marks"]


def test_refused(check: Pilotage) -> None:
    """A refused call gives every violation with kind, field and message, and is a finding (spec C6, L1)."""
    done = check("bash", {"rationale": " "}, "--json")
    assert done.status == 1
    (record,) = done.records
    assert list(record) == ["accepted", "violations"]
    assert record["accepted"] is False
    violations = record["violations"]
    assert isinstance(violations, list)
    assert [list(violation) for violation in violations] == [["kind", "field", "message"]] * 3
    assert [(violation["kind"], violation["field"]) for violation in violations] == [
        ("missing-intent", "intent"),
        ("empty-rationale", "rationale"),
        ("structure", "command"),
    ]


@pytest.mark.parametrize(
    ("tool", "text", "kind"),
    [
        ("bash", b"", "not-json"),
        ("bash", b'{"command": "ls', "not-json"),
        ("bash", b"\xff\xfe", "not-json"),
        ("bash", b"[" * 100_000, "not-json"),
        ("bash", b"[]", "structure"),
        ("bash", b"null", "missing-intent"),
        ("browse", b"{}", "unknown-tool"),
        (HOSTILE, b"{}", "unknown-tool"),
    ],
)
def test_kinds(check: Pilotage, tool: str, text: bytes, kind: str) -> None:
    """Whatever is typed gets a kind of the closed list, and nothing hostile is printed (spec C7, U8)."""
    done = check(tool, text, "--json")
    assert done.status == 1
    violations = done.records[0]["violations"]
    assert isinstance(violations, list)
    assert violations[0]["kind"] == kind
    for shown in (done.out, check(tool, text).out):
        assert all(line.isprintable() for line in shown.splitlines())


def test_cut_off(check: Pilotage) -> None:
    """A call that the output limit ended is never accepted, even if it parses (spec C7)."""
    done = check("bash", {"command": "ls", "intent": INTENT}, "--json", "--cut-off")
    assert done.status == 1
    assert '"kind": "cut-off"' in done.out


def test_marks(check: Pilotage) -> None:
    """Marks of what the call alone can show are given and block nothing (spec C8)."""
    done = check("bash", {"command": "npm test", "intent": "Run npm test"}, "--json")
    assert (done.status, done.records[0]["marks"]) == (0, ["repeats-target"])
    done = check("read", {"path": "src/app.py", "intent": "continue"}, "--json")
    assert (done.status, done.records[0]["marks"]) == (0, ["hollow"])


def test_byte_order_mark(check: Pilotage) -> None:
    """A byte order mark before the JSON is no fault."""
    assert check("bash", b'\xef\xbb\xbf{"command": "ls", "intent": "see what is there"}').status == 0


def test_words_for_people(check: Pilotage) -> None:
    """For people the verdict comes first, then notes or violations, a line each."""
    good = check("read", {"path": "a.md", "why": 1, "intent": INTENT})
    assert good.lines == ["accepted", "  note: ignored why"]
    bad = check("read", {"intent": INTENT})
    assert bad.lines[0] == "not accepted"
    assert bad.lines[1].startswith("  structure: path is missing: give the path of the file, as in ")


def test_hostile_arguments(check: Pilotage) -> None:
    """Arguments of any text come back as JSON that a terminal cannot be steered by (spec U8)."""
    arguments = {"path": HOSTILE, "content": HOSTILE, "intent": f"see {HOSTILE}", HOSTILE: HOSTILE}
    done = check("write", arguments, "--json")
    assert done.status == 0
    assert done.out.rstrip("\n").isprintable()
    given = done.records[0]["arguments"]
    assert isinstance(given, dict)
    # Lone surrogates, which no text may hold, are all that is lost.
    assert given["content"] == "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in HOSTILE)


def test_as_a_program() -> None:
    """The program reads standard input to its end and ends with 0 or 1."""
    good = run("check", "bash", "--json", typed=json.dumps({"command": "ls", "intent": INTENT}).encode())
    assert (good.returncode, json.loads(good.stdout)["accepted"]) == (0, True)
    bad = run("check", "bash", "--json", typed=b"{}")
    assert (bad.returncode, json.loads(bad.stdout)["accepted"]) == (1, False)
