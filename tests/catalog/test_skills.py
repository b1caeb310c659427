import os
from pathlib import Path

import pytest

from pilotage.catalog.skill_places import find_skill_files, skill_places
from pilotage.catalog.skills import SkillCache, find_skills
from pilotage.records.capability import Capability, CapabilityKind, CapabilityState, Catalog
from tests.catalog.written import write_json, write_skill

AS_ROOT = pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")


@pytest.fixture
def agent(home: Path) -> Path:
    """Pi's own folder."""
    folder = home / ".pi" / "agent"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project's folder, two levels below its repository's root."""
    folder = tmp_path / "repository" / "packages" / "one"
    folder.mkdir(parents=True)
    (tmp_path / "repository" / ".git").mkdir()
    return folder


def names(catalog: Catalog) -> list[str]:
    """Give the names in the catalog's order."""
    return [entry.name for entry in catalog.entries]


def whats(catalog: Catalog) -> list[str]:
    """Give what is said in the faults."""
    return [fault.what for fault in catalog.faults]


def test_an_entry(agent: Path, project: Path) -> None:
    """A skill's entry holds its id, whole description, file, and the short description beside it (spec D1, D3)."""
    path = write_skill(
        agent / "skills" / "tides" / "SKILL.md",
        "description: |\n  Reads tide tables.\n  Use it before a passage.\nmetadata: {catalog-description: Tides.}",
    )
    assert find_skills(agent, project, trusted=False).entries == (
        Capability(
            "skill:tides",
            CapabilityKind.SKILL,
            "tides",
            "Reads tide tables.\nUse it before a passage.",
            CapabilityState.LOADABLE,
            path=str(path),
            short="Tides.",
            origin=str(path),
        ),
    )


def test_every_place_in_pis_order(agent: Path, project: Path, home: Path, tmp_path: Path) -> None:
    """The project's settings come first, then its folders from here up to the root, then the user's in the same way."""
    places = [
        project / ".pi" / "more" / "a",
        project / ".pi" / "skills" / "b",
        project / ".agents" / "skills" / "c",
        tmp_path / "repository" / ".agents" / "skills" / "d",
        tmp_path / "named" / "e",
        agent / "skills" / "f",
        home / ".agents" / "skills" / "g",
    ]
    for place in (*places, tmp_path / ".agents" / "skills" / "beyond-the-root"):
        write_skill(place / "SKILL.md")
    write_json(project / ".pi" / "settings.json", {"skills": ["more"]})
    write_json(agent / "settings.json", {"skills": [str(tmp_path / "named")]})
    assert names(find_skills(agent, project, trusted=True)) == list("abcdefg")


def test_a_project_that_is_not_trusted(agent: Path, project: Path) -> None:
    """Of a project that Pi does not trust nothing is taken, and that is told (spec G4)."""
    for place in (".pi/skills/a", ".agents/skills/b", ".pi/more/c"):
        write_skill(project / place / "SKILL.md")
    write_json(project / ".pi" / "settings.json", {"skills": ["more"]})
    catalog = find_skills(agent, project, trusted=False)
    assert (names(catalog), whats(catalog)) == ([], ["is not looked at: Pi does not trust the project"])


def test_the_first_of_a_name_counts(agent: Path, project: Path) -> None:
    """Of two skills with one name the first place's is taken, and the other is told."""
    first = write_skill(project / ".pi" / "skills" / "x" / "SKILL.md", "name: tides\ndescription: Ours.")
    second = write_skill(agent / "skills" / "tides" / "SKILL.md", "description: Theirs.")
    catalog = find_skills(agent, project, trusted=True)
    assert [entry.path for entry in catalog.entries] == [str(first)]
    assert [(fault.where, fault.what) for fault in catalog.faults] == [
        (str(second), f"its name tides is taken: Pi gives the agent {first}")
    ]


def test_a_skill_for_people_only(agent: Path, project: Path) -> None:
    """A skill that only a person may call is not in the catalog, and still takes its name (spec D1)."""
    write_skill(agent / "skills" / "a" / "SKILL.md", "name: x\ndescription: d\ndisable-model-invocation: true")
    write_skill(agent / "skills" / "b" / "SKILL.md", "name: x\ndescription: d")
    assert names(find_skills(agent, project, trusted=False)) == []


def test_folders(agent: Path, project: Path) -> None:
    """A folder with a SKILL.md is a skill and nothing below it is; hidden folders and node_modules are passed over."""
    skills = agent / "skills"
    for place in ("one", "one/below", "group/two", ".hidden", "node_modules/three"):
        write_skill(skills / place / "SKILL.md")
    assert names(find_skills(agent, project, trusted=False)) == ["two", "one"]


def test_markdown_files(agent: Path, project: Path, home: Path) -> None:
    """In Pi's folders a Markdown file at the top with a description is a skill, below `.agents` one further down."""
    for folder in (agent / "skills", home / ".agents" / "skills"):
        write_skill(folder / "top.md", f"name: top-of-{folder.parent.name}\ndescription: d")
        write_skill(folder / "group" / "low.md", f"name: low-of-{folder.parent.name}\ndescription: d")
        (folder / "README.md").write_text("# Skills\n")
    catalog = find_skills(agent, project, trusted=False)
    assert (names(catalog), catalog.faults) == (["top-of-agent", "low-of-.agents"], ())


def test_ignore_files(agent: Path, project: Path) -> None:
    """The ignore files that Pi knows leave skills out, each from its own folder on; a negated rule takes them back."""
    skills = agent / "skills"
    for place in ("a", "b", "group/a", "group/c", "group/d"):
        write_skill(skills / place / "SKILL.md", f"name: {place.replace('/', '-')}\ndescription: d")
    (skills / ".gitignore").write_text("# comment\n\n/b/\n\\\n!\n")
    (skills / "group" / ".ignore").write_text("C\n")
    (skills / "group" / ".fdignore").write_bytes(b"d\r\n!d\r\n")
    assert names(find_skills(agent, project, trusted=False)) == ["a", "group-a", "group-d"]


def test_signs_in_the_settings(agent: Path, project: Path, tmp_path: Path) -> None:
    """`!pattern` and `-path` switch skills off, `+path` switches one on again; a pattern chooses in a named folder."""
    for place in ("old-a", "old-b", "off", "on"):
        write_skill(agent / "skills" / place / "SKILL.md")
    for place in ("yes-1", "no-1"):
        write_skill(tmp_path / "named" / place / "SKILL.md")
    words = [str(tmp_path / "named"), "yes-*", "!**/old-*", "+skills/old-b", "-skills/off/SKILL.md"]
    write_json(agent / "settings.json", {"skills": words})
    assert names(find_skills(agent, project, trusted=False)) == ["yes-1", "old-b", "on"]


def test_older_settings(agent: Path, project: Path, tmp_path: Path) -> None:
    """The object in which older Pis kept the list is read; a home folder's sign is taken."""
    write_skill(tmp_path / "named" / "SKILL.md")
    write_json(agent / "settings.json", {"skills": {"customDirectories": [str(tmp_path / "named")]}})
    assert names(find_skills(agent, project, trusted=False)) == ["named"]
    write_skill(agent.parents[1] / "mine" / "SKILL.md")
    write_json(agent / "settings.json", {"skills": ["~/mine"]})
    assert names(find_skills(agent, project, trusted=False)) == ["mine"]


@pytest.mark.parametrize(
    ("content", "line", "what"),
    [
        (
            "---\nname: x\ndescription: a: b\n---\n",
            3,
            "its front matter is no YAML: mapping values are not allowed here",
        ),
        ("---\nname: x\n---\n", 1, "it has no description"),
        ("Just words.\n", 1, "it has no description"),
        ("---\ndescription: d\nx: " + "y" * 70_000 + "\n---\n", 1, "it has no description in its first 65536 bytes"),
    ],
    ids=["yaml", "no description", "no front matter", "endless"],
)
def test_a_faulty_file_costs_itself(agent: Path, project: Path, content: str, line: int, what: str) -> None:
    """A skill that Pi does not take is told with its file, line and a mend; the others are there."""
    path = write_skill(agent / "skills" / "bad" / "SKILL.md")
    path.write_text(content)
    write_skill(agent / "skills" / "good" / "SKILL.md")
    catalog = find_skills(agent, project, trusted=False)
    assert names(catalog) == ["good"]
    assert [(fault.where, fault.what) for fault in catalog.faults] == [(f"{path}:{line}", what)]
    assert catalog.faults[0].mend


def test_a_huge_file(agent: Path, project: Path) -> None:
    """Only the head of a file is read, so that a long body costs nothing."""
    path = write_skill(agent / "skills" / "huge" / "SKILL.md")
    os.truncate(path, 2 << 30)
    assert names(find_skills(agent, project, trusted=False)) == ["huge"]


def test_links(agent: Path, project: Path, tmp_path: Path) -> None:
    """Links are followed; loops, dead ends, pipes and second ways to one file cost nothing."""
    skills = agent / "skills"
    write_skill(skills / "real" / "SKILL.md")
    write_skill(tmp_path / "elsewhere" / "SKILL.md")
    (skills / "loop").symlink_to(skills)
    (skills / "self").symlink_to("self")
    (skills / "dead").symlink_to(tmp_path / "nowhere")
    (skills / "linked").symlink_to(tmp_path / "elsewhere")
    (skills / "linked-too").symlink_to(tmp_path / "elsewhere")
    (skills / "pipe").mkdir()
    os.mkfifo(skills / "pipe" / "SKILL.md")
    catalog = find_skills(agent, project, trusted=False)
    assert (names(catalog), catalog.faults) == (["linked", "real"], ())


@AS_ROOT
def test_what_may_not_be_read(agent: Path, project: Path) -> None:
    """A folder or file without rights is told, and costs only itself."""
    closed = agent / "skills" / "closed"
    write_skill(closed / "SKILL.md")
    file = write_skill(agent / "skills" / "file" / "SKILL.md")
    write_skill(agent / "skills" / "open" / "SKILL.md")
    closed.chmod(0)
    file.chmod(0)
    catalog = find_skills(agent, project, trusted=False)
    closed.chmod(0o700)
    assert names(catalog) == ["open"]
    assert {fault.where for fault in catalog.faults} == {str(closed), str(file)}


def test_too_many_names(agent: Path, project: Path) -> None:
    """A place with more names than anybody has skills is told; what was found up to there stays."""
    for name in "abcz":
        write_skill(agent / "skills" / name / "SKILL.md")
    for number in range(20):
        (agent / "skills" / "b" / f"{number}.txt").touch()
    found = find_skill_files(skill_places(agent, project, {}, {}, trusted=False), most_visited=20)
    assert [path.parent.name for path in found.paths] == ["a", "b"]
    assert [fault.what for fault in found.faults] == ["holds more than 20 names: the rest is not looked at"]


def test_broken_settings(agent: Path, project: Path) -> None:
    """Settings that do not parse are told, and Pi's own folders are looked at."""
    write_skill(agent / "skills" / "a" / "SKILL.md")
    (agent / "settings.json").write_text("{")
    catalog = find_skills(agent, project, trusted=False)
    assert names(catalog) == ["a"]
    assert [fault.where for fault in catalog.faults] == [str(agent / "settings.json")]


def test_a_named_place_that_is_not_there(agent: Path, project: Path, tmp_path: Path) -> None:
    """A place in the settings that is missing or no Markdown file is told."""
    (tmp_path / "notes.txt").write_text("x")
    write_json(agent / "settings.json", {"skills": ["gone", str(tmp_path / "notes.txt"), "", 5, "a\0b"]})
    faults = find_skills(agent, project, trusted=False).faults
    assert [fault.what for fault in faults] == ["is not there", "is no Markdown file", "is not there"]


def test_a_file_is_read_once(agent: Path, project: Path) -> None:
    """A file that has not changed is not read again; one that has is (spec H5)."""
    path = write_skill(agent / "skills" / "a" / "SKILL.md", "description: One.")
    write_skill(agent / "skills" / "b" / "SKILL.md", "no description")
    cache = SkillCache()
    first = find_skills(agent, project, trusted=False, cache=cache)
    assert find_skills(agent, project, trusted=False, cache=cache) == first
    assert cache.reads == 2
    write_skill(path, "description: Another.")
    assert find_skills(agent, project, trusted=False, cache=cache).entries[0].description == "Another."
    assert cache.reads == 3
    path.unlink()
    assert names(find_skills(agent, project, trusted=False, cache=cache)) == []
