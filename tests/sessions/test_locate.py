import os
from pathlib import Path

import pytest

from pilotage import paths
from pilotage.sessions.locate import (
    NoSuchSession,
    Root,
    find_files,
    find_newest,
    find_root,
    is_same_folder,
    resolve,
)
from tests.sessions.raw import joined, packed, said


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    """A project's folder."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def sessions(home: Path) -> Path:
    """The folder of the project's sessions where Pi keeps them by default."""
    folder = home / ".pi" / "agent" / "sessions" / "--project--"
    folder.mkdir(parents=True)
    return folder


def session(folder: Path, session_id: str, cwd: Path | str, age: int = 0, *, named: str | None = None) -> Path:
    """Write a session of a folder, so many seconds old."""
    path = folder / f"2026-01-01T00-00-00-000Z_{named or session_id}.jsonl"
    header = packed({"type": "session", "version": 3, "id": session_id, "cwd": str(cwd)})
    path.write_bytes(joined([header, said("a", None, f"Words of {session_id}.")]))
    os.utime(path, (1_700_000_000 - age, 1_700_000_000 - age))
    return path


def settings(folder: Path, text: str) -> None:
    """Write a settings file."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "settings.json").write_text(text)


def refusal(name: str | None, cwd: Path) -> str:
    """Give the sentence with which a name is refused."""
    with pytest.raises(NoSuchSession) as caught:
        resolve(name, cwd)
    return str(caught.value)


def test_default_root(home: Path, cwd: Path) -> None:
    """Without any setting Pi's own folder is the root, with a folder for each project in it."""
    assert find_root(cwd) == Root(home / ".pi" / "agent" / "sessions", flat=False)


def test_root_of_another_agent_folder(cwd: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another agent folder has its sessions in it."""
    monkeypatch.setenv(paths.AGENT_DIR, "~/other")
    assert find_root(cwd) == Root(Path.home() / "other" / "sessions", flat=False)


def test_root_by_strength(home: Path, cwd: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment beats the project's settings, and those beat the person's (`HOST.md` a)."""
    settings(home / ".pi" / "agent", '{"sessionDir": "~/mine"}')
    assert find_root(cwd) == Root(home / "mine", flat=True)
    settings(cwd / ".pi", '{"sessionDir": "kept"}')
    assert find_root(cwd) == Root(cwd / "kept", flat=True)
    monkeypatch.setenv(paths.SESSION_DIR, "/elsewhere")
    assert find_root(cwd) == Root(Path("/elsewhere"), flat=True)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "5", '{"sessionDir": 5}', '{"sessionDir": ""}', "{}", "[" * 100_000, '{"sessionDir": null}']
)
def test_settings_that_say_nothing(home: Path, cwd: Path, text: str) -> None:
    """Settings that cannot be read or name no folder are passed over."""
    settings(cwd / ".pi", text)
    assert find_root(cwd).flat is False
    (cwd / ".pi" / "settings.json").unlink()
    (cwd / ".pi" / "settings.json").mkdir()
    assert find_root(cwd).flat is False


def test_settings_with_a_byte_order_mark(cwd: Path) -> None:
    """Settings may begin with a byte order mark (cases J1)."""
    settings(cwd / ".pi", '\ufeff{"sessionDir": "kept"}')
    assert find_root(cwd).path == cwd / "kept"


@pytest.mark.parametrize("named", ["~nobody-of-that-name/s", "a\\u0000b", "\\ud83d", "x" * 300])
def test_settings_that_name_no_possible_folder(cwd: Path, named: str) -> None:
    """A folder that cannot exist has no sessions, and nothing breaks."""
    settings(cwd / ".pi", f'{{"sessionDir": "{named}"}}')
    assert find_files(find_root(cwd)) == []
    assert find_newest(cwd) is None


def test_files_by_time(sessions: Path, cwd: Path) -> None:
    """Files of all projects are found, the one written last first."""
    other = sessions.with_name("--other--")
    other.mkdir()
    old, new, middle = (
        session(sessions, "old", cwd, 30),
        session(sessions, "new", cwd, 10),
        session(other, "m", "/", 20),
    )
    (sessions / "notes.txt").write_text("no session")
    assert [path for path, _ in find_files(find_root(cwd))] == [new, middle, old]


def test_files_in_a_flat_folder(cwd: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that was set has its files in it directly, and folders in it are not looked into."""
    monkeypatch.setenv(paths.SESSION_DIR, str(tmp_path / "flat"))
    (tmp_path / "flat" / "deeper").mkdir(parents=True)
    path = session(tmp_path / "flat", "s", cwd)
    session(tmp_path / "flat" / "deeper", "t", cwd)
    assert [found for found, _ in find_files(find_root(cwd))] == [path]


def test_no_folder_at_all(cwd: Path) -> None:
    """Where Pi never ran there are no files."""
    assert find_files(find_root(cwd)) == []


def test_loops_of_links(sessions: Path, cwd: Path) -> None:
    """Links in circles and to nowhere cost themselves, and a link to a session is one (cases B5)."""
    path = session(sessions, "s", cwd)
    (sessions.parent / "loop").symlink_to(".")
    (sessions.parent / "self").symlink_to("self")
    (sessions / "self.jsonl").symlink_to("self.jsonl")
    (sessions / "dangling.jsonl").symlink_to("nowhere")
    (sessions / "folder.jsonl").mkdir()
    os.mkfifo(sessions / "pipe.jsonl")
    assert [found for found, _ in find_files(find_root(cwd))] == [path]
    (sessions / "linked.jsonl").symlink_to(path)
    assert len(find_files(find_root(cwd))) == 2


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_folder_that_may_not_be_read(sessions: Path, cwd: Path) -> None:
    """A folder without permission costs only itself (cases B6)."""
    path = session(sessions, "s", cwd)
    closed = sessions.with_name("--closed--")
    closed.mkdir()
    session(closed, "t", cwd)
    closed.chmod(0)
    try:
        assert [found for found, _ in find_files(find_root(cwd))] == [path]
        assert resolve(str(closed / "x.jsonl"), cwd) == closed / "x.jsonl"
    finally:
        closed.chmod(0o700)


def test_same_folder(cwd: Path, tmp_path: Path) -> None:
    """A folder is the same under another path that leads to it."""
    link = tmp_path / "link"
    link.symlink_to(cwd)
    assert is_same_folder(str(cwd), cwd)
    assert is_same_folder(f"{cwd}/", cwd)
    assert is_same_folder(str(link), cwd)
    assert is_same_folder(str(cwd), link)
    assert not is_same_folder(str(tmp_path), cwd)
    assert not is_same_folder("", cwd)


@pytest.mark.parametrize("named", ["a\0b", "/w\ud83d", "/" + "x" * 5000, "/\x1b[31m"])
def test_folder_that_cannot_be(cwd: Path, named: str) -> None:
    """A header may name a folder that no system has; it is another one."""
    assert not is_same_folder(named, cwd)


def test_newest_of_this_folder(sessions: Path, cwd: Path) -> None:
    """Without a name the session of this folder that was written last is meant; the header says whose it is."""
    session(sessions, "old", cwd, 30)
    session(sessions, "elsewhere", "/elsewhere", 1)
    session(sessions, "hostile", "a\0b", 2)
    (sessions / "empty.jsonl").touch()
    new = session(sessions, "new", cwd, 20)
    assert find_newest(cwd) == resolve(None, cwd) == resolve("", cwd) == new


def test_no_session_of_this_folder(sessions: Path, cwd: Path) -> None:
    """Without any session of this folder the person is told what to do."""
    session(sessions, "elsewhere", "/elsewhere")
    assert refusal(None, cwd) == (
        f"no session of {cwd} in {sessions.parent}; start Pi in this folder, name a session,"
        " or see all with `pilotage sessions --all`"
    )


def test_path(cwd: Path, tmp_path: Path, home: Path) -> None:
    """A path is that file, whatever its name, also below the home folder."""
    path = session(tmp_path, "s", cwd)
    assert resolve(str(path), cwd) == path
    odd = tmp_path / "odd name"
    odd.write_bytes(b"")
    assert resolve(str(odd), cwd) == odd
    session(home, "h", cwd, named="h")
    assert resolve("~/2026-01-01T00-00-00-000Z_h.jsonl", cwd).parent == home


@pytest.mark.parametrize("name", ["none.jsonl", "no/such", "./none", "x" * 300 + ".jsonl", "a\0b.jsonl"])
def test_path_to_nothing(cwd: Path, name: str) -> None:
    """A path that leads to nothing is no session."""
    assert refusal(name, cwd) == f"{name}: no such file"


def test_path_to_a_folder(cwd: Path) -> None:
    """A folder is no session, and the person is told where sessions are listed."""
    assert refusal(str(cwd), cwd).endswith(
        "is a folder, not a session file; `pilotage sessions` lists the sessions that there are"
    )


def test_path_to_a_circle_of_links(cwd: Path) -> None:
    """A link that leads nowhere is there, so that reading it tells why it cannot be read."""
    circle = cwd / "circle.jsonl"
    circle.symlink_to(circle)
    assert resolve(str(circle), cwd) == circle


def test_id_and_prefix(sessions: Path, cwd: Path) -> None:
    """A session is named by its id or by as much of it as is unique, whatever its folder (spec J4)."""
    one, two = session(sessions, "01a2-first", "/a", 1), session(sessions, "01a2-second", "/b", 2)
    assert resolve("01a2-first", cwd) == resolve("01a2-f", cwd) == one
    assert resolve("01a2-s", cwd) == two


def test_id_that_begins_another(sessions: Path, cwd: Path) -> None:
    """A whole id is that session, even if another id begins with it; so it is for ids in headers alone."""
    short = session(sessions, "run", cwd)
    session(sessions, "run-2", cwd)
    assert resolve("run", cwd) == short
    hidden = session(sessions, "inner", cwd, named="x")
    session(sessions, "inner-2", cwd, named="y")
    assert resolve("inner", cwd) == hidden


def test_id_in_the_header_alone(sessions: Path, cwd: Path) -> None:
    """A file that was given another name is found by the id in its header."""
    path = session(sessions, "01a2", cwd, named="renamed")
    assert resolve("01a", cwd) == resolve("renam", cwd) == path


@pytest.mark.parametrize("name", ["zzz", "x" * 300, "~nobody-of-that-name", "a\0b", "\ud83d"])
def test_prefix_of_nothing(sessions: Path, cwd: Path, name: str) -> None:
    """A name that is neither path nor id is refused with where was looked."""
    session(sessions, "01a2", cwd)
    said = refusal(name, cwd)
    assert said.startswith(f"no session with an id that begins with {name!r} in {sessions.parent}")


def test_ambiguous_prefix(sessions: Path, cwd: Path) -> None:
    """An ambiguous prefix lists the candidates, newest first, with where they ran and what they are about (spec J4)."""
    session(sessions, "01b", cwd, 2)
    session(sessions, "01a", cwd, 1)
    assert refusal("01", cwd).split("\n") == [
        "'01' is ambiguous, 2 sessions begin so:",
        f"  01a  {cwd}  Words of 01a.",
        f"  01b  {cwd}  Words of 01b.",
    ]


def test_very_ambiguous_prefix(sessions: Path, cwd: Path) -> None:
    """Of very many candidates the first twenty are listed and the others counted."""
    for number in range(30):
        session(sessions, f"01-{number:02}", cwd, number)
    lines = refusal("01", cwd).split("\n")
    assert (len(lines), lines[0], lines[-1]) == (22, "'01' is ambiguous, 30 sessions begin so:", "  and 10 more")


def test_two_copies_of_a_session(sessions: Path, cwd: Path) -> None:
    """Two files with one id are ambiguous, and no guess is made."""
    other = sessions.with_name("--other--")
    other.mkdir()
    session(sessions, "same", cwd)
    session(other, "same", cwd)
    assert refusal("same", cwd).startswith("'same' is ambiguous, 2 sessions")
