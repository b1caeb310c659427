from pathlib import Path

from pilotage.prepare.candidates import Place, candidates
from pilotage.prepare.index import Index
from pilotage.records.capability import Capability, CapabilityKind, CapabilityState


def entry(kind: CapabilityKind, path: str | None) -> Capability:
    """Give something of a catalog."""
    return Capability(f"{kind}:x", kind, "x", "Says nothing.", CapabilityState.LOADABLE, path)


def test_what_may_be_read(tmp_path: Path) -> None:
    """The files of the index and the skills' entry files may be read, and each knows its folder (spec P3)."""
    (tmp_path / "link").symlink_to(tmp_path)
    skill = str(tmp_path / "skills" / "pdf" / "SKILL.md")
    index = Index(("project:a/b.py", "project:sub/", "project:@x", "project:~y"), None, 0, 0.0)
    found = candidates(tmp_path / "link", index, [entry(CapabilityKind.SKILL, skill), entry(CapabilityKind.TOOL, "/x")])
    real = str(tmp_path)
    assert found.places == {
        "project:a/b.py": Place(real, ("a", "b.py"), "a/b.py"),
        "project:@x": Place(real, ("@x",), "./@x"),
        "project:~y": Place(real, ("~y",), "./~y"),
        skill: Place(str(tmp_path / "skills" / "pdf"), ("SKILL.md",), skill),
    }


def test_letter_for_letter(tmp_path: Path) -> None:
    """Nothing that only means the same is a candidate."""
    found = candidates(tmp_path, Index(("project:a",), None, 0, 0.0), [entry(CapabilityKind.SKILL, "skills/x.md")])
    others = ["a", "project:A", "project:./a", "project:b/../a", "project:a/", str(tmp_path / "a"), "skills/x.md", ""]
    assert [path for path in others if path in found] == []
    assert "project:a" in found
