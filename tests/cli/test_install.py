import json
import os
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from pilotage.hosts.pi.install import CONTRACT, ENTRY, LIST, SERVING
from tests.cli.conftest import Pilotage

SETTINGS = b'\xef\xbb\xbf{\r\n  // a comment\r\n  "theme": "dark",\r\n  "extensions": ["-builtin:mcp"]\r\n}'
"""Settings with a byte order mark, a comment and another's line ends."""


def contents(folder: Path) -> dict[str, bytes | None]:
    """Give everything below a folder: bytes of files, none for folders."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")
    }


@pytest.fixture
def agent(home: Path) -> Path:
    """Return Pi's own folder, as a person's may be."""
    folder = home / ".pi" / "agent"
    (folder / "extensions" / "other").mkdir(parents=True)
    (folder / "extensions" / "other" / "index.js").write_text("export default function () {}\n")
    (folder / "settings.json").write_bytes(SETTINGS)
    return folder


@pytest.fixture
def extension(agent: Path) -> Path:
    """Return where the extension belongs in it."""
    return agent / "extensions" / "pilotage"


def test_install_and_uninstall(pilotage: Pilotage, agent: Path, extension: Path) -> None:
    """Install adds a folder and touches nothing else; uninstall brings back every byte as it was (spec H1)."""
    before = contents(agent)
    done = pilotage("install", "pi")
    assert (done.status, done.out) == (0, "")
    assert f"installed in {extension}" in done.err
    after = contents(agent)
    assert {name: after[name] for name in before} == before
    added = {name.removeprefix("extensions/pilotage").strip("/") for name in after.keys() - before.keys()}
    scripts = {path.name for path in (files("pilotage.hosts.pi") / "extension").iterdir() if path.name.endswith(".js")}
    assert added == {"", *scripts, CONTRACT, SERVING, LIST}
    assert pilotage("uninstall", "pi").status == 0
    assert contents(agent) == before


def test_second_time(pilotage: Pilotage, agent: Path, extension: Path) -> None:
    """A second install changes nothing, not even a time of writing, and a second uninstall neither."""
    pilotage("install", "pi")
    before = {path: path.stat().st_mtime_ns for path in extension.iterdir()}
    done = pilotage("install", "pi")
    assert (done.status, "nothing was changed" in done.err) == (0, True)
    assert {path: path.stat().st_mtime_ns for path in extension.iterdir()} == before
    pilotage("uninstall", "pi")
    done = pilotage("uninstall", "pi")
    assert (done.status, "nothing was changed" in done.err) == (0, True)


def test_folders_that_were_made_go_again(pilotage: Pilotage, home: Path) -> None:
    """Where Pi never ran, the folders that had to be made are made, and go again."""
    pilotage("install", "pi")
    assert (home / ".pi" / "agent" / "extensions" / "pilotage" / ENTRY).exists()
    pilotage("uninstall", "pi")
    assert not (home / ".pi").exists()


def test_folders_that_others_use_stay(pilotage: Pilotage, home: Path) -> None:
    """A folder that was made and is used by others since then stays."""
    pilotage("install", "pi")
    (home / ".pi" / "agent" / "settings.json").write_text("{}")
    pilotage("uninstall", "pi")
    assert contents(home / ".pi") == {"agent": None, "agent/settings.json": b"{}"}


def test_project(pilotage: Pilotage, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With --project it goes into this folder's .pi, and the person is told of trust."""
    monkeypatch.chdir(tmp_path)
    done = pilotage("install", "pi", "--project")
    assert (tmp_path / ".pi" / "extensions" / "pilotage" / ENTRY).exists()
    assert "trusts the project" in done.err
    assert not (home / ".pi").exists()
    assert pilotage("uninstall", "pi", "--project").status == 0
    assert not (tmp_path / ".pi").exists()


def test_agent_folder_of_the_environment(pilotage: Pilotage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pi's own folder is where the environment says."""
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(tmp_path / "elsewhere"))
    pilotage("install", "pi")
    assert (tmp_path / "elsewhere" / "extensions" / "pilotage" / ENTRY).exists()


def test_copy_stands_on_its_own(pilotage: Pilotage, extension: Path) -> None:
    """Nothing that is installed names this checkout or this home folder; one file names the Python that serves."""
    pilotage("install", "pi")
    assert json.loads((extension / SERVING).read_text("utf-8"))["command"][0] == sys.executable
    for path in (path for path in extension.iterdir() if path.name != SERVING):
        text = path.read_text("utf-8")
        assert not path.is_symlink()
        assert str(Path(__file__).parents[2]) not in text
        assert str(Path(os.environ["HOME"])) not in text


@pytest.mark.parametrize("name", ["another's folder", "another's file", "a link", "an empty folder"])
def test_what_others_put_there_stays(pilotage: Pilotage, extension: Path, name: str) -> None:
    """A folder of that name that Pilotage did not put there is neither written to nor taken away."""
    if name == "a link":
        extension.symlink_to(extension.parent / "other")
    elif name == "another's file":
        extension.write_text("mine")
    else:
        extension.mkdir()
        if name == "another's folder":
            (extension / ENTRY).write_text("mine")
    before = contents(extension.parent)
    for command in ("install", "uninstall"):
        done = pilotage(command, "pi")
        assert (done.status, done.out) == (1, "")
        assert "was not put there by pilotage" in done.err
        assert contents(extension.parent) == before


def test_changed_copy_is_not_lost(pilotage: Pilotage, extension: Path) -> None:
    """A file that a person changed is named, and neither written over nor removed."""
    pilotage("install", "pi")
    (extension / "shadow.js").write_text("// mine\n")
    for command in ("install", "uninstall"):
        done = pilotage(command, "pi")
        assert done.status == 1
        assert "shadow.js changed since it was installed" in done.err
    assert (extension / "shadow.js").read_text() == "// mine\n"
    assert (extension / ENTRY).exists()


def test_added_file_stays(pilotage: Pilotage, extension: Path) -> None:
    """A file that a person put beside stays, and so does the folder."""
    pilotage("install", "pi")
    (extension / "notes.md").write_text("mine")
    assert pilotage("uninstall", "pi").status == 0
    assert contents(extension) == {"notes.md": b"mine"}


def test_missing_file_comes_back(pilotage: Pilotage, extension: Path) -> None:
    """Installing again brings back what is gone."""
    pilotage("install", "pi")
    before = contents(extension)
    (extension / CONTRACT).unlink()
    assert "installed in" in pilotage("install", "pi").err
    assert contents(extension) == before


def written_by(extension: Path, version: str, files: dict[str, str]) -> None:
    """Turn a copy into one that another Pilotage installed, with these files changed."""
    import hashlib

    told = json.loads((extension / LIST).read_text())
    told["pilotage"] = version
    for name, text in files.items():
        (extension / name).write_text(text)
        told["files"][name] = hashlib.sha256(text.encode()).hexdigest()
    (extension / LIST).write_text(json.dumps(told))


def test_newer_pilotage_replaces_an_older_copy(pilotage: Pilotage, extension: Path) -> None:
    """A copy of another Pilotage is brought up to date; a file that is no longer part of it goes."""
    pilotage("install", "pi")
    before = contents(extension)
    written_by(extension, "0.0.1", {"shadow.js": "// older\n", "old.js": "// gone since\n"})
    assert pilotage("install", "pi").status == 0
    assert contents(extension) == before


def test_interrupted_installation_is_gone_on_with(pilotage: Pilotage, extension: Path) -> None:
    """A copy of which only a part was replaced is completed by the next installation."""
    pilotage("install", "pi")
    before = contents(extension)
    new = (extension / "contract.js").read_text()
    written_by(extension, "0.0.1", {"shadow.js": "// older\n", "contract.js": "// older\n"})
    (extension / "contract.js").write_text(new)
    assert pilotage("install", "pi").status == 0
    assert contents(extension) == before


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"pilotage": 1, "parents": 0, "files": []}', "[" * 100_000])
def test_list_that_cannot_be_read(pilotage: Pilotage, extension: Path, text: str) -> None:
    """With a broken list nobody knows what is Pilotage's: nothing is touched."""
    pilotage("install", "pi")
    (extension / LIST).write_text(text)
    before = contents(extension)
    assert pilotage("uninstall", "pi").status == 1
    assert contents(extension) == before


def test_list_that_names_other_folders(pilotage: Pilotage, agent: Path, extension: Path) -> None:
    """A list that names files elsewhere is not believed."""
    pilotage("install", "pi")
    told = json.loads((extension / LIST).read_text())
    told["files"]["../../settings.json"] = "0"
    (extension / LIST).write_text(json.dumps(told))
    assert pilotage("uninstall", "pi").status == 1
    assert (agent / "settings.json").read_bytes() == SETTINGS


def test_place_that_cannot_be_written(pilotage: Pilotage, home: Path) -> None:
    """Where a file stands in the way of a folder, the command says so and fails."""
    (home / ".pi").write_text("a file")
    done = pilotage("install", "pi")
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith("pilotage: ")


def test_other_hosts(pilotage: Pilotage) -> None:
    """A host that there is not is wrong use."""
    assert pilotage("install", "vi").status == 2
    assert pilotage("install").status == 2
