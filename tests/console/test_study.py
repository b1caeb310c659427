import json
from pathlib import Path

import pytest

from pilotage.calls.study_counts import Counting, Study
from pilotage.calls.study_files import Unread, study_file
from pilotage.console.screens.study import StudyScreen
from pilotage.console.screens.watch import WatchScreen
from pilotage.console.study_lines import study_lines
from pilotage.console.widgets.choices import ChoiceList
from tests.console.driven import chosen, console, on_screen, press, run, shown, texts, until, watched
from tests.handmade import user, write_session

HERE = Path("/home/dev/kestrel-api")


@pytest.fixture
def folder(tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three sessions of this project, one of another."""
    monkeypatch.setenv("PI_CODING_AGENT_SESSION_DIR", str(tmp_path))
    for number, (name, cwd) in enumerate(
        (("rejects", HERE), ("failures", HERE), ("intents", HERE), ("edits", Path("/home/dev/wren")))
    ):
        header, *lines = (data / f"{name}.jsonl").read_text("utf-8").splitlines()
        fields = json.loads(header) | {"cwd": str(cwd), "timestamp": f"2026-01-0{number + 1}T10:00:00.000Z"}
        (tmp_path / f"{name}.jsonl").write_text("\n".join([json.dumps(fields), *lines]) + "\n", "utf-8")
    return tmp_path


def study(*paths: Path) -> Study:
    """Count these files."""
    counting = Counting()
    for path in paths:
        facts = study_file(path)
        assert not isinstance(facts, Unread)
        counting.add(facts)
    return counting.study()


def test_lines_tell_what_was_counted(data: Path) -> None:
    """The figures, a bar for each kind and tool, and a line for each session with its rate (spec S3)."""
    counted = study(data / "rejects.jsonl", data / "failures.jsonl")
    lines = study_lines(counted)
    told = texts(line.line(100) for line in lines)
    assert any("rejected calls" in text and "2 sessions" in text for text in told)
    for kind, number in counted.by_kind.items():
        assert any(str(kind) in text and "━" in text and text.endswith(f" {number}") for text in told)
    assert [line.key for line in lines if line.key] == [Path(session.path) for session in counted.rates]


def test_nothing_rejected(data: Path) -> None:
    """Without a rejection there are no bars, and each session's rate is nought."""
    told = "\n".join(texts(line.line(80) for line in study_lines(study(data / "failures.jsonl"))))
    assert "0 rejected calls" in told
    assert "━" not in told
    assert "0.0%" in told


def test_screen(folder: Path) -> None:
    """The study counts this project's sessions only; Enter opens one at its first rejection, Escape goes back."""

    async def test() -> None:
        async with console(folder / "failures.jsonl", cwd=HERE) as pilot:
            await press(pilot, "6")
            await until(pilot, lambda: isinstance(pilot.app.screen, StudyScreen))
            listing = pilot.app.screen.query_one(ChoiceList)
            await until(pilot, lambda: "3 sessions" in on_screen(pilot))
            assert "missing-intent" in on_screen(pilot)
            assert "wren" not in on_screen(pilot)
            await press(pilot, "escape")
            assert isinstance(pilot.app.screen, WatchScreen)
            await press(pilot, "6")
            await until(pilot, lambda: isinstance(pilot.app.screen, StudyScreen))
            listing = pilot.app.screen.query_one(ChoiceList)
            await until(pilot, lambda: "3 sessions" in on_screen(pilot))
            assert listing.chosen == folder / "rejects.jsonl"
            await press(pilot, "enter")
            await until(pilot, lambda: isinstance(pilot.app.screen, WatchScreen) and watched(pilot).is_up_to_date)
            await until(pilot, lambda: chosen(pilot).lstrip().startswith("x"))
            assert not watched(pilot).listing.follows

    run(test)


def test_no_sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no session has a call, the screen says so, and how to study others."""
    monkeypatch.setenv("PI_CODING_AGENT_SESSION_DIR", str(tmp_path))

    async def test() -> None:
        async with console(write_session(tmp_path / "none.jsonl", user("hello"), cwd=str(HERE)), cwd=HERE) as pilot:
            await press(pilot, "6")
            await until(pilot, lambda: "pilotage study PATH" in " ".join(shown(pilot.app.screen.query_one(ChoiceList))))

    run(test)
