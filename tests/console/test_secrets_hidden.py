from pilotage.console.secrets_hidden import LONGEST, hidden_words, hide, safe_line, safe_text
from tests.handmade import HOSTILE

SECRET = "ghp_" + "a1B2" * 10


def test_secrets_are_marked_and_counted() -> None:
    """A secret is a mark, and it is said how many there are (spec U9)."""
    assert hide(f"x {SECRET} {SECRET}").count == 2
    assert safe_line(f"x\n{SECRET}") == "x [secret: github token]"
    assert safe_text(f"x\n{SECRET}\n") == "x\n[secret: github token]"
    assert [hidden_words(count) for count in (0, 1, 2)] == ["", "1 secret hidden", "2 secrets hidden"]


def test_fit_for_a_terminal() -> None:
    """What comes out steers no terminal, and only so much is looked at."""
    assert safe_line(HOSTILE).isprintable()
    assert all(line.isprintable() for line in safe_text(HOSTILE).split("\n"))
    assert len(hide("x" * (2 * LONGEST)).text) == LONGEST
