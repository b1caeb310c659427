from pathlib import Path

import pytest
from msgspec.structs import replace

from pilotage.console.notices import list_notice, paragraphs
from pilotage.console.panes import EMPTY_WORDS, Pane
from pilotage.console.pieces import Piece
from pilotage.console.rows import Sight
from pilotage.console.status import FootState, foot_words, head_words, help_text
from pilotage.console.widgets.bar import fitted
from pilotage.sessions.follow import FileState
from tests.console.driven import LIVE, name, text_of, texts, timeline_of
from tests.handmade import HOSTILE, agent, call, ran, refused, user, write_session

HERE = Path("/home/dev/reeds")
PLAIN_FOOT = FootState(Pane.CALLS, follows=True, behind=0, other=None, filtered="")
USAGE = {"input": 40_000, "output": 1_200, "cost": {"total": 0.384}}


def words(pieces: list[Piece]) -> list[str]:
    """Give the words that are not empty."""
    return [piece.text for piece in pieces if piece.text]


def head(path: Path, state: FileState = FileState.PRESENT, sight: Sight = LIVE) -> list[str]:
    """Give all words of the head."""
    left, right = head_words(timeline_of(path), state, HERE, sight)
    return words([*left, *right])


def test_head(tmp_path: Path) -> None:
    """The head says project, name, model, tokens, cost, turn and step, findings, and the state of the session."""
    entries = (
        name("fix the flaky upload test"),
        user(),
        agent(call("c", command="x")),
        refused("c", "bash"),
    )
    entries[2]["message"] |= {"model": "glm-5.3", "usage": USAGE}  # type: ignore[operator]
    path = write_session(tmp_path / "s.jsonl", *entries)
    assert head(path)[:-1] == [
        "reeds",
        "fix the flaky upload test",
        "glm-5.3",
        "41.2k tokens",
        "$0.38",
        "turn 1 step 1",
        "1 finding",
    ]


def test_head_without_a_name(tmp_path: Path) -> None:
    """A session without a name is known by the user's first words; without a header by its id."""
    assert "Find out why" in head(write_session(tmp_path / "s.jsonl", user("Find out why"), user("Then stop")))
    file = tmp_path / "2026_0badcafe.jsonl"
    file.write_text('{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"Hello"}}\n')
    assert head(file)[:2] == ["0badcafe", "Hello"]


def test_state(tmp_path: Path) -> None:
    """The state is live, idle for how long, waiting, gone or unreadable; a clock behind the file says live."""
    path = write_session(tmp_path / "s.jsonl", user())
    written = path.stat().st_mtime
    states = {
        0: "live",
        100: "live",
        300: "idle 5 min",
        7200: "idle 2 h",
        -100_000: "live",
    }
    for later, state in states.items():
        assert head(path, sight=Sight(written + later, live=False))[-1] == state
    assert head(path, FileState.MISSING)[-1] == "file gone"
    assert head(path, FileState.UNREADABLE)[-1] == "unreadable"
    left, right = head_words(None, FileState.PRESENT, HERE, LIVE)
    assert words([*left, *right]) == ["reeds", "waiting"]


def test_findings_can_be_clicked(tmp_path: Path) -> None:
    """The count of findings goes to the next one; nothing else in the head is a command."""
    path = write_session(
        tmp_path / "s.jsonl", name("[@click=app.quit]x[/]"), agent(call("c", command="x")), refused("c", "bash")
    )
    left, right = head_words(timeline_of(path), FileState.PRESENT, HERE, LIVE)
    assert [piece.command for piece in [*left, *right] if piece.command] == ["next-finding"]


def test_foot() -> None:
    """The foot names the panes, marks the one that is shown, and says what else can be done."""
    left, right = foot_words(None, PLAIN_FOOT)
    assert words(left) == [str(pane) for pane in Pane]
    assert [piece.text for piece in left if piece.bold] == ["calls"]
    assert words(right) == ["n finding", "/ filter", "following", "? help"]
    assert [piece.command for piece in left] == [f"show-{pane}" for pane in Pane]


def test_foot_tells_what_waits_in_panes() -> None:
    """The foot tells beside a pane's name what waits in it."""
    counts = {Pane.REMINDERS: "2 !", Pane.PREPARED: ""}
    left, _ = foot_words(None, replace(PLAIN_FOOT, counts=counts))
    assert "reminders 2 !" in words(left)
    assert "prepared" in words(left)


def test_health(tmp_path: Path) -> None:
    """The foot says how far behind the reader is, what was skipped and recovered, what is unknown (spec U6)."""
    path = write_session(tmp_path / "s.jsonl", user(), {"type": "nova"}, {"type": "nova"}, user(parentId="lost"))
    with path.open("a") as file:
        file.write("{broken\n")
    timeline = timeline_of(path)
    _, right = foot_words(timeline, FootState(Pane.CALLS, follows=False, behind=3_100_000, other=None, filtered=""))
    assert "3.1MB behind" in words(right)
    assert "1 skipped · 2 unknown · 1 lost parent" in words(right)
    _, right = foot_words(timeline_of(write_session(tmp_path / "t.jsonl", user())), PLAIN_FOOT)
    assert words(right)[0] == "0 behind"


@pytest.mark.parametrize("width", [60, 80, 120])
def test_another_session_is_said_on_any_width(width: int) -> None:
    """That another session is live here is said even where there is little room."""
    foot = FootState(Pane.CALLS, follows=True, behind=0, other=Path("2026_01a22d8b-8021f1d77dac.jsonl"), filtered="")
    line = text_of(fitted(*foot_words(None, foot), width))
    assert "also live: 8021f1d77dac" in line
    assert "following" in line


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_filter_is_said_on_any_width(width: int) -> None:
    """What a filter hides is said even where there is little room."""
    foot = FootState(Pane.CALLS, follows=False, behind=0, other=None, filtered="is:failed: 3 shown, 40 rows hidden")
    line = text_of(fitted(*foot_words(None, foot), width))
    assert "is:failed: 3 shown, 40 rows hidden" in line
    assert "staying" in line


def test_help_is_plain_words() -> None:
    """The help has no line that is wider than 100 cells, and no sign of two cells."""
    lines = help_text({}).split("\n")
    assert max(map(len, lines)) <= 110
    assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize("pane", EMPTY_WORDS)
@pytest.mark.parametrize("width", [30, 58, 150])
def test_empty_panes_say_what_would_be_there(pane: Pane, width: int) -> None:
    """A pane with nothing to show says what is missing, what would be there, and what can be done now."""
    lines = texts(paragraphs(EMPTY_WORDS[pane], width))
    assert "".join("".join(lines).split()) == "".join("".join(EMPTY_WORDS[pane]).split())
    assert max(map(len, lines)) <= width + 1
    assert len(EMPTY_WORDS[pane]) >= 3


def test_every_pane_without_rows_has_words() -> None:
    """Each pane says what it would show, but for the calls, and those that have a screen of their own."""
    assert set(Pane) - set(EMPTY_WORDS) == {Pane.CALLS, Pane.SEARCH, Pane.STUDY}


def test_why_the_list_is_empty(tmp_path: Path) -> None:
    """An empty list says why, and where it looks."""

    def notice(path: Path | None, state: FileState = FileState.PRESENT, reason: str = "") -> str:
        session = timeline_of(path).session if path else None
        return " ".join(" ".join(texts(list_notice(session, state, reason, HERE, 300))).split())

    assert notice(None).startswith("No session here yet. Looking for sessions of /home/dev/reeds in ")
    path = write_session(tmp_path / "s.jsonl")
    assert notice(path).startswith("Nothing has happened in this session yet.")
    assert notice(path, FileState.MISSING).startswith("The session's file is not there.")
    denied = notice(path, FileState.UNREADABLE, "Permission denied")
    assert denied.startswith("The session cannot be read: Permission denied.")


def test_hostile_words(tmp_path: Path) -> None:
    """Name, model, project, file and folder are fit for a terminal, and short."""
    entries = name(HOSTILE * 50), user(HOSTILE), agent(call("c", command="x")), ran("c")
    entries[2]["message"] |= {"model": HOSTILE * 50}  # type: ignore[operator]
    path = write_session(tmp_path / "s.jsonl", *entries, cwd="/home/" + HOSTILE.replace("/", ""))
    timeline = timeline_of(path)
    foot = FootState(Pane.CALLS, follows=True, behind=0, other=Path(HOSTILE.replace("/", "")), filtered="")
    for left, right in (head_words(timeline, FileState.PRESENT, HERE, LIVE), foot_words(timeline, foot)):
        assert all(piece.text.isprintable() for piece in [*left, *right])
    for line in list_notice(None, FileState.PRESENT, HOSTILE, Path("/" + HOSTILE.replace("\0", "")), 60):
        assert text_of(line).isprintable()
