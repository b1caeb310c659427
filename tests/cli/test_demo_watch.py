import json
from importlib.resources import as_file, files
from pathlib import Path

import pytest

from pilotage.cli.demo import RECORDING
from pilotage.cli.main import main
from pilotage.console.commands import COMMANDS
from pilotage.console.themes import theme_folder
from pilotage.evidence.contents import read_child
from pilotage.evidence.read import read_attempts
from pilotage.sessions.read import read_session
from tests.console.driven import row_texts, timeline_of
from tests.console.terminal import Terminal, pilotage
from tests.handmade import HOSTILE, user, write_session


def test_demo_plays_to_the_end(tmp_path: Path) -> None:
    """`pilotage demo` needs nothing: it plays the recording, live, to its last row, and tidies up (spec L3)."""
    with as_file(files("pilotage.demo") / RECORDING) as recording:
        timeline = timeline_of(recording)
    last = row_texts(timeline)[-1].split()[2:6]
    with Terminal(pilotage("demo", "--speed", "50"), size=(140, 40), TMPDIR=str(tmp_path)) as terminal:
        terminal.wait_for("kestrel-api")
        terminal.wait_for("live")
        terminal.wait_for(" ".join(last))
        terminal.press("q")
        assert terminal.end() == 0
    assert list(tmp_path.iterdir()) == []


def test_evidence_in_the_demo(tmp_path: Path) -> None:
    """What was really asked and answered behind the latest reminder opens in the demo, two keys away (spec U5)."""
    with as_file(files("pilotage.demo")) as shipped:
        attempts = read_attempts(read_session(shipped / RECORDING), is_over=True).items
        reminded = [attempt for attempt in attempts if attempt.pairs][-1]
        assert reminded.child is not None
        file = (shipped / RECORDING).with_suffix("") / Path(reminded.child.file).name
        said = read_child(file).output
    with Terminal(pilotage("demo", "--speed", "50"), size=(140, 40), TMPDIR=str(tmp_path)) as terminal:
        terminal.wait_for("reminders 4")
        at = len(terminal.output)
        terminal.press("2")
        terminal.wait_for("7 reviews", at)
        at = len(terminal.output)
        terminal.press("e")
        terminal.wait_for("in the child session: what the model wrote", at)
        terminal.wait_for(said[:30], at)
        terminal.press("q")
        assert terminal.end() == 0


def test_demo_can_be_left_in_the_middle() -> None:
    """A demo that is left in the middle ends at once."""
    with Terminal(pilotage("demo", "--speed", "0.1")) as terminal:
        terminal.wait_for("? help")
        terminal.press("q")
        assert terminal.end() == 0


def test_watch_by_file(tmp_path: Path) -> None:
    """`pilotage watch FILE` shows the session of that file."""
    path = write_session(tmp_path / "s.jsonl", user("Find out why"))
    with Terminal(pilotage("watch", str(path))) as terminal:
        terminal.wait_for("Find out why")
        with path.open("a") as file:
            file.write(
                write_session(tmp_path / "t.jsonl", user(), user("And then stop")).read_text().split("\n")[2] + "\n"
            )
        terminal.wait_for("And then stop")
        terminal.press("q")
        assert terminal.end() == 0


def test_alone_it_lets_choose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`pilotage` alone opens the list of sessions, and Enter watches the chosen one."""
    monkeypatch.setenv("PI_CODING_AGENT_SESSION_DIR", str(tmp_path))
    write_session(tmp_path / "s.jsonl", user("Find out why"))
    with Terminal(pilotage()) as terminal:
        terminal.wait_for("1 session")
        terminal.wait_for("Find out why")
        at = len(terminal.output)
        terminal.press("\r")
        terminal.wait_for("following", at)
        terminal.wait_for("Find out why", at)
        terminal.press("q")
        assert terminal.end() == 0


def test_keys(capsys: pytest.CaptureFixture[str]) -> None:
    """`pilotage keys` lists every command with its keys, for people and as JSON."""
    assert main(["keys"]) == 0
    text = capsys.readouterr().out
    assert all(command.id in text and command.words in text for command in COMMANDS)
    assert main(["keys", "--json"]) == 0
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [record["command"] for record in records] == [
        command.id
        for where in dict.fromkeys(record["where"] for record in records)
        for command in COMMANDS
        if command.where == where
    ]
    assert next(record["keys"] for record in records if record["command"] == "show-search") == ["3", "s"]


def test_themes(capsys: pytest.CaptureFixture[str]) -> None:
    """`pilotage themes` lists the themes and says where one's own belong."""
    assert main(["themes"]) == 0
    output = capsys.readouterr()
    assert [line.split()[0] for line in output.out.splitlines()] == ["contrast", "dark", "light", "terminal"]
    assert "your own themes belong in" in output.err
    assert main(["themes", "--json"]) == 0
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {record["name"]: record["dark"] for record in records}["light"] is False


def test_theme_files_are_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`pilotage themes FILE` says what is wrong with a file, with its name and the key; a sound one is listed."""
    assert main(["themes", str(theme_folder() / "dark.toml")]) == 0
    assert capsys.readouterr().out.split() == ["dark", "dark"]
    file = tmp_path / "mine.toml"
    file.write_text((theme_folder() / "dark.toml").read_text().replace("dim =", "dimm ="))
    assert main(["themes", str(file)]) == 1
    assert f"{file}: roles.dim" in capsys.readouterr().err
    assert main(["themes", str(tmp_path / "missing.toml")]) == 1
    assert "missing.toml" in capsys.readouterr().err
    assert main(["themes", str(tmp_path / HOSTILE.replace("/", "").encode("utf-8", "ignore").decode())]) == 1
    assert capsys.readouterr().err.replace("\n", "").isprintable()
