import json
from pathlib import Path

import pytest

from pilotage.catalog.file import read_catalog
from pilotage.jsonfiles import FaultyFile
from pilotage.records.capability import Capability, CapabilityKind, CapabilityState


def write(tmp_path: Path, *lines: object) -> Path:
    """Write a file of these lines; what is no text is written as JSON."""
    path = tmp_path / "catalog.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return path


def test_entries(tmp_path: Path) -> None:
    """Each line is an entry with all that it says; blank lines, CR and a byte order mark are passed over."""
    path = write(
        tmp_path,
        {"kind": "tool", "name": "deploy", "description": "d", "parameters": {"type": "object"}},
        "\r",
        {"kind": "skill", "name": "tides", "description": "潮汐", "path": "/t/SKILL.md"},
        {"kind": "mcp", "name": "mcp__t__a", "description": ""},
    )
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    loadable, origin = CapabilityState.LOADABLE, str(path)
    assert read_catalog(path).entries == (
        Capability("skill:tides", CapabilityKind.SKILL, "tides", "潮汐", loadable, path="/t/SKILL.md", origin=origin),
        Capability("mcp:mcp__t__a", CapabilityKind.MCP, "mcp__t__a", "", loadable, server="t", origin=origin),
        Capability(
            "tool:deploy", CapabilityKind.TOOL, "deploy", "d", loadable, parameters={"type": "object"}, origin=origin
        ),
    )


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("{", "is not one JSON object"),
        ("[]", "is not one JSON object"),
        ("[" * 100_000, "is not one JSON object"),
        ({"kind": "thing", "name": "x", "description": "d"}, "its kind is none of skill, mcp, tool"),
        ({"kind": [], "name": "x", "description": "d"}, "its kind is none of skill, mcp, tool"),
        ({"kind": "tool", "name": " ", "description": "d"}, "has no name or no description"),
        ({"kind": "tool", "name": "x"}, "has no name or no description"),
        ({"kind": "tool", "name": "x", "description": "d", "parameters": 5}, "its parameters are no object"),
        ({"kind": "tool", "name": "good", "description": "d"}, "there is a tool:good before it"),
    ],
)
def test_a_faulty_line_costs_itself(tmp_path: Path, line: object, what: str) -> None:
    """A line that is no entry is told with its number and a mend; the others are there."""
    path = write(tmp_path, {"kind": "tool", "name": "good", "description": "d"}, line)
    catalog = read_catalog(path)
    assert [entry.name for entry in catalog.entries] == ["good"]
    assert [(fault.where, fault.what) for fault in catalog.faults] == [(f"{path}:2", what)]
    assert catalog.faults[0].mend


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    """A missing file or a folder is an error that names it."""
    with pytest.raises(FaultyFile, match="gone"):
        read_catalog(tmp_path / "gone")
    with pytest.raises(FaultyFile, match="directory"):
        read_catalog(tmp_path)
