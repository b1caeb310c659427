import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilotage.contract.kinds import MESSAGE_LIMIT, field_kind, rank, refusal
from pilotage.records.call import Kind, Rejection
from tests.contract.examples import unhurried


def validation(tool: str, *lines: str, received: object = None) -> str:
    """Write what the host tells an agent whose call does not fit the schema."""
    told = "\n".join(f"  - {line}" for line in lines)
    repeated = json.dumps(received, indent=2)
    return f'Validation failed for tool "{tool}":\n{told}\n\nReceived arguments:\n{repeated}'


def read(tool: str, *lines: str) -> tuple[str, tuple[str, ...]]:
    """Read such a text back as its kind and its fields."""
    found = refusal(tool, validation(tool, *lines))
    assert found is not None
    return found.kind.value, found.fields


def test_missing_intent_of_the_host() -> None:
    """The host's words on a call without an intent are read, without the arguments that it repeats."""
    text = validation("bash", "intent: missing", received={"command": "echo no intent"})
    assert refusal("bash", text) == Rejection(
        Kind.MISSING_INTENT, ("intent",), 'Validation failed for tool "bash":\n  - intent: missing'
    )


@pytest.mark.parametrize(
    ("tool", "line", "kind", "fields"),
    [
        ("read", "path: missing", "structure", ("path",)),
        ("read", "limit: expected number, got string", "structure", ("limit",)),
        ("bash", "command: expected string, got array", "structure", ("command",)),
        ("edit", "edits: expected at least 1 items", "structure", ("edits",)),
        ("edit", "edits.0: expected object, got string", "structure", ("edits.0",)),
        ("edit", "edits.12.oldText: missing", "structure", ("edits.12.oldText",)),
        ("edit", "root: expected object, got array", "structure", ()),
        ("bash", "intent: missing", "missing-intent", ("intent",)),
        ("bash", "intent: expected string, got object", "missing-intent", ("intent",)),
        ("bash", "intent: expected at least 1 characters", "empty-intent", ("intent",)),
        ("bash", "intent: expected to match [^\\s]: x", "empty-intent", ("intent",)),
        ("bash", "rationale: expected string or null, got object", "empty-rationale", ("rationale",)),
        ("bash", "rationale: expected at least 1 characters", "empty-rationale", ("rationale",)),
        ("edit", "edits.0.intent: missing", "per-edit-provenance", ("edits.0.intent",)),
        (
            "edit",
            "edits.3.rationale: expected at least 1 characters",
            "per-edit-provenance",
            ("edits.3.rationale",),
        ),
        ("edit", "edits.0.intent: unknown field", "structure", ("edits.0.intent",)),
        ("bash", "intent: unknown field", "structure", ("intent",)),
    ],
)
def test_words_of_the_host(tool: str, line: str, kind: str, fields: tuple[str, ...]) -> None:
    """Each line of Pi 1.6 gives its kind and its field."""
    assert read(tool, line) == (kind, fields)


@pytest.mark.parametrize(
    ("line", "kind", "fields"),
    [
        ("intent: must have required property 'intent'", "missing-intent", ("intent",)),
        ("root: must have required property 'intent'", "missing-intent", ("intent",)),
        ("/intent: must be string", "missing-intent", ("intent",)),
        ("intent: must NOT have fewer than 1 characters", "empty-intent", ("intent",)),
        ('/intent: must match pattern "\\S"', "empty-intent", ("intent",)),
        ("rationale: must have required property 'rationale'", "empty-rationale", ("rationale",)),
        ("rationale: must NOT have fewer than 1 characters", "empty-rationale", ("rationale",)),
        ("edits/0: must have required property 'intent'", "per-edit-provenance", ("edits.0.intent",)),
        ("edits/0/intent: must have required property 'intent'", "per-edit-provenance", ("edits.0.intent",)),
        (
            "/edits/2/rationale: must NOT have fewer than 1 characters",
            "per-edit-provenance",
            ("edits.2.rationale",),
        ),
        ("edits[1].intent: must be string", "per-edit-provenance", ("edits.1.intent",)),
        ("edits/0: must NOT have additional properties", "structure", ("edits.0",)),
        ("root: must not have additional properties", "structure", ()),
        ("edits/0/oldText: must be string", "structure", ("edits.0.oldText",)),
        ("edits: must be array", "structure", ("edits",)),
    ],
)
def test_words_of_ajv(line: str, kind: str, fields: tuple[str, ...]) -> None:
    """The words of the validator that the host had first are understood."""
    assert read("edit", line) == (kind, fields)


@pytest.mark.parametrize(
    ("line", "kind", "fields"),
    [
        ("/intent: Expected required property", "missing-intent", ("intent",)),
        ("/intent: Expected string", "missing-intent", ("intent",)),
        ("/intent: Expected string length greater or equal to 1", "empty-intent", ("intent",)),
        ("/rationale: Expected required property", "empty-rationale", ("rationale",)),
        ("/edits/0/intent: Expected required property", "per-edit-provenance", ("edits.0.intent",)),
        (
            "intent: must have required properties intent, rationale",
            "missing-intent",
            ("intent", "rationale"),
        ),
        ("path: must have required properties path, edits", "structure", ("path", "edits")),
        (
            "edits.0.intent: must have required properties intent, rationale",
            "per-edit-provenance",
            ("edits.0.intent", "edits.0.rationale"),
        ),
        (
            "edits.4: must have required properties oldText, newText",
            "structure",
            ("edits.4.oldText", "edits.4.newText"),
        ),
        ("intent: must not have fewer than 1 characters", "empty-intent", ("intent",)),
        ("edits.0: must be object", "structure", ("edits.0",)),
    ],
)
def test_words_of_typebox(line: str, kind: str, fields: tuple[str, ...]) -> None:
    """The words of the validator that the host had next are understood."""
    assert read("edit", line) == (kind, fields)


def test_first_kind_in_order_stands_for_all() -> None:
    """Of several lines the first kind of the list counts, and the fields come in the order of the text."""
    assert read(
        "edit",
        "path: missing",
        "edits.0.rationale: missing",
        "edits.0.intent: missing",
        "rationale: missing",
        "intent: expected at least 1 characters",
        "intent: expected to match x",
    ) == (
        "empty-intent",
        ("path", "edits.0.rationale", "edits.0.intent", "rationale", "intent"),
    )


def test_intent_of_another_tool_is_structure() -> None:
    """An MCP tool may have an intent of its own, and its absence is a structural fault."""
    assert read("mcp__planner__note", "intent: missing") == ("structure", ("intent",))


def test_arguments_that_look_like_faults_do_not_count() -> None:
    """Lines among the arguments that were repeated are no faults."""
    text = validation("write", "path: missing", received={"content": "x"}) + "\n  - intent: missing"
    found = refusal("write", text)
    assert found is not None
    assert (found.kind, found.fields) == (Kind.STRUCTURE, ("path",))


def test_validation_without_a_known_line() -> None:
    """A schema refusal that names nothing is a structural fault."""
    text = 'Validation failed for tool "read":\nUnknown validation error\n\nReceived arguments:\n{}'
    assert refusal("read", text) == Rejection(
        Kind.STRUCTURE, (), 'Validation failed for tool "read":\nUnknown validation error'
    )


@pytest.mark.parametrize(
    ("why", "raw"),
    [
        ("Unterminated string in JSON at position 23 (line 1 column 24)", '{"command": "echo trunc'),
        ("Unexpected token 'o', \"not json at all\" is not valid JSON", "not json at all"),
    ],
)
def test_arguments_that_were_not_json(why: str, raw: str) -> None:
    """The host's words on arguments that are not JSON are read, without the raw text."""
    text = f'Invalid arguments for tool "bash": {why}\n\nReceived arguments:\n{raw}'
    assert refusal("bash", text) == Rejection(Kind.NOT_JSON, (), f'Invalid arguments for tool "bash": {why}')


@pytest.mark.parametrize(
    "text", ["Tool nosuchtool not found", 'Tool "nosuchtool" not found', "Tool nosuchtool not found\n"]
)
def test_unknown_tool(text: str) -> None:
    """The host's words on a tool that there is not are read."""
    assert refusal("nosuchtool", text) == Rejection(Kind.UNKNOWN_TOOL, (), text.strip())


def test_cut_off() -> None:
    """The host's words on a call that the output limit ended are read."""
    text = (
        'Tool call "bash" was not executed: the response hit the output token limit, so its arguments may be '
        "truncated. Re-issue the tool call with complete arguments."
    )
    assert refusal("bash", text) == Rejection(Kind.CUT_OFF, (), text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "handler crash",
        "Blocked by rig",
        "ENOENT: no such file or directory, access 'gone.py'",
        "Could not find the exact text in a.py.",
        "make: *** [all] Error 2\n\nCommand exited with code 2",
        "Command aborted",
        "Operation aborted",
        "Tool bash not found in the registry",
        'Tool call "bash" was not executed: blocked',
        "contract: intent is missing",
        "Contract intent is missing",
        'the log says: Validation failed for tool "bash":\n  - intent: missing',
        '\nValidation failed for tool "bash":\n  - intent: missing',
        'Validation failed for tool "read":\n  - path: missing',
        "Tool read not found",
    ],
)
def test_other_errors_are_no_refusals(text: str) -> None:
    """A text that does not begin with a refusal of this very tool is none."""
    assert refusal("bash", text) is None


@pytest.mark.parametrize(
    "ending",
    ["Command exited with code 1", "Command exited with code 137\n", "Command timed out after 2.5 seconds"],
)
@pytest.mark.parametrize(
    "printed", [validation("bash", "intent: missing"), "Contract: intent is missing: say it, as in {}."]
)
def test_command_that_prints_a_refusal_is_none(printed: str, ending: str) -> None:
    """A command that ran and failed is no refusal, whatever it printed."""
    assert refusal("bash", printed) is not None
    assert refusal("bash", f"{printed}\n\n{ending}") is None


def test_own_sentence() -> None:
    """The contract's own sentence gives back its first kind and all its fields."""
    text = (
        'Contract: intent is empty: say where, as in {"intent": "…"}. rationale is a number, not text: x, '
        "as in {}. edits.0.oldText is missing: x. edits is text that holds no JSON list of edits: x."
    )
    assert refusal("edit", text) == Rejection(
        Kind.EMPTY_INTENT, ("intent", "rationale", "edits.0.oldText", "edits"), text
    )


def test_own_opening_is_enough() -> None:
    """Words of the contract that a later version may use are a rejection still."""
    assert refusal("bash", "Contract: something new.") == Rejection(Kind.STRUCTURE, (), "Contract: something new.")


def test_message_is_short() -> None:
    """What is kept of a refusal has an end."""
    text = validation("edit", *(f"edits.{number}.intent: missing" for number in range(1000)))
    found = refusal("edit", text)
    assert found is not None
    assert len(found.message) == MESSAGE_LIMIT
    assert len(found.fields) == 1000


def test_large_results_are_read_fast() -> None:
    """An error result of many megabytes that is no refusal costs next to nothing."""
    text = "Validation of the build failed\n" + "  - intent: missing\n" * 1_000_000
    began = time.perf_counter()
    assert refusal("bash", text) is None
    assert time.perf_counter() - began < 1


def test_order_of_kinds() -> None:
    """The order of kinds is that of the closed list."""
    assert sorted(Kind, key=rank) == list(Kind)
    assert rank(Kind.MISSING_INTENT) == 0


def test_kind_of_a_field() -> None:
    """The kind of a fault depends on the field and on whether something was there."""
    assert field_kind("bash", "intent", "missing") is Kind.MISSING_INTENT
    assert field_kind("bash", "intent", "empty") is Kind.EMPTY_INTENT
    assert field_kind("bash", "intent.text", "missing") is Kind.STRUCTURE
    assert field_kind("grep", "intent", "missing") is Kind.STRUCTURE


@unhurried
@given(st.sampled_from(["bash", "read", "x"]), st.text(st.characters()))
def test_no_text_crashes(tool: str, text: str) -> None:
    """Any text is a refusal or none."""
    for opening in ("", "Contract: ", f'Validation failed for tool "{tool}":\n  - '):
        found = refusal(tool, opening + text)
        assert found is None or len(found.message) <= MESSAGE_LIMIT
