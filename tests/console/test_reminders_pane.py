import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pilotage.console.panes import EMPTY_WORDS, Pane
from pilotage.console.screens.choose_part import ChoosePart
from pilotage.console.screens.evidence import EvidenceScreen
from pilotage.console.screens.reminders import RemindersScreen
from pilotage.console.screens.whole import WholeText
from pilotage.evidence.marks import marks_file, read_marks
from pilotage.records.attempt import ReminderState
from pilotage.records.configuration import Configuration
from pilotage.search.surroundings import Surroundings
from pilotage.settings import Settings
from tests.console.driven import (
    PATIENCE,
    Clock,
    Driven,
    bar,
    console,
    grow,
    listed,
    on_screen,
    press,
    run,
    settle,
    toasts,
    until,
    watched,
)
from tests.console.evidenced import BEGAN, ENDED, brings, ends, pair, review, reviewed
from tests.handmade import agent, call, lines_of, ran, user, write_session
from tests.pi.model_server import ModelServer
from tests.pi.reviewed import rule, says
from tests.pi.scenario import Scenario

PAIR = ("Only one nest was counted. Count all.", 'User request: "Count the nests, and all of them."')
SESSION = (
    user("Count the nests, and all of them."),
    agent(call("c", command="ls nests", intent="How many are there?")),
    ran("c"),
    agent(text="One.", stop="stop"),
)


@pytest.fixture
def path(data: Path, tmp_path: Path) -> Path:
    """Give the recorded session with its children."""
    return reviewed(data, tmp_path)


@pytest.fixture
def nests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a session that nobody has reviewed; children are kept below a folder of the test's own."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return write_session(tmp_path / "s.jsonl", *SESSION, id="watched")


def around(url: str, folder: Path) -> Callable[[Path], Surroundings]:
    """Let Pi's files name a server as the provider `own`."""
    (folder / "agent").mkdir(exist_ok=True)
    provider = {"baseUrl": url, "api": "openai-completions", "apiKey": "example-key", "models": [{"id": "m"}]}
    (folder / "agent" / "models.json").write_text(json.dumps({"providers": {"own": provider}}))
    return lambda cwd: Surroundings(cwd, folder / "agent", configuration=Configuration(provider="own", model="m"))


def front(pilot: Driven) -> RemindersScreen:
    """Give the pane that is in front."""
    assert isinstance(pilot.app.screen, RemindersScreen)
    return pilot.app.screen


@pytest.mark.parametrize("size", [(80, 24), (60, 15), (150, 38)])
def test_looks(path: Path, size: tuple[int, int]) -> None:
    """The reviews are counted, and below it stands what they told, the newest on top, in any terminal."""

    async def test() -> None:
        async with console(path, size=size, clock=Clock(ENDED)) as pilot:
            await press(pilot, "2")
            lines = listed(front(pilot))
            assert lines[0].startswith("5 reviews, 1 with nothing to say")
            assert [line.split()[0] for line in lines[1:]] == ["*", ".", ".", ".", "!", ">"]
            assert "reminders 1" in bar(pilot, "foot")
            await press(pilot, "G", "enter")
            assert "The limit was changed two steps ago" in on_screen(pilot)
            assert "the calls since" in on_screen(pilot)
            await press(pilot, "escape", "escape")
            assert pilot.app.screen is watched(pilot)

    run(test)


def test_two_keys_to_the_evidence(path: Path) -> None:
    """From a reminder e and Enter lead to the model's raw answer; so do Enter, Enter from the list (spec U5)."""

    async def test() -> None:
        async with console(path, clock=Clock(ENDED), size=(80, 24)) as pilot:
            await press(pilot, "2", "G", "e")
            screen = pilot.app.screen
            assert isinstance(screen, EvidenceScreen)
            await until(pilot, lambda: screen.is_settled)
            await press(pilot, "enter")
            assert '{"reminders": [["The limit was changed two steps ago' in on_screen(pilot)
            await press(pilot, "2", "G", "enter", "enter")
            assert isinstance(pilot.app.screen, EvidenceScreen)
            await press(pilot, "2", "g", "j", "j", "j", "j", "enter", "e")
            failed = pilot.app.screen
            assert isinstance(failed, EvidenceScreen)
            await until(pilot, lambda: failed.is_settled)
            await press(pilot, "enter")
            assert "I see one thing" in on_screen(pilot)

    run(test)


def test_evidence_of_a_reminder_in_the_line_of_time(path: Path) -> None:
    """On the row of a reminder e leads to the evidence of its review."""

    async def test() -> None:
        async with console(path, clock=Clock(ENDED), size=(150, 38)) as pilot:
            await press(pilot, "g", "m")
            assert (attempt := watched(pilot).chosen_attempt()) is not None
            await press(pilot, "e")
            screen = pilot.app.screen
            assert isinstance(screen, EvidenceScreen)
            await until(pilot, lambda: screen.is_settled)
            assert screen.chosen_attempt() == attempt
            assert '{"reminders": [["The limit was changed two steps' in on_screen(pilot)

    run(test)


def test_marking(path: Path) -> None:
    """A key marks a reminder right or wrong, the same key takes it back; how many were right is shown (spec R7)."""

    async def test() -> None:
        async with console(path, clock=Clock(ENDED), size=(150, 38)) as pilot:
            await press(pilot, "2", "plus")
            assert toasts(pilot)[-1] == "choose a reminder to mark"
            await press(pilot, "j", "plus", "j", "minus", "j", "minus", "minus")
            assert listed(front(pilot))[0].endswith("1 of 2 marked right")
            assert "right  step 10" in listed(front(pilot))[2]
            assert "wrong  step 8" in listed(front(pilot))[3]
            assert "marked" not in listed(front(pilot))[4]
            assert sorted(read_marks().values()) == [False, True]
            await press(pilot, "k")
            assert "you      marked wrong" in on_screen(pilot)
            await press(pilot, "1", "2")
            assert listed(front(pilot))[0].endswith("1 of 2 marked right")

    run(test)


def test_marks_that_cannot_be_kept(path: Path) -> None:
    """Where marks cannot be written or read, it is said where they would be."""
    marks_file().mkdir(parents=True)

    async def test() -> None:
        async with console(path, clock=Clock(ENDED)) as pilot:
            await press(pilot, "2")
            assert str(marks_file()) in toasts(pilot)[-1]
            await press(pilot, "j", "plus")
            assert "marks are kept there" in toasts(pilot)[-1]
            assert "marked" not in listed(front(pilot))[0]

    run(test)


def test_copies(path: Path) -> None:
    """Sentence, source and the commands that open the evidence can be copied; the child opens in the editor."""

    async def test() -> None:
        async with console(path, clock=Clock(ENDED)) as pilot:
            await press(pilot, "2", "y")
            assert not isinstance(pilot.app.screen, ChoosePart)
            await press(pilot, "G")
            parts = {part.name: part.text for part in front(pilot).parts()}
            assert parts["deviation"].startswith("The limit was changed")
            assert parts["source"].startswith("System prompt:")
            assert parts["command for Pi"] == f"pi --session {parts['file']}"
            assert parts["command for snap"] == f"pilotage snap {parts['file']}"
            assert front(pilot).target() == Path(parts["file"])
            whole = front(pilot).whole()
            assert whole
            assert "State: delivered" in whole.text
            await press(pilot, "y", "d")
            assert toasts(pilot)[-1].startswith("deviation copied")
            await press(pilot, "k")
            assert next(part.name for part in front(pilot).parts()) == "words"

    run(test)


def test_secrets_are_not_copied(tmp_path: Path) -> None:
    """What is copied holds no secret, and its name says how many are hidden (spec U9)."""
    secret = "ghp_" + "a1B2" * 10
    said = ends(review(), pair(f"Use {secret}", ReminderState.LATE))
    path = write_session(tmp_path / "s.jsonl", user(), said)

    async def test() -> None:
        async with console(path) as pilot:
            await press(pilot, "2")
            (deviation, *_) = front(pilot).parts()
            assert deviation.name == "deviation, 1 secret hidden"
            assert deviation.text == "Use [secret: github token]"

    run(test)


def test_nothing_yet(nests: Path, tmp_path: Path) -> None:
    """An empty pane says what would be here and what to set; reviews that found nothing are counted (spec R5)."""

    async def test() -> None:
        async with console(nests) as pilot:
            await press(pilot, "2", "enter", "plus", "e")
            assert EMPTY_WORDS[Pane.EVIDENCE][0] in on_screen(pilot)
            await press(pilot, "2")
            told = " ".join(on_screen(pilot).split())
            assert EMPTY_WORDS[Pane.REMINDERS][0] in told
            assert "trajectoryWarnings true" in told
            assert front(pilot).whole() is None
        silent = write_session(tmp_path / "t.jsonl", *SESSION, ends(review()))
        async with console(silent) as pilot:
            await press(pilot, "2")
            assert "No reminder: 1 review had nothing to say. That is no approval." in on_screen(pilot)

    run(test)


def test_a_reminder_comes(nests: Path) -> None:
    """What a review tells while the pane is shown comes on top; the cursor stays; a failure is notified of once."""
    subject, said = review(1), [pair("Count first.")]
    entries = [*SESSION, ends(subject, *said), brings(subject, said)]
    failing = [ends(review(number), failure=("timeout", "Too slow."), at=BEGAN + number) for number in (2, 3)]

    async def test() -> None:
        async with console(nests, size=(150, 30)) as pilot:
            await press(pilot, "2")
            await grow(pilot, nests, "".join(lines_of(entries)[len(SESSION) :]))
            assert front(pilot).listing.chosen == ("attempt-1", 0)
            assert "reminders 1" in bar(pilot, "foot")
            await grow(pilot, nests, "".join(lines_of([*entries, *failing])[len(entries) :]))
            assert listed(front(pilot))[1].startswith("! 09:00 2 reviews failed: Too slow.")
            assert front(pilot).listing.chosen == ("attempt-1", 0)
            assert "reminders 1 !" in bar(pilot, "foot")
            assert [words for words in toasts(pilot) if "Too slow" in words] == [
                "a review failed: Too slow.; 2 tells more"
            ]

    run(test)


def test_review_now(nests: Path, tmp_path: Path) -> None:
    """A review by hand shows its reminder, for the person alone; nothing is written into the session (spec R8)."""
    before = nests.read_bytes()

    async def test(url: str) -> None:
        async with console(nests, size=(150, 38), surroundings=around(url, tmp_path)) as pilot:
            await press(pilot, "r")
            await until(pilot, lambda: front(pilot).is_settled and bool(listed(front(pilot))))
            assert "observed" in listed(front(pilot))[1]
            assert "Only one nest was counted." in listed(front(pilot))[1]
            assert "it is for you, the agent never read it" in " ".join(on_screen(pilot).split())
            assert toasts(pilot)[-1] == "the review has 1 reminder"
            assert "reminders 1" in bar(pilot, "foot")
            await press(pilot, "e")
            screen = pilot.app.screen
            assert isinstance(screen, EvidenceScreen)
            await until(pilot, lambda: screen.is_settled)
            assert "Only one nest was counted." in on_screen(pilot)

    with ModelServer(Scenario(rules=[rule(says(PAIR))])) as server:
        run(lambda: test(server.url))
    assert nests.read_bytes() == before


def test_review_now_is_called_off(nests: Path, tmp_path: Path) -> None:
    """While the model thinks the seconds are shown, a second r does nothing, and Escape ends it at once (spec M4)."""

    async def test(server: ModelServer) -> None:
        async with console(nests, size=(150, 38), surroundings=around(server.url, tmp_path)) as pilot:
            await press(pilot, "r")
            await until(pilot, lambda: bool(server.requests))
            assert "Escape calls it off" in bar(pilot, "foot")
            assert "reviewing 0 s" in bar(pilot, "foot")
            await press(pilot, "r")
            assert toasts(pilot)[-1] == "a review is under way"
            await press(pilot, "escape")
            await until(pilot, lambda: front(pilot).is_settled)
            await until(pilot, lambda: toasts(pilot)[-1] == "the review was called off")
            await until(pilot, lambda: bool(server.script.called_off))
            await press(pilot, "escape")
            assert pilot.app.screen is watched(pilot)

    with ModelServer(Scenario(rules=[rule(says(PAIR, delay_ms=60_000))])) as server:
        run(lambda: test(server))


def test_review_now_ends_with_the_console(nests: Path, tmp_path: Path) -> None:
    """A review goes on while another pane is shown, and is called off when the console is left."""

    async def test(server: ModelServer) -> None:
        async with console(nests, surroundings=around(server.url, tmp_path)) as pilot:
            await press(pilot, "r")
            await until(pilot, lambda: bool(server.requests))
            await press(pilot, "1")
            assert watched(pilot).reviewing.is_going
            assert not server.script.called_off
            await press(pilot, "q")
        deadline = time.monotonic() + PATIENCE
        while not server.script.called_off:
            assert time.monotonic() < deadline, "the request went on"
            await asyncio.sleep(0.01)

    with ModelServer(Scenario(rules=[rule(says(PAIR, delay_ms=60_000))])) as server:
        run(lambda: test(server))


def test_review_now_without_a_model(nests: Path, tmp_path: Path) -> None:
    """Where no model answers it is said as a failure, with what to set and where (spec M2)."""

    async def test() -> None:
        async with console(nests, size=(150, 38), surroundings=around("http://127.0.0.1:9/v1", tmp_path)) as pilot:
            await press(pilot, "r")
            await until(pilot, lambda: front(pilot).is_settled and bool(listed(front(pilot))))
            assert listed(front(pilot))[1].endswith("unreachable")
            told = " ".join(on_screen(pilot).split())
            assert "provider and model of capabilityDiscovery in" in told
            assert toasts(pilot)[-1].startswith("review failed: ")
            await settle(pilot)

    run(test)


def test_review_now_with_a_faulty_configuration(nests: Path, tmp_path: Path) -> None:
    """A configuration that is faulty is told as it is (spec G2)."""
    fault = "capabilityDiscovery: modle is no key"
    surroundings = Surroundings(tmp_path, tmp_path / "agent", configuration=None, fault=fault)

    async def test() -> None:
        async with console(nests, size=(150, 38), surroundings=lambda _: surroundings) as pilot:
            await press(pilot, "r")
            await until(pilot, lambda: front(pilot).is_settled and bool(listed(front(pilot))))
            assert fault in " ".join(on_screen(pilot).split())

    run(test)


def test_unsourced_reminders_are_held_back_where_that_is_set(nests: Path, tmp_path: Path) -> None:
    """The console's setting holds for reviews by hand as well (spec R9)."""
    invented = ("The style guide was not read.", 'System prompt: "Read the style guide."')

    async def test(url: str) -> None:
        settings = Settings(hold_unsourced=True)
        async with console(nests, size=(150, 38), surroundings=around(url, tmp_path), settings=settings) as pilot:
            await press(pilot, "r")
            await until(pilot, lambda: front(pilot).is_settled and bool(listed(front(pilot))))
            assert "held back: unsourced" in listed(front(pilot))[1]

    with ModelServer(Scenario(rules=[rule(says(invented))])) as server:
        run(lambda: test(server.url))


def test_no_session_to_review(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a session there is nothing to review, which is said."""
    monkeypatch.setenv("PI_CODING_AGENT_SESSION_DIR", str(tmp_path / "none"))

    async def test() -> None:
        async with console(None, cwd=tmp_path) as pilot:
            await press(pilot, "r")
            assert toasts(pilot)[-1] == "there is no session to review yet"
            assert EMPTY_WORDS[Pane.REMINDERS][0] in on_screen(pilot)
            await press(pilot, "O", "5", "4")
            assert not isinstance(pilot.app.screen, WholeText)

    run(test)
