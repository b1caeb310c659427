import json

from pilotage.contract.schema import tool_schema
from tests.cli.conftest import Pilotage


def test_all_tools_as_json(pilotage: Pilotage) -> None:
    """Without a tool, every tool of the contract is printed, one object a line (spec L1)."""
    done = pilotage("schema", "--json")
    assert (done.status, done.err) == (0, "")
    assert [record["tool"] for record in done.records] == ["bash", "write", "edit", "read"]
    assert [list(record) for record in done.records] == [["tool", "description", "parameters"]] * 4


def test_one_tool_as_json(pilotage: Pilotage) -> None:
    """A tool's object has the description and the JSON Schema that hosts are given (spec C10)."""
    (record,) = pilotage("schema", "edit", "--json").records
    schema = tool_schema("edit")
    told = {"tool": "edit", "description": schema.description, "parameters": schema.parameters}
    assert record == json.loads(json.dumps(told))


def test_words_for_people(pilotage: Pilotage) -> None:
    """For people there is the description and a line for each field, those of a field's own fields set in."""
    done = pilotage("schema", "edit")
    assert done.lines[0] == "edit"
    assert "  - intent, MANDATORY: where this action is heading." in done.lines
    assert "    - newText, MANDATORY: the text that takes its place." in done.lines
    assert len(pilotage("schema").out.split("\n\n")) == 4


def test_unknown_tool(pilotage: Pilotage) -> None:
    """A tool outside the contract is wrong use, and the sentence says which there are."""
    done = pilotage("schema", "grep")
    assert (done.status, done.out) == (2, "")
    assert 'no tool "grep" is in the contract: use bash, write, edit or read' in done.err
